/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "all-figures.h"

#include "schemas/scores.h"
#include "stages/common/figures/vote-figures.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <string.h>

#define GOOD 0.75 /* accuracy of an annotator */

typedef struct
{
  const char *metric;
  double value;
  gint64 n;
} Score;

static void
add (GArray *scores, const char *metric, double value, gint64 n)
{
  Score score = { metric, value, n };
  g_array_append_val (scores, score);
}

/* The share WHOLE has of PART; NaN of nothing. */
static double
share (double part, double whole)
{
  return whole > 0 ? part / whole : (double) NAN;
}

static void
add_agreement (GArray *scores, const SlGathering *crowd)
{
  const SlTally *tally = &crowd->tally;
  gint64 n_items = tally->n_items, n_answers = 0, tested = 0;
  double consistency = 0, entropy = 0, observed = 0, right = 0;
  SlAlpha alpha = sl_votes_alpha (tally->sum, n_items, tally->n_classes);
  for (gint64 i = 0; i < n_items; i++)
    {
      const double *votes = tally->sum + i * tally->n_classes;
      n_answers += (gint64) (tally->weight[i] + 0.5);
      consistency += sl_votes_consistency (votes, tally->n_classes);
      entropy += sl_shares_entropy (votes, tally->n_classes);
      observed += tally->weight[i] >= 2 ? sl_votes_agreement (votes, tally->n_classes) : 0;
      tested += tally->gold[i] >= 0 ? (gint64) (tally->weight[i] + 0.5) : 0;
      right += tally->gold[i] >= 0 ? votes[tally->gold[i]] : 0;
    }
  gboolean named = !crowd->answers.anonymous;
  add (scores, "items", (double) n_items, n_items);
  add (scores, "annotators", named ? sl_intern_size (crowd->answers.annotators) : (double) NAN,
       named ? n_answers : 0);
  add (scores, "answers", (double) n_answers, n_answers);
  add (scores, "alpha", alpha.alpha, alpha.items);
  add (scores, "observed_agreement", alpha.observed, alpha.items);
  add (scores, "expected_agreement", alpha.expected, alpha.items);
  add (scores, "item_agreement", share (observed, (double) alpha.items), alpha.items);
  add (scores, "consistency", share (consistency, (double) n_items), n_items);
  add (scores, "entropy", share (entropy, (double) n_items), n_items);
  add (scores, "accuracy", share (right, (double) tested), tested);
}

/* Means over annotators, each by what they answered about items with gold, in the order of their
 * names: rows' order is not to be seen in the rounding. */
static void
add_annotators (GArray *scores, const SlHabits *habits)
{
  double sum = 0, sum_two = 0, least = NAN, tested = 0, in_two = 0;
  gint64 n = 0, good = 0;
  g_autofree gint32 *order = sl_intern_order (habits->names);
  for (guint a = 0; a < habits->of->len; a++)
    {
      const SlHabit *habit
          = &g_array_index (habits->of, SlHabit, order != NULL ? (guint) order[a] : a);
      tested += habit->tested;
      in_two += habit->in_two;
      if (!(habit->tested > 0))
        continue;
      double own = habit->right / habit->tested;
      n++;
      sum += own;
      sum_two += habit->in_two / habit->tested;
      good += own > GOOD;
      least = isnan (least) ? own : MIN (least, own);
    }
  if (habits->second)
    add (scores, "top2_accuracy", share (in_two, tested), (gint64) (tested + 0.5));
  if (sl_intern_size (habits->names) == 0)
    return;
  add (scores, "annotator_accuracy", share (sum, (double) n), n);
  if (habits->second)
    add (scores, "annotator_top2_accuracy", share (sum_two, (double) n), n);
  add (scores, "annotator_accuracy_least", least, n);
  add (scores, "annotator_accuracy_above_75", share ((double) good, (double) n), n);
}

static void
add_repeats (GArray *scores, const SlHabits *habits)
{
  double repeats = 0, repeated = 0;
  for (guint a = 0; a < habits->of->len; a++)
    {
      repeats += g_array_index (habits->of, SlHabit, a).repeats;
      repeated += g_array_index (habits->of, SlHabit, a).repeated;
    }
  add (scores, "repeat_consistency", share (repeated, repeats), (gint64) repeats);
}

static void
add_seconds (GArray *scores, const SlHabits *habits)
{
  static const struct
  {
    const char *metric;
    double share;
  } quantiles[] = { { "seconds_q1", 0.25 }, { "seconds_median", 0.5 }, { "seconds_q3", 0.75 } };
  gsize n = habits->taken->len;
  double *seconds = (double *) (gpointer) habits->taken->data, sum = 0;
  gsl_sort (seconds, 1, n);
  for (gsize i = 0; i < n; i++)
    sum += seconds[i];
  add (scores, "seconds_mean", share (sum, (double) n), (gint64) n);
  for (gsize q = 0; q < G_N_ELEMENTS (quantiles); q++)
    add (scores, quantiles[q].metric,
         n > 0 ? gsl_stats_quantile_from_sorted_data (seconds, 1, n, quantiles[q].share) : NAN,
         (gint64) n);
}

gboolean
sl_all_figures_write (SlGathering *crowd, const SlHabits *habits, SlTable *table, GError **error)
{
  g_autoptr (GArray) scores = g_array_new (FALSE, FALSE, sizeof (Score));
  add_agreement (scores, crowd);
  if (habits->gold)
    add_annotators (scores, habits);
  if (habits->repeat)
    add_repeats (scores, habits);
  if (habits->timed)
    add_seconds (scores, habits);
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  for (guint i = 0; i < scores->len; i++)
    {
      const Score *score = &g_array_index (scores, Score, i);
      sl_builder_text (builder, SL_SCORES_METRIC, score->metric, strlen (score->metric));
      sl_builder_real (builder, SL_SCORES_VALUE, score->value);
      sl_builder_int (builder, SL_SCORES_N, score->n);
    }
  return sl_writer_write_built (crowd->run->out, builder, TRUE, error);
}
