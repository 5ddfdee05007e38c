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

/* ---- passes ---- */

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
        sl_em_label_otherwise (lane, cell, n);
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
  sl_em_end_lane (lane, l, &all);
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
        sl_em_label_otherwise (lane, cell, n);
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
  sl_em_end_lane (lane, l, &all);
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
  return passes[stride / 4 - 1][plain];
}

void
sl_em_pass_lane (SlEm *em, gint32 l, SlEmPass pass, guint32 draw)
{
  Lane lane = sl_em_lane (em, l, pass, draw);
  choose_pass (&lane) (&lane, l);
}
