/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pass over the items where rows are too long for the registers, or logarithms. A row is gone
 * through in steps of as many states as the registers hold, and a few items together, whose labels
 * stay in the first-level cache. What a label is, em-pass.c says. */
#include "em-lane.h"

#define STEP (SL_EM_NEAR / 4) /* vectors */

/* Items of a batch with equally many answers, which follow one another. */
typedef struct
{
  gint32 items, answers;
  const guint32 *cell;
  const guint16 *item; /* each counted from the first of the chunk */
  double *row;
  gint64 *powers; /* of 2 taken out of each row */
} Run;

typedef struct
{
  gint32 first_item; /* of the chunk */
  gint32 n_runs, most_answers;
  Run run[SL_EM_CHUNK];
  gint64 powers[SL_EM_CHUNK];
} Batch;

/* ---- labels ---- */

/* Rows *= the weights of answers FIRST .. FIRST + EVERY - 1, for VECTORS of states from Z on. */
SL_INLINE void
multiply_run (const Lane *lane, const Run *run, gint32 first, gint32 z, const int vectors)
{
  const SlEm *em = lane->em;
  gsize step = 2 * (gsize) em->stride;
  const double *weights = lane->weights + z;
  const guint32 *cell = run->cell + first;
  double *row = run->row + z;
  gint32 n = MIN (run->answers - first, EVERY);
  gboolean from_prior = first == 0 && lane->known == NULL;
  for (gint32 i = 0; i < run->items; i++, cell += run->answers, row += em->stride)
    {
      const double *from = from_prior ? em->prior + z : row;
      SlVector product[STEP];
      for (int v = 0; v < vectors; v++)
        product[v] = sl_vector_load (from + 4 * v);
      for (gint32 j = 0; j < n; j++)
        for (int v = 0; v < vectors; v++)
          product[v] *= sl_vector_load (weights + cell[j] * step + 4 * v);
      for (int v = 0; v < vectors; v++)
        sl_vector_store (row + 4 * v, product[v]);
    }
}

/* Takes a power of 2 out of each row after its first DONE answers. NaN in a row: it is to be done
 * by logarithms. */
SL_INLINE void
scale_run (Lane *lane, const Batch *batch, const Run *run, gint32 done)
{
  gint32 vectors = lane->em->stride / 4;
  for (gint32 i = 0; i < run->items; i++)
    {
      SlVector *row = (SlVector *) (run->row + (gsize) i * (gsize) lane->em->stride);
      double scale = take_power (highest (row, vectors), &run->powers[i]);
      for (int v = 0; v < vectors; v++)
        row[v] *= scale;
      lane->item = batch->first_item + run->item[i];
      if (done < run->answers && has_lost (row, before_answers (lane), vectors))
        row[0] = sl_vector (NAN);
    }
}

/* Rows of items of known class start from less than the prior. */
static void
copy_known (Lane *lane, const Batch *batch)
{
  gsize stride = (gsize) lane->em->stride;
  for (const Run *run = batch->run; run < batch->run + batch->n_runs; run++)
    for (gint32 i = 0; i < run->items; i++)
      {
        lane->item = batch->first_item + run->item[i];
        memcpy (run->row + (gsize) i * stride, before_answers (lane), stride * sizeof (double));
      }
}

SL_INLINE void
multiply_batch (Lane *lane, Batch *batch)
{
  gint32 stride = lane->em->stride;
  const Run *end = batch->run + batch->n_runs;
  memset (batch->powers, 0, (gsize) lane->em->batch * sizeof *batch->powers);
  if (lane->known != NULL)
    copy_known (lane, batch);
  for (gint32 first = 0; first == 0 || first < batch->most_answers; first += EVERY)
    {
      for (gint32 z = 0; z < stride; z += 4 * STEP)
        for (const Run *run = batch->run; run < end; run++)
          if (first > 0 && first >= run->answers)
            continue;
          else if (stride - z >= 4 * STEP)
            multiply_run (lane, run, first, z, STEP);
          else
            for (gint32 y = z; y < stride; y += 4)
              multiply_run (lane, run, first, y, 1);
      for (const Run *run = batch->run; run < end; run++)
        if (run->answers > EVERY && run->answers > first)
          scale_run (lane, batch, run, first + EVERY);
    }
}

/* Divides the row by its sum. Where subtypes are added up, a certain label is 1 only up to rounding
 * in any case, so the quicker reciprocal will do. */
SL_INLINE gboolean
normalise (const Lane *lane, Likelihood *all, gint64 powers)
{
  SlVector *row = (SlVector *) lane->row, sum = sl_vector (0);
  gint32 vectors = lane->em->stride / 4;
  for (gint32 v = 0; v < vectors; v++)
    sum += row[v];
  double likelihood = sl_vector_sum (sum), scale = 1 / likelihood;
  for (gint32 v = 0; v < vectors; v++)
    if (lane->em->n_subtypes > 1)
      row[v] *= scale;
    else
      row[v] /= likelihood;
  return multiply_in (all, likelihood, powers);
}

SL_INLINE void
label_batch (Lane *lane, const Batch *batch, Likelihood *all, gboolean products)
{
  gint32 stride = lane->em->stride;
  for (const Run *run = batch->run; run < batch->run + batch->n_runs; run++)
    for (gint32 i = 0; i < run->items; i++)
      {
        lane->item = batch->first_item + run->item[i];
        lane->row = run->row + (gsize) i * (gsize) stride;
        if (!products || !normalise (lane, all, run->powers[i]))
          sl_em_label_otherwise (lane, run->cell + (gsize) i * (gsize) run->answers, run->answers);
        if (lane->pass & SL_EM_WRITE)
          write_label (lane);
        for (gint32 z = 0; z < stride; z += 4)
          sl_vector_store (lane->total + z,
                           sl_vector_load (lane->total + z) + sl_vector_load (lane->row + z));
      }
}

/* ---- sums ---- */

/* The sums of each answer's cell += the item's label, for VECTORS of states from Z on. */
SL_INLINE void
add_run (const Lane *lane, const Run *run, gint32 z, const int vectors, const gboolean weighted)
{
  const SlEm *em = lane->em;
  gsize step = 2 * (gsize) em->stride;
  double *sums = lane->table + z;
  const double *row = run->row + z,
               *weight = weighted ? em->packed.weight + (run->cell - em->packed.cell) : NULL;
  const guint32 *cell = run->cell;
  gint32 n = run->answers;
  for (gint32 i = 0; i < run->items; i++, row += em->stride)
    {
      SlVector label[STEP];
      for (int v = 0; v < vectors; v++)
        label[v] = sl_vector_load (row + 4 * v);
      for (gint32 j = 0; j < n; j++, cell++)
        for (int v = 0; v < vectors; v++)
          {
            double *to = sums + *cell * step + 4 * v;
            SlVector more = label[v] * (weighted ? weight[cell - run->cell] : 1);
            sl_vector_store (to, sl_vector_load (to) + more);
          }
    }
}

SL_INLINE void
add_batch (const Lane *lane, const Batch *batch, const gboolean weighted)
{
  gint32 stride = lane->em->stride;
  for (gint32 z = 0; z < stride; z += 4 * STEP)
    for (const Run *run = batch->run; run < batch->run + batch->n_runs; run++)
      if (stride - z >= 4 * STEP)
        add_run (lane, run, z, STEP, weighted);
      else
        for (gint32 y = z; y < stride; y += 4)
          add_run (lane, run, y, 1, weighted);
}

/* ---- passes ---- */

/* Where the batches of a chunk have come to. */
typedef struct
{
  gint64 stretch;
  gint32 done; /* items of the stretch */
  const guint32 *cell;
  const guint16 *item;
} Place;

/* The items of chunk C from PLACE on that go into a batch; FALSE where none is left. */
static gboolean
next_batch (const Lane *lane, Batch *batch, gint32 c, double *row, Place *place)
{
  const SlPackedAnswers *packed = &lane->em->packed;
  gint32 left = lane->em->batch;
  gint64 *powers = batch->powers;
  batch->first_item = c * packed->chunk;
  batch->n_runs = batch->most_answers = 0;
  while (left > 0 && place->stretch < packed->stretch_start[c + 1])
    {
      const SlStretch *stretch = &packed->stretch[place->stretch];
      gint32 items = MIN (left, stretch->items - place->done);
      batch->run[batch->n_runs++]
          = (Run){ items, stretch->answers, place->cell, place->item, row, powers };
      batch->most_answers = MAX (batch->most_answers, stretch->answers);
      place->cell += (gsize) items * (gsize) stretch->answers;
      place->item += items;
      row += (gsize) items * (gsize) lane->em->stride;
      powers += items;
      left -= items;
      place->done += items;
      if (place->done == stretch->items)
        place->stretch++, place->done = 0;
    }
  return batch->n_runs > 0;
}

SL_INLINE void
pass_batch (Lane *lane, Batch *batch, Likelihood *all)
{
  gboolean products = !(lane->em->logs || lane->pass & SL_EM_START);
  if (products)
    multiply_batch (lane, batch);
  label_batch (lane, batch, all, products);
  if (lane->pass & SL_EM_SUM && lane->em->packed.weight != NULL)
    add_batch (lane, batch, TRUE);
  else if (lane->pass & SL_EM_SUM)
    add_batch (lane, batch, FALSE);
}

SL_VECTORS void
sl_em_pass_long_lane (SlEm *em, gint32 l, SlEmPass pass, guint32 draw)
{
  const SlPackedAnswers *packed = &em->packed;
  Lane lane = sl_em_lane (em, l, pass, draw);
  Likelihood all = { .product = 1 };
  Batch batch;
  double *rows = em->lane_labels + (gsize) l * (gsize) em->batch * (gsize) em->stride;
  memset (lane.total, 0, (gsize) em->stride * sizeof *lane.total);
  for (gint32 c = em->lane_start[l]; c < em->lane_start[l + 1]; c++)
    {
      Place place = { packed->stretch_start[c], 0, packed->cell + packed->start[c],
                      packed->item + c * packed->chunk };
      while (next_batch (&lane, &batch, c, rows, &place))
        pass_batch (&lane, &batch, &all);
    }
  sl_em_end_lane (&lane, l, &all);
}
