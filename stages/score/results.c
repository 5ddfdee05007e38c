/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results.h"

#include "groups.h"
#include "metrics/order.h"
#include "pipeline/base/number-text.h"
#include "pipeline/table/tag-columns.h"
#include "schemas/kinds.h"

#include <math.h>
#include <string.h>

/* ---- over the runs of a group: the mean, its interval, and why there is none ---- */

/* What all groups are scored by. */
typedef struct
{
  SlScoring *scoring;
  const SlResultsPlan *plan;
  double *resampled; /* [plan->resamples]: room to work in */
} Scoring;

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
value_of_run (const Scoring *how, const SlMetric *metric, const GPtrArray *cases)
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
find_outcome (const Scoring *how, const SlMetric *metric, const SlScoreGroup *group)
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
bootstrap_of (const Scoring *how, const SlScoreGroup *group)
{
  return (SlBootstrap){ how->scoring->run->seed, sl_text_hash (group->text, strlen (group->text)),
                        how->plan->resamples, how->scoring->run->threads };
}

static void
spread_over_runs (const Scoring *how, const SlMetric *metric, const SlScoreGroup *group,
                  const Outcome *outcome, SlScoresRow *score)
{
  const SlResultsPlan *plan = how->plan;
  gint64 n = outcome->value->len;
  const double *value = (const double *) (gconstpointer) outcome->value->data;
  SlInterval interval = plan->automatic ? SL_INTERVAL_T : plan->interval;
  SlRunSpread spread = sl_spread (value, n, interval, plan->level);
  score->sd = spread.sd;
  if (interval == SL_INTERVAL_NONE)
    return;
  if (spread.sd <= 1e-13 * fabs (spread.mean))
    {
      score->reason = g_strdup ("no interval: all runs have the same figure");
      return;
    }
  /* What the figure cannot be is no part of its interval. */
  SlRange range = sl_metric_range (metric);
  score->lower = MAX (spread.lower, range.least);
  score->upper = MIN (spread.upper, range.most);
  gboolean cut = spread.lower < range.least || spread.upper > range.most;
  score->interval = interval == SL_INTERVAL_T
                        ? cut ? "t over runs (ends at its range)" : "t over runs"
                    : cut ? "normal over runs (ends at its range)"
                          : "normal over runs";
  if (interval != SL_INTERVAL_BOOTSTRAP)
    return;
  const SlBootstrap bootstrap = bootstrap_of (how, group);
  const SlEstimate estimate = { score->value, range, n, 0 };
  sl_bootstrap_runs (value, n, &bootstrap, how->resampled);
  sl_bootstrap_interval (how->resampled, plan->resamples, &estimate, plan->level, &score->lower,
                         &score->upper);
  score->interval = "bootstrap over runs";
}

/* Why figures of one run have no interval, where one is wanted; NULL: they have one, or say why not
 * themselves. */
static const char *
why_no_interval (const Scoring *how, const SlScoreRun *run)
{
  const SlResultsPlan *plan = how->plan;
  if (!plan->automatic && plan->interval != SL_INTERVAL_BOOTSTRAP)
    return "no interval: it is over runs, and there is one; --interval bootstrap draws items";
  return run->cases->len > 1 ? "no interval: it is one run's mean over several conditions" : NULL;
}

static char *
reason_text (const Outcome *outcome, gint32 runs)
{
  if (runs == 1 || outcome->without == runs)
    return g_strdup (outcome->reason);
  return g_strdup_printf ("in %" G_GINT64_FORMAT " of %d runs: %s", outcome->without, runs,
                          outcome->reason);
}

static SlScoresRow
new_row (const SlScoreGroup *group, double value, gint64 n)
{
  return (SlScoresRow){ group->text, "",  &group->tags, value, NAN,
                        NAN,         NAN, NAN,          n,     (gint32) group->runs->len,
                        NULL,        "" };
}

static SlScoresRow
make_score (const Scoring *how, const SlMetric *metric, const SlScoreGroup *group)
{
  Outcome outcome = find_outcome (how, metric, group);
  SlScoresRow score = new_row (group, NAN, (gint64) outcome.n);
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

/* value[n][resamples] <- METRICS[n] of resamples of ONE, all at once, so that each is drawn once;
 * *CLAIMED: what that takes. */
static double *
draw (const Scoring *how, const SlScoreGroup *group, const SlCase *one,
      const SlMetric *const *metrics, int n, gsize *claimed, GError **error)
{
  SlRun *run = how->scoring->run;
  const SlBootstrap bootstrap = bootstrap_of (how, group);
  gsize size = (gsize) n * (gsize) how->plan->resamples;
  gsize room = sl_bootstrap_bytes (&one->items, &bootstrap);
  g_autofree double *value
      = sl_run_alloc0 (run, MAX (size, 1), sizeof *value, "the figures of all resamples", error);
  if (value == NULL || !sl_run_claim (run, room, "the items of resamples", error))
    return NULL;
  *claimed = MAX (size, 1) * sizeof *value + room;
  sl_bootstrap_items (&one->items, metrics, n, &how->scoring->plan.settings, &bootstrap, value);
  return g_steal_pointer (&value);
}

static const char too_many[]
    = "no interval: resamples × items are over 50 million; --interval bootstrap draws them";
static gboolean
wants_interval (const SlScoresRow *score)
{
  return !isnan (score->value) && score->reason == NULL;
}

/* The intervals of scores[n] of METRICS over the items of one run. */
static gboolean
find_intervals (const Scoring *how, const SlScoreGroup *group, SlCase *one,
                const SlMetric *const *metrics, SlScoresRow *scores, int n, GError **error)
{
  const SlResultsPlan *plan = how->plan;
  gboolean all = !plan->automatic, whole = sl_case_is_whole (one, &how->scoring->plan);
  g_autofree const SlMetric **drawn = g_new (const SlMetric *, n);
  g_autofree double *value = NULL;
  gsize claimed = 0;
  int n_drawn = 0;
  for (int m = 0; m < n; m++)
    if (wants_interval (&scores[m]) && sl_metric_is_drawn (metrics[m], &one->items, all))
      drawn[n_drawn++] = metrics[m];
  if (n_drawn > 0 && whole && one->items.n > 1
      && (value = draw (how, group, one, drawn, n_drawn, &claimed, error)) == NULL)
    return FALSE;
  for (int m = 0, d = 0; m < n; m++)
    {
      if (!wants_interval (&scores[m]))
        continue;
      gboolean is_drawn = sl_metric_is_drawn (metrics[m], &one->items, all);
      double *resampled = is_drawn && value != NULL ? value + d++ * plan->resamples : NULL;
      SlItemInterval interval
          = sl_item_interval (metrics[m], &one->items, &how->scoring->plan.settings, &one->shared,
                              (SlMetricValue){ scores[m].value, (double) scores[m].n, NULL },
                              resampled, plan->resamples, plan->level, all);
      scores[m].lower = interval.lower;
      scores[m].upper = interval.upper;
      scores[m].interval = interval.kind;
      scores[m].reason = g_strdup (
          isnan (interval.lower) && interval.reason == NULL ? too_many : interval.reason);
    }
  sl_run_release (how->scoring->run, claimed);
  return TRUE;
}

/* scores[n] <- what METRICS[n] come to in GROUP. Reasons are to be freed, with an ERROR too. */
static gboolean
group_scores (const Scoring *how, const SlScoreGroup *group, const SlMetric *const *metrics, int n,
              SlScoresRow *scores, GError **error)
{
  const SlScoreRun *run = group->runs->pdata[0];
  for (int m = 0; m < n; m++)
    scores[m] = make_score (how, metrics[m], group);
  if (group->runs->len > 1 || (!how->plan->automatic && how->plan->interval == SL_INTERVAL_NONE))
    return TRUE;
  const char *reason = why_no_interval (how, run);
  for (int m = 0; m < n && reason != NULL; m++)
    if (wants_interval (&scores[m]))
      scores[m].reason = g_strdup (reason);
  return reason != NULL
         || find_intervals (how, group, run->cases->pdata[0], metrics, scores, n, error);
}

/* ---- rows ---- */

typedef struct
{
  Scoring how;
  SlTable *table;
  SlBuilder *builder;
} Writing;

static void
put_text (SlBuilder *builder, int column, const char *text)
{
  sl_builder_text (builder, column, text, strlen (text));
}

void
sl_score_row_put (SlBuilder *builder, const SlTable *table, const SlMetric *metric,
                  const SlScoresRow *row, double level)
{
  g_autofree char *interval = *row->interval != '\0'
                                  ? g_strdup_printf ("%g %% %s", level * 100, row->interval)
                                  : g_strdup ("");
  if (sl_table_has (table, SL_SCORES_GROUP))
    put_text (builder, SL_SCORES_GROUP, row->group);
  put_text (builder, SL_SCORES_METRIC, metric->name);
  if (sl_table_has (table, SL_SCORES_BIN))
    put_text (builder, SL_SCORES_BIN, row->bin);
  sl_builder_real (builder, SL_SCORES_VALUE, row->value);
  if (sl_table_has (table, SL_SCORES_LOWER))
    {
      sl_builder_real (builder, SL_SCORES_LOWER, row->lower);
      sl_builder_real (builder, SL_SCORES_UPPER, row->upper);
      put_text (builder, SL_SCORES_INTERVAL, interval);
    }
  if (sl_table_has (table, SL_SCORES_P))
    sl_builder_real (builder, SL_SCORES_P, row->p);
  if (sl_table_has (table, SL_SCORES_RUNS))
    {
      sl_builder_real (builder, SL_SCORES_SD, row->sd);
      sl_builder_int (builder, SL_SCORES_RUNS, row->runs);
    }
  for (int c = sl_table_first_tag (table); table->spec[c].name != NULL; c++)
    {
      const char *value = sl_tags_get (row->tags, sl_tag_column_key (table, c));
      if (value != NULL)
        put_text (builder, c, value);
      else
        sl_builder_null (builder, c);
    }
  sl_builder_int (builder, SL_SCORES_N, row->n);
  put_text (builder, SL_SCORES_REASON, row->reason != NULL ? row->reason : "");
  put_text (builder, SL_SCORES_DEFINITION, metric->definition);
}

static void
put_row (Writing *writing, const SlMetric *metric, const SlScoresRow *row)
{
  sl_score_row_put (writing->builder, writing->table, metric, row, writing->how.plan->level);
}

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
      SlScoresRow row = new_row (group, (double) g_array_index (count, gint64, b), n);
      g_autofree char *shown = g_strdup_printf ("%g", b * metric->factor);
      bin[sl_format_real (bin, g_ascii_strtod (shown, NULL))] = '\0';
      row.bin = bin;
      put_row (writing, metric, &row);
    }
}

static gboolean
write_group (Writing *writing, const SlScoreGroup *group, GError **error)
{
  const gboolean *chosen = writing->how.plan->chosen;
  const SlTable *classes = writing->how.scoring->table;
  gsize most = (gsize) sl_n_metrics * (gsize) MAX (classes->n_classes, 1);
  g_autofree const SlMetric **metrics = g_new (const SlMetric *, most);
  g_autofree SlMetric *copies = g_new (SlMetric, most);
  g_autofree SlScoresRow *scores = g_new (SlScoresRow, most);
  int n = 0;
  for (int m = 0; m < sl_n_metrics; m++)
    {
      gboolean by_class = (sl_metrics[m].flags & SL_METRIC_BY_CLASS) != 0;
      if (!chosen[m] || sl_metrics[m].flags & SL_METRIC_HISTOGRAM)
        continue;
      for (gint32 k = 0; k < (by_class ? classes->n_classes : 1); k++)
        {
          copies[n] = sl_metrics[m];
          copies[n].of_class = k;
          metrics[n] = &copies[n];
          n++;
        }
    }
  gboolean ok = group_scores (&writing->how, group, metrics, n, scores, error);
  for (int m = 0; m < n; m++)
    {
      if (metrics[m]->flags & SL_METRIC_BY_CLASS)
        scores[m].bin = classes->classes[metrics[m]->of_class];
      if (ok)
        put_row (writing, metrics[m], &scores[m]);
      g_free ((gpointer) scores[m].reason);
    }
  for (int m = 0; m < sl_n_metrics && ok; m++)
    if (chosen[m] && sl_metrics[m].flags & SL_METRIC_HISTOGRAM)
      put_histogram (writing, &sl_metrics[m], group);
  return ok
         && sl_writer_write_built (writing->how.scoring->run->out, writing->builder, FALSE, error);
}

static gboolean
end_cases (SlScoring *scoring, const SlResultsPlan *plan, GError **error)
{
  gboolean ordered = FALSE;
  gint64 all = 0, most = 0;
  for (int m = 0; m < sl_n_metrics; m++)
    ordered |= plan->chosen[m] && sl_metrics[m].flags & SL_METRIC_ORDER;
  for (guint c = 0; c < scoring->cases.cases->len; c++)
    {
      const SlCase *one = scoring->cases.cases->pdata[c];
      all += one->items.n;
      most = MAX (most, one->items.n);
    }
  gsize sorting = ordered || scoring->plan.ranked ? (gsize) most * sl_order_bytes () : 0;
  gsize classes = scoring->plan.ranked ? (gsize) scoring->plan.n_classes : 0;
  if (!sl_run_claim (scoring->run, sorting, "the items in order", error)
      || !sl_run_claim_array (scoring->run, (gsize) all, (classes + ordered) * sizeof (gint32),
                              "the items in order", error))
    return FALSE;
  g_autoptr (GArray) numbers = g_array_new (FALSE, TRUE, sizeof (gint32));
  for (guint c = 0; c < scoring->cases.cases->len; c++)
    sl_case_end (scoring->cases.cases->pdata[c], &scoring->plan, ordered, numbers);
  sl_run_release (scoring->run, sorting);
  return TRUE;
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
    if (plan->chosen[m] && sl_metrics[m].flags & (SL_METRIC_HISTOGRAM | SL_METRIC_BY_CLASS))
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
  static const SlCaseKey nothing = { .attack = -1,
                                     .corruption = -1,
                                     .annotator = -1,
                                     .step = -1,
                                     .severity = -1,
                                     .class = -1,
                                     .entropy = -1,
                                     .question = -1 };
  if (scoring->cases.cases->len == 0)
    sl_cases_get (&scoring->cases, &nothing);
  g_autoptr (GPtrArray) groups = sl_score_groups (scoring, plan->by, plan->mean_over, error);
  if (groups == NULL || !end_cases (scoring, plan, error))
    return FALSE;
  g_autoptr (SlTable) table = sl_table_new (&sl_scores, NULL);
  add_columns (table, plan, groups);
  if (!add_tag_columns (table, groups, error))
    return FALSE;
  Writing writing = { .how = { .scoring = scoring, .plan = plan }, .table = table };
  writing.how.resampled = sl_run_alloc0 (scoring->run, (gsize) plan->resamples, sizeof (double),
                                         "the figures of all resamples", error);
  if (writing.how.resampled == NULL || !sl_run_start (scoring->run, table, error))
    {
      g_free (writing.how.resampled);
      return FALSE;
    }
  writing.builder = sl_builder_new (table);
  gboolean ok = TRUE;
  for (guint g = 0; g < groups->len && ok; g++)
    ok = write_group (&writing, groups->pdata[g], error);
  ok = ok && sl_writer_write_built (scoring->run->out, writing.builder, TRUE, error);
  sl_builder_free (writing.builder);
  g_free (writing.how.resampled);
  return ok;
}
