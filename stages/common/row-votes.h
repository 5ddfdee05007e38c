/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the rows of a batch say about their items, whichever kind of table they come from. A row
 * of annotations is `count` votes for its first choice; a row of labels is `weight` votes,
 * shared among the classes as its distribution says. Attention checks and rows of excluded
 * annotators are not there. */
#pragma once

#include "pipeline/table/batch.h"

typedef struct
{
  SlBatch *batch;
  gint64 n;
  SlText item;
  SlText annotator;     /* .offset is NULL where nobody is named */
  const double *label;  /* [n][n_classes]; NULL: votes */
  const double *weight; /* [n], where there are labels */
  const gint32 *vote;   /* [n], where there are none */
  const gint64 *count;  /* [n]; NULL: 1 each */
  const gint32 *gold;   /* [n]; NULL: not known */
  gint32 *votes;        /* memory behind `vote`, where it is not the batch's */
  gint64 *row;          /* [n]: the table's row, from 0; NULL: batch->first_row and on */
} SlEvidence;

gboolean sl_evidence_init (SlEvidence *evidence, SlBatch *batch, GError **error);
void sl_evidence_clear (SlEvidence *evidence);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlEvidence, sl_evidence_clear)

/* The row of the table, counted from 1, behind row I. */
gint64 sl_evidence_row (const SlEvidence *evidence, gint64 i);

/* Sets ERROR: row I has another gold class than its item had BEFORE. Returns FALSE. */
gboolean sl_evidence_gold_error (const SlEvidence *evidence, gint64 i, gint32 before,
                                 GError **error);
