/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What packed-answers.c (rows to buckets of items) and packing.c (buckets to chunks) share. */
#pragma once

#include "packed-answers.h"

/* Rows are read in so many equal ranges, and items sorted in about so many buckets, or more, of at
 * most 2^16 items: neither shows in the result. */
#define SL_RANGES 64
#define SL_BUCKETS 512
#define SL_BUCKET_SHIFT 16

typedef struct
{
  SlPackedAnswers *packed;
  const SlAnswers *answers;
  const guint32 *cell; /* [answers->n_answers]: in place of their annotators and votes; or NULL */
  int bucket_shift;    /* a bucket has 2^bucket_shift items */
  int n_buckets;
  gboolean unsorted[SL_RANGES];
  gint64 *at;     /* [SL_RANGES][n_buckets]: where the range's next answer of each bucket goes */
  gint64 *bucket; /* [n_buckets + 1]: the first answer of each */
  /* [n_answers]: once packed->cell is in order of the buckets, each answer's item, counted from the
   * bucket's first; NULL: the rows are in the order of the items */
  guint16 *item;
  GArray **stretches; /* [n_buckets] */
} SlPacking;

/* The cell of the vote in row J, or for distributions that of its annotator and the first class. */
static inline guint32
sl_packing_cell (const SlPacking *packing, gint64 j)
{
  const SlAnswers *answers = packing->answers;
  if (packing->cell != NULL)
    return packing->cell[j];
  guint32 first = (guint32) answers->annotator[j] * (guint32) packing->packed->n_classes;
  return answers->distribution == NULL ? first + (guint32) answers->answer[j] : first;
}

/* Puts the answers of a bucket's items in their places. A task for sl_parallel(). */
void sl_arrange_bucket (int bucket, gpointer packing);

/* The stretches of all buckets, in one array. */
void sl_join_stretches (SlPacking *packing);
