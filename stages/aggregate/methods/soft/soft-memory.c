/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "soft-fit.h"

#include "stages/aggregate/methods/fits.h"

static const double most_bytes = 1 << 30; /* of annotators' own matrices */

typedef struct
{
  double **to;
  gsize size;
} Piece;

/* Cuts MEMORY, unless it is NULL, into PIECES[n], and returns how large they are. */
static gsize
cut (const Piece *pieces, gsize n, double *memory)
{
  gsize size = 0;
  for (gsize p = 0; p < n; p++)
    {
      if (memory != NULL)
        *pieces[p].to = memory + size;
      size += pieces[p].size;
    }
  return size;
}

SlSoftFit
sl_soft_sized (const SlAnswers *answers, gint32 n_classes, gboolean tell_percents)
{
  gsize k = (gsize) n_classes, stride = (k + 3) / 4 * 4;
  double bytes = (double) answers->n_annotators * (double) k * (double) stride * sizeof (double);
  return (SlSoftFit){ .n_annotators = (gsize) answers->n_annotators,
                      .k = k,
                      .stride = stride,
                      .own = bytes <= most_bytes,
                      .tell_percents = tell_percents };
}

gsize
sl_soft_cut (SlSoftFit *fit, double *memory)
{
  gsize n = fit->n_annotators, matrices = fit->own ? n : 1, matrix = fit->k * fit->stride;
  const Piece pieces[] = {
    { &fit->log_theta, matrices * matrix },
    { &fit->phi, matrix },
    { &fit->psi, matrix },
    { &fit->open, matrix },
    { &fit->shut, fit->stride },
    { &fit->log_prior, fit->stride },
    { &fit->strength, n },
    { &fit->log_strength, n },
    { &fit->own_strength, n },
    { &fit->cells, matrices * matrix },
    { &fit->rows, matrices * fit->stride },
    { &fit->crowd, matrix },
    { &fit->log_shared, SL_SOFT_SHARES * matrix },
  };
  return cut (pieces, G_N_ELEMENTS (pieces), memory);
}

gsize
sl_soft_cut_sums (const SlSoftFit *fit, SlSoftSums *sums, double *memory)
{
  gsize n = fit->n_annotators, matrix = fit->k * fit->stride;
  const Piece pieces[] = {
    { &sums->cells, (fit->own ? n : 1) * matrix },
    { &sums->possible, matrix },
    { &sums->given, matrix },
    { &sums->first, matrix },
    { &sums->total, fit->stride },
    { &sums->prior, fit->stride },
    { &sums->slope, n },
    { &sums->bend, n },
    { &sums->tries, SL_SOFT_TRIES },
    { &sums->shrinkages, SL_SOFT_SHRINKAGES },
    { &sums->worths, SL_SOFT_SHARES * SL_SOFT_SCALES },
    { &sums->mixture, SL_SOFT_MIXED },
    { &sums->mixed, SL_SOFT_MIXED },
    { &sums->percents, fit->tell_percents ? SL_SOFT_PERCENTS * n : 0 },
  };
  return cut (pieces, G_N_ELEMENTS (pieces), memory);
}

/* The fit's own arrays, and the sums of one part; those of all other parts
 * together take 24 bytes an answer at most. */
double
sl_soft_evidence_tables (const SlAnswers *answers, gint32 n_classes)
{
  SlSoftFit fit = sl_soft_sized (answers, n_classes, TRUE);
  gsize own = sl_soft_cut (&fit, NULL);
  gsize sums = sl_soft_cut_sums (&fit, &(SlSoftSums){ 0 }, NULL);
  return (double) (own + sums) / ((double) n_classes * n_classes);
}
