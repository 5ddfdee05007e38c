/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answers, item by item, cut into parts that threads take on one by one. Whatever is summed
 * over items is summed within each part and then over the parts in their order, and the cut depends
 * on the data alone: the sums are the same to the last bit for any number of threads. */
#pragma once

#include "answers.h"

/* The cut is into so many parts at most. */
#define SL_MAX_PARTS 16

typedef struct
{
  gint32 n_items, n_annotators, n_classes;
  gint64 n_answers;
  /* [n_items + 1]: item i's answers are first[i] .. first[i + 1] - 1, in the order of their rows */
  gint64 *first;
  const gint32 *annotator;    /* [n_answers] */
  const gint32 *answer;       /* [n_answers]; NULL: distributions and nothing else */
  const double *count;        /* [n_answers]; NULL: 1 each */
  const double *distribution; /* [n_answers][n_classes] by row; NULL: votes */
  const gint64 *row;          /* [n_answers]: place in SlAnswers; NULL: the same */
  int n_parts;
  gint32 part[SL_MAX_PARTS + 1]; /* [n_parts + 1]: part p's items are part[p] .. part[p + 1] - 1 */
  gpointer memory[4];
} SlByItem;

/* WIDTH: numbers to be kept for each annotator and part; the more, the fewer the parts, so that
 * they take no more memory than the answers do. The arrays of ANSWERS must live as long: where its
 * rows are in the items' order, they are used as they are. */
void sl_by_item_init (SlByItem *by, const SlItems *items, const SlAnswers *answers, gsize width);
void sl_by_item_clear (SlByItem *by);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlByItem, sl_by_item_clear)

static inline double
sl_by_item_count (const SlByItem *by, gint64 j)
{
  return by->count == NULL ? 1 : by->count[j];
}

/* The distribution that answer J is; only where there are any. */
static inline const double *
sl_by_item_distribution (const SlByItem *by, gint64 j)
{
  return &by->distribution[(gsize) (by->row == NULL ? j : by->row[j]) * (gsize) by->n_classes];
}

/* Sums of the parts, sums[n_parts][size], all 0; to be freed with g_free(). */
double *sl_by_item_sums (const SlByItem *by, gsize size);

/* Adds the parts' sums up into the first's. */
void sl_by_item_fold (const SlByItem *by, double *sums, gsize size);

/* order[first[a]] .. order[first[a + 1] - 1]: places in an SlByItem of annotator a's answers. */
typedef struct
{
  gint64 *first, *order;
  gint32 *item; /* [n_answers], by place */
} SlByAnnotator;

void sl_by_annotator_init (SlByAnnotator *own, const SlByItem *by);
void sl_by_annotator_clear (SlByAnnotator *own);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlByAnnotator, sl_by_annotator_clear)
