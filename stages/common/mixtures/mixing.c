/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Zhang, Cisse, Dauphin, Lopez-Paz, ICLR 2018: x = λ x_i + (1 - λ) x_j, y = λ y_i + (1 - λ) y_j, λ
 * ~ Beta(α, α). Collins, MPhil thesis, Cambridge 2022, chapter 4: λ as people see it, s = γ^ω of
 * the label to all classes, where ω is how sure they are; appendix C: λ through a logistic
 * curve. */
#include "mixing.h"

#include "pipeline/base/vector-math.h"

#include <math.h>

double
sl_mix_draw (SlRandom *random, double alpha)
{
  return alpha == 0 ? 1 : sl_random_beta (random, alpha, alpha);
}

double
sl_mix_logistic (double k, double x0, double lambda)
{
  double x = -k * (lambda - x0);
  return x > 700 ? 0 : 1 / (1 + sl_scalar_exp (x));
}

double
sl_mix_spread (double gamma, double confidence, gboolean exact_at_1)
{
  double spread = confidence >= 1               ? gamma
                  : confidence > 0 && gamma > 0 ? sl_scalar_exp (confidence * sl_scalar_log (gamma))
                                                : confidence <= 0;
  return exact_at_1 ? fmax ((spread - gamma) / (1 - gamma), 0) : spread;
}

void
sl_mix_labels (const double *first, const double *second, double lambda, gint32 n_classes,
               double *label)
{
  for (gint32 k = 0; k < n_classes; k++)
    label[k] = lambda * first[k] + (1 - lambda) * second[k];
}

void
sl_mix_classes (gint32 first, gint32 second, double lambda, double spread, gint32 n_classes,
                double *label)
{
  for (gint32 k = 0; k < n_classes; k++)
    label[k] = spread / n_classes;
  label[first] += (1 - spread) * lambda;
  label[second] += (1 - spread) * (1 - lambda);
}

gint32
sl_mix_certain (const double *label, gint32 n_classes)
{
  gint32 class = -1, n = 0;
  for (gint32 k = 0; k < n_classes; k++)
    if (label[k] > 0)
      {
        class = k;
        n++;
      }
  return n == 1 ? class : -1;
}
