/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "comparison.h"

#include "schemas/scores.h"

#include <math.h>
#include <string.h>

void
sl_comparison_make_table (SlComparison *comparison)
{
  const SlCompareOptions *options = comparison->run->options->values;
  comparison->table = sl_table_new (&sl_scores, NULL);
  sl_table_add (comparison->table, SL_SCORES_REASON);
  sl_table_add (comparison->table, SL_SCORES_DEFINITION);
  if (sl_compare_has_truth (options))
    sl_table_add (comparison->table, SL_SCORES_GROUP);
  if (options->resamples == 0)
    return;
  sl_table_add (comparison->table, SL_SCORES_LOWER);
  sl_table_add (comparison->table, SL_SCORES_UPPER);
  sl_table_add (comparison->table, SL_SCORES_INTERVAL);
  if (sl_compare_has_truth (options))
    sl_table_add (comparison->table, SL_SCORES_P);
}

static void
put_text (SlBuilder *builder, int column, const char *text)
{
  sl_builder_text (builder, column, text, strlen (text));
}

typedef struct
{
  const char *group;
  double value, lower, upper, p, n;
  const char *reason, *interval;
} Row;

static void
put_row (SlComparison *comparison, const SlMetric *metric, const Row *row)
{
  SlBuilder *builder = comparison->builder;
  const SlCompareOptions *options = comparison->run->options->values;
  g_autofree char *interval
      = isnan (row->lower) ? g_strdup ("")
                           : g_strdup_printf ("%g %% %s", options->level * 100, row->interval);
  if (sl_table_has (comparison->table, SL_SCORES_GROUP))
    put_text (builder, SL_SCORES_GROUP, row->group);
  put_text (builder, SL_SCORES_METRIC, metric->name);
  sl_builder_real (builder, SL_SCORES_VALUE, row->value);
  sl_builder_int (builder, SL_SCORES_N, (gint64) row->n);
  if (sl_table_has (comparison->table, SL_SCORES_LOWER))
    {
      sl_builder_real (builder, SL_SCORES_LOWER, row->lower);
      sl_builder_real (builder, SL_SCORES_UPPER, row->upper);
      put_text (builder, SL_SCORES_INTERVAL, interval);
    }
  if (sl_table_has (comparison->table, SL_SCORES_P))
    sl_builder_real (builder, SL_SCORES_P, row->p);
  put_text (builder, SL_SCORES_REASON, row->reason != NULL ? row->reason : "");
  put_text (builder, SL_SCORES_DEFINITION, metric->definition);
}

static void
put_interval (Row *row, SlItemInterval interval)
{
  row->lower = interval.lower;
  row->upper = interval.upper;
  row->interval = interval.kind;
  row->reason = interval.reason;
}

/* Rows of ITEMS by themselves, of GROUP; DRAWN: resamples, [n_metrics][resamples], or NULL. */
static void
put_single (SlComparison *comparison, const SlScoredItems *items, const char *group, double *drawn)
{
  const SlCompareOptions *options = comparison->run->options->values;
  const SlMetricSettings *settings = &comparison->plan.settings;
  SlShared shared = { 0 };
  for (int m = 0; m < comparison->n_metrics; m++)
    {
      const SlMetric *metric = comparison->metrics[m];
      SlMetricValue value = metric->value (metric, items, NULL, settings, &shared);
      Row row = { group, value.value, NAN, NAN, NAN, value.n, value.reason, "" };
      if (isnan (value.value) && row.reason == NULL)
        row.reason = "there are no items";
      if (options->resamples > 0 && row.reason == NULL)
        put_interval (
            &row,
            sl_item_interval (metric, items, settings, &shared, value,
                              drawn != NULL ? drawn + (gsize) m * (gsize) options->resamples : NULL,
                              options->resamples, options->level, FALSE));
      put_row (comparison, metric, &row);
    }
  sl_shared_clear (&shared);
}

static SlBootstrap
bootstrap_of (const SlComparison *comparison)
{
  const SlCompareOptions *options = comparison->run->options->values;
  return (SlBootstrap){ comparison->run->seed, 0, options->resamples, comparison->run->threads };
}

static gsize
draws_bytes (const SlComparison *comparison)
{
  const SlCompareOptions *options = comparison->run->options->values;
  return (gsize) MAX (comparison->n_metrics, 1) * (gsize) options->resamples * sizeof (double);
}

static double *
room_for_draws (const SlComparison *comparison, GError **error)
{
  const SlCompareOptions *options = comparison->run->options->values;
  return sl_run_alloc0 (comparison->run,
                        (gsize) MAX (comparison->n_metrics, 1) * (gsize) options->resamples,
                        sizeof (double), "the figures of all resamples", error);
}

gboolean
sl_comparison_write_single (SlComparison *comparison, const SlScoredItems *items, const char *group,
                            GError **error)
{
  const SlCompareOptions *options = comparison->run->options->values;
  const SlBootstrap bootstrap = bootstrap_of (comparison);
  g_autofree double *drawn = room_for_draws (comparison, error);
  if (drawn == NULL)
    return FALSE;
  gsize room = sl_bootstrap_bytes (items, &bootstrap);
  if (!sl_run_claim (comparison->run, room, "the items of resamples", error))
    return FALSE;
  if (options->resamples > 0 && items->n > 1)
    sl_bootstrap_items (items, comparison->metrics, comparison->n_metrics,
                        &comparison->plan.settings, &bootstrap, drawn);
  put_single (comparison, items, group, options->resamples > 0 && items->n > 1 ? drawn : NULL);
  sl_run_release (comparison->run, room + draws_bytes (comparison));
  return sl_writer_write_built (comparison->run->out, comparison->builder, FALSE, error);
}

static void
put_differences (SlComparison *comparison, const SlPair *pair, double *drawn, const double *p)
{
  const SlCompareOptions *options = comparison->run->options->values;
  SlShared shared[2] = { 0 };
  for (int m = 0; m < comparison->n_metrics; m++)
    {
      const SlMetric *metric = comparison->metrics[m];
      SlMetricValue a = metric->value (metric, pair->a, NULL, pair->settings, &shared[0]);
      SlMetricValue b = metric->value (metric, pair->b, NULL, pair->settings, &shared[1]);
      Row row = { "table=first - second", sl_difference (a.value, b.value),      NAN, NAN, p[m],
                  MIN (a.n, b.n),         isnan (a.value) ? a.reason : b.reason, "" };
      if (options->resamples > 0 && row.reason == NULL)
        put_interval (&row, sl_paired_interval (pair, m, (SlMetricValue){ row.value, row.n, NULL },
                                                drawn + (gsize) m * (gsize) options->resamples,
                                                options->resamples, options->level));
      put_row (comparison, metric, &row);
    }
  sl_shared_clear (&shared[0]);
  sl_shared_clear (&shared[1]);
}

gboolean
sl_comparison_write_pair (SlComparison *comparison, const SlScoredItems *a, const SlScoredItems *b,
                          GError **error)
{
  const SlCompareOptions *options = comparison->run->options->values;
  const SlPair pair
      = { a, b, comparison->metrics, comparison->n_metrics, &comparison->plan.settings };
  const SlBootstrap bootstrap = bootstrap_of (comparison);
  g_autofree double *drawn = room_for_draws (comparison, error);
  g_autofree double *p = g_new0 (double, MAX (comparison->n_metrics, 1));
  if (drawn == NULL || !sl_comparison_write_single (comparison, a, "table=first", error)
      || !sl_comparison_write_single (comparison, b, "table=second", error))
    return FALSE;
  gsize room = MAX (sl_bootstrap_bytes (a, &bootstrap),
                    sl_permutation_bytes (&pair, comparison->plan.wanted, &bootstrap));
  if (!sl_run_claim (comparison->run, room, "the items of resamples", error))
    return FALSE;
  if (options->resamples > 0 && a->n > 1)
    {
      sl_paired_bootstrap (&pair, &bootstrap, drawn);
      sl_permutation_test (&pair, comparison->plan.wanted, &bootstrap, p);
    }
  else
    for (int m = 0; m < comparison->n_metrics; m++)
      p[m] = NAN;
  put_differences (comparison, &pair, drawn, p);
  sl_run_release (comparison->run, room + draws_bytes (comparison));
  return TRUE;
}
