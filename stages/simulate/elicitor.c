/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collins, MPhil thesis, Cambridge 2022, appendix B.5. The first choice c is drawn from what is known of the item, its share
 * a ~ Beta_1; of the other classes, in the order of their likeness to c, so many as the histogram says are left possible; if
 * there are any, the likest of them is the second choice, its share b ~ Beta_2. */
#include "elicitor.h"

#include "../deaggregate/draw.h"
#include "likeness.h"

#include <gsl/gsl_randist.h>
#include <math.h>

void
sl_elicitor_init (SlElicitor *elicitor, const SlSimulator *simulator, double whole)
{
  gint32 n = simulator->n_classes;
  *elicitor = (SlElicitor){ .n_classes = n, .whole = whole };
  for (int g = 0; g < SL_N_GROUPS; g++)
    {
      const SlGroupFit *fit = &simulator->group[g];
      elicitor->group[g] = (SlElicitorGroup){
        .there = fit->answers > 0,
        .first = fit->first.beta,
        .second = fit->second.beta,
        .has_second = fit->second.n > 0,
        .sums = g_new (double, MAX (n, 1)),
      };
      sl_draw_sums (fit->alternatives, n, elicitor->group[g].sums);
    }
  elicitor->rank = g_new (gint32, MAX ((gsize) n * (gsize) (n - 1), 1));
  sl_likeness_rank (simulator->likeness, n, elicitor->rank);
}

void
sl_elicitor_clear (SlElicitor *elicitor)
{
  for (int g = 0; g < SL_N_GROUPS; g++)
    g_clear_pointer (&elicitor->group[g].sums, g_free);
  g_clear_pointer (&elicitor->rank, g_free);
}

/* A share as a percent that people would type: at least LEAST, a multiple of `whole`. */
static inline double
draw_percent (const SlElicitor *elicitor, gsl_rng *rng, SlBeta beta, double least)
{
  double percent = 100 * gsl_ran_beta (rng, beta.alpha, beta.beta);
  if (elicitor->whole > 0)
    percent = fmax (rint (percent / elicitor->whole) * elicitor->whole, least);
  return fmin (percent, 100);
}

SlElicited
sl_elicit (const SlElicitor *elicitor, SlGroup group, const double *sums, SlRandom *random)
{
  const SlElicitorGroup *from = &elicitor->group[group];
  gsl_rng rng = sl_random_gsl (random);
  SlElicited answer = { .second = -1 };
  answer.class = (gint32) sl_draw_by_weight (random, sums, elicitor->n_classes);
  answer.percent = draw_percent (elicitor, &rng, from->first, elicitor->whole);
  answer.alternatives = (gint32) sl_draw_by_weight (random, from->sums, elicitor->n_classes);
  if (answer.alternatives == 0 || !from->has_second)
    return answer;
  answer.second = sl_elicitor_others (elicitor, answer.class)[0];
  answer.second_percent = draw_percent (elicitor, &rng, from->second, 0);
  return answer;
}
