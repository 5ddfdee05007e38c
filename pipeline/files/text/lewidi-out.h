/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the shared tasks Learning With Disagreements take. Of 2025: a line an item, its id, a tab,
 * and a list as Python writes it: the probabilities of a label (the task of soft labels), or the
 * class of each of the item's annotators (the task of perspectives). Of 2023: the hard label and
 * the probabilities between tabs, without an id. */
#pragma once

#include "pipeline/table/batch.h"

typedef struct _SlLewidi SlLewidi;

/* NULL and ERROR where a table like that has no labels. */
SlLewidi *sl_lewidi_new (const SlTable *table, gboolean of_2023, GError **error);
void sl_lewidi_free (SlLewidi *lewidi);

/* Appends BATCH's rows to OUT; those of one item's annotators must stand together. */
gboolean sl_lewidi_append (SlLewidi *lewidi, GString *out, const SlBatch *batch, GError **error);
void sl_lewidi_end (SlLewidi *lewidi, GString *out);
