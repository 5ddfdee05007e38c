/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables as text: CSV (RFC 4180), JSON lines, and what shared tasks take. Reals are the shortest
 * text that reads back the same. */
#pragma once

#include "pipeline/table/batch.h"

/* One column a class for a label ("label.cat"), one a number for a tensor ("x.0"); lists are
 * joined: "cat:80|dog:20", "frog|ship". */
void sl_csv_append_header (GString *out, const SlTable *table);
void sl_csv_append (GString *out, const SlBatch *batch, gint64 row);

/* One object a row, ended by a newline. */
void sl_jsonl_append (GString *out, const SlBatch *batch, gint64 row);

/* ---- shared tasks' files ---- */

/* What the shared tasks Learning With Disagreements take. Of 2025: a line an item, its id, a tab,
 * and a list as Python writes it: the probabilities of a label (the task of soft labels), or the
 * class of each of the item's annotators (the task of perspectives). Of 2023: the hard label and
 * the probabilities between tabs, without an id. */

typedef struct _SlLewidi SlLewidi;

/* NULL and ERROR where a table like that has no labels. */
SlLewidi *sl_lewidi_new (const SlTable *table, gboolean of_2023, GError **error);
void sl_lewidi_free (SlLewidi *lewidi);

/* Appends BATCH's rows to OUT; those of one item's annotators must stand together. */
gboolean sl_lewidi_append (SlLewidi *lewidi, GString *out, const SlBatch *batch, GError **error);
void sl_lewidi_end (SlLewidi *lewidi, GString *out);
