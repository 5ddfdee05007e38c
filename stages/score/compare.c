/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compare: two tables of labels or predictions in; how far they are from each other out, or how
 * much nearer one is to a third, and whether that is more than chance. */
#include "chosen-metrics.h"

#include "pipeline/base/largest.h"
#include "item-table.h"
#include "metrics/paired.h"

#include "schemas/annotations.h"
#include "schemas/comparisons.h"
#include "schemas/labels.h"
#include "schemas/predictions.h"
#include "schemas/scores.h"

#include <math.h>
#include <string.h>

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
} Options;

static const Options defaults = { .bin_size = 100, .bins = 15, .level = 0.95, .resamples = 1000 };

static const SlOption option_table[] = {
  { .name = "against",
    .kind = SL_OPTION_INPUT,
    .field = offsetof (Options, against),
    .placeholder = "FILE",
    .help = "labels that both are compared with: each metric of the first, of the second, and the "
            "difference of the two" },
  { .name = "gold",
    .kind = SL_OPTION_INPUT,
    .field = offsetof (Options, gold),
    .placeholder = "FILE",
    .by_itself = "column",
    .help
    = "the same with gold classes, from the column 'gold' of one of the tables or from FILE" },
  { .name = "inner",
    .kind = SL_OPTION_FLAG,
    .field = offsetof (Options, inner),
    .help = "compare the items that all tables have, where not all are in all" },
  { .name = "metrics",
    .kind = SL_OPTION_TEXT,
    .field = offsetof (Options, metrics),
    .placeholder = "A,B,C",
    .help
    = "which figures are made, as in `softlabel score --help`; all; unless given, the usual" },
  { .name = "items",
    .kind = SL_OPTION_OUTPUT,
    .field = offsetof (Options, items),
    .placeholder = "FILE",
    .help = "also write a table of comparisons: for each item both entropies, each distance, and "
            "the cross-entropy" },
  { .name = "sort",
    .kind = SL_OPTION_CHOICE,
    .field = offsetof (Options, sort),
    .choices = sl_item_sorts,
    .with = "items",
    .help = "by what those rows are sorted, the largest first" },
  { .name = "same-top",
    .kind = SL_OPTION_FLAG,
    .field = offsetof (Options, same_top),
    .with = "items",
    .help = "of those rows, only the items whose largest class is the same in both" },
  { .name = "clip",
    .kind = SL_OPTION_REAL,
    .field = offsetof (Options, clip),
    .min = 0,
    .max = 0.5,
    .placeholder = "P",
    .help = "take probabilities to [P, 1 - P] before their logarithm; 0: as they are" },
  { .name = "bin-size",
    .kind = SL_OPTION_INTEGER,
    .field = offsetof (Options, bin_size),
    .min = 1,
    .max = 1e9,
    .placeholder = "N",
    .help = "items in a bin of calibration_rms, _l1 and _max" },
  { .name = "bins",
    .kind = SL_OPTION_INTEGER,
    .field = offsetof (Options, bins),
    .min = 1,
    .max = 10000,
    .placeholder = "N",
    .help = "bins of equal width, for ece, mce and the like" },
  { .name = "level",
    .kind = SL_OPTION_REAL,
    .field = offsetof (Options, level),
    .min = 0.5,
    .max = 0.9999,
    .placeholder = "P",
    .help = "the share of intervals that hold what they are about" },
  { .name = "resamples",
    .kind = SL_OPTION_INTEGER,
    .field = offsetof (Options, resamples),
    .min = 0,
    .max = 1e6,
    .placeholder = "N",
    .help = "how often the bootstrap and the test draw; 0: no intervals" },
  { 0 },
};

static gboolean
check_options (SlOptions *given, GError **error)
{
  const Options *options = given->values;
  g_autofree gboolean *named
      = options->metrics != NULL ? sl_metrics_named (options->metrics, error) : NULL;
  return named != NULL || options->metrics == NULL;
}

typedef struct
{
  SlRun *run;
  SlReference first, second, against;
  SlGoldFile gold;
  SlAligned aligned;
  SlCasePlan plan;
  gboolean *chosen;
  const SlMetric **metrics; /* [n_metrics], the chosen ones */
  int n_metrics;
  GPtrArray *made; /* SlCases, of which the cases below are */
  SlTable *table;
  SlBuilder *builder;
} Comparison;

static void
comparison_clear (Comparison *comparison)
{
  sl_reference_clear (&comparison->first);
  sl_reference_clear (&comparison->second);
  sl_reference_clear (&comparison->against);
  sl_gold_file_clear (&comparison->gold);
  sl_aligned_clear (&comparison->aligned);
  g_free (comparison->chosen);
  g_free (comparison->metrics);
  g_ptr_array_unref (comparison->made);
  g_clear_pointer (&comparison->table, sl_table_unref);
  g_clear_pointer (&comparison->builder, sl_builder_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Comparison, comparison_clear)

static void
cases_free (gpointer data)
{
  sl_cases_clear (data);
  g_free (data);
}

/* Whether the two are compared with a third, not with each other. */
static gboolean
has_truth (const Options *options)
{
  return options->against != NULL || options->gold != NULL;
}

static gboolean
plan (Comparison *comparison, GError **error)
{
  const Options *options = comparison->run->options->values;
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
                    &comparison->plan.bins);
  if (options->items != NULL)
    comparison->plan.wanted |= SL_ITEM_TABLE_FIGURES;
  comparison->metrics = g_new (const SlMetric *, sl_n_metrics);
  for (int m = 0; m < sl_n_metrics; m++)
    if (comparison->chosen[m])
      comparison->metrics[comparison->n_metrics++] = &sl_metrics[m];
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

/* What metrics look at, of predictions PROB beside TARGET. */
static const SlScoredItems *
make_case (Comparison *comparison, const double *prob, const double *target, GError **error)
{
  const Options *options = comparison->run->options->values;
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
  SlCases *cases = g_new (SlCases, 1);
  sl_cases_init (cases, own);
  g_ptr_array_add (comparison->made, cases);
  SlCaseKey key;
  memset (&key, 0, sizeof key);
  SlCase *one = sl_cases_get (cases, &key);
  for (int m = 0; m < comparison->n_metrics; m++)
    ordered |= (comparison->metrics[m]->flags & SL_METRIC_ORDER) != 0;
  if (ok)
    {
      sl_item_figures (&block, own->wanted, figure);
      if (options->gold != NULL && options->against == NULL)
        sl_figures_forget_targets (figure, own->wanted, aligned->gold, aligned->n);
      sl_case_add (one, own, figure, prob, target, NULL, aligned->n);
      sl_case_end (one, own, ordered);
    }
  for (int f = 0; f < SL_N_FIGURES; f++)
    g_free (figure[f]);
  return ok ? &one->items : NULL;
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
put_row (Comparison *comparison, const SlMetric *metric, const Row *row)
{
  SlBuilder *builder = comparison->builder;
  const Options *options = comparison->run->options->values;
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

/* Rows of ITEMS by themselves, of GROUP. */
static void
put_single (Comparison *comparison, const SlScoredItems *items, const char *group,
            const double *drawn)
{
  const Options *options = comparison->run->options->values;
  SlShared shared = { 0 };
  for (int m = 0; m < comparison->n_metrics; m++)
    {
      const SlMetric *metric = comparison->metrics[m];
      SlMetricValue value
          = metric->value (metric, items, NULL, &comparison->plan.settings, &shared);
      Row row
          = { group, value.value, NAN, NAN, NAN, value.n, value.reason, "bootstrap over items" };
      if (isnan (value.value) && row.reason == NULL)
        row.reason = "there are no items";
      if (drawn != NULL && !isnan (value.value) && items->n > 1)
        sl_bootstrap_interval ((double *) drawn + (gsize) m * (gsize) options->resamples,
                               options->resamples, value.value, options->level, &row.lower,
                               &row.upper);
      put_row (comparison, metric, &row);
    }
  sl_shared_clear (&shared);
}

static SlBootstrap
bootstrap_of (const Comparison *comparison)
{
  const Options *options = comparison->run->options->values;
  return (SlBootstrap){ comparison->run->seed, 0, options->resamples, comparison->run->threads };
}

static double *
room_for_draws (const Comparison *comparison, GError **error)
{
  const Options *options = comparison->run->options->values;
  return sl_run_alloc0 (comparison->run,
                        (gsize) MAX (comparison->n_metrics, 1) * (gsize) options->resamples,
                        sizeof (double), "the figures of all resamples", error);
}

static gboolean
write_single (Comparison *comparison, const SlScoredItems *items, const char *group, GError **error)
{
  const Options *options = comparison->run->options->values;
  const SlBootstrap bootstrap = bootstrap_of (comparison);
  g_autofree double *drawn = room_for_draws (comparison, error);
  if (drawn == NULL)
    return FALSE;
  if (options->resamples > 0 && items->n > 1)
    sl_bootstrap_items (items, comparison->metrics, comparison->n_metrics,
                        &comparison->plan.settings, &bootstrap, drawn);
  put_single (comparison, items, group, options->resamples > 0 ? drawn : NULL);
  return sl_writer_write_built (comparison->run->out, comparison->builder, FALSE, error);
}

static void
put_differences (Comparison *comparison, const SlPair *pair, double *drawn, const double *p)
{
  const Options *options = comparison->run->options->values;
  SlShared shared[2] = { 0 };
  for (int m = 0; m < comparison->n_metrics; m++)
    {
      const SlMetric *metric = comparison->metrics[m];
      SlMetricValue a = metric->value (metric, pair->a, NULL, pair->settings, &shared[0]);
      SlMetricValue b = metric->value (metric, pair->b, NULL, pair->settings, &shared[1]);
      Row row = { "table=first - second",
                  a.value - b.value,
                  NAN,
                  NAN,
                  NAN,
                  MIN (a.n, b.n),
                  isnan (a.value) ? a.reason : b.reason,
                  "paired bootstrap over items" };
      if (options->resamples > 0 && pair->a->n > 1 && !isnan (row.value))
        {
          row.p = p[m];
          sl_bootstrap_interval (drawn + (gsize) m * (gsize) options->resamples, options->resamples,
                                 row.value, options->level, &row.lower, &row.upper);
        }
      put_row (comparison, metric, &row);
    }
  sl_shared_clear (&shared[0]);
  sl_shared_clear (&shared[1]);
}

static gboolean
write_pair (Comparison *comparison, const SlScoredItems *a, const SlScoredItems *b, GError **error)
{
  const Options *options = comparison->run->options->values;
  const SlPair pair
      = { a, b, comparison->metrics, comparison->n_metrics, &comparison->plan.settings };
  const SlBootstrap bootstrap = bootstrap_of (comparison);
  g_autofree double *drawn = room_for_draws (comparison, error);
  g_autofree double *p = g_new0 (double, MAX (comparison->n_metrics, 1));
  if (drawn == NULL || !write_single (comparison, a, "table=first", error)
      || !write_single (comparison, b, "table=second", error))
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
  return TRUE;
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

static gboolean
read_all (Comparison *comparison, GError **error)
{
  SlRun *run = comparison->run;
  const Options *options = run->options->values;
  gboolean from_file = options->gold != NULL && strcmp (options->gold, "column") != 0;
  if (!sl_reference_read (&comparison->first, run, NULL, run->files[0], FALSE, error)
      || !sl_reference_read (&comparison->second, run, NULL, run->files[1], FALSE, error)
      || (options->against != NULL
          && !sl_reference_read (&comparison->against, run, "against", options->against, FALSE,
                                 error))
      || (from_file
          && !sl_gold_file_read (&comparison->gold, run, options->gold, comparison->first.table,
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
  return TRUE;
}

static void
make_table (Comparison *comparison)
{
  const Options *options = comparison->run->options->values;
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

static gboolean
write_scores (Comparison *comparison, const SlScoredItems *between, GError **error)
{
  const SlAligned *aligned = &comparison->aligned;
  const Options *options = comparison->run->options->values;
  if (!has_truth (options))
    return write_single (comparison, between, "", error);
  gint32 k = comparison->plan.n_classes;
  g_autofree double *classes = NULL;
  if (options->against == NULL)
    {
      classes = g_new (double, (gsize) MAX (aligned->n, 1) * (gsize) k);
      sl_gold_targets (aligned->gold, aligned->n, k, classes);
    }
  const double *target = classes != NULL ? classes : aligned->against;
  const SlScoredItems *a = make_case (comparison, aligned->first, target, error);
  const SlScoredItems *b
      = a != NULL ? make_case (comparison, aligned->second, target, error) : NULL;
  return b != NULL && write_pair (comparison, a, b, error);
}

static gboolean
run (SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  g_auto (Comparison) comparison
      = { .run = run, .made = g_ptr_array_new_with_free_func (cases_free) };
  if (g_strv_length (run->files) != 2)
    return sl_error_usage (error, "compare what? give two tables");
  if (!read_all (&comparison, error) || !plan (&comparison, error))
    return FALSE;
  make_table (&comparison);
  if (!sl_run_start (run, comparison.table, error))
    return FALSE;
  comparison.builder = sl_builder_new (comparison.table);
  const SlScoredItems *between = NULL;
  if (options->items != NULL || !has_truth (options))
    {
      between = make_case (&comparison, comparison.aligned.first, comparison.aligned.second, error);
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
    "the "
    "second, and their difference, with an interval by the bootstrap that draws the same items for "
    "both, "
    "and p, the share of random exchanges of the two tables' items that make a difference as large "
    "(a permutation test, of both sides).\n\n"
    "Memory: items × classes of each table, and 8 bytes for each item and figure; for the test, "
    "twice that a "
    "thread.",
  .examples = "softlabel compare mine.parquet human.parquet --items items.parquet --sort w_values\n"
              "    distances, and the items that differ most first\n"
              "softlabel compare --gold=truth.csv --metrics accuracy,brier a.parquet b.parquet\n"
              "    whether one way of aggregation is better than another\n"
              "softlabel compare --against human.parquet hard.parquet soft.parquet\n"
              "    whether one model is nearer to people than another\n",
  .check = check_options,
  .run = run,
};
