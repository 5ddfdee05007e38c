/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "annotator-figures.h"

#include "schemas/annotators.h"
#include "stages/common/figures/answer-conduct.h"
#include "stages/common/figures/vote-figures.h"

#include <math.h>

static void
put (double **value, int column, gint32 a, double figure)
{
  if (value[column] != NULL)
    value[column][a] = figure;
}

/* What annotator A did beside first choices. */
static void
put_habit (double **value, gint32 a, const SlHabits *habits, const SlHabit *habit)
{
  put (value, SL_ANNOTATORS_TOP2_ACCURACY, a,
       habit->tested > 0 ? habit->in_two / habit->tested : (double) NAN);
  put (value, SL_ANNOTATORS_REPEATS, a, habit->repeats);
  put (value, SL_ANNOTATORS_REPEAT_CONSISTENCY, a,
       habit->repeats > 0 ? habit->repeated / habit->repeats : (double) NAN);
  put (value, SL_ANNOTATORS_SECONDS_Q1, a, sl_habits_seconds (habits, habit, 0.25));
  put (value, SL_ANNOTATORS_SECONDS_MEDIAN, a, sl_habits_seconds (habits, habit, 0.5));
  put (value, SL_ANNOTATORS_SECONDS_Q3, a, sl_habits_seconds (habits, habit, 0.75));
}

gboolean
sl_annotator_figures_write (SlGathering *crowd, const SlHabits *habits, const SlRowOrder *order,
                            SlTable *table, GError **error)
{
  const SlAnswers answers = sl_collected_answers (&crowd->answers);
  const SlItems items = { .n_items = crowd->tally.n_items,
                          .n_classes = crowd->tally.n_classes,
                          .label = crowd->tally.sum,
                          .weight = crowd->tally.weight,
                          .gold = crowd->tally.gold };
  gsize n = (gsize) items.n_classes;
  g_auto (SlByItem) by;
  sl_by_item_init (&by, &items, &answers, 0);
  g_autofree SlAnswerConduct *conduct = sl_answer_conduct (&by, items.gold);
  g_autofree double *named = sl_run_alloc0 (crowd->run, MAX ((gsize) answers.n_annotators, 1),
                                            n * sizeof *named, "annotators × classes sums", error);
  if (named == NULL)
    return FALSE;
  for (gint64 j = 0; j < answers.n_answers; j++)
    named[(gsize) answers.annotator[j] * n + (gsize) answers.answer[j]]
        += answers.count != NULL ? answers.count[j] : 1;
  g_auto (SlFigureRows) figures = { 0 };
  double **value = figures.value;
  if (!sl_figure_rows_init (&figures, crowd->run, table, answers.n_annotators, error))
    return FALSE;
  for (gint32 a = 0; a < answers.n_annotators; a++)
    {
      gint32 place = sl_gathering_annotator_place (crowd, a);
      const SlAnswerConduct *own = &conduct[place];
      value[SL_ANNOTATORS_ANSWERS][a] = floor (own->answers + 0.5);
      put (value, SL_ANNOTATORS_ACCURACY, a,
           own->tested > 0 ? own->right / own->tested : (double) NAN);
      value[SL_ANNOTATORS_AGREEMENT][a] = own->pairs > 0 ? own->same / own->pairs : (double) NAN;
      value[SL_ANNOTATORS_ENTROPY][a]
          = sl_shares_entropy (named + (gsize) place * n, items.n_classes);
      gsize length;
      const char *name = sl_intern_get (crowd->answers.annotators, place, &length);
      put_habit (value, a, habits, sl_habits_find (habits, name, length));
    }
  return sl_figure_rows_write (&figures, crowd->run, table, crowd->answers.annotators,
                               crowd->annotator_place, order, error);
}
