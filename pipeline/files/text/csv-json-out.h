/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables as text: CSV (RFC 4180) and JSON lines. Reals are the shortest text that reads back the
 * same. */
#pragma once

#include "pipeline/table/batch.h"

/* One column a class for a label ("label.cat"), one a number for a tensor ("x.0"); lists are
 * joined: "cat:80|dog:20", "frog|ship". */
void sl_csv_append_header (GString *out, const SlTable *table);
void sl_csv_append (GString *out, const SlBatch *batch, gint64 row);

/* One object a row, ended by a newline. */
void sl_jsonl_append (GString *out, const SlBatch *batch, gint64 row);
