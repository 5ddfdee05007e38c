/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results.h"

#include "groups.h"
#include "pipeline/base/number-text.h"
#include "pipeline/table/tag-columns.h"
#include "schemas/scores.h"

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

typedef struct
{
  double value, lower, upper, sd;
  gint64 n;
  gint32 runs;
  char *reason; /* or NULL */
  const char *interval;
} Row;

typedef struct
{
  SlScoring *scoring;
  const SlResultsPlan *plan;
  SlTable *table;
  SlBuilder *builder;
  double *resampled; /* [resamples] */
} Writing;

/* The mean of METRIC over the cases of one run, which is that of the one there is without
 * --mean-over. */
static SlMetricValue
value_of_run (const Writing *writing, const SlMetric *metric, const GPtrArray *cases)
{
  SlMetricValue whole = { 0, INFINITY, NULL };
  for (guint c = 0; c < cases->len; c++)
    {
      SlCase *one = cases->pdata[c];
      SlMetricValue value = metric->value (metric, &one->items, NULL,
                                           &writing->scoring->plan.settings, &one->shared);
      if (isnan (value.value))
        return value;
      whole.value += value.value / cases->len;
      whole.n = MIN (whole.n, value.n);
    }
  return whole;
}

static Outcome
find_outcome (const Writing *writing, const SlMetric *metric, const SlScoreGroup *group)
{
  Outcome outcome = { g_array_new (FALSE, FALSE, sizeof (double)), INFINITY, NULL, 0 };
  for (guint r = 0; r < group->runs->len; r++)
    {
      const SlScoreRun *run = group->runs->pdata[r];
      SlMetricValue value = value_of_run (writing, metric, run->cases);
      outcome.n = MIN (outcome.n, value.n);
      if (!isnan (value.value))
        g_array_append_val (outcome.value, value.value);
      else if (outcome.without++ == 0)
        outcome.reason = value.reason;
    }
  return outcome;
}

static SlBootstrap
bootstrap_of (const Writing *writing, const SlScoreGroup *group)
{
  return (SlBootstrap){ writing->scoring->run->seed,
                        sl_text_hash (group->text, strlen (group->text)), writing->plan->resamples,
                        writing->scoring->run->threads };
}

static void
spread_over_runs (const Writing *writing, const SlScoreGroup *group, const Outcome *outcome,
                  Row *row)
{
  const SlResultsPlan *plan = writing->plan;
  gint64 n = outcome->value->len;
  const double *value = (const double *) (gconstpointer) outcome->value->data;
  SlInterval interval = plan->automatic ? SL_INTERVAL_T : plan->interval;
  SlSpread spread = sl_spread (value, n, interval, plan->level);
  row->sd = spread.sd;
  if (interval == SL_INTERVAL_NONE)
    return;
  row->lower = spread.lower;
  row->upper = spread.upper;
  row->interval = interval == SL_INTERVAL_T ? "t over runs" : "normal over runs";
  if (interval != SL_INTERVAL_BOOTSTRAP)
    return;
  const SlBootstrap bootstrap = bootstrap_of (writing, group);
  sl_bootstrap_runs (value, n, &bootstrap, writing->resampled);
  sl_bootstrap_interval (writing->resampled, plan->resamples, row->value, plan->level, &row->lower,
                         &row->upper);
  row->interval = "bootstrap over runs";
}

/* Why a figure of one run has no interval, where one is wanted. */
static const char *
why_no_interval (const Writing *writing, const SlMetric *metric, const SlScoreGroup *group)
{
  const SlResultsPlan *plan = writing->plan;
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
  if (!sl_case_is_whole (one, &writing->scoring->plan))
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

static Row
make_row (const Writing *writing, const SlMetric *metric, const SlScoreGroup *group)
{
  Outcome outcome = find_outcome (writing, metric, group);
  Row row = { NAN, NAN, NAN, NAN, (gint64) outcome.n, (gint32) group->runs->len, NULL, "" };
  if (outcome.without > 0)
    row.reason = reason_text (&outcome, row.runs);
  else
    {
      row.value = 0;
      for (guint r = 0; r < outcome.value->len; r++)
        row.value += g_array_index (outcome.value, double, r) / outcome.value->len;
      if (outcome.value->len > 1)
        spread_over_runs (writing, group, &outcome, &row);
    }
  g_array_unref (outcome.value);
  return row;
}

static void
put_text (SlBuilder *builder, int column, const char *text)
{
  sl_builder_text (builder, column, text, strlen (text));
}

static void
put_row (Writing *writing, const SlMetric *metric, const SlScoreGroup *group, const Row *row,
         const char *bin)
{
  SlBuilder *builder = writing->builder;
  g_autofree char *interval
      = *row->interval != '\0'
            ? g_strdup_printf ("%g %% %s", writing->plan->level * 100, row->interval)
            : g_strdup ("");
  if (sl_table_has (writing->table, SL_SCORES_GROUP))
    put_text (builder, SL_SCORES_GROUP, group->text);
  put_text (builder, SL_SCORES_METRIC, metric->name);
  if (sl_table_has (writing->table, SL_SCORES_BIN))
    put_text (builder, SL_SCORES_BIN, bin);
  sl_builder_real (builder, SL_SCORES_VALUE, row->value);
  if (sl_table_has (writing->table, SL_SCORES_LOWER))
    {
      sl_builder_real (builder, SL_SCORES_LOWER, row->lower);
      sl_builder_real (builder, SL_SCORES_UPPER, row->upper);
      put_text (builder, SL_SCORES_INTERVAL, interval);
    }
  if (sl_table_has (writing->table, SL_SCORES_RUNS))
    {
      sl_builder_real (builder, SL_SCORES_SD, row->sd);
      sl_builder_int (builder, SL_SCORES_RUNS, row->runs);
    }
  for (int c = sl_table_first_tag (writing->table); writing->table->spec[c].name != NULL; c++)
    {
      const char *value = sl_tags_get (&group->tags, sl_tag_column_key (writing->table, c));
      if (value != NULL)
        put_text (builder, c, value);
      else
        sl_builder_null (builder, c);
    }
  sl_builder_int (builder, SL_SCORES_N, row->n);
  put_text (builder, SL_SCORES_REASON, row->reason != NULL ? row->reason : "");
  put_text (builder, SL_SCORES_DEFINITION, metric->definition);
}

/* ---- the bootstrap of one run's items ---- */

/* The case whose items are drawn again, or NULL. */
static const SlCase *
drawn_from (const Writing *writing, const SlScoreGroup *group)
{
  const SlResultsPlan *plan = writing->plan;
  const SlScoreRun *run = group->runs->pdata[0];
  if (group->runs->len > 1 || run->cases->len > 1
      || !(plan->automatic || plan->interval == SL_INTERVAL_BOOTSTRAP))
    return NULL;
  const SlCase *one = run->cases->pdata[0];
  return one->items.n > 1 && sl_case_is_whole (one, &writing->scoring->plan) ? one : NULL;
}

static void
give_reasons (const Writing *writing, const SlScoreGroup *group, const SlMetric *const *metrics,
              Row *rows, int n)
{
  for (int m = 0; m < n && group->runs->len == 1; m++)
    if (!isnan (rows[m].value) && isnan (rows[m].lower) && rows[m].reason == NULL)
      rows[m].reason = g_strdup (why_no_interval (writing, metrics[m], group));
}

/* The intervals of rows[n] of METRICS, all at once, so that each resample is drawn once. */
static gboolean
draw_intervals (Writing *writing, const SlScoreGroup *group, const SlMetric *const *metrics,
                Row *rows, int n, GError **error)
{
  const SlResultsPlan *plan = writing->plan;
  const SlCase *one = drawn_from (writing, group);
  if (one == NULL || n == 0)
    return TRUE;
  gsize size = (gsize) n * (gsize) plan->resamples;
  g_autofree double *value = sl_run_alloc0 (writing->scoring->run, size, sizeof *value,
                                            "the figures of all resamples", error);
  if (value == NULL)
    return FALSE;
  const SlBootstrap bootstrap = bootstrap_of (writing, group);
  sl_bootstrap_items (&one->items, metrics, n, &writing->scoring->plan.settings, &bootstrap, value);
  for (int m = 0; m < n; m++)
    /* Rows of one item go together, and the bootstrap draws them one by one. */
    if (!isnan (rows[m].value) && !(metrics[m]->figures & SL_FIGURE_BIT (SL_FIGURE_ITEM))
        && sl_bootstrap_interval (value + (gsize) m * (gsize) plan->resamples, plan->resamples,
                                  rows[m].value, plan->level, &rows[m].lower, &rows[m].upper))
      rows[m].interval = "bootstrap over items";
  sl_run_release (writing->scoring->run, size * sizeof *value);
  return TRUE;
}

/* ---- histograms ---- */

/* One row a bin, up to the last that has an item. */
static void
put_histogram (Writing *writing, const SlMetric *metric, const SlScoreGroup *group)
{
  g_autoptr (GArray) count = g_array_new (FALSE, TRUE, sizeof (gint64));
  gint64 n = 0;
  for (guint r = 0; r < group->runs->len; r++)
    {
      const SlScoreRun *run = group->runs->pdata[r];
      for (guint c = 0; c < run->cases->len; c++)
        {
          const SlScoredItems *items = &((const SlCase *) run->cases->pdata[c])->items;
          const double *x = items->column[metric->figure];
          for (gint64 i = 0; i < items->n; i++)
            {
              /* What is at an edge but for rounding is at it. */
              double bin = floor (x[i] / metric->factor + 1e-9);
              if (!(bin >= 0 && bin < 1e6))
                continue;
              if (count->len <= (guint) bin)
                g_array_set_size (count, (guint) bin + 1);
              g_array_index (count, gint64, (guint) bin)++;
              n++;
            }
        }
    }
  for (guint b = 0; b < count->len; b++)
    {
      char bin[SL_REAL_CHARS + 1];
      Row row = { (double) g_array_index (count, gint64, b),
                  NAN,
                  NAN,
                  NAN,
                  n,
                  (gint32) group->runs->len,
                  NULL,
                  "" };
      g_autofree char *shown = g_strdup_printf ("%g", b * metric->factor);
      bin[sl_format_real (bin, g_ascii_strtod (shown, NULL))] = '\0';
      put_row (writing, metric, group, &row, bin);
    }
}

static gboolean
write_group (Writing *writing, const SlScoreGroup *group, GError **error)
{
  g_autofree const SlMetric **metrics = g_new (const SlMetric *, sl_n_metrics);
  g_autofree Row *rows = g_new (Row, sl_n_metrics);
  int n = 0;
  for (int m = 0; m < sl_n_metrics; m++)
    if (writing->plan->chosen[m] && !(sl_metrics[m].flags & SL_METRIC_HISTOGRAM))
      {
        rows[n] = make_row (writing, &sl_metrics[m], group);
        metrics[n++] = &sl_metrics[m];
      }
  gboolean ok = draw_intervals (writing, group, metrics, rows, n, error);
  give_reasons (writing, group, metrics, rows, n);
  for (int m = 0; m < n; m++)
    {
      if (ok)
        put_row (writing, metrics[m], group, &rows[m], "");
      g_free (rows[m].reason);
    }
  for (int m = 0; m < sl_n_metrics && ok; m++)
    if (writing->plan->chosen[m] && sl_metrics[m].flags & SL_METRIC_HISTOGRAM)
      put_histogram (writing, &sl_metrics[m], group);
  return ok && sl_writer_write_built (writing->scoring->run->out, writing->builder, FALSE, error);
}

static void
end_cases (SlScoring *scoring, const SlResultsPlan *plan)
{
  gboolean ordered = FALSE;
  for (int m = 0; m < sl_n_metrics; m++)
    ordered |= plan->chosen[m] && sl_metrics[m].flags & SL_METRIC_ORDER;
  for (guint c = 0; c < scoring->cases.cases->len; c++)
    sl_case_end (scoring->cases.cases->pdata[c], &scoring->plan, ordered);
}

/* What tells groups apart and is a tag is a column besides. */
static gboolean
add_tag_columns (SlTable *table, const GPtrArray *groups, GError **error)
{
  for (guint g = 0; g < groups->len; g++)
    {
      const SlTags *tags = &((const SlScoreGroup *) groups->pdata[g])->tags;
      for (int t = 0; t < tags->n; t++)
        if (!sl_table_add_tag_column (table, tags->tag[t].key, error))
          return FALSE;
    }
  return TRUE;
}

static void
add_columns (SlTable *table, const SlResultsPlan *plan, const GPtrArray *groups)
{
  gboolean several = FALSE;
  for (int m = 0; m < sl_n_metrics; m++)
    if (plan->chosen[m] && sl_metrics[m].flags & SL_METRIC_HISTOGRAM)
      sl_table_add (table, SL_SCORES_BIN);
  for (guint g = 0; g < groups->len; g++)
    several |= ((const SlScoreGroup *) groups->pdata[g])->runs->len > 1;
  if (groups->len > 1 || ((const SlScoreGroup *) groups->pdata[0])->text[0] != '\0')
    sl_table_add (table, SL_SCORES_GROUP);
  sl_table_add (table, SL_SCORES_REASON);
  sl_table_add (table, SL_SCORES_DEFINITION);
  if (several)
    {
      sl_table_add (table, SL_SCORES_SD);
      sl_table_add (table, SL_SCORES_RUNS);
    }
  if (plan->automatic || plan->interval != SL_INTERVAL_NONE)
    {
      sl_table_add (table, SL_SCORES_LOWER);
      sl_table_add (table, SL_SCORES_UPPER);
      sl_table_add (table, SL_SCORES_INTERVAL);
    }
}

gboolean
sl_results_write (SlScoring *scoring, const SlResultsPlan *plan, GError **error)
{
  /* Of a table without rows every figure is missing. */
  static const SlCaseKey nothing = { 0, 0, -1, -1, -1, -1, -1, -1, -1, 0, 0 };
  if (scoring->cases.cases->len == 0)
    sl_cases_get (&scoring->cases, &nothing);
  g_autoptr (GPtrArray) groups = sl_score_groups (scoring, plan->by, plan->mean_over, error);
  if (groups == NULL)
    return FALSE;
  end_cases (scoring, plan);
  g_autoptr (SlTable) table = sl_table_new (&sl_scores, NULL);
  add_columns (table, plan, groups);
  if (!add_tag_columns (table, groups, error))
    return FALSE;
  Writing writing = { .scoring = scoring, .plan = plan, .table = table };
  writing.resampled = sl_run_alloc0 (scoring->run, (gsize) plan->resamples, sizeof (double),
                                     "the figures of all resamples", error);
  if (writing.resampled == NULL || !sl_run_start (scoring->run, table, error))
    {
      g_free (writing.resampled);
      return FALSE;
    }
  writing.builder = sl_builder_new (table);
  gboolean ok = TRUE;
  for (guint g = 0; g < groups->len && ok; g++)
    ok = write_group (&writing, groups->pdata[g], error);
  ok = ok && sl_writer_write_built (scoring->run->out, writing.builder, TRUE, error);
  sl_builder_free (writing.builder);
  g_free (writing.resampled);
  return ok;
}
