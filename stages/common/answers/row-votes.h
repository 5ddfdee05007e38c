/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What rows say about their items, whichever kind of table they come from (votes-of-batch.h). A row
 * of annotations is `count` votes for its first choice, or where percents are wanted, as many
 * shared among the classes as these say; a row of labels is `weight` votes, shared as its
 * distribution says, a row of predictions one. Attention checks and rows of excluded annotators are
 * not there. */
#pragma once

#include "pipeline/base/texts.h"

typedef struct
{
  struct _SlBatch *batch; /* whose memory most of it is */
  gint64 n;
  SlText item;
  SlText annotator;         /* .offset is NULL where nobody is named */
  const double *label;      /* [n][n_classes]; NULL: votes */
  const double *weight;     /* [n], where there are labels */
  const gint32 *vote;       /* [n], of annotations */
  const gint64 *count;      /* [n]; NULL: 1 each */
  const gint32 *gold;       /* [n]; NULL: not known */
  gint32 *votes;            /* memory behind `vote`, where it is not the batch's */
  double *labels, *weights; /* likewise behind `label` and `weight` */
  gint64 *row;              /* [n]: the table's row, from 0; NULL: batch->first_row and on */
  gint64 n_repeats;         /* judgements marked as repeats, there or left out */
} SlRowVotes;
