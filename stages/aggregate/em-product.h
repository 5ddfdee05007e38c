/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An item's label as a product, for em-pass.c: row = prior × product over the item's answers of
 * theta, by its sum. All is inlined into the passes, in which the length of a row is a constant. */
#pragma once

#include "em.h"

#include <math.h>

#define EVERY 16     /* answers between two such scalings */
#define FAINT 1e-150 /* what is not above this may have lost a state that counts */
#define LOST 1e-300  /* of the likeliest: with answers to come, such a state may yet catch up */
#define WIDE 4       /* vectors of a row that stay in registers */

typedef double Pair __attribute__ ((vector_size (16), may_alias));

typedef struct
{
  const SlEm *em;
  SlEmPass pass;
  guint32 draw, purpose;
  gint32 item;
  double *table; /* [n_cells][2][stride]: weights, sums */
  double *total; /* [stride]: of the labels */
  double *row;   /* [stride]: the item's label, where it is not in registers */
  double *known; /* [stride]: the prior of an item of known class; NULL: there are none */
  double objective, by_logs; /* of the products; of the items done by logarithms */
  double change;
} Lane;

/* A running product of likelihoods; it stays in registers. */
typedef struct
{
  double product;   /* since the last logarithm */
  double objective; /* the logarithms */
  gint64 powers;    /* of 2 taken out */
} Likelihood;

/* The likelihood before any answer: the prior, where an item of known class is in no other. */
SL_INLINE const double *
before_answers (const Lane *lane)
{
  const SlEm *em = lane->em;
  if (G_LIKELY (lane->known == NULL))
    return em->prior;
  gint32 gold = em->items->gold[lane->item];
  if (gold < 0)
    return em->prior;
  for (gint32 z = 0; z < em->n_states; z++)
    lane->known[z] = z / em->n_subtypes == gold ? em->prior[z] : 0;
  return lane->known;
}

/* Multiplies with one more, of which 2^POWERS has been taken out; FALSE where it is faint. */
SL_INLINE gboolean
multiply_in (Likelihood *all, double likelihood, gint64 powers)
{
  if (G_UNLIKELY (!(likelihood > FAINT)))
    return FALSE;
  all->powers += powers;
  all->product *= likelihood;
  if (G_UNLIKELY (!(all->product > FAINT)))
    {
      all->objective += sl_scalar_log (all->product);
      all->product = 1;
    }
  return TRUE;
}

/* The power of 2 nearest to 1 / HIGH; NaN where HIGH is faint. */
SL_INLINE double
take_power (double high, gint64 *powers)
{
  if (!(high > FAINT))
    return NAN;
  gint64 bits;
  memcpy (&bits, &high, sizeof bits);
  gint64 exponent = (bits >> 52) - 1023;
  *powers += exponent;
  bits = (1023 - exponent) << 52;
  memcpy (&high, &bits, sizeof bits);
  return high;
}

SL_INLINE double
highest (const SlVector *product, const int vectors)
{
  SlVector most = product[0];
  for (int v = 1; v < vectors; v++)
    most = sl_vector_max (most, product[v]);
  return sl_vector_highest (most);
}

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

/* Whether a state that was possible BEFORE is beyond what a double can follow. */
SL_INLINE gboolean
has_lost (const SlVector *product, const double *before, const int vectors)
{
  SlLanes lost = { 0, 0, 0, 0 };
  for (int v = 0; v < vectors; v++)
    lost |= (product[v] < LOST) & (sl_vector_load (before + 4 * v) > 0);
  return (lost[0] | lost[1] | lost[2] | lost[3]) != 0;
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

/* Rows too long for the registers: as many vectors at a time as fit. */
SL_INLINE void
multiply_part (const double *table, double *row, const guint32 *cell, gint32 n, const int vectors)
{
  SlVector product[WIDE];
  for (int v = 0; v < vectors; v++)
    product[v] = sl_vector_load (row + 4 * v);
  multiply (table, product, cell, n, vectors);
  for (int v = 0; v < vectors; v++)
    sl_vector_store (row + 4 * v, product[v]);
}

SL_INLINE gboolean
label_long_row (const Lane *lane, Likelihood *all, const guint32 *cell, gint32 n)
{
  gint32 stride = lane->em->stride;
  const double *before = before_answers (lane);
  double *row = lane->row;
  SlVector *product = (SlVector *) row, sum = sl_vector (0);
  gint64 powers = 0;
  memcpy (row, before, (gsize) stride * sizeof *row);
  for (gint32 j = 0; j < n; j += EVERY)
    {
      gint32 z = 0, some = MIN (n - j, EVERY);
      for (; z + 4 * WIDE <= stride; z += 4 * WIDE)
        multiply_part (lane->table + z, row + z, cell + j, some, WIDE);
      for (; z < stride; z += 4)
        multiply_part (lane->table + z, row + z, cell + j, some, 1);
      if (n <= EVERY)
        break;
      double scale = take_power (highest (product, stride / 4), &powers);
      for (int v = 0; v < stride / 4; v++)
        product[v] *= scale;
      if (j + EVERY < n && has_lost (product, before, stride / 4))
        return FALSE;
    }
  for (int v = 0; v < stride / 4; v++)
    sum += product[v];
  double likelihood = sl_vector_sum (sum);
  for (int v = 0; v < stride / 4; v++)
    product[v] /= likelihood;
  return multiply_in (all, likelihood, powers);
}
