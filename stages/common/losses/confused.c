/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An annotator says c of an item of class j with probability P[j][c] (Dawid & Skene 1979), and
 * of an item whose class is j with probability p[j] with a[c] = Σ_j p[j] P[j][c]. The loss of
 * the answer t is L = -Σ_c t[c] log a[c]. With w[j][c] = t[c] p[j] P[j][c] / a[c] and s[j] = Σ_c
 * w[j][c]: ∂L/∂log p[j] = -s[j], so where p = softmax (z) ∂L/∂z[j] = Σ_c t[c] p[j] - s[j]; and
 * where P[j] = softmax (v[j]) ∂L/∂v[j][c] = s[j] P[j][c] - w[j][c]. */
#include "crowd.h"

#include <float.h>

double
sl_loss_confused (const double *p, const double *confusion, const float *t, gsize k, double *w,
                  double *s)
{
  double loss = 0;
  memset (s, 0, k * sizeof *s);
  memset (w, 0, k * k * sizeof *w);
  for (gsize c = 0; c < k; c++)
    {
      if (t[c] == 0)
        continue;
      double a = 0;
      for (gsize j = 0; j < k; j++)
        a += p[j] * confusion[j * k + c];
      /* An answer that nothing makes likely is as unlikely as a number can be. */
      a = MAX (a, DBL_MIN);
      loss -= t[c] * sl_scalar_log (a);
      for (gsize j = 0; j < k; j++)
        {
          w[j * k + c] = t[c] * (p[j] * confusion[j * k + c] / a);
          s[j] += w[j * k + c];
        }
    }
  return loss;
}

void
sl_confuse (const double *p, const double *confusion, gsize k, double *out)
{
  double sum = 0;
  for (gsize c = 0; c < k; c++)
    {
      out[c] = 0;
      for (gsize j = 0; j < k; j++)
        out[c] += p[j] * confusion[j * k + c];
      sum += out[c];
    }
  for (gsize c = 0; c < k; c++)
    out[c] /= MAX (sum, DBL_MIN);
}
