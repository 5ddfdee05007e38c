/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the rows of a batch of annotations, labels or predictions to what they say about items. */
#pragma once

#include "pipeline/table/batch.h"
#include "answers.h"

gboolean sl_row_votes_init (SlRowVotes *rows, SlBatch *batch, GError **error);
/* The annotations' percents become labels, as `redistribute --top 2 --spread clamp` makes them. */
gboolean sl_row_votes_believe (SlRowVotes *rows, int threads, GError **error);
void sl_row_votes_clear (SlRowVotes *rows);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlRowVotes, sl_row_votes_clear)

/* The row of the table, counted from 1, behind row I. */
gint64 sl_row_votes_row (const SlRowVotes *rows, gint64 i);

/* Sets ERROR: row I has another gold class than its item had BEFORE. Returns FALSE. */
gboolean sl_row_votes_gold_error (const SlRowVotes *rows, gint64 i, gint32 before, GError **error);
