/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the rows of a batch of annotations or labels to what they say about their items. */
#pragma once

#include "pipeline/table/batch.h"
#include "row-votes.h"

gboolean sl_evidence_init (SlEvidence *evidence, SlBatch *batch, GError **error);
void sl_evidence_clear (SlEvidence *evidence);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlEvidence, sl_evidence_clear)

/* The row of the table, counted from 1, behind row I. */
gint64 sl_evidence_row (const SlEvidence *evidence, gint64 i);

/* Sets ERROR: row I has another gold class than its item had BEFORE. Returns FALSE. */
gboolean sl_evidence_gold_error (const SlEvidence *evidence, gint64 i, gint32 before,
                                 GError **error);
