/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From questions that are answered by no and yes (`ingest --multi-label`) back to sets: a line of
 * JSON for an item, or of votes for an item and annotator, with the classes that it has; of labels
 * also how likely each is. */
#pragma once

#include "pipeline/table/batch.h"

typedef struct _SlSets SlSets;

/* SEPARATOR parts items from their questions. What is at least THRESHOLD likely is in the set. NULL
 * and ERROR where a table like that has no questions. */
SlSets *sl_sets_new (const SlTable *table, const char *separator, double threshold, GError **error);
void sl_sets_free (SlSets *sets);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlSets, sl_sets_free)

/* Appends BATCH's rows to OUT; those of one set must stand together. */
gboolean sl_sets_append (SlSets *sets, GString *out, const SlBatch *batch, GError **error);
void sl_sets_end (SlSets *sets, GString *out);
