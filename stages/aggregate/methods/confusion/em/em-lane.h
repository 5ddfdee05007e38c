/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One lane's pass over its items, in short rows (em-pass.c) or long ones (em-long.c). */
#pragma once

#include "em.h"

#include <math.h>

#define EVERY 16 /* answers between two such scalings */
#define FAINT                                                                                      \
  1e-150 /* a product that is not above this may have lost a state that matters to underflow */
#define LOST 1e-300 /* of the likeliest: with answers to come, such a state may yet catch up */

typedef struct
{
  const SlEm *em;
  SlEmPass pass;
  guint32 draw, purpose;
  gint32 item;
  double *table;         /* [n_cells][2][stride]: weights, sums; where rows are long, sums alone */
  const double *weights; /* where rows are long */
  double *total;         /* [stride]: of the labels */
  double *row;           /* [stride]: the item's label, where it is not in registers */
  double *known;         /* [stride]: the prior of an item of known class; NULL: there are none */
  double by_logs;        /* the objective of the items done by logarithms */
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
  for (gint32 z = 0; z < em->stride; z++)
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

/* Whether a state that was possible BEFORE is beyond what a double can follow. */
SL_INLINE gboolean
has_lost (const SlVector *product, const double *before, const int vectors)
{
  SlLanes lost = { 0, 0, 0, 0 };
  for (int v = 0; v < vectors; v++)
    lost |= (product[v] < LOST) & (sl_vector_load (before + 4 * v) > 0);
  return (lost[0] | lost[1] | lost[2] | lost[3]) != 0;
}

/* Between lane->row and the table of items. */
SL_INLINE void
write_label (Lane *lane)
{
  gint32 n_classes = lane->em->items->n_classes, n_subtypes = lane->em->n_subtypes, gold = -1;
  double *label = lane->em->items->label + (gsize) lane->item * (gsize) n_classes;
  const double *row = lane->row;
  double change = lane->change; /* in a register */
  if (lane->known != NULL)
    gold = lane->em->items->gold[lane->item];
  for (gint32 k = 0; k < n_classes; k++)
    {
      double p = *row++;
      for (gint32 g = 1; g < n_subtypes; g++)
        p += *row++;
      if (gold >= 0) /* not 1 but for rounding */
        p = k == gold;
      change = MAX (change, fabs (p - label[k]));
      label[k] = p;
    }
  if (lane->pass & SL_EM_CHANGE)
    lane->change = change;
}

/* The label, to lane->row, of an item whose label is not a product: by logarithms, or the one to
 * start from. */
void sl_em_label_otherwise (Lane *lane, const guint32 *cell, gint32 n);

/* The lane of em->lane_row[L]. */
Lane sl_em_lane (SlEm *em, gint32 l, SlEmPass pass, guint32 draw);

/* What the lane found, to em->lane_result[L]. */
void sl_em_end_lane (const Lane *lane, gint32 l, const Likelihood *all);
