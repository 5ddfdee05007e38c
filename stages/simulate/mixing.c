/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Zhang, Cisse, Dauphin, Lopez-Paz, ICLR 2018: x = λ x_i + (1 - λ) x_j, y = λ y_i + (1 - λ) y_j, λ ~ Beta(α, α).
 * Collins, MPhil thesis, Cambridge 2022, chapter 4: λ as people see it, s = γ^ω of the label to all classes, where ω is how sure they
 * are; appendix C: λ through a logistic curve. */
#include "mixing.h"

#include <gsl/gsl_randist.h>
#include <math.h>

double
sl_mix_draw (SlRandom *random, double alpha)
{
  if (alpha == 0)
    return 1;
  gsl_rng rng = sl_random_gsl (random);
  return gsl_ran_beta (&rng, alpha, alpha);
}

double
sl_mix_logistic (double k, double x0, double lambda)
{
  return 1 / (1 + exp (-k * (lambda - x0)));
}

double
sl_mix_spread (double gamma, double confidence, gboolean exact_at_1)
{
  double spread = pow (gamma, confidence);
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
