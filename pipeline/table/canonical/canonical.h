/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Brings batches that another program wrote into canonical form: exact column types, the kind's
 * order of columns, class codes in the table's class order. Nothing is used before it is
 * validated. */
#pragma once

#include "pipeline/table/table.h"

/* A canonical record batch of TABLE's columns; what is canonical already is not copied. FIRST_ROW
 * is for messages. */
GArrowRecordBatch *sl_canonical (const SlTable *table, GArrowSchema *schema, GArrowRecordBatch *raw,
                                 gint64 first_row, GError **error);
