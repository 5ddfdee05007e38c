/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "jspsych-census.h"

#include "schemas/annotations.h"

#include <math.h>

static const char *const texts[SL_CENSUS_N] = {
  [SL_CENSUS_ANSWERS] = "answers",
  [SL_CENSUS_REPEATS] = "repeats",
  [SL_CENSUS_REPLACED] = "percents replaced (--replace-percent)",
  [SL_CENSUS_UNREADABLE] = "percents that are no number",
  [SL_CENSUS_OUTSIDE] = "a percent outside 0 to 100",
  [SL_CENSUS_ZERO] = "first percent 0 or absent",
  [SL_CENSUS_NO_SECOND] = "second class none",
  [SL_CENSUS_SECOND_WITHOUT_PERCENT] = "second class chosen, its percent absent",
  [SL_CENSUS_PERCENT_WITHOUT_SECOND] = "second class none, its percent typed",
  [SL_CENSUS_SAME_CLASS] = "second class same as the first",
  [SL_CENSUS_SECOND_ZERO] = "second class chosen with percent 0",
  [SL_CENSUS_SECOND_ABOVE] = "second percent above the first",
  [SL_CENSUS_FIRST_IMPOSSIBLE] = "first class ticked impossible",
  [SL_CENSUS_SECOND_IMPOSSIBLE] = "second class ticked impossible",
  [SL_CENSUS_EITHER_IMPOSSIBLE] = "either class ticked impossible",
  [SL_CENSUS_SUM_BELOW] = "percents sum to less than 100",
  [SL_CENSUS_SUM_EQUAL] = "percents sum to 100",
  [SL_CENSUS_SUM_ABOVE] = "percents sum to more than 100",
  [SL_CENSUS_UNFINISHED] = "answers of sessions that did not reach their end",
};

static gboolean
is_among (const gint32 *codes, guint n, gint32 code)
{
  for (guint i = 0; i < n; i++)
    if (codes[i] == code)
      return TRUE;
  return FALSE;
}

static double
or_zero (double percent)
{
  return isnan (percent) ? 0 : percent;
}

void
sl_jspsych_census_add (SlJspsychCensus *census, const SlAnswerForm *form, gboolean repeat,
                       gint32 first, gint32 second, const gint32 *ruled_out, guint n_ruled_out)
{
  gboolean unreadable = form->typed == SL_PERCENT_UNREADABLE,
           unreadable2 = form->percent2 == SL_PERCENT_UNREADABLE;
  double percent = unreadable ? (double) NAN : form->typed,
         percent2 = unreadable2 ? (double) NAN : form->percent2;
  double sum = or_zero (percent) + or_zero (percent2);
  gboolean impossible = is_among (ruled_out, n_ruled_out, first);
  gboolean impossible2 = second >= 0 && is_among (ruled_out, n_ruled_out, second);
  gint64 *n = census->n;
  n[SL_CENSUS_ANSWERS]++;
  n[SL_CENSUS_REPEATS] += repeat != FALSE;
  n[SL_CENSUS_REPLACED] += form->n_replaced;
  n[SL_CENSUS_UNREADABLE] += unreadable + unreadable2;
  n[SL_CENSUS_OUTSIDE] += percent < 0 || percent > 100 || percent2 < 0 || percent2 > 100;
  n[SL_CENSUS_ZERO] += or_zero (percent) == 0 && !unreadable;
  n[SL_CENSUS_NO_SECOND] += second < 0;
  n[SL_CENSUS_SECOND_WITHOUT_PERCENT] += second >= 0 && isnan (percent2) && !unreadable2;
  n[SL_CENSUS_PERCENT_WITHOUT_SECOND] += form->percent2_alone;
  n[SL_CENSUS_SAME_CLASS] += second == first;
  n[SL_CENSUS_SECOND_ZERO] += percent2 == 0;
  n[SL_CENSUS_SECOND_ABOVE] += percent2 > percent;
  n[SL_CENSUS_FIRST_IMPOSSIBLE] += impossible;
  n[SL_CENSUS_SECOND_IMPOSSIBLE] += impossible2;
  n[SL_CENSUS_EITHER_IMPOSSIBLE] += impossible || impossible2;
  n[SL_CENSUS_SUM_BELOW] += sum < 100;
  n[SL_CENSUS_SUM_EQUAL] += sum == 100;
  n[SL_CENSUS_SUM_ABOVE] += sum > 100;
}

void
sl_jspsych_census_tell (const SlJspsychCensus *census, gint32 n_annotators, gint32 n_items,
                        SlRun *run)
{
  sl_run_note (run, "annotators: %d", n_annotators);
  sl_run_note (run, "items: %d", n_items);
  for (int i = 0; i < SL_CENSUS_N; i++)
    sl_run_note (run, "%s: %" G_GINT64_FORMAT, texts[i], census->n[i]);
}
