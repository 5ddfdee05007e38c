/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rounds a few states at a time, for tables that would be too large as a whole. What is learned of
 * state z, and its scores, depend on the labels of z alone until the scores of all states are
 * normalised:
 *
 *     for each block of states:
 *         c_a[z][x] = sum over the answers of cell (a, x) of the labels [z]   (gathered)
 *         log-weights from them
 *         label[i][z] = score                                                 (in its own place)
 *     label[i] = exp (score - log sum of exp (score))
 *
 * Every sum is that of one cell or one item in a fixed order, so threads do not show. Memory beside
 * the labels: 4 bytes an answer (12 with weights) and a block of states a cell. */
#include "pipeline/base/parallel.h"
#include "em.h"

#include <math.h>

#define SHARES 64 /* of the items or the annotators: tasks */
#define AHEAD 16  /* answers whose rows are asked for before they are needed */

typedef struct
{
  SlEm *em;
  gint32 first, states; /* of the block */
  double *total;        /* [SHARES][n_states] */
  double objective[SHARES], change[SHARES];
} Block;

static gint32
share_start (gint32 n, int share)
{
  return (gint32) ((gint64) n * share / SHARES);
}

/* ---- sums ---- */

/* table[cell][z] = sum over the cell's answers of w label[item][first + z]. */
SL_INLINE void
gather (SlEm *em, gsize cell, gint32 first, gint32 states)
{
  gsize n_classes = (gsize) em->items->n_classes;
  const double *label = em->items->label + first;
  double *restrict row = em->table + cell * (gsize) em->block;
  memset (row, 0, (gsize) em->block * sizeof *row);
  for (gint64 j = em->cell_first[cell]; j < em->cell_first[cell + 1]; j++)
    {
      const double *restrict from = label + (gsize) em->cell_item[j] * n_classes;
      double weight = em->cell_weight != NULL ? em->cell_weight[j] : 1;
      gint64 next = MIN (j + AHEAD, em->packed.n_answers - 1);
      __builtin_prefetch (label + (gsize) em->cell_item[next] * n_classes);
      for (gint32 z = 0; z < states; z++)
        row[z] += from[z] * weight;
    }
}

SL_VECTORS static void
gather_share (int share, gpointer data)
{
  Block *block = data;
  const SlPackedAnswers *packed = &block->em->packed;
  for (gint32 a = share_start (packed->n_annotators, share);
       a < share_start (packed->n_annotators, share + 1); a++)
    {
      gsize first;
      gint32 n = sl_packed_answers_cells (packed, a, &first);
      for (gint32 i = 0; i < n; i++)
        gather (block->em, first + (gsize) i, block->first, block->states);
    }
}

static void
add_crowd (const Block *block)
{
  SlEm *em = block->em;
  for (gint32 x = 0; x < em->items->n_classes; x++)
    memset (em->crowd + (gsize) x * (gsize) em->stride + block->first, 0,
            (gsize) block->states * sizeof *em->crowd);
  for (gint32 a = 0; a < em->packed.n_annotators; a++)
    {
      gsize first;
      gint32 n = sl_packed_answers_cells (&em->packed, a, &first);
      for (gint32 i = 0; i < n; i++)
        for (gint32 z = 0; z < block->states; z++)
          em->crowd[(gsize) sl_packed_answers_class (&em->packed, first, i) * (gsize) em->stride
                    + (gsize) (block->first + z)]
              += em->table[(first + (gsize) i) * (gsize) em->block + (gsize) z];
    }
}

/* ---- weights ---- */

static void
weigh_share (int share, gpointer data)
{
  Block *block = data;
  SlEm *em = block->em;
  gint32 n_annotators = em->packed.n_annotators;
  for (gint32 a = share_start (n_annotators, share); a < share_start (n_annotators, share + 1); a++)
    {
      gsize first;
      sl_packed_answers_cells (&em->packed, a, &first);
      block->objective[share] += em->weigh (em, a, em->table + first * (gsize) em->block, em->block,
                                            block->first, block->states);
    }
}

static void
start_share (int share, gpointer data)
{
  Block *block = data;
  SlEm *em = block->em;
  gint32 n_annotators = em->packed.n_annotators;
  for (gint32 a = share_start (n_annotators, share); a < share_start (n_annotators, share + 1); a++)
    {
      gsize first;
      sl_packed_answers_cells (&em->packed, a, &first);
      sl_em_weigh_start (em, a, em->table + first * (gsize) em->block, em->block, block->first,
                         block->states);
    }
}

/* ---- labels ---- */

SL_INLINE void
score_item (SlEm *em, gint32 item, gint64 first, gint32 answers, gpointer data)
{
  const Block *block = data;
  double *restrict to
      = em->items->label + (gsize) item * (gsize) em->items->n_classes + block->first;
  memcpy (to, em->log_prior + block->first, (gsize) block->states * sizeof *to);
  for (gint64 j = first; j < first + answers; j++)
    {
      const double *restrict row = em->table + (gsize) em->packed.cell[j] * (gsize) em->block;
      double weight = em->packed.weight != NULL ? em->packed.weight[j] : 1;
      gint64 next = MIN (j + AHEAD, em->packed.n_answers - 1);
      __builtin_prefetch (em->table + (gsize) em->packed.cell[next] * (gsize) em->block);
      for (gint32 z = 0; z < block->states; z++)
        to[z] += row[z] * weight;
    }
}

SL_VECTORS static void
score_share (int share, gpointer data)
{
  Block *block = data;
  gint32 n = block->em->packed.n_chunks;
  sl_em_each_item (block->em, share_start (n, share), share_start (n, share + 1), score_item,
                   block);
}

static void
keep_label (SlEm *em, gint32 item, const double *label, double *change)
{
  gsize n_classes = (gsize) em->items->n_classes;
  for (gsize k = 0; k < n_classes; k++)
    {
      float *last = em->last + (gsize) item * n_classes + k;
      *change = MAX (*change, fabs (label[k] - (double) *last));
      *last = (float) label[k];
    }
}

static void
label_share (int share, gpointer data)
{
  Block *block = data;
  SlEm *em = block->em;
  gint32 n_items = em->items->n_items, n_classes = em->items->n_classes,
         stride = (n_classes + 3) / 4 * 4;
  g_autofree double *row = g_new (double, stride);
  double *total = block->total + (gsize) share * (gsize) n_classes;
  for (gint32 i = share_start (n_items, share); i < share_start (n_items, share + 1); i++)
    {
      double *label = em->items->label + (gsize) i * (gsize) n_classes;
      gint32 gold = sl_posterior_gold (em->items, em->settings, i);
      for (gint32 k = 0; k < stride; k++)
        row[k] = k < n_classes && (gold < 0 || k == gold) ? label[k] : SL_EM_NEVER;
      block->objective[share] += sl_em_normalise (row, stride);
      memcpy (label, row, (gsize) n_classes * sizeof *label);
      for (gint32 k = 0; k < n_classes; k++)
        total[k] += label[k];
      if (em->last != NULL)
        keep_label (em, i, label, &block->change[share]);
    }
}

/* Labels are the shares of the votes. */
static void
first_share (int share, gpointer data)
{
  Block *block = data;
  SlEm *em = block->em;
  gint32 n_items = em->items->n_items, n_classes = em->items->n_classes;
  double *total = block->total + (gsize) share * (gsize) n_classes;
  for (gint32 i = share_start (n_items, share); i < share_start (n_items, share + 1); i++)
    {
      double *label = em->items->label + (gsize) i * (gsize) n_classes, sum = 0;
      gint32 gold = sl_posterior_gold (em->items, em->settings, i);
      for (gint32 k = 0; k < n_classes; k++)
        sum += label[k];
      for (gint32 k = 0; k < n_classes; k++)
        total[k] += label[k] = gold >= 0 ? k == gold : sum > 0 ? label[k] / sum : 1.0 / n_classes;
      if (em->last != NULL)
        keep_label (em, i, label, &block->change[share]);
    }
}

static void
make_labels (SlEm *em, void (*task) (int, gpointer))
{
  gsize n_classes = (gsize) em->items->n_classes;
  g_autofree double *total = g_new0 (double, SHARES *n_classes);
  Block block = { .em = em, .total = total };
  sl_parallel (em->settings->threads, SHARES, task, &block);
  em->objective = em->change = 0;
  memset (em->total, 0, n_classes * sizeof *em->total);
  for (int s = 0; s < SHARES; s++)
    {
      em->objective += block.objective[s];
      em->change = MAX (em->change, block.change[s]);
      for (gsize k = 0; k < n_classes; k++)
        em->total[k] += total[(gsize) s * n_classes + k];
    }
}

/* ---- rounds ---- */

/* Scores in place of all labels; returns the weights' part in the objective. */
static double
score_items (SlEm *em, gboolean from_start)
{
  int threads = em->settings->threads;
  double objective = sl_em_weigh_prior (em);
  if (em->learned->reliability != NULL)
    memset (em->learned->reliability, 0, (gsize) em->packed.n_annotators * sizeof (double));
  if (em->before_weights != NULL)
    em->before_weights (em);
  for (gint32 first = 0; first < em->n_states; first += em->block)
    {
      Block block = { .em = em, .first = first, .states = MIN (em->block, em->n_states - first) };
      if (from_start)
        sl_parallel (threads, SHARES, start_share, &block);
      else
        {
          sl_parallel (threads, SHARES, gather_share, &block);
          if (em->revise_base != NULL)
            {
              add_crowd (&block);
              em->revise_base (em, first, block.states);
            }
          sl_parallel (threads, SHARES, weigh_share, &block);
        }
      sl_parallel (threads, SHARES, score_share, &block);
      for (int s = 0; s < SHARES; s++)
        objective += block.objective[s];
    }
  return objective;
}

gboolean
sl_em_wide_start (SlEm *em, GError **error)
{
  if (em->want_change && em->last == NULL)
    {
      gsize n = (gsize) em->items->n_items, n_classes = (gsize) em->items->n_classes;
      em->last
          = sl_aligned_new (n, n_classes, sizeof *em->last, "the labels of the last round", error);
      if (em->last == NULL)
        return FALSE;
      memset (em->last, 0, n * n_classes * sizeof *em->last);
    }
  make_labels (em, first_share);
  if (em->settings->start == NULL)
    return TRUE;
  sl_em_start_prior (em);
  score_items (em, TRUE);
  make_labels (em, label_share);
  return TRUE;
}

void
sl_em_wide_round (SlEm *em)
{
  double objective = score_items (em, FALSE);
  make_labels (em, label_share);
  em->objective += objective;
}
