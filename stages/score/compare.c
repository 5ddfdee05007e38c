/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compare: two tables of labels or predictions in; how far they are from each other out, or how
 * much nearer one is to a third, and whether that is more than chance. */
#include "chosen-metrics.h"
#include "comparison.h"
#include "item-table.h"

#include "pipeline/command/options/option-rows.h"
#include "schemas/annotations.h"
#include "schemas/labels.h"
#include "schemas/predictions.h"
#include "schemas/scores.h"

static const SlCompareOptions defaults
    = { .bin_size = 100, .bins = 15, .level = 0.95, .resamples = 1000 };

#define OPTIONS SlCompareOptions

static const SlOption option_table[] = {
  INPUT ("against", against, "FILE",
         "labels that both are compared with: each metric of the first, of the second, and the "
         "difference of the two"),
  INPUT ("gold", gold, "FILE",
         "the same with gold classes, from the column 'gold' of one of the tables or from FILE",
         .by_itself = "column"),
  FLAG ("inner", inner, "compare the items that all tables have, where not all are in all"),
  TEXT ("metrics", metrics, "A,B,C",
        "which figures are made, as in `softlabel score --help`; all; unless given, the usual"),
  OUTPUT ("items", items, "FILE",
          "also write a table of comparisons: for each item both entropies, each distance, and the "
          "cross-entropy"),
  CHOICE ("sort", sort, sl_item_sorts, "by what those rows are sorted, the largest first",
          .with = "items"),
  FLAG ("same-top", same_top,
        "of those rows, only the items whose largest class is the same in both", .with = "items"),
  REAL ("clip", clip, 0, 0.5, "P",
        "take probabilities to [P, 1 - P] before their logarithm; 0: as they are"),
  WHOLE ("bin-size", bin_size, 1, 1e9, "N", "items in a bin of calibration_rms, _l1 and _max"),
  WHOLE ("bins", bins, 1, 10000, "N", "bins of equal width, for ece, mce and the like"),
  REAL ("level", level, 0.5, 0.9999, "P", "the share of intervals that hold what they are about"),
  WHOLE ("resamples", resamples, 0, 1e6, "N",
         "how often the bootstrap and the test draw, 10 times or more; 0: no intervals"),
  { 0 },
};

static gboolean
check_options (SlOptions *given, GError **error)
{
  const SlCompareOptions *options = given->values;
  g_autofree gboolean *named
      = options->metrics != NULL ? sl_metrics_named (options->metrics, error) : NULL;
  if (options->resamples > 0 && options->resamples < 10)
    return sl_error_usage (error, "--resamples: so few tell nothing; 10 or more, or 0 for none");
  return named != NULL || options->metrics == NULL;
}

static gboolean
write_scores (SlComparison *comparison, const SlScoredItems *between, GError **error)
{
  const SlAligned *aligned = &comparison->aligned;
  const SlCompareOptions *options = comparison->run->options->values;
  if (!sl_compare_has_truth (options))
    return sl_comparison_write_single (comparison, between, "", error);
  gint32 k = comparison->plan.n_classes;
  g_autofree double *classes = NULL;
  if (options->against == NULL)
    {
      classes = sl_run_alloc0 (comparison->run, (gsize) aligned->n * (gsize) k, sizeof *classes,
                               "the gold classes of all items", error);
      if (classes == NULL)
        return FALSE;
      sl_gold_targets (aligned->gold, aligned->n, k, classes);
    }
  const double *target = classes != NULL ? classes : aligned->against;
  const SlScoredItems *a = sl_comparison_items (comparison, aligned->first, target, error);
  const SlScoredItems *b
      = a != NULL ? sl_comparison_items (comparison, aligned->second, target, error) : NULL;
  return b != NULL && sl_comparison_write_pair (comparison, a, b, error);
}

static gboolean
run (SlRun *run, GError **error)
{
  const SlCompareOptions *options = run->options->values;
  g_auto (SlComparison) comparison = { .run = run };
  if (g_strv_length (run->files) != 2)
    return sl_error_usage (error, "compare what? give two tables");
  if (!sl_comparison_read (&comparison, error))
    return FALSE;
  sl_comparison_make_table (&comparison);
  if (!sl_run_start (run, comparison.table, error))
    return FALSE;
  comparison.builder = sl_builder_new (comparison.table);
  const SlScoredItems *between = NULL;
  if (options->items != NULL || !sl_compare_has_truth (options))
    {
      between = sl_comparison_items (&comparison, comparison.aligned.first,
                                     comparison.aligned.second, error);
      if (between == NULL)
        return FALSE;
    }
  if (options->items != NULL
      && !sl_item_table_write (run, options->items, &comparison.first, &comparison.aligned, between,
                               options->sort, options->same_top, error))
    return FALSE;
  return write_scores (&comparison, between, error)
         && sl_writer_write_built (run->out, comparison.builder, TRUE, error);
}

static const SlKind *const kinds[] = { &sl_labels, &sl_predictions, &sl_annotations, NULL };

const SlCommand sl_command_compare = {
  .name = "compare",
  .summary = "how far two tables are apart, and which is nearer to the truth",
  .arguments = "FILE FILE",
  .reads = kinds,
  .writes = &sl_scores,
  .flags = SL_COMMAND_TABLES | SL_COMMAND_SEEDED | SL_COMMAND_ROWS_HAVE_TAGS,
  SL_OPTIONS (option_table, defaults),
  .description
  = "Two tables beside each other, by item: the first is p and the second t of the metrics of "
    "`softlabel score`: distances, the correlation of entropies, the share of items with the same "
    "largest class, and with the same two largest. Of annotations the shares of the votes are "
    "taken; predictions are those of one run. Classes in another order are found by their "
    "names.\n\n"
    "With --against, or --gold, both are compared with that: each metric of the first table, of "
    "the second, and their difference, with an interval by the bootstrap that draws the same items "
    "for both, and p, the share of random exchanges of the two tables' items that make a "
    "difference as large (a permutation test, of both sides).\n\n"
    "Memory: items × classes of each table, and 8 bytes for each item and figure; for the test, "
    "twice that a thread.",
  .examples = "softlabel compare mine.parquet human.parquet --items items.parquet --sort w_values\n"
              "    distances, and the items that differ most first\n"
              "softlabel compare --gold=truth.csv --metrics accuracy,brier a.parquet b.parquet\n"
              "    whether one way of aggregation is better than another\n"
              "softlabel compare --against human.parquet hard.parquet soft.parquet\n"
              "    whether one model is nearer to people than another\n",
  .check = check_options,
  .run = run,
};
