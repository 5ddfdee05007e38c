/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "comparison.h"

#include "chosen-metrics.h"
#include "item-table.h"
#include "pipeline/base/largest.h"

#include <string.h>

static void
cases_free (gpointer data)
{
  sl_cases_clear (data);
  g_free (data);
}

void
sl_comparison_clear (SlComparison *comparison)
{
  sl_reference_clear (&comparison->first);
  sl_reference_clear (&comparison->second);
  sl_reference_clear (&comparison->against);
  sl_item_values_clear (&comparison->gold);
  sl_aligned_clear (&comparison->aligned);
  g_free (comparison->chosen);
  g_free (comparison->metrics);
  g_clear_pointer (&comparison->made, g_ptr_array_unref);
  g_clear_pointer (&comparison->table, sl_table_unref);
  g_clear_pointer (&comparison->builder, sl_builder_free);
}

static gboolean
plan (SlComparison *comparison, GError **error)
{
  const SlCompareOptions *options = comparison->run->options->values;
  gboolean on_line = FALSE;
  SlMetricFlags has = SL_METRIC_TABLE | SL_METRIC_TARGET;
  if (options->gold == NULL || options->against != NULL)
    has |= SL_METRIC_SOFT;
  if (sl_compare_has_truth (options))
    has |= SL_METRIC_CLASS;
  comparison->chosen = sl_metrics_chosen (
      options->metrics, sl_compare_has_truth (options) ? SL_METRIC_DEFAULT : SL_METRIC_BETWEEN, has,
      error);
  if (comparison->chosen == NULL)
    return FALSE;
  for (int m = 0; m < sl_n_metrics; m++)
    if (sl_metrics[m].flags & SL_METRIC_HISTOGRAM)
      comparison->chosen[m] = FALSE;
  comparison->plan = (SlCasePlan){ .n_classes = comparison->first.table->n_classes,
                                   .most = G_MAXINT32,
                                   .settings = { .bin_size = options->bin_size,
                                                 .bins = (gint32) options->bins } };
  sl_metrics_needs (comparison->chosen, &comparison->plan.wanted, &comparison->plan.keep,
                    &comparison->plan.bins);
  if (options->items != NULL)
    comparison->plan.wanted |= sl_item_table_figures ();
  comparison->metrics = g_new (const SlMetric *, sl_n_metrics);
  for (int m = 0; m < sl_n_metrics; m++)
    if (comparison->chosen[m])
      {
        comparison->metrics[comparison->n_metrics++] = &sl_metrics[m];
        on_line |= (sl_metrics[m].flags & SL_METRIC_LINE) != 0;
      }
  if (on_line && comparison->aligned.moved != NULL)
    sl_run_warn (comparison->run,
                 "%s has its classes in another order than %s, by whose order distances on a line "
                 "go",
                 comparison->aligned.moved, comparison->first.name);
  return TRUE;
}

static gint32 *
largest_of (const double *target, gint64 n, gint32 k)
{
  gint32 *class = g_new (gint32, MAX (n, 1));
  for (gint64 i = 0; i < n; i++)
    class[i] = sl_largest (target + i * k, k);
  return class;
}

const SlScoredItems *
sl_comparison_items (SlComparison *comparison, const double *prob, const double *target,
                     GError **error)
{
  const SlCompareOptions *options = comparison->run->options->values;
  const SlAligned *aligned = &comparison->aligned;
  gint32 k = comparison->plan.n_classes;
  g_autofree gint32 *class = aligned->gold == NULL ? largest_of (target, aligned->n, k) : NULL;
  const SlItemBlock block = { .n = aligned->n,
                              .n_classes = k,
                              .prob = prob,
                              .target = target,
                              .gold = class != NULL ? class : aligned->gold,
                              .clip = options->clip };
  const SlCasePlan *own = &comparison->plan;
  double *figure[SL_N_FIGURES] = { NULL };
  gboolean ok = TRUE, ordered = FALSE;
  for (int f = 0; f < SL_N_FIGURES && ok; f++)
    if (own->wanted & SL_FIGURE_BIT (f))
      ok = (figure[f] = sl_run_alloc0 (comparison->run, (gsize) aligned->n, sizeof (double),
                                       "what is said of every item", error))
           != NULL;
  for (int m = 0; m < comparison->n_metrics; m++)
    ordered |= (comparison->metrics[m]->flags & SL_METRIC_ORDER) != 0;
  SlCases *cases = g_new (SlCases, 1);
  sl_cases_init (cases, own);
  g_ptr_array_add (comparison->made, cases);
  SlCaseKey key;
  memset (&key, 0, sizeof key);
  SlCase *one = sl_cases_get (cases, &key);
  ok = ok
       && sl_run_claim_array (comparison->run, (gsize) aligned->n, sl_case_row_bytes (own, ordered),
                              "what is said of every item", error);
  if (ok)
    {
      sl_item_figures (&block, own->wanted, figure);
      if (options->gold != NULL && options->against == NULL)
        sl_figures_forget_targets (figure, own->wanted, aligned->gold, aligned->n);
      sl_case_add (one, own, figure, prob, target, 0, aligned->n);
      sl_case_end (one, own, ordered, NULL);
    }
  for (int f = 0; f < SL_N_FIGURES; f++)
    if (figure[f] != NULL)
      {
        g_free (figure[f]);
        sl_run_release (comparison->run, (gsize) aligned->n * sizeof (double));
      }
  return ok ? &one->items : NULL;
}

static void
tell_missing_gold (SlRun *run, const SlAligned *aligned)
{
  gint64 without = 0;
  for (gint64 i = 0; aligned->gold != NULL && i < aligned->n; i++)
    without += aligned->gold[i] < 0;
  if (without > 0)
    sl_run_warn (run,
                 "%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
                 " items have no gold class, and are not in the figures that need one",
                 without, aligned->n);
}

gboolean
sl_comparison_read (SlComparison *comparison, GError **error)
{
  SlRun *run = comparison->run;
  const SlCompareOptions *options = run->options->values;
  comparison->made = g_ptr_array_new_with_free_func (cases_free);
  gboolean from_file = options->gold != NULL && strcmp (options->gold, "column") != 0;
  if (!sl_reference_read (&comparison->first, run, NULL, run->files[0], FALSE, error)
      || !sl_reference_read (&comparison->second, run, NULL, run->files[1], FALSE, error)
      || (options->against != NULL
          && !sl_reference_read (&comparison->against, run, "against", options->against, FALSE,
                                 error))
      || (from_file
          && !sl_item_values_gold (&comparison->gold, run, options->gold, comparison->first.table,
                                   error)))
    return FALSE;
  const SlReference *against = options->against != NULL ? &comparison->against : NULL;
  if (options->gold != NULL && !from_file && !comparison->first.has_gold
      && !comparison->second.has_gold && (against == NULL || !against->has_gold))
    return sl_error_bad_input (error, "no table has a column 'gold'; name a file, --gold=FILE");
  if (!sl_aligned_make (&comparison->aligned, run, &comparison->first, &comparison->second, against,
                        from_file ? &comparison->gold : NULL, options->gold != NULL, options->inner,
                        error))
    return FALSE;
  tell_missing_gold (run, &comparison->aligned);
  return plan (comparison, error);
}
