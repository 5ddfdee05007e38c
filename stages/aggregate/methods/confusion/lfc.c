/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Learning from crowds (Raykar, Yu, Zhao, Valadez, Florin, Bogoni & Moy, "Learning from crowds",
 * JMLR 11, 2010) without its classifier: Dawid & Skene's model with Dirichlet priors on the rows of
 * the annotators' confusion matrices, of which the likeliest are taken, not the mean.
 *
 *     theta_a[k] ~ Dirichlet (1 + e, ..., 1 + e)
 *     M   prior[k] = mean over items of T_i[k]
 *         theta_a[k][x] = (e + c_a[k][x]) / (K e + sum over y of c_a[k][y])
 *     E   T_i[k] ~ prior[k] × product over the answers (a, x) to i of theta_a[k][x]
 *
 * c as in dawid-skene.c, which differs by its e alone: here the smoothing is 1, an answer of each
 * class to each class, so that annotators of few answers are not believed to be perfect, nor
 * hopeless. The paper leaves the prior to the user; --confusion-prior adds what is known of each
 * annotator. Starts from the share of the votes; ends when the log-posterior rises by less than the
 * tolerance, 1e-6, or after 100 rounds. */
#include "stages/aggregate/methods/fits.h"

#include <math.h>

gboolean
sl_fit_lfc (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
            SlLearned *learned, GError **error)
{
  SlMethodSettings own = *settings;
  own.smoothing = isnan (settings->smoothing) ? 1 : settings->smoothing;
  return sl_fit_dawid_skene (items, answers, &own, learned, error);
}
