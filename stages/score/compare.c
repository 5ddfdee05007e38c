/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compare: two tables of labels or predictions in; how far they are from each other out, or how
 * much nearer one is to a third, and whether that is more than chance. */
#include "pipeline/base/largest.h"
#include "pipeline/command/options/option-rows.h"
#include "schemas/annotations.h"
#include "stages/score/metrics/paired.h"
#include "reference.h"
#include "results.h"
#include "score-options.h"
#include "stages/common/answers/repeats.h"
#include "stages/common/tables/row-conditions.h"

#include <math.h>
#include <string.h>

/* What compare knows of its tables, and what it writes of them. */

typedef struct
{
  char *against;
  char *gold;
  gboolean inner;
  char *metrics;
  char *items;
  int sort;
  gboolean same_top;
  double clip;
  gint64 bin_size, bins;
  double level;
  gint64 resamples;
  int repeats; /* SlCounted */
  char *names; /* A,B */
} SlCompareOptions;

typedef struct
{
  SlRun *run;
  SlReference first, second, against;
  SlItemValues gold;
  SlAligned aligned;
  SlCasePlan plan;
  gboolean *chosen;
  const SlMetric **metrics; /* [n_metrics], the chosen ones */
  int n_metrics;
  GPtrArray *made; /* SlCases, of which the cases below are */
  SlTable *table;
  SlBuilder *builder;
  char **called; /* the two tables, in the scores: --names */
} SlComparison;

/* Whether the two are compared with a third, not with each other. */
static inline gboolean
has_truth (const SlCompareOptions *options)
{
  return options->against != NULL || options->gold != NULL;
}

static void
cases_free (gpointer data)
{
  sl_cases_clear (data);
  g_free (data);
}

static void
comparison_clear (SlComparison *comparison)
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
  g_strfreev (comparison->called);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlComparison, comparison_clear)

static gboolean
plan_metrics (SlComparison *comparison, GError **error)
{
  const SlCompareOptions *options = comparison->run->options->values;
  gboolean on_line = FALSE;
  SlMetricFlags has = SL_METRIC_TABLE | SL_METRIC_TARGET;
  if (options->gold == NULL || options->against != NULL)
    has |= SL_METRIC_SOFT;
  if (has_truth (options))
    has |= SL_METRIC_CLASS;
  comparison->chosen = sl_metrics_chosen (
      options->metrics, has_truth (options) ? SL_METRIC_DEFAULT : SL_METRIC_BETWEEN, has, error);
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
                    &comparison->plan.bins, &comparison->plan.ranked);
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

/* What metrics look at, of predictions PROB beside TARGET, [n][n_classes] both; NULL and ERROR
 * where there is no memory for it. */
static const SlScoredItems *
comparison_items (SlComparison *comparison, const double *prob, const double *target,
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

/* Reads all tables, and finds the metrics. */
static gboolean
comparison_read (SlComparison *comparison, GError **error)
{
  SlRun *run = comparison->run;
  const SlCompareOptions *options = run->options->values;
  comparison->made = g_ptr_array_new_with_free_func (cases_free);
  comparison->called
      = g_strsplit (options->names != NULL ? options->names : "first,second", ",", -1);
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
  return plan_metrics (comparison, error);
}

/* The header of the scores. */
static void
comparison_make_table (SlComparison *comparison)
{
  const SlCompareOptions *options = comparison->run->options->values;
  comparison->table = sl_table_new (&sl_scores, NULL);
  sl_table_add (comparison->table, SL_SCORES_REASON);
  sl_table_add (comparison->table, SL_SCORES_DEFINITION);
  if (has_truth (options))
    sl_table_add (comparison->table, SL_SCORES_GROUP);
  if (options->resamples == 0)
    return;
  sl_table_add (comparison->table, SL_SCORES_LOWER);
  sl_table_add (comparison->table, SL_SCORES_UPPER);
  sl_table_add (comparison->table, SL_SCORES_INTERVAL);
  if (has_truth (options))
    sl_table_add (comparison->table, SL_SCORES_P);
}

static void
put_row (SlComparison *comparison, const SlMetric *metric, const SlScoresRow *row)
{
  const SlCompareOptions *options = comparison->run->options->values;
  sl_score_row_put (comparison->builder, comparison->table, metric, row, options->level);
}

static void
put_interval (SlScoresRow *row, SlItemInterval interval)
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
      SlScoresRow row = { .group = group,
                          .value = value.value,
                          .lower = NAN,
                          .upper = NAN,
                          .p = NAN,
                          .n = (gint64) value.n,
                          .reason = value.reason,
                          .interval = "" };
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

/* Writes the metrics of ITEMS by themselves, as GROUP; or those of A, of B, and their
 * differences. */
static gboolean
comparison_write_single (SlComparison *comparison, const SlScoredItems *items, const char *group,
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

/* The group of what is said of the table NAME. */
static char *
group_of (const char *name)
{
  GString *group = g_string_new (NULL);
  sl_group_append (group, "table", name);
  return g_string_free (group, FALSE);
}

static void
put_differences (SlComparison *comparison, const SlPair *pair, double *drawn, const double *p)
{
  const SlCompareOptions *options = comparison->run->options->values;
  SlShared shared[2] = { 0 };
  g_autofree char *both = g_strconcat (comparison->called[0], " - ", comparison->called[1], NULL);
  g_autofree char *group = group_of (both);
  for (int m = 0; m < comparison->n_metrics; m++)
    {
      const SlMetric *metric = comparison->metrics[m];
      SlMetricValue a = metric->value (metric, pair->a, NULL, pair->settings, &shared[0]);
      SlMetricValue b = metric->value (metric, pair->b, NULL, pair->settings, &shared[1]);
      SlScoresRow row = { .group = group,
                          .value = sl_difference (a.value, b.value),
                          .lower = NAN,
                          .upper = NAN,
                          .p = p[m],
                          .n = (gint64) MIN (a.n, b.n),
                          .reason = isnan (a.value) ? a.reason : b.reason,
                          .interval = "" };
      if (options->resamples > 0 && row.reason == NULL)
        put_interval (&row, sl_paired_interval (pair, m,
                                                (SlMetricValue){ row.value, (double) row.n, NULL },
                                                drawn + (gsize) m * (gsize) options->resamples,
                                                options->resamples, options->level));
      put_row (comparison, metric, &row);
    }
  sl_shared_clear (&shared[0]);
  sl_shared_clear (&shared[1]);
}

static gboolean
comparison_write_pair (SlComparison *comparison, const SlScoredItems *a, const SlScoredItems *b,
                       GError **error)
{
  const SlCompareOptions *options = comparison->run->options->values;
  const SlPair pair
      = { a, b, comparison->metrics, comparison->n_metrics, &comparison->plan.settings };
  const SlBootstrap bootstrap = bootstrap_of (comparison);
  g_autofree double *drawn = room_for_draws (comparison, error);
  g_autofree double *p = g_new0 (double, MAX (comparison->n_metrics, 1));
  g_autofree char *first = group_of (comparison->called[0]);
  g_autofree char *second = group_of (comparison->called[1]);
  if (drawn == NULL || !comparison_write_single (comparison, a, first, error)
      || !comparison_write_single (comparison, b, second, error))
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
  TEXT ("names", names, "A,B",
        "what the two tables are called in the scores, and the difference A - B, where both are "
        "compared with a third (default first,second)"),
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
  SL_REPEATS_OPTION,
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
  if (options->names != NULL && options->against == NULL && options->gold == NULL)
    return sl_error_usage (error,
                           "--names is for --against and --gold: else there is one figure of "
                           "both tables");
  g_auto (GStrv) names = g_strsplit (options->names != NULL ? options->names : "a,b", ",", -1);
  if (g_strv_length (names) != 2 || *names[0] == '\0' || *names[1] == '\0'
      || strcmp (names[0], names[1]) == 0 || strstr (names[0], " - ") != NULL
      || strstr (names[1], " - ") != NULL)
    return sl_error_usage (error, "--names: '%s' is not two names, A,B, without ' - ' in them",
                           options->names);
  return named != NULL || options->metrics == NULL;
}

static gboolean
write_scores (SlComparison *comparison, const SlScoredItems *between, GError **error)
{
  const SlAligned *aligned = &comparison->aligned;
  const SlCompareOptions *options = comparison->run->options->values;
  if (!has_truth (options))
    return comparison_write_single (comparison, between, "", error);
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
  const SlScoredItems *a = comparison_items (comparison, aligned->first, target, error);
  const SlScoredItems *b
      = a != NULL ? comparison_items (comparison, aligned->second, target, error) : NULL;
  return b != NULL && comparison_write_pair (comparison, a, b, error);
}

static gboolean
run (SlRun *run, GError **error)
{
  const SlCompareOptions *options = run->options->values;
  g_auto (SlComparison) comparison = { .run = run };
  if (g_strv_length (run->files) != 2)
    return sl_error_usage (error, "compare what? give two tables");
  if (!comparison_read (&comparison, error))
    return FALSE;
  comparison_make_table (&comparison);
  if (!sl_run_start (run, comparison.table, error))
    return FALSE;
  comparison.builder = sl_builder_new (comparison.table);
  const SlScoredItems *between = NULL;
  if (options->items != NULL || !has_truth (options))
    {
      between = comparison_items (&comparison, comparison.aligned.first, comparison.aligned.second,
                                  error);
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
  .opened = sl_repeats_opened,
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
