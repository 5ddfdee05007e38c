/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table as the shared tasks Learning With Disagreements take it. Of 2025: a line an item, its id,
 * a tab, and a list as Python writes it: the probabilities of a label (the task of soft labels), or
 * the class of each of the item's annotators (the task of perspectives). Of 2023: the hard label
 * and the probabilities between tabs, without an id. */
#pragma once

#include "pipeline/table/batch.h"

typedef struct _SlSubmission SlSubmission;

/* NULL and ERROR where a table like that has no labels. */
SlSubmission *sl_submission_new (const SlTable *table, gboolean of_2023, GError **error);
void sl_submission_free (SlSubmission *submission);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlSubmission, sl_submission_free)

/* Appends BATCH's rows to OUT; those of one item's annotators must stand together. */
gboolean sl_submission_append (SlSubmission *submission, GString *out, const SlBatch *batch,
                               GError **error);
void sl_submission_end (SlSubmission *submission, GString *out);
