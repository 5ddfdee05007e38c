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

/* Shares that are drawn together. */
typedef struct
{
  int n, of[SL_QUESTIONS]; /* which questions' */
  SlRandom *random[SL_QUESTIONS];
  double alpha[SL_QUESTIONS], beta[SL_QUESTIONS], scale[SL_QUESTIONS], share[SL_QUESTIONS];
} Draws;

static inline void
add_draw (Draws *draws, int of, SlRandom *random, SlBeta beta, double scale)
{
  int i = draws->n++;
  draws->of[i] = of;
  draws->random[i] = random;
  draws->alpha[i] = beta.alpha;
  draws->beta[i] = beta.beta;
  draws->scale[i] = scale;
}

/* The I-th share as a percent that people would type: above 0, a multiple of `step`. */
static inline double
percent_of (const SlElicitor *elicitor, const Draws *draws, int i)
{
  double percent = 100 * draws->scale[i] * draws->share[i];
  if (elicitor->step > 0)
    percent = rint (percent / elicitor->step) * elicitor->step;
  return CLAMP (percent, elicitor->step > 0 ? elicitor->step : 100 * 0x1p-20, 100);
}

static void
draw_first (const SlElicitor *elicitor, SlQuestion *question, int n, SlElicited *answer)
{
  Draws draws = { .n = 0 };
  for (int i = 0; i < n; i++)
    {
      const SlElicitorGroup *from = &elicitor->group[question[i].group];
      SlRandom *random = &question[i].random;
      answer[i] = (SlElicited){ .second = -1 };
      answer[i].class = (gint32) sl_draw_by_weight (random, question[i].sums, elicitor->n_classes);
      add_draw (&draws, i, random, from->first, from->first_scale);
    }
  sl_random_betas (draws.random, draws.alpha, draws.beta, (gsize) draws.n, draws.share);
  for (int i = 0; i < n; i++)
    answer[i].percent = percent_of (elicitor, &draws, i);
}

static void
draw_second (const SlElicitor *elicitor, SlQuestion *question, int n, SlElicited *answer)
{
  Draws draws = { .n = 0 };
  for (int i = 0; i < n; i++)
    {
      const SlElicitorGroup *from = &elicitor->group[question[i].group];
      SlRandom *random = &question[i].random;
      answer[i].alternatives = (gint32) sl_draw_by_weight (random, from->sums, elicitor->n_classes);
      if (answer[i].alternatives == 0 || !from->has_second)
        continue;
      answer[i].second = sl_elicitor_others (elicitor, answer[i].class)[0];
      add_draw (&draws, i, random, from->second, from->second_scale);
    }
  sl_random_betas (draws.random, draws.alpha, draws.beta, (gsize) draws.n, draws.share);
  for (int i = 0; i < draws.n; i++)
    answer[draws.of[i]].second_percent = percent_of (elicitor, &draws, i);
}

void
sl_elicit (const SlElicitor *elicitor, SlQuestion *question, int n, SlElicited *answer)
{
  draw_first (elicitor, question, n, answer);
  draw_second (elicitor, question, n, answer);
}
