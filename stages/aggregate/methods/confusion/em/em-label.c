/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Labels that are not products, and what begins and ends a lane. */
#include "em-lane.h"

/* Shares of a class's subtypes, Dirichlet (1, ..., 1): exponential variates over their sum. */
SL_VECTORS static void
draw_shares (const Lane *lane)
{
  gint32 n = lane->em->n_subtypes;
  const guint64 *key = lane->em->items->key;
  SlRandom random
      = sl_random (lane->em->settings->seed, lane->purpose,
                   key != NULL ? key[lane->item] : (guint64) lane->item + 1, 0, lane->draw);
  for (double *row = lane->row, *end = row + lane->em->n_states; row < end; row += n)
    {
      double label = row[0], sum = 0;
      if (label == 0)
        {
          sl_random_skip (&random, 2 * (guint32) n); /* two numbers each */
          continue;
        }
      for (gint32 g = 0; g < n; g += 4)
        {
          SlVector unit = sl_vector (0);
          for (gint32 i = 0; i < MIN (n - g, 4); i++)
            unit[i] = sl_random_unit (&random);
          SlVector variate = DBL_MIN - sl_vector_log (1.0 - unit);
          for (gint32 i = 0; i < MIN (n - g, 4); i++)
            sum += row[g + i] = variate[i];
        }
      for (gint32 g = 0; g < n; g++)
        row[g] *= label / sum;
    }
}

static void
read_label (const Lane *lane)
{
  const SlEm *em = lane->em;
  gint32 n_classes = em->items->n_classes,
         gold = sl_posterior_gold (em->items, em->settings, lane->item);
  const double *label = em->items->label + (gsize) lane->item * (gsize) n_classes;
  double sum = 0;
  for (gint32 k = 0; k < n_classes; k++)
    sum += label[k];
  for (gint32 z = 0; z < em->n_states; z++)
    {
      gint32 k = z / em->n_subtypes;
      lane->row[z] = gold >= 0 ? k == gold : sum > 0 ? label[k] / sum : 1.0 / n_classes;
    }
  for (gint32 z = em->n_states; z < em->stride; z++)
    lane->row[z] = 0;
  if (em->n_subtypes > 1)
    draw_shares (lane);
}

/* The weights of a cell; a row of two is filled up with ones. */
SL_INLINE SlVector
load_weights (const SlEm *em, const double *weights)
{
  return em->stride == 2 ? (SlVector){ weights[0], weights[1], 1, 1 } : sl_vector_load (weights);
}

/* lane->row <- the logarithms of products over N answers, for VECTORS of states from Z on. */
SL_INLINE void
sum_logs (const Lane *lane, const guint32 *cell, gint32 n, gint32 z, const int vectors)
{
  const SlEm *em = lane->em;
  const double *weight
      = em->packed.weight != NULL ? em->packed.weight + (cell - em->packed.cell) : NULL;
  gsize step = em->long_rows ? 2 * (gsize) em->stride : 1;
  const double *weights = lane->weights + z;
  SlVector sum[SL_EM_NEAR / 4];
  for (int v = 0; v < vectors; v++)
    sum[v] = sl_vector_load (em->log_prior + z + 4 * v);
  for (gint32 j = 0; j < n; j++)
    for (int v = 0; v < vectors; v++)
      {
        SlVector w = load_weights (em, weights + cell[j] * step + 4 * v);
        sum[v] += (em->logs ? w : sl_vector_log (w)) * (weight != NULL ? weight[j] : 1);
      }
  for (int v = 0; v < vectors; v++)
    sl_vector_store (lane->row + z + 4 * v, sum[v]);
}

SL_VECTORS static void
label_by_logs (Lane *lane, const guint32 *cell, gint32 n)
{
  const SlEm *em = lane->em;
  gint32 stride = MAX (em->stride, 4),
         gold = sl_posterior_gold (em->items, em->settings, lane->item);
  double *row = lane->row;
  for (gint32 z = 0; z < stride; z += SL_EM_NEAR)
    switch (MIN (stride - z, SL_EM_NEAR) / 4)
      {
      case 1:
        sum_logs (lane, cell, n, z, 1);
        break;
      case 2:
        sum_logs (lane, cell, n, z, 2);
        break;
      case 3:
        sum_logs (lane, cell, n, z, 3);
        break;
      default:
        sum_logs (lane, cell, n, z, SL_EM_NEAR / 4);
      }
  for (gint32 z = 0; gold >= 0 && z < em->n_states; z++)
    if (z / em->n_subtypes != gold)
      row[z] = SL_EM_NEVER;
  lane->by_logs += sl_em_normalise (row, stride);
}

/* What an item's label is where it is not a product. */
void
sl_em_label_otherwise (Lane *lane, const guint32 *cell, gint32 n)
{
  if (lane->pass & SL_EM_START)
    read_label (lane);
  else
    label_by_logs (lane, cell, n);
}

Lane
sl_em_lane (SlEm *em, gint32 l, SlEmPass pass, guint32 draw)
{
  gsize stride = (gsize) em->stride, row = MAX (stride, 4),
        sums = (gsize) em->packed.n_cells * stride;
  double *table = em->lane_table + (gsize) l * 2 * sums;
  double *rows = em->lane_row + (gsize) l * 3 * row;
  return (Lane){
    .em = em,
    .pass = pass,
    .draw = draw,
    .purpose = sl_random_purpose ("aggregate: subtypes"),
    .weights = table,
    .table = em->long_rows ? table + stride : table,
    .total = rows,
    .row = rows + row,
    .known = em->settings->fix_gold && em->items->gold != NULL ? rows + 2 * row : NULL,
  };
}

void
sl_em_end_lane (const Lane *lane, gint32 l, const Likelihood *all)
{
  double *result = lane->em->lane_result + 2 * l;
  result[0] = all->objective + sl_scalar_log (all->product) + SL_LOG_2 * (double) all->powers
              + lane->by_logs;
  result[1] = lane->change;
}
