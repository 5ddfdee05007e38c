/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An item's label as a product, for em-pass.c: row = prior × product over the item's answers of
 * theta, by its sum. All is inlined into the passes, in which the length of a row is a constant. */
#pragma once

#include "em-lane.h"

#define WIDE (SL_EM_NEAR / 4) /* vectors of a row that stay in registers */

typedef double Pair __attribute__ ((vector_size (16), may_alias));

/* PRODUCT[VECTORS, a constant] *= the weights of N cells; asks for the sums beside them, to be
 * at hand for add_label(). */
SL_INLINE void
multiply (const double *table, SlVector *product, const guint32 *cell, gint32 n, const int vectors)
{
  for (gint32 j = 0; j < n; j++)
    {
      for (int v = 0; v < vectors; v++)
        product[v] *= sl_vector_load (table + cell[j] + 4 * v);
      for (int v = vectors; v < 2 * vectors; v += 2)
        __builtin_prefetch (table + cell[j] + 4 * v + 4, 1);
    }
}

SL_INLINE Pair
multiply_pairs (const double *table, Pair product, const guint32 *cell, gint32 n)
{
  const guint32 *end = cell + n;
  for (; cell + 2 <= end; cell += 2)
    product = product * *(const Pair *) (table + cell[0]) * *(const Pair *) (table + cell[1]);
  if (cell < end)
    product *= *(const Pair *) (table + cell[0]);
  return product;
}

/* The same for any number of answers: takes out a power of 2 after every few, and returns how
 * many. NaN in PRODUCT: it is to be done by logarithms. */
SL_INLINE gint64
multiply_many (const double *table, SlVector *product, const double *before, const guint32 *cell,
               gint32 n, const int vectors)
{
  gint64 powers = 0;
  for (gint32 j = 0; j < n; j += EVERY)
    {
      multiply (table, product, cell + j, MIN (n - j, EVERY), vectors);
      double scale = take_power (highest (product, vectors), &powers);
      for (int v = 0; v < vectors; v++)
        product[v] *= scale;
      if (j + EVERY < n && has_lost (product, before, vectors))
        product[0] = sl_vector (NAN);
    }
  return powers;
}

SL_INLINE gint64
multiply_many_pairs (const double *table, Pair *product, const double *before, const guint32 *cell,
                     gint32 n)
{
  gint64 powers = 0;
  for (gint32 j = 0; j < n; j += EVERY)
    {
      *product = multiply_pairs (table, *product, cell + j, MIN (n - j, EVERY));
      *product *= take_power (MAX ((*product)[0], (*product)[1]), &powers);
      for (int z = 0; z < 2 && j + EVERY < n; z++)
        if ((*product)[z] < LOST && before[z] > 0)
          (*product)[0] = NAN;
    }
  return powers;
}

/* A label of VECTORS in registers; FALSE where it is to be done by logarithms. In a PLAIN pass,
 * which no one sees the labels of, by the reciprocal, which is quicker; else so that what is
 * certain is 1. */
SL_INLINE gboolean
label_row (const Lane *lane, Likelihood *all, SlVector *label, const guint32 *cell, gint32 n,
           const gboolean plain, const int vectors)
{
  const double *before = before_answers (lane);
  gint64 powers = 0;
  for (int v = 0; v < vectors; v++)
    label[v] = sl_vector_load (before + 4 * v);
  if (G_LIKELY (n <= EVERY))
    multiply (lane->table, label, cell, n, vectors);
  else
    powers = multiply_many (lane->table, label, before, cell, n, vectors);
  SlVector sum = label[0];
  for (int v = 1; v < vectors; v++)
    sum += label[v];
  double likelihood = sl_vector_sum (sum), scale = 1 / likelihood;
  for (int v = 0; v < vectors; v++)
    if (plain)
      label[v] *= scale;
    else
      label[v] /= likelihood;
  return multiply_in (all, likelihood, powers);
}

SL_INLINE gboolean
label_pair (const Lane *lane, Likelihood *all, Pair *label, const guint32 *cell, gint32 n)
{
  const double *before = before_answers (lane);
  Pair product = *(const Pair *) before;
  gint64 powers = 0;
  if (G_LIKELY (n <= EVERY))
    product = multiply_pairs (lane->table, product, cell, n);
  else
    powers = multiply_many_pairs (lane->table, &product, before, cell, n);
  double likelihood = product[0] + product[1];
  *label = product / likelihood;
  return multiply_in (all, likelihood, powers);
}
