/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pass over the items: the label of each from the rows of its answers' cells, and at once its
 * sums into the same rows, while they are in the first-level cache. Only the answers are read from
 * memory.
 *
 * A label is a product, not a sum of logarithms: that saves an exponential a state. It is kept
 * from underflow by powers of 2 taken out after every few answers, which is exact; an item whose
 * likelihood comes near it all the same, as its answers are all but impossible, is done again
 * with logarithms. Weighted answers (theta^w) have a table of logarithms from the start. */
#include "em-product.h"

#include <math.h>

/* Runs the last argument for each item of lane L, with its answers cell[0 .. n - 1]; N does not
 * change within a stretch. PLAIN (a constant): a pass from weights to sums, with no need of the
 * item itself. */
#define FOR_EACH_ITEM(lane, l, plain, ...)                                                         \
  do                                                                                               \
    {                                                                                              \
      const SlPackedAnswers *p_ = &(lane)->em->packed;                                             \
      for (gint32 c_ = (lane)->em->lane_start[l]; c_ < (lane)->em->lane_start[(l) + 1]; c_++)      \
        {                                                                                          \
          const guint32 *cell = p_->cell + p_->start[c_];                                          \
          G_GNUC_UNUSED const guint16 *item_ = p_->item + c_ * p_->chunk;                          \
          for (gint64 s_ = p_->stretch_start[c_]; s_ < p_->stretch_start[c_ + 1]; s_++)            \
            for (gint32 left_ = p_->stretch[s_].items, n = p_->stretch[s_].answers; left_ > 0;     \
                 left_--, cell += n)                                                               \
              {                                                                                    \
                if (!(plain))                                                                      \
                  (lane)->item = c_ * p_->chunk + *item_++;                                        \
                __VA_ARGS__                                                                        \
              }                                                                                    \
        }                                                                                          \
    }                                                                                              \
  while (0)

/* ---- the item's label from and to the table of items ---- */

/* Shares of a class's subtypes, Dirichlet (1, ..., 1): exponential variates over their sum. */
static void
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
      for (gint32 g = 0; g < n; g++)
        sum += row[g] = DBL_MIN - sl_scalar_log (1 - sl_random_unit (&random));
      for (gint32 g = 0; g < n; g++)
        row[g] *= label / sum;
    }
}

SL_INLINE void
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
  if (em->n_subtypes > 1)
    draw_shares (lane);
}

SL_INLINE void
write_label (Lane *lane)
{
  gint32 n_classes = lane->em->items->n_classes, n_subtypes = lane->em->n_subtypes, gold = -1;
  double *label = lane->em->items->label + (gsize) lane->item * (gsize) n_classes;
  const double *row = lane->row;
  if (lane->known != NULL)
    gold = lane->em->items->gold[lane->item];
  for (gint32 k = 0; k < n_classes; k++)
    {
      double p = *row++;
      for (gint32 g = 1; g < n_subtypes; g++)
        p += *row++;
      if (gold >= 0) /* not 1 but for rounding */
        p = k == gold;
      if (lane->pass & SL_EM_CHANGE)
        lane->change = MAX (lane->change, fabs (p - label[k]));
      label[k] = p;
    }
}

/* ---- the same by logarithms, to lane->row ---- */

SL_VECTORS static void
label_by_logs (Lane *lane, const guint32 *cell, gint32 n)
{
  const SlEm *em = lane->em;
  gint32 stride = em->stride, gold = sl_posterior_gold (em->items, em->settings, lane->item);
  const double *weight
      = em->packed.weight != NULL ? em->packed.weight + (cell - em->packed.cell) : NULL;
  double *row = lane->row;
  memcpy (row, em->log_prior, (gsize) MAX (stride, 4) * sizeof *row);
  for (gint32 j = 0; j < n; j++)
    for (gint32 z = 0; z < stride; z += 4)
      {
        const double *theta = lane->table + cell[j] + z;
        SlVector w = stride == 2 ? (SlVector){ theta[0], theta[1], 1, 1 } : sl_vector_load (theta);
        if (!em->logs)
          w = sl_vector_log (w);
        sl_vector_store (row + z, sl_vector_load (row + z) + w * (weight != NULL ? weight[j] : 1));
      }
  for (gint32 z = 0; gold >= 0 && z < em->n_states; z++)
    if (z / em->n_subtypes != gold)
      row[z] = SL_EM_NEVER;
  lane->by_logs += sl_em_normalise (row, MAX (stride, 4));
}

/* ---- sums: the row of each answer's cell += the item's label ---- */

SL_INLINE void
add_pair (double *table, Pair label, const guint32 *cell, gint32 n)
{
  const guint32 *end = cell + n;
  for (; cell + 2 <= end; cell += 2)
    {
      *(Pair *) (table + cell[0] + 2) += label;
      *(Pair *) (table + cell[1] + 2) += label;
    }
  if (cell < end)
    *(Pair *) (table + cell[0] + 2) += label;
}

SL_INLINE void
add_label (double *table, const SlVector *label, const guint32 *cell, gint32 n, const int vectors)
{
  for (gint32 j = 0; j < n; j++)
    for (int v = 0; v < vectors; v++)
      {
        double *to = table + cell[j] + 4 * (vectors + v);
        sl_vector_store (to, sl_vector_load (to) + label[v]);
      }
}

SL_INLINE void
add_row (double *to, const double *row, double weight, gint32 stride)
{
  for (gint32 z = 0; z < stride; z += 4)
    sl_vector_store (to + z, sl_vector_load (to + z) + sl_vector_load (row + z) * weight);
}

SL_INLINE void
add_long_row (Lane *lane, const guint32 *cell, gint32 n)
{
  gint32 stride = lane->em->stride;
  const double *weight = lane->em->packed.weight;
  add_row (lane->total, lane->row, 1, stride);
  for (gint32 j = 0; j < n; j++)
    add_row (lane->table + cell[j] + stride, lane->row,
             weight != NULL ? weight[cell - lane->em->packed.cell + j] : 1, stride);
}

/* ---- passes ---- */

static void
end_pass (Lane *lane, const Likelihood *all)
{
  lane->objective = all->objective + sl_scalar_log (all->product) + SL_LOG_2 * (double) all->powers;
}

/* What an item's label is where it is not a product. */
static void
label_otherwise (Lane *lane, const guint32 *cell, gint32 n)
{
  if (lane->pass & SL_EM_START)
    read_label (lane);
  else
    label_by_logs (lane, cell, n);
}

SL_INLINE void
pass_pairs (Lane *lane, gint32 l, const gboolean plain)
{
  double *table = lane->table;
  Likelihood all = { .product = 1 };
  Pair total = { 0, 0 };
  FOR_EACH_ITEM (lane, l, plain, {
    Pair label;
    if ((!plain && lane->pass & SL_EM_START) || !label_pair (lane, &all, &label, cell, n))
      {
        label_otherwise (lane, cell, n);
        label = *(const Pair *) lane->row;
      }
    if (!plain && lane->pass & SL_EM_WRITE)
      {
        *(Pair *) lane->row = label;
        write_label (lane);
      }
    total += label;
    if (plain || lane->pass & SL_EM_SUM)
      add_pair (table, label, cell, n);
  });
  *(Pair *) lane->total = total;
  end_pass (lane, &all);
}

SL_INLINE void
pass_rows (Lane *lane, gint32 l, const gboolean plain, const int vectors)
{
  double *table = lane->table;
  Likelihood all = { .product = 1 };
  SlVector total[WIDE] = { sl_vector (0), sl_vector (0), sl_vector (0), sl_vector (0) };
  FOR_EACH_ITEM (lane, l, plain, {
    SlVector label[WIDE];
    if ((!plain && lane->pass & SL_EM_START)
        || !label_row (lane, &all, label, cell, n, plain, vectors))
      {
        label_otherwise (lane, cell, n);
        for (int v = 0; v < vectors; v++)
          label[v] = sl_vector_load (lane->row + 4 * v);
      }
    if (!plain && lane->pass & SL_EM_WRITE)
      {
        for (int v = 0; v < vectors; v++)
          sl_vector_store (lane->row + 4 * v, label[v]);
        write_label (lane);
      }
    for (int v = 0; v < vectors; v++)
      total[v] += label[v];
    if (plain || lane->pass & SL_EM_SUM)
      add_label (table, label, cell, n, vectors);
  });
  for (int v = 0; v < vectors; v++)
    sl_vector_store (lane->total + 4 * v, total[v]);
  end_pass (lane, &all);
}

/* Each of the two for every size of row: a plain pass, and one with all else that may be asked. */
#define PASS(name, pass)                                                                           \
  SL_VECTORS static void name##_plain (Lane *lane, gint32 l)                                       \
  {                                                                                                \
    const gboolean plain = TRUE;                                                                   \
    pass;                                                                                          \
  }                                                                                                \
  SL_VECTORS static void name (Lane *lane, gint32 l)                                               \
  {                                                                                                \
    const gboolean plain = FALSE;                                                                  \
    pass;                                                                                          \
  }

PASS (pass_2, pass_pairs (lane, l, plain))
PASS (pass_4, pass_rows (lane, l, plain, 1))
PASS (pass_8, pass_rows (lane, l, plain, 2))
PASS (pass_12, pass_rows (lane, l, plain, 3))
PASS (pass_16, pass_rows (lane, l, plain, 4))

SL_VECTORS static void
pass_any (Lane *lane, gint32 l)
{
  Likelihood all = { .product = 1 };
  gboolean products = !(lane->em->logs || lane->pass & SL_EM_START);
  memset (lane->total, 0, (gsize) lane->em->stride * sizeof *lane->total);
  FOR_EACH_ITEM (lane, l, FALSE, {
    if (!products || !label_long_row (lane, &all, cell, n))
      label_otherwise (lane, cell, n);
    if (lane->pass & SL_EM_WRITE)
      write_label (lane);
    if (lane->pass & SL_EM_SUM)
      add_long_row (lane, cell, n);
  });
  end_pass (lane, &all);
}

typedef void (*Pass) (Lane *lane, gint32 l);

static Pass
choose_pass (const Lane *lane)
{
  static const Pass passes[][2] = {
    { pass_4, pass_4_plain },
    { pass_8, pass_8_plain },
    { pass_12, pass_12_plain },
    { pass_16, pass_16_plain },
  };
  gint32 stride = lane->em->stride;
  gboolean plain = lane->pass == SL_EM_SUM && lane->known == NULL;
  if (stride == 2)
    return plain ? pass_2_plain : pass_2;
  return stride <= 4 * WIDE && !lane->em->logs ? passes[stride / 4 - 1][plain] : pass_any;
}

void
sl_em_pass_lane (SlEm *em, gint32 l, SlEmPass pass, guint32 draw)
{
  gsize stride = (gsize) em->stride, row = MAX (stride, 4);
  double *rows = em->lane_row + (gsize) l * 3 * row;
  Lane lane = {
    .em = em,
    .pass = pass,
    .draw = draw,
    .purpose = sl_random_purpose ("aggregate: subtypes"),
    .table = em->lane_table + (gsize) l * em->packed.n_cells * 2 * stride,
    .total = rows,
    .row = rows + row,
    .known = em->settings->fix_gold && em->items->gold != NULL ? rows + 2 * row : NULL,
  };
  choose_pass (&lane) (&lane, l);
  em->lane_result[2 * l] = lane.objective + lane.by_logs;
  em->lane_result[2 * l + 1] = lane.change;
}
