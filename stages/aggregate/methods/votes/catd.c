/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Confidence-aware truth discovery (Li, Li, Gao, Su, Zhao, Demirbas, Fan & Han, "A confidence-aware
 * approach for truth discovery on long-tail data", PVLDB 8, 2014): annotators weigh as little as
 * the upper end of a confidence interval of their error variance says, so that who has given few
 * answers is not trusted for luck. With n_a answers, d_a of which are not the winners v_i,
 *   w_a ∝ χ²(0.025, n_a) / (d_a + e)
 *   p_ik = Σ_{a said k} w_a / Σ_a w_a,   v_i = argmax_k p_ik, the first of several
 * from the vote; χ²(p, n) is what a chi-square variable of n degrees of freedom stays below with
 * probability p. e, the smoothing, is 1e-9, as in the comparison of Zheng, Li, Li, Shan & Cheng,
 * "Truth inference in crowdsourcing", PVLDB 10, 2017, which draws ties: with it, who has never
 * been against the vote outweighs everybody else. Ends when nothing changes any more, or after 100
 * rounds. Reliability is w, its sum 1. Deterministic. */
#include "stages/aggregate/methods/fits.h"
#include "chi-square.h"
#include "reweighted-vote.h"

#include <math.h>

#define TAIL 0.025

typedef struct
{
  double smoothing;
  double *quantile; /* [n_annotators]; NULL before the first round */
} Catd;

static void
set_quantiles (Catd *catd, const double *right, gint32 n_annotators)
{
  catd->quantile = g_new0 (double, n_annotators);
  for (gint32 a = 0; a < n_annotators; a++)
    if (right[2 * a] > 0)
      catd->quantile[a] = sl_chi_square_quantile (TAIL, right[2 * a]);
}

static void
by_confidence (const double *right, gint32 n_annotators, gint32 n_classes, gpointer data,
               double *weight)
{
  (void) n_classes;
  Catd *catd = data;
  double sum = 0;
  if (catd->quantile == NULL)
    set_quantiles (catd, right, n_annotators);
  for (gint32 a = 0; a < n_annotators; a++)
    {
      weight[a] = catd->quantile[a] / (right[2 * a] - right[2 * a + 1] + catd->smoothing);
      sum += weight[a];
    }
  for (gint32 a = 0; a < n_annotators; a++)
    weight[a] /= sum;
}

gboolean
sl_fit_catd (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
             SlLearned *learned, GError **error)
{
  (void) error;
  double smoothing = isnan (settings->smoothing) ? 1e-9 : MAX (settings->smoothing, 1e-100);
  Catd catd = { .smoothing = smoothing };
  sl_reweighted_vote (items, answers, settings, learned, 100, by_confidence, &catd);
  g_free (catd.quantile);
  return TRUE;
}
