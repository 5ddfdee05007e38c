/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collins, MPhil thesis, Cambridge 2022, appendix B.5. The first choice c is drawn from what is
 * known of the item, its share a from Beta_1. The histogram says how many other classes are left
 * possible: those most like c. If there are any, the likest of them is the second choice, and its
 * share b is drawn from Beta_2. */
#include "elicitor.h"

#include "pipeline/base/draw.h"
#include "likeness.h"

#include <math.h>

void
sl_elicitor_init (SlElicitor *elicitor, const SlSimulator *simulator, double step)
{
  gint32 n = simulator->n_classes;
  *elicitor = (SlElicitor){ .n_classes = n, .step = step };
  for (int g = 0; g < SL_N_GROUPS; g++)
    {
      const SlGroupFit *fit = &simulator->group[g];
      elicitor->group[g] = (SlElicitorGroup){
        .there = fit->answers > 0,
        .first = fit->first.beta,
        .second = fit->second.beta,
        .first_scale = fit->first.scale,
        .second_scale = fit->second.scale,
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

/* A share as a percent that people would type: above 0, a multiple of `step`. */
static inline double
draw_percent (const SlElicitor *elicitor, SlRandom *random, SlBeta beta, double scale)
{
  double percent = 100 * scale * sl_random_beta (random, beta.alpha, beta.beta);
  if (elicitor->step > 0)
    percent = rint (percent / elicitor->step) * elicitor->step;
  return CLAMP (percent, elicitor->step > 0 ? elicitor->step : 100 * 0x1p-20, 100);
}

SlElicited
sl_elicit (const SlElicitor *elicitor, SlGroup group, const double *sums, SlRandom *random)
{
  const SlElicitorGroup *from = &elicitor->group[group];
  SlElicited answer = { .second = -1 };
  answer.class = (gint32) sl_draw_by_weight (random, sums, elicitor->n_classes);
  answer.percent = draw_percent (elicitor, random, from->first, from->first_scale);
  answer.alternatives = (gint32) sl_draw_by_weight (random, from->sums, elicitor->n_classes);
  if (answer.alternatives == 0 || !from->has_second)
    return answer;
  answer.second = sl_elicitor_others (elicitor, answer.class)[0];
  answer.second_percent = draw_percent (elicitor, random, from->second, from->second_scale);
  return answer;
}
