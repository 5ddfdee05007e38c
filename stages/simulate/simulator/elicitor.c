/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elicitor.h"

#include "pipeline/base/draw.h"
#include "likeness.h"

#include <math.h>

/* Answers as people would give them, drawn from a fit: Collins, MPhil thesis, Cambridge 2022,
 * appendix B.5. The first choice c is drawn from what is known of the item, its share a from
 * Beta_1. The histogram says how many other classes are left possible: those most like c. If there
 * are any, the likest of them is the second choice, and its share b is drawn from Beta_2. Where the
 * fit has kept what people said, percents and number come from one answer of theirs (panel.h). */

static SlBetaDraws *
shares_of (const SlShare *share, gboolean there)
{
  return there && share->n > 0 ? sl_beta_draws_new (share->beta) : NULL;
}

void
sl_elicitor_init (SlElicitor *elicitor, const SlSimulator *simulator, double step)
{
  gint32 n = simulator->n_classes;
  *elicitor = (SlElicitor){ .n_classes = n, .step = step };
  if (sl_panel_is_there (&simulator->people))
    elicitor->people = &simulator->people;
  for (int g = 0; g < SL_N_GROUPS; g++)
    {
      const SlGroupFit *fit = &simulator->group[g];
      elicitor->group[g] = (SlElicitorGroup){
        .there = fit->answers > 0,
        .first = shares_of (&fit->first, fit->answers > 0),
        .second = shares_of (&fit->second, fit->answers > 0),
        .first_scale = fit->first.scale,
        .second_scale = fit->second.scale,
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
    {
      g_clear_pointer (&elicitor->group[g].first, sl_beta_draws_free);
      g_clear_pointer (&elicitor->group[g].second, sl_beta_draws_free);
      g_clear_pointer (&elicitor->group[g].sums, g_free);
    }
  g_clear_pointer (&elicitor->rank, g_free);
}

/* A percent as people would type it: above 0, a multiple of `step`. */
static double
round_percent (const SlElicitor *elicitor, double percent)
{
  double step = elicitor->step;
  if (step > 0)
    percent = rint (percent / step) * step;
  return CLAMP (percent, step > 0 ? step : 100 * 0x1p-20, 100);
}

static double
draw_percent (const SlElicitor *elicitor, const SlBetaDraws *shares, double scale, SlRandom *random)
{
  return round_percent (elicitor, 100 * scale * sl_beta_draw (shares, sl_random_unit (random)));
}

/* As it was typed, 0 and what is out of range among them. */
static double
typed_percent (const SlElicitor *elicitor, double percent)
{
  gboolean fits = percent >= 0 && percent <= 100;
  return elicitor->step > 0 && fits ? round_percent (elicitor, percent) : percent;
}

void
sl_elicit_of_class (const SlElicitor *elicitor, SlGroup group, gint32 person, SlElicited *answer,
                    SlRandom *random)
{
  const SlSaid *said = sl_panel_say (elicitor->people, group, person, sl_random_unit (random));
  answer->percent = typed_percent (elicitor, said->first);
  answer->alternatives = said->alternatives;
  answer->ruled_out = said->ruled_out;
  answer->repaired = said->repaired;
  if (isnan (said->second) || elicitor->n_classes < 2)
    return;
  answer->second = sl_elicitor_others (elicitor, answer->class)[0];
  answer->second_percent = typed_percent (elicitor, said->second);
}

/* The stream gives the class, its percent, the number of alternatives, and the second choice's
 * percent, in this order. */
static void
elicit_by_parts (const SlElicitor *elicitor, SlGroup group, SlElicited *answer, SlRandom *random)
{
  const SlElicitorGroup *from = &elicitor->group[group];
  answer->percent = draw_percent (elicitor, from->first, from->first_scale, random);
  answer->alternatives = (gint32) sl_draw_by_weight (random, from->sums, elicitor->n_classes);
  if (answer->alternatives == 0 || from->second == NULL)
    return;
  answer->second = sl_elicitor_others (elicitor, answer->class)[0];
  answer->second_percent = draw_percent (elicitor, from->second, from->second_scale, random);
}

SlElicited
sl_elicit (const SlElicitor *elicitor, SlGroup group, gint32 person, const double *sums,
           SlRandom *random)
{
  SlElicited answer
      = { .class = (gint32) sl_draw_by_weight (random, sums, elicitor->n_classes), .second = -1 };
  /* The stream gives the class, and then what is said of it. */
  if (elicitor->people != NULL)
    sl_elicit_of_class (elicitor, group, person, &answer, random);
  else
    elicit_by_parts (elicitor, group, &answer, random);
  return answer;
}
