/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results.h"

#include "group-scores.h"
#include "metrics/order.h"
#include "pipeline/base/number-text.h"
#include "pipeline/table/tag-columns.h"
#include "schemas/scores.h"

#include <math.h>
#include <string.h>

typedef struct
{
  SlGroupScoring how;
  SlTable *table;
  SlBuilder *builder;
} Writing;

static void
put_text (SlBuilder *builder, int column, const char *text)
{
  sl_builder_text (builder, column, text, strlen (text));
}

static void
put_row (Writing *writing, const SlMetric *metric, const SlScoreGroup *group,
         const SlGroupScore *row, const char *bin)
{
  SlBuilder *builder = writing->builder;
  g_autofree char *interval
      = *row->interval != '\0'
            ? g_strdup_printf ("%g %% %s", writing->how.plan->level * 100, row->interval)
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
      SlGroupScore row = { (double) g_array_index (count, gint64, b),
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
  const gboolean *chosen = writing->how.plan->chosen;
  g_autofree const SlMetric **metrics = g_new (const SlMetric *, sl_n_metrics);
  g_autofree SlGroupScore *scores = g_new (SlGroupScore, sl_n_metrics);
  int n = 0;
  for (int m = 0; m < sl_n_metrics; m++)
    if (chosen[m] && !(sl_metrics[m].flags & SL_METRIC_HISTOGRAM))
      metrics[n++] = &sl_metrics[m];
  gboolean ok = sl_group_scores (&writing->how, group, metrics, n, scores, error);
  for (int m = 0; m < n; m++)
    {
      if (ok)
        put_row (writing, metrics[m], group, &scores[m], "");
      g_free (scores[m].reason);
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
  gsize sorting = ordered ? (gsize) most * sl_order_bytes () : 0;
  if (!sl_run_claim (scoring->run, sorting, "the items in order", error)
      || (ordered
          && !sl_run_claim_array (scoring->run, (gsize) all, sizeof (gint32), "the items in order",
                                  error)))
    return FALSE;
  for (guint c = 0; c < scoring->cases.cases->len; c++)
    sl_case_end (scoring->cases.cases->pdata[c], &scoring->plan, ordered);
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
