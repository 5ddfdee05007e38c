/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The prior of classes and subtypes: from their totals to weights. */
#include "em.h"

/* Weights of Dirichlet (alpha + total) to LOG[n], its mean to SHARE[n]; returns less its
 * divergence from Dirichlet (alpha). ALPHA is one number or, where EACH, n of them; each of the N
 * is ALIKE[n] that share its total, or one where ALIKE is NULL. */
static double
weigh_dirichlet (const double *total, gint32 n, const double *alpha, gboolean each,
                 const double *alike, double *log_weight, double *share)
{
  double before = 0, after = 0, objective = 0;
  for (gint32 i = 0; i < n; i++)
    {
      double m = alike != NULL ? alike[i] : 1;
      before += m * alpha[each ? i : 0];
      after += m * alpha[each ? i : 0] + total[i];
    }
  double psi = sl_scalar_digamma (after);
  for (gint32 i = 0; i < n; i++)
    {
      double m = alike != NULL ? alike[i] : 1;
      double from = alpha[each ? i : 0], to = from + total[i] / m;
      double one = sl_scalar_digamma (to) - psi;
      log_weight[i] = one + sl_scalar_log (m);
      share[i] = m * to / after;
      objective += m * (sl_scalar_lgamma (to) - sl_scalar_lgamma (from)) - total[i] * one;
    }
  return objective + sl_scalar_lgamma (before) - sl_scalar_lgamma (after);
}

static void
weigh_shares (const double *total, gint32 n, double *log_weight, double *share)
{
  double sum = 0;
  for (gint32 i = 0; i < n; i++)
    sum += total[i];
  for (gint32 i = 0; i < n; i++)
    {
      share[i] = sum > 0 ? total[i] / sum : 1.0 / n;
      log_weight[i] = sl_scalar_log (share[i]);
    }
}

double
sl_em_weigh_prior (SlEm *em)
{
  gint32 n_classes = em->items->n_classes, n = em->n_subtypes;
  double objective = 0;
  for (gint32 k = 0; k < n_classes; k++)
    {
      em->class_total[k] = 0;
      for (gint32 g = 0; g < n; g++)
        em->class_total[k] += em->total[k * n + g];
    }
  if (em->class_alpha != NULL)
    objective += weigh_dirichlet (em->class_total, n_classes, em->class_alpha, TRUE, NULL,
                                  em->class_log, em->class_share);
  else
    weigh_shares (em->class_total, n_classes, em->class_log, em->class_share);
  for (gint32 k = 0; k < n_classes; k++)
    {
      double *log_weight = em->log_prior + k * n, *share = em->subtype_share + k * n;
      *log_weight = 0;
      *share = 1;
      if (n > 1)
        objective
            += weigh_dirichlet (em->total + k * n, n, &em->subtype_alpha, FALSE,
                                em->alike != NULL ? em->alike + k * n : NULL, log_weight, share);
      for (gint32 g = 0; g < n; g++)
        {
          log_weight[g] += em->class_log[k];
          em->prior[k * n + g] = sl_scalar_exp (log_weight[g]);
        }
    }
  return objective;
}

void
sl_em_start_prior (SlEm *em)
{
  for (gint32 z = 0; em->settings->start_prior != NULL && z < em->n_states; z++)
    em->total[z]
        = em->settings->start_prior[z / em->n_subtypes] * em->packed.n_items / em->n_subtypes;
}
