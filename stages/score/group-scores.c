/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "group-scores.h"

#include <math.h>
#include <string.h>

/* What a metric comes to in each run of a group. */
typedef struct
{
  GArray *value; /* double, of the runs that have one */
  double n;      /* the least */
  const char *reason;
  gint64 without; /* runs that have none */
} Outcome;

/* The mean of METRIC over the cases of one run, which is that of the one there is without
 * --mean-over. */
static SlMetricValue
value_of_run (const SlGroupScoring *how, const SlMetric *metric, const GPtrArray *cases)
{
  SlMetricValue whole = { 0, INFINITY, NULL };
  for (guint c = 0; c < cases->len; c++)
    {
      SlCase *one = cases->pdata[c];
      SlMetricValue value
          = metric->value (metric, &one->items, NULL, &how->scoring->plan.settings, &one->shared);
      if (isnan (value.value))
        return value;
      whole.value += value.value / cases->len;
      whole.reason = value.reason;
      whole.n = MIN (whole.n, value.n);
    }
  return whole;
}

static Outcome
find_outcome (const SlGroupScoring *how, const SlMetric *metric, const SlScoreGroup *group)
{
  Outcome outcome = { g_array_new (FALSE, FALSE, sizeof (double)), INFINITY, NULL, 0 };
  for (guint r = 0; r < group->runs->len; r++)
    {
      const SlScoreRun *run = group->runs->pdata[r];
      SlMetricValue value = value_of_run (how, metric, run->cases);
      outcome.n = MIN (outcome.n, value.n);
      if (!isnan (value.value))
        g_array_append_val (outcome.value, value.value);
      else
        outcome.without++;
      if (outcome.reason == NULL || (isnan (value.value) && outcome.without == 1))
        outcome.reason = value.reason;
    }
  return outcome;
}

static SlBootstrap
bootstrap_of (const SlGroupScoring *how, const SlScoreGroup *group)
{
  return (SlBootstrap){ how->scoring->run->seed, sl_text_hash (group->text, strlen (group->text)),
                        how->plan->resamples, how->scoring->run->threads };
}

static void
spread_over_runs (const SlGroupScoring *how, const SlMetric *metric, const SlScoreGroup *group,
                  const Outcome *outcome, SlGroupScore *score)
{
  const SlResultsPlan *plan = how->plan;
  gint64 n = outcome->value->len;
  const double *value = (const double *) (gconstpointer) outcome->value->data;
  SlInterval interval = plan->automatic ? SL_INTERVAL_T : plan->interval;
  SlSpread spread = sl_spread (value, n, interval, plan->level);
  score->sd = spread.sd;
  if (interval == SL_INTERVAL_NONE)
    return;
  score->lower = spread.lower;
  score->upper = spread.upper;
  score->interval = interval == SL_INTERVAL_T ? "t over runs" : "normal over runs";
  if (interval != SL_INTERVAL_BOOTSTRAP)
    return;
  const SlBootstrap bootstrap = bootstrap_of (how, group);
  sl_bootstrap_runs (value, n, &bootstrap, how->resampled);
  sl_bootstrap_interval (how->resampled, plan->resamples, score->value, plan->level,
                         sl_metric_range (metric), &score->lower, &score->upper);
  score->interval = "bootstrap over runs";
}

/* Why a figure of one run has no interval, where one is wanted. */
static const char *
why_no_interval (const SlGroupScoring *how, const SlMetric *metric, const SlScoreGroup *group)
{
  const SlResultsPlan *plan = how->plan;
  const SlScoreRun *run = group->runs->pdata[0];
  const SlCase *one = run->cases->pdata[0];
  if (!plan->automatic && plan->interval == SL_INTERVAL_NONE)
    return NULL;
  if (!plan->automatic && plan->interval != SL_INTERVAL_BOOTSTRAP)
    return "no interval: it is over runs, and there is one; --interval bootstrap draws items";
  if (run->cases->len > 1)
    return "no interval: it is one run's mean over several conditions";
  if (metric->figures & SL_FIGURE_BIT (SL_FIGURE_ITEM))
    return "no interval: rows of one item go together, and the bootstrap draws them one by one";
  if (one->items.n < 2)
    return "no interval: there is one item to draw from";
  if (!sl_case_is_whole (one, &how->scoring->plan))
    return "no interval: resamples × items are over 50 million; --interval bootstrap draws them";
  return "no interval: no resample has this figure";
}

static char *
reason_text (const Outcome *outcome, gint32 runs)
{
  if (runs == 1 || outcome->without == runs)
    return g_strdup (outcome->reason);
  return g_strdup_printf ("in %" G_GINT64_FORMAT " of %d runs: %s", outcome->without, runs,
                          outcome->reason);
}

static SlGroupScore
make_score (const SlGroupScoring *how, const SlMetric *metric, const SlScoreGroup *group)
{
  Outcome outcome = find_outcome (how, metric, group);
  SlGroupScore score
      = { NAN, NAN, NAN, NAN, (gint64) outcome.n, (gint32) group->runs->len, NULL, "" };
  if (outcome.without > 0)
    score.reason = reason_text (&outcome, score.runs);
  else
    {
      score.value = 0;
      for (guint r = 0; r < outcome.value->len; r++)
        score.value += g_array_index (outcome.value, double, r) / outcome.value->len;
      if (outcome.reason != NULL)
        score.reason = g_strdup (outcome.reason);
      else if (outcome.value->len > 1)
        spread_over_runs (how, metric, group, &outcome, &score);
    }
  g_array_unref (outcome.value);
  return score;
}

/* The case whose items are drawn again, or NULL. */
static const SlCase *
drawn_from (const SlGroupScoring *how, const SlScoreGroup *group)
{
  const SlResultsPlan *plan = how->plan;
  const SlScoreRun *run = group->runs->pdata[0];
  if (group->runs->len > 1 || run->cases->len > 1
      || !(plan->automatic || plan->interval == SL_INTERVAL_BOOTSTRAP))
    return NULL;
  const SlCase *one = run->cases->pdata[0];
  return one->items.n > 1 && sl_case_is_whole (one, &how->scoring->plan) ? one : NULL;
}

static void
give_reasons (const SlGroupScoring *how, const SlScoreGroup *group, const SlMetric *const *metrics,
              SlGroupScore *scores, int n)
{
  for (int m = 0; m < n && group->runs->len == 1; m++)
    if (!isnan (scores[m].value) && isnan (scores[m].lower) && scores[m].reason == NULL)
      scores[m].reason = g_strdup (why_no_interval (how, metrics[m], group));
}

/* The intervals of scores[n] of METRICS, all at once, so that each resample is drawn once. */
static gboolean
draw_intervals (const SlGroupScoring *how, const SlScoreGroup *group,
                const SlMetric *const *metrics, SlGroupScore *scores, int n, GError **error)
{
  const SlResultsPlan *plan = how->plan;
  const SlCase *one = drawn_from (how, group);
  if (one == NULL || n == 0)
    return TRUE;
  gsize size = (gsize) n * (gsize) plan->resamples;
  g_autofree double *value = sl_run_alloc0 (how->scoring->run, size, sizeof *value,
                                            "the figures of all resamples", error);
  if (value == NULL)
    return FALSE;
  const SlBootstrap bootstrap = bootstrap_of (how, group);
  gsize room = sl_bootstrap_bytes (&one->items, &bootstrap);
  if (!sl_run_claim (how->scoring->run, room, "the items of resamples", error))
    return FALSE;
  sl_bootstrap_items (&one->items, metrics, n, &how->scoring->plan.settings, &bootstrap, value);
  for (int m = 0; m < n; m++)
    /* Rows of one item go together, and the bootstrap draws them one by one. */
    if (!isnan (scores[m].value) && scores[m].reason == NULL
        && !(metrics[m]->figures & SL_FIGURE_BIT (SL_FIGURE_ITEM))
        && sl_bootstrap_interval (value + (gsize) m * (gsize) plan->resamples, plan->resamples,
                                  scores[m].value, plan->level, sl_metric_range (metrics[m]),
                                  &scores[m].lower, &scores[m].upper))
      scores[m].interval = "bootstrap over items";
  sl_run_release (how->scoring->run, size * sizeof *value + room);
  return TRUE;
}

gboolean
sl_group_scores (const SlGroupScoring *how, const SlScoreGroup *group,
                 const SlMetric *const *metrics, int n, SlGroupScore *scores, GError **error)
{
  for (int m = 0; m < n; m++)
    scores[m] = make_score (how, metrics[m], group);
  gboolean ok = draw_intervals (how, group, metrics, scores, n, error);
  give_reasons (how, group, metrics, scores, n);
  return ok;
}
