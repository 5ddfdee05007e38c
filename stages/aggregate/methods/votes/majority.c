/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Majority: all mass on argmax_k d_k; what becomes of a tie is the caller's choice. */
#include "stages/aggregate/methods/fits.h"

/* Sums of fractions that are equal on paper differ by rounding errors; whole votes differ by 1. */
#define SAME (1 - 1e-12)

/* The N-th of the classes with at least LEAST of d[n_classes]. */
static gint32
tied_class (const double *d, gint32 n_classes, double least, gint32 n)
{
  gint32 k = 0;
  while (k < n_classes - 1 && (d[k] < least || n-- > 0))
    k++;
  return k;
}

static void
label_one (double *d, gint32 n_classes, SlTies ties, SlRandom random)
{
  double most = d[0];
  gint32 n_tied = 0;
  for (gint32 k = 1; k < n_classes; k++)
    most = d[k] > most ? d[k] : most;
  for (gint32 k = 0; k < n_classes; k++)
    n_tied += d[k] >= most * SAME;
  gboolean share = ties == SL_TIES_UNIFORM;
  guint64 n
      = ties == SL_TIES_RANDOM && n_tied > 1 ? sl_random_below (&random, (guint64) n_tied) : 0;
  gint32 winner = tied_class (d, n_classes, most * SAME, (gint32) n);
  for (gint32 k = 0; k < n_classes; k++)
    if (share)
      d[k] = d[k] >= most * SAME ? 1.0 / n_tied : 0;
    else
      d[k] = k == winner;
}

void
sl_label_majority (const SlItems *items, const SlMethodSettings *settings)
{
  double *d = items->label; /* d[n_items][n_classes] */
  guint32 purpose = sl_random_purpose ("aggregate: ties");
  for (gint32 i = 0; i < items->n_items; i++, d += items->n_classes)
    {
      guint64 key = items->key != NULL ? items->key[i] : 0;
      label_one (d, items->n_classes, settings->ties,
                 sl_random (settings->seed, purpose, key, 0, 0));
    }
}
