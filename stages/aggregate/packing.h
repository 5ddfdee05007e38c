/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What packed-answers.c (rows to buckets of items) and packing.c (buckets to chunks) share. */
#pragma once

#include "packed-answers.h"

/* Rows are read in so many equal ranges, and items sorted in about so many buckets: neither
 * shows in the result. */
#define SL_RANGES 64
#define SL_BUCKETS 512

/* An answer on its way to its place. */
typedef struct
{
  gint32 item;
  guint32 cell;
} SlEntry;

typedef struct
{
  SlPackedAnswers *packed;
  const SlAnswers *answers;
  int bucket_shift; /* a bucket has 2^bucket_shift items */
  int n_buckets;
  gboolean unsorted[SL_RANGES];
  gint64 (*at)[SL_BUCKETS + 1]; /* [SL_RANGES]: where the range's next entry of each bucket goes */
  gint64 *bucket;               /* [n_buckets + 1]: the first entry of each */
  SlEntry *entry;               /* entries by bucket; NULL: the rows are in that order */
  double *weight;               /* of the entries */
  GArray *stretches[SL_BUCKETS];
} SlPacking;

/* Puts the answers of a bucket's items in their places. A task for sl_parallel(). */
void sl_arrange_bucket (int bucket, gpointer packing);

/* The stretches of all buckets, in one array. */
void sl_join_stretches (SlPacking *packing);
