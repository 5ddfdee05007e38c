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

/* Shares that are drawn together, as percents. */
typedef struct
{
  int n;
  double *percent[SL_QUESTIONS];
  SlRandom *random[SL_QUESTIONS];
  double alpha[SL_QUESTIONS], beta[SL_QUESTIONS], scale[SL_QUESTIONS];
} Draws;

static inline void
add_draw (Draws *draws, double *percent, SlRandom *random, SlBeta beta, double scale)
{
  int i = draws->n++;
  draws->percent[i] = percent;
  draws->random[i] = random;
  draws->alpha[i] = beta.alpha;
  draws->beta[i] = beta.beta;
  draws->scale[i] = scale;
}

/* Percents as people would type them: above 0, multiples of `step`. */
static void
draw_percents (const SlElicitor *elicitor, const Draws *draws)
{
  double share[SL_QUESTIONS], step = elicitor->step;
  sl_random_betas (draws->random, draws->alpha, draws->beta, (gsize) draws->n, share);
  for (int i = 0; i < draws->n; i++)
    {
      double percent = 100 * draws->scale[i] * share[i];
      if (step > 0)
        percent = rint (percent / step) * step;
      *draws->percent[i] = CLAMP (percent, step > 0 ? step : 100 * 0x1p-20, 100);
    }
}

/* A question's stream gives the class, its percent, the number of alternatives, and the second
 * choice's percent, in this order. */
void
sl_elicit (const SlElicitor *elicitor, SlQuestion *question, int n, SlElicited *answer)
{
  Draws first = { .n = 0 }, second = { .n = 0 };
  for (int i = 0; i < n; i++)
    {
      const SlElicitorGroup *from = &elicitor->group[question[i].group];
      SlRandom *random = &question[i].random;
      answer[i] = (SlElicited){ .second = -1 };
      answer[i].class = (gint32) sl_draw_by_weight (random, question[i].sums, elicitor->n_classes);
      add_draw (&first, &answer[i].percent, random, from->first, from->first_scale);
    }
  draw_percents (elicitor, &first);
  for (int i = 0; i < n; i++)
    {
      const SlElicitorGroup *from = &elicitor->group[question[i].group];
      SlRandom *random = &question[i].random;
      answer[i].alternatives = (gint32) sl_draw_by_weight (random, from->sums, elicitor->n_classes);
      if (answer[i].alternatives == 0 || !from->has_second)
        continue;
      answer[i].second = sl_elicitor_others (elicitor, answer[i].class)[0];
      add_draw (&second, &answer[i].second_percent, random, from->second, from->second_scale);
    }
  draw_percents (elicitor, &second);
}
