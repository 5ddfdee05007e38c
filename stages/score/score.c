/* SPDX-License-Identifier: GPL-3.0-or-later */
/* score: predictions or labels in; a figure for each metric out, with its interval: beside a table of labels, beside gold classes, or of the table
 * by itself. The metrics are in metrics/metrics.c, with their definitions. */
#include "chosen-metrics.h"
#include "results.h"
#include "semantic-cost.h"

#include "pipeline/base/number-text.h"
#include "schemas/labels.h"
#include "schemas/predictions.h"
#include "schemas/scores.h"

#include <math.h>
#include <string.h>

typedef struct
{
  char *against;
  char *gold; /* a file, or "column" */
  gboolean inner;
  char *metrics; /* A,B,C */
  char *by;      /* A,B */
  char *mean_over;
  char *entropy_from;
  char *edges; /* 0.25,1 */
  int second;  /* SlSecondBest */
  double clip;
  char *cost, *vectors;
  gint64 bin_size;
  gboolean skip_last_bin;
  gint64 bins;
  int edge;       /* SlBinEdge */
  int bin_of_one; /* 0: the last, 1: its own */
  int interval;   /* Interval */
  double level;
  gint64 resamples;
} Options;

static const Options defaults = { .bin_size = 100, .bins = 15, .level = 0.95, .resamples = 1000 };

typedef enum
{
  INTERVAL_AUTO,
  INTERVAL_NONE,
  INTERVAL_T,
  INTERVAL_NORMAL,
  INTERVAL_BOOTSTRAP,
} Interval;

/* With --interval auto, the bootstrap draws at most so many items in all. */
#define MOST_DRAWN 50000000

static const SlOption option_table[] = {
  { .name = "against",
    .kind = SL_OPTION_INPUT,
    .field = offsetof (Options, against),
    .placeholder = "FILE",
    .help = "labels that predictions are compared with; also predictions of one run, or "
            "annotations, of which the shares of the votes are taken" },
  { .name = "gold",
    .kind = SL_OPTION_INPUT,
    .field = offsetof (Options, gold),
    .placeholder = "FILE",
    .by_itself = "column",
    .help
    = "right is the gold class, from the column 'gold' or from FILE (a table with that "
      "column, or a CSV file with item and gold); without it, the largest class of --against" },
  { .name = "inner",
    .kind = SL_OPTION_FLAG,
    .field = offsetof (Options, inner),
    .with = "against",
    .help = "score the items that both tables have, where not all are in both" },
  { .name = "metrics",
    .kind = SL_OPTION_TEXT,
    .field = offsetof (Options, metrics),
    .choices = sl_metric_names,
    .meanings = sl_metric_definitions,
    .placeholder = "A,B,C",
    .help
    = "which figures are made; all: every one that the tables allow; unless given, the usual "
      "ones. In what follows p is the prediction, t the target, y the class, K the number of "
      "classes, H the entropy; logarithms are natural, 0 log 0 = 0, ties go to the first class" },
  { .name = "by",
    .kind = SL_OPTION_TEXT,
    .field = offsetof (Options, by),
    .placeholder = "KEY,KEY",
    .help = "a row for each value: of a tag, or of class, entropy, run or annotator; none: tables "
            "with different tags are runs of one kind. Unless given, by the tags that differ" },
  { .name = "mean-over",
    .kind = SL_OPTION_TEXT,
    .field = offsetof (Options, mean_over),
    .placeholder = "KEY",
    .help = "a run's figure is the mean of its figures for each value, each with the same weight: "
            "corruption" },
  { .name = "entropy-from",
    .kind = SL_OPTION_INPUT,
    .field = offsetof (Options, entropy_from),
    .placeholder = "FILE",
    .help
    = "for --by entropy: labels or annotations whose entropies items are grouped by, in place "
      "of those of --against, or of the table itself" },
  { .name = "entropy-edges",
    .kind = SL_OPTION_TEXT,
    .field = offsetof (Options, edges),
    .placeholder = "H,H",
    .help = "for --by entropy: where groups begin, in nats (default 0.25)" },
  { .name = "second-best",
    .kind = SL_OPTION_CHOICE,
    .field = offsetof (Options, second),
    .choices = (const char *const[]){ "untied", "behind-first", "any", NULL },
    .help = "which items second_best_accuracy is about: those whose target has a second class "
            "above 0 that is tied with no other; of those, the ones whose first class is right; or "
            "all" },
  { .name = "clip",
    .kind = SL_OPTION_REAL,
    .field = offsetof (Options, clip),
    .min = 0,
    .max = 0.5,
    .placeholder = "P",
    .help = "take probabilities to [P, 1 - P] before their logarithm; 0: as they are" },
  { .name = "cost",
    .kind = SL_OPTION_INPUT,
    .field = offsetof (Options, cost),
    .placeholder = "FILE",
    .help
    = "for w_cost: CSV with what mass costs to move, a header of classes, then a row a class: "
      "from, to" },
  { .name = "vectors",
    .kind = SL_OPTION_INPUT,
    .field = offsetof (Options, vectors),
    .placeholder = "FILE",
    .help = "for w_cost: word vectors as text (GloVe, word2vec); the cost is 1 - cosine" },
  { .name = "bin-size",
    .kind = SL_OPTION_INTEGER,
    .field = offsetof (Options, bin_size),
    .min = 1,
    .max = 1e9,
    .placeholder = "N",
    .help = "items in a bin of calibration_rms, _l1 and _max" },
  { .name = "skip-last-bin",
    .kind = SL_OPTION_FLAG,
    .field = offsetof (Options, skip_last_bin),
    .help = "leave the last of those bins out, and count its items, as published figures do" },
  { .name = "bins",
    .kind = SL_OPTION_INTEGER,
    .field = offsetof (Options, bins),
    .min = 1,
    .max = 10000,
    .placeholder = "N",
    .help = "bins of equal width, for ece, mce and the like" },
  { .name = "bin-edge",
    .kind = SL_OPTION_CHOICE,
    .field = offsetof (Options, edge),
    .choices = (const char *const[]){ "left", "right", NULL },
    .help = "which edge belongs to such a bin: [lo, hi), or (lo, hi]" },
  { .name = "bin-of-one",
    .kind = SL_OPTION_CHOICE,
    .field = offsetof (Options, bin_of_one),
    .choices = (const char *const[]){ "last", "own", NULL },
    .help = "the bin of confidence 1: the last, or one more, as torchmetrics has it" },
  { .name = "interval",
    .kind = SL_OPTION_CHOICE,
    .field = offsetof (Options, interval),
    .choices = (const char *const[]){ "auto", "none", "t", "normal", "bootstrap", NULL },
    .help
    = "of several runs: mean ± t s / √n, the same with 1.96 for t, or quantiles of runs drawn "
      "again; of one run: quantiles of items drawn again. auto: t, or of one run the "
      "bootstrap, unless resamples × items are over 50 million" },
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
    .min = 10,
    .max = 1e6,
    .placeholder = "N",
    .help = "how often the bootstrap draws" },
  { 0 },
};

/* The numbers of "0.1,0.25", rising; *N of them. */
static double *
parse_edges (const char *text, gint32 *n, GError **error)
{
  g_auto (GStrv) words = g_strsplit (text, ",", -1);
  *n = (gint32) g_strv_length (words);
  g_autofree double *edges = g_new (double, MAX (*n, 1));
  for (gint32 i = 0; i < *n; i++)
    if (!sl_parse_real (words[i], -1, &edges[i]) || edges[i] < 0
        || (i > 0 && edges[i] <= edges[i - 1]))
      {
        sl_error_usage (error, "--entropy-edges '%s': rising numbers are wanted, such as 0.1,0.25",
                        text);
        return NULL;
      }
  return g_steal_pointer (&edges);
}

static gboolean
has_key (const Options *options, const char *key)
{
  g_auto (GStrv) keys = g_strsplit (options->by != NULL ? options->by : "", ",", -1);
  return g_strv_contains ((const char *const *) keys, key);
}

static gboolean
check_options (SlOptions *given, GError **error)
{
  const Options *options = given->values;
  gint32 n;
  g_autofree double *edges
      = parse_edges (options->edges != NULL ? options->edges : "0.25", &n, error);
  g_autofree gboolean *named
      = options->metrics != NULL ? sl_metrics_named (options->metrics, error) : NULL;
  if (edges == NULL || (named == NULL && options->metrics != NULL))
    return FALSE;
  if (!has_key (options, "entropy") && (options->edges != NULL || options->entropy_from != NULL))
    return sl_error_usage (error, "--%s goes with --by entropy",
                           options->edges != NULL ? "entropy-edges" : "entropy-from");
  if (has_key (options, "class") && options->against == NULL && options->gold == NULL)
    return sl_error_usage (error, "--by class needs classes: --gold, or labels by --against");
  if (options->cost != NULL && options->vectors != NULL)
    return sl_error_usage (error, "--cost and --vectors both say what mass costs to move; one is "
                                  "enough");
  return TRUE;
}

typedef struct
{
  SlReference against, entropies;
  SlGoldFile gold;
  double *cost, *edges;
  gint32 n_edges;
  gboolean *chosen;
  char **by;
} Inputs;

static void
inputs_clear (Inputs *inputs)
{
  sl_reference_clear (&inputs->against);
  sl_reference_clear (&inputs->entropies);
  sl_gold_file_clear (&inputs->gold);
  g_free (inputs->cost);
  g_free (inputs->edges);
  g_free (inputs->chosen);
  g_strfreev (inputs->by);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Inputs, inputs_clear)

static const SlKind *const kinds[] = { &sl_predictions, &sl_labels, NULL };

/* What of the scoring follows from the options and from TABLE, the first file's header. */
static gboolean
set_up (SlScoring *scoring, Inputs *inputs, SlTable *table, GError **error)
{
  SlRun *run = scoring->run;
  const Options *options = run->options->values;
  gboolean column = g_strcmp0 (options->gold, "column") == 0;
  scoring->table = sl_table_ref (options->against != NULL ? inputs->against.table : table);
  scoring->against = options->against != NULL ? &inputs->against : NULL;
  scoring->entropies = options->entropy_from != NULL ? &inputs->entropies : NULL;
  scoring->source
      = column ? SL_CLASS_COLUMN : (options->gold != NULL ? SL_CLASS_FILE : SL_CLASS_OF_TARGET);
  scoring->wants_class = options->gold != NULL || options->against != NULL;
  scoring->inner = options->inner;
  scoring->edges = inputs->edges;
  scoring->n_edges = inputs->n_edges;
  scoring->how = (SlItemBlock){ .clip = options->clip, .second = (SlSecondBest) options->second };
  if (scoring->table->n_classes == 0)
    return sl_error_bad_input (error, "it has no classes");
  if (scoring->source == SL_CLASS_FILE
      && (!sl_gold_file_read (&inputs->gold, run, options->gold, scoring->table, error)))
    return FALSE;
  scoring->gold = &inputs->gold;
  if (options->cost != NULL || options->vectors != NULL)
    {
      inputs->cost = sl_semantic_cost (run, scoring->table, options->cost, options->vectors, error);
      if (inputs->cost == NULL)
        return FALSE;
      scoring->how.cost = inputs->cost;
    }
  static const struct
  {
    const char *key;
    SlBy by;
  } keys[] = { { "class", SL_BY_CLASS },
               { "entropy", SL_BY_ENTROPY },
               { "run", SL_BY_RUN },
               { "annotator", SL_BY_ANNOTATOR } };
  for (gsize k = 0; k < G_N_ELEMENTS (keys); k++)
    if (has_key (options, keys[k].key))
      scoring->by |= keys[k].by;
  return TRUE;
}

/* What metrics are made, and what must be kept of items for them. */
static gboolean
plan (SlScoring *scoring, Inputs *inputs, const SlTable *table, GError **error)
{
  const Options *options = scoring->run->options->values;
  SlMetricFlags has = SL_METRIC_TABLE | SL_METRIC_BY_ITEM;
  if (scoring->against != NULL)
    has |= SL_METRIC_TARGET | SL_METRIC_SOFT | SL_METRIC_CLASS;
  if (options->gold != NULL)
    has |= SL_METRIC_TARGET | SL_METRIC_CLASS;
  if (scoring->how.cost != NULL)
    has |= SL_METRIC_COST;
  if (table->kind == &sl_predictions && sl_table_has (table, SL_PREDICTIONS_LOSS))
    has |= SL_METRIC_LOSS;
  inputs->chosen = sl_metrics_chosen (options->metrics, has, error);
  if (inputs->chosen == NULL)
    return FALSE;
  gboolean draws = options->interval == INTERVAL_BOOTSTRAP || options->interval == INTERVAL_AUTO;
  scoring->plan = (SlCasePlan){
    .n_classes = scoring->table->n_classes,
    .most
    = !draws ? 0
             : (options->interval == INTERVAL_AUTO ? MOST_DRAWN / options->resamples : G_MAXINT32),
    .settings = { .bin_size = options->bin_size,
                  .skip_last_bin = options->skip_last_bin,
                  .bins = (gint32) options->bins,
                  .edge = (SlBinEdge) options->edge,
                  .own_bin_of_one = options->bin_of_one == 1 },
  };
  sl_metrics_needs (inputs->chosen, &scoring->plan.wanted, &scoring->plan.keep,
                    &scoring->plan.bins);
  return TRUE;
}

static gboolean
begin (SlScoring *scoring, Inputs *inputs, SlTable *table, GError **error)
{
  if (!set_up (scoring, inputs, table, error) || !plan (scoring, inputs, table, error))
    return FALSE;
  sl_scoring_init (scoring);
  return TRUE;
}

static gboolean
read_references (SlRun *run, Inputs *inputs, GError **error)
{
  const Options *options = run->options->values;
  inputs->edges
      = parse_edges (options->edges != NULL ? options->edges : "0.25", &inputs->n_edges, error);
  inputs->by = options->by != NULL ? g_strsplit (options->by, ",", -1) : NULL;
  return inputs->edges != NULL
         && (options->against == NULL
             || sl_reference_read (&inputs->against, run, "against", options->against, error))
         && (options->entropy_from == NULL
             || sl_reference_read (&inputs->entropies, run, "entropy-from", options->entropy_from,
                                   error));
}

static gboolean
check_outcome (const SlScoring *scoring, GError **error)
{
  const Options *options = scoring->run->options->values;
  if (scoring->n_rows == 0 && scoring->against != NULL && sl_reference_size (scoring->against) > 0)
    return sl_error_bad_input (error, "no item of %s is in the table that is scored",
                               scoring->against->name);
  if (options->gold != NULL && scoring->n_rows > 0 && scoring->n_with_class == 0)
    return sl_error_bad_input (error, "no item has a gold class%s%s",
                               scoring->source == SL_CLASS_FILE ? " in " : "",
                               scoring->source == SL_CLASS_FILE ? scoring->gold->name : "");
  if (options->gold != NULL && scoring->n_with_class < scoring->n_rows)
    sl_run_warn (scoring->run,
                 "%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
                 " rows have no gold class, and are not in the figures that need one",
                 scoring->n_rows - scoring->n_with_class, scoring->n_rows);
  return TRUE;
}

static gboolean
write_results (SlScoring *scoring, const Inputs *inputs, GError **error)
{
  const Options *options = scoring->run->options->values;
  static const SlInterval intervals[] = { SL_INTERVAL_NONE, SL_INTERVAL_NONE, SL_INTERVAL_T,
                                          SL_INTERVAL_NORMAL, SL_INTERVAL_BOOTSTRAP };
  const SlResultsPlan plan = { .chosen = inputs->chosen,
                               .interval = intervals[options->interval],
                               .automatic = options->interval == INTERVAL_AUTO,
                               .level = options->level,
                               .resamples = options->resamples,
                               .by = inputs->by,
                               .mean_over = options->mean_over };
  return check_outcome (scoring, error) && sl_results_write (scoring, &plan, error);
}

static gboolean
run (SlRun *run, GError **error)
{
  static char *standard_input[] = { (char *) "-", NULL };
  char **files = run->files[0] != NULL ? run->files : standard_input;
  g_auto (Inputs) inputs = { 0 };
  g_auto (SlScoring) scoring = { .run = run };
  if (!read_references (run, &inputs, error))
    return FALSE;
  for (gint32 i = 0; i < (gint32) g_strv_length (files); i++)
    {
      g_autoptr (SlReader) reader = sl_run_open (run, NULL, files[i], kinds, error);
      if (reader == NULL || (i == 0 && !begin (&scoring, &inputs, sl_reader_table (reader), error))
          || !sl_scoring_read (&scoring, reader, error))
        return FALSE;
    }
  return write_results (&scoring, &inputs, error);
}

const SlCommand sl_command_score = {
  .name = "score",
  .summary = "how right predictions or labels are: every metric, with its interval",
  .arguments = "[FILE…]",
  .reads = kinds,
  .writes = &sl_scores,
  .flags = SL_COMMAND_TABLES | SL_COMMAND_SEEDED | SL_COMMAND_ROWS_HAVE_TAGS,
  SL_OPTIONS (option_table, defaults),
  .description
  = "Predictions of models, or labels that `aggregate` has made, beside what is known: labels "
    "(--against), gold classes (--gold), or both: distributions are then compared with the labels, "
    "and "
    "classes with gold. With neither, the figures that a table has by itself: entropy, largest "
    "probability, support. Classes in another order are found by their names.\n\n"
    "Each row of the output is one metric with its definition. Rows of predictions that differ in "
    "attack, epsilon, step, corruption or severity are never mixed: each condition has its own "
    "rows, and "
    "so has each value of what --by names. Runs, in one table or in several files, are averaged: "
    "value is "
    "their mean, sd their standard deviation. Where a figure cannot be had value is missing, and "
    "reason says "
    "why.\n\n"
    "An interval over runs is about other runs on the same items; one over items is about other "
    "items. That by the bootstrap is corrected for bias (Efron, JASA 1987), which calibration "
    "errors "
    "have: resamples are worse calibrated than what they are drawn from.\n\n"
    "Items must be the same on both sides, unless --inner is given. An item without a gold class "
    "is in no "
    "figure that needs one.\n\n"
    "Memory: items × classes of --against, the items' names, and per run at most 8 bytes for each "
    "item and "
    "figure that is not a mean: confidence and correctness, entropies. As long as the bootstrap "
    "may be "
    "wanted, all figures of all items.",
  .examples = "softlabel aggregate votes.parquet | softlabel score --gold=truth.csv\n"
              "    how good aggregated labels are\n"
              "softlabel score --against human.parquet predictions.parquet\n"
              "    every usual metric, with intervals\n"
              "softlabel score --against human.parquet --by model seed*.parquet -o scores.parquet\n"
              "    means over the runs of each model, of tables that were tagged model=…\n"
              "softlabel score --metrics entropy,support --by entropy labels.parquet\n"
              "    a table by itself, items of low and high entropy apart\n",
  .check = check_options,
  .run = run,
};
