/* SPDX-License-Identifier: GPL-3.0-or-later */
/* aggregate: annotations or labels in, labels out: one row an item, in order of first
 * appearance, by one of the methods of methods.c. The weight is the votes behind the label, the
 * gold class that of the item's rows. */
#include "schemas/confusion.h"
#include "schemas/gold.h"
#include "stages/common/tables/confusion-rows.h"
#include "aggregation.h"
#include "shards.h"

#include <math.h>

typedef struct
{
  int method;         /* into sl_methods */
  double temperature; /* of softmax, more than 0 */
  gint64 digits;      /* of softmax; 0: all */
  int ties;           /* SlTies */
  gboolean sorted;
  gint64 iterations, restarts; /* 0: the method's own */
  double tolerance, smoothing; /* NaN: the method's own */
  gboolean calibrate;
  double prior_weight;
  SlPriorFiles priors;
  char *annotators, *confusion;
  gboolean frozen, partial, merge;
} Options;

static const Options defaults
    = { .temperature = 1, .tolerance = NAN, .smoothing = NAN, .prior_weight = 1 };

static const char *const ties[] = { "lowest", "random", "uniform", NULL };

static const SlOption option_table[] = {
  { .name = "method",
    .kind = SL_OPTION_CHOICE,
    .field = offsetof (Options, method),
    .choices = sl_method_names,
    .traits = sl_method_traits,
    .meanings = sl_method_summaries,
    .placeholder = "METHOD",
    .help = "how an item's answers become its label" },
  { .name = "temperature",
    .kind = SL_OPTION_REAL,
    .field = offsetof (Options, temperature),
    .min = 1e-6,
    .max = 1e6,
    .placeholder = "T",
    .with = "method",
    .of = SL_METHOD_TEMPERATURE,
    .help = "what the numbers of votes are divided by" },
  { .name = "round",
    .kind = SL_OPTION_INTEGER,
    .field = offsetof (Options, digits),
    .min = 0,
    .max = 15,
    .placeholder = "N",
    .with = "method",
    .of = SL_METHOD_ROUND,
    .help = "round to N digits after the point (8: as the code released with Uma et al. 2020); 0: "
            "not at all" },
  { .name = "ties",
    .kind = SL_OPTION_CHOICE,
    .field = offsetof (Options, ties),
    .choices = ties,
    .with = "method",
    .of = SL_METHOD_TIES,
    .help = "of classes with equally many votes, the first, one drawn by seed and item, "
            "or all in equal shares" },
  { .name = "sorted",
    .kind = SL_OPTION_FLAG,
    .field = offsetof (Options, sorted),
    .with = "method",
    .of = SL_METHOD_LOCAL,
    .help = "each item's rows come one behind the other: write it as soon as they have passed, "
            "holding one batch in memory, as la does by itself",
    .unrecorded = TRUE },
  { .name = "iterations",
    .kind = SL_OPTION_INTEGER,
    .field = offsetof (Options, iterations),
    .min = 0,
    .max = 1e9,
    .placeholder = "N",
    .with = "method",
    .of = SL_METHOD_ITERATIONS,
    .help = "rounds at most; 0: as many as the method has by itself. la: 2 reads everything and "
            "votes again with what was learned" },
  { .name = "tolerance",
    .kind = SL_OPTION_REAL,
    .field = offsetof (Options, tolerance),
    .min = 0,
    .max = 1e9,
    .placeholder = "D",
    .with = "method",
    .of = SL_METHOD_TOLERANCE,
    .help = "a round that changes less is the last; unless given, the method's own" },
  { .name = "smoothing",
    .kind = SL_OPTION_REAL,
    .field = offsetof (Options, smoothing),
    .min = 0,
    .max = 1e9,
    .placeholder = "E",
    .with = "method",
    .of = SL_METHOD_SMOOTHING,
    .or_with = "merge",
    .help = "pseudo-counts, or the like, so that few answers are not taken for certainty; unless "
            "given, the method's own" },
  { .name = "restarts",
    .kind = SL_OPTION_INTEGER,
    .field = offsetof (Options, restarts),
    .min = 0,
    .max = 1e6,
    .placeholder = "R",
    .with = "method",
    .of = SL_METHOD_RESTARTS,
    .help = "random starts, of which the best is kept (mace: none with --init); 0: as the "
            "method has" },
  { .name = "gold",
    .kind = SL_OPTION_INPUT,
    .field = offsetof (Options, priors.gold),
    .placeholder = "FILE|column",
    .help = "items whose class is known keep it: from FILE (a table with a gold column, or a CSV "
            "with columns item and gold), or from the gold column of the answers" },
  { .name = "calibrate",
    .kind = SL_OPTION_FLAG,
    .field = offsetof (Options, calibrate),
    .with = "method",
    .of = SL_METHOD_SHARES | SL_METHOD_POSTERIORS,
    .help
    = "make labels as sure as they are right, judged by answers held back from the method, or "
      "with --gold by the gold classes" },
  { .name = "predictions",
    .kind = SL_OPTION_INPUT,
    .field = offsetof (Options, priors.predictions),
    .placeholder = "FILE",
    .with = "method",
    .of = SL_METHOD_PREDICTIONS,
    .help = "a table of labels, a model's for each item" },
  { .name = "confusion-prior",
    .kind = SL_OPTION_INPUT,
    .field = offsetof (Options, priors.prior),
    .placeholder = "FILE",
    .with = "method",
    .of = SL_METHOD_PRIOR,
    .help = "a table of confusion: what is known of annotators, as pseudo-counts" },
  { .name = "prior-weight",
    .kind = SL_OPTION_REAL,
    .field = offsetof (Options, prior_weight),
    .min = 0,
    .max = 1e9,
    .placeholder = "W",
    .with = "confusion-prior",
    .help = "how many answers for each true class --confusion-prior counts as" },
  { .name = "init",
    .kind = SL_OPTION_INPUT,
    .field = offsetof (Options, priors.start),
    .placeholder = "FILE",
    .with = "method",
    .of = SL_METHOD_START,
    .help = "a table of confusion, of an earlier run: start from it, not from the vote" },
  { .name = "frozen",
    .kind = SL_OPTION_FLAG,
    .field = offsetof (Options, frozen),
    .with = "method",
    .of = SL_METHOD_SHARDS,
    .help = "labels by what --init says of annotators, learning nothing" },
  { .name = "partial",
    .kind = SL_OPTION_FLAG,
    .field = offsetof (Options, partial),
    .with = "method",
    .of = SL_METHOD_SHARDS,
    .help = "in place of labels write this part's sums of one round, a table of "
            "confusion, by what --init says or from the vote" },
  { .name = "merge",
    .kind = SL_OPTION_FLAG,
    .field = offsetof (Options, merge),
    .alone = TRUE,
    .help = "reads the sums of all parts, joined by `softlabel cat`, and writes the confusion to "
            "give to --init in the next round" },
  { .name = "cost",
    .kind = SL_OPTION_INPUT,
    .field = offsetof (Options, priors.cost),
    .placeholder = "FILE",
    .help = "a CSV of what it costs to decide for a class (columns) where another is true (rows, "
            "named by their first column): labels become the class expected to cost least" },
  { .name = "annotators",
    .kind = SL_OPTION_OUTPUT,
    .field = offsetof (Options, annotators),
    .placeholder = "FILE",
    .help = "write what was learned of each annotator: answers, accuracy, agreement, reliability, "
            "trace, spam score" },
  { .name = "confusion",
    .kind = SL_OPTION_OUTPUT,
    .field = offsetof (Options, confusion),
    .placeholder = "FILE",
    .help = "write how often each annotator answers what where what is true" },
  { 0 },
};

static gboolean
refuse (const Options *options, const char *option, const char *why, GError **error)
{
  g_set_error (error, SL_ERROR, SL_ERROR_USAGE, "--%s %s --method %s", option, why,
               sl_methods[options->method].name);
  return FALSE;
}

/* Whether items are written as they pass. */
static gboolean
streams (const Options *options)
{
  return options->sorted
         || (sl_methods[options->method].stream != NULL && options->iterations != 2);
}

static gboolean
gold_is_column (const Options *options)
{
  return g_strcmp0 (options->priors.gold, "column") == 0;
}

/* One round of a part is not a whole run. */
static gboolean
check_shards (SlOptions *given, GError **error)
{
  const Options *options = given->values;
  const char *rounds[] = { "iterations", "tolerance", "calibrate", "confusion-prior" };
  const char *labels[] = { "cost", "annotators", "confusion", "frozen" };
  if (options->frozen && options->priors.start == NULL)
    return refuse (options, "frozen", "needs --init, with", error);
  for (gsize i = 0; (options->frozen || options->partial) && i < G_N_ELEMENTS (rounds); i++)
    if (sl_option_given (given, rounds[i]))
      return refuse (options, rounds[i], "is for a whole run, not for one round of", error);
  for (gsize i = 0; options->partial && i < G_N_ELEMENTS (labels); i++)
    if (sl_option_given (given, labels[i]))
      return refuse (options, labels[i], "does not go with --partial, with", error);
  return TRUE;
}

static gboolean
check_options (SlOptions *given, GError **error)
{
  const Options *options = given->values;
  const SlMethod *method = &sl_methods[options->method];
  if (options->merge)
    return TRUE;
  if (method->flags & SL_METHOD_PREDICTIONS && options->priors.predictions == NULL)
    return refuse (options, "predictions", "is needed for", error);
  if (method->stream != NULL && options->iterations > 2)
    return refuse (options, "iterations", "is 1 or 2 for", error);
  const char *whole[] = { "calibrate", "cost", "annotators", "confusion" };
  for (gsize i = 0; streams (options) && i < G_N_ELEMENTS (whole); i++)
    if (sl_option_given (given, whole[i]))
      return refuse (options, whole[i],
                     options->sorted ? "needs all items at once, not --sorted with"
                                     : "needs all items at once, as has --iterations 2 of",
                     error);
  for (gsize i = 1; method->flags & SL_METHOD_ABSTAINS && i < G_N_ELEMENTS (whole); i++)
    if (sl_option_given (given, whole[i]))
      return refuse (options, whole[i], "wants a label of every item, and not all have one with",
                     error);
  if (streams (options) && options->priors.gold != NULL && !gold_is_column (options))
    return refuse (options, "gold", "reads FILE last: not with --sorted, nor with", error);
  return check_shards (given, error);
}

static gboolean
output_table (const SlTable *in, SlTable **table, const SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  if (options->merge || options->partial)
    {
      *table = sl_confusion_table (in->classes);
      return TRUE;
    }
  gboolean has_gold = sl_table_has (in, sl_gold_column (in->kind));
  *table = sl_table_new (&sl_labels, (const char *const *) in->classes);
  if (has_gold || (options->priors.gold != NULL && !gold_is_column (options)))
    sl_table_add (*table, SL_LABELS_GOLD);
  if (has_gold || !gold_is_column (options))
    return TRUE;
  g_set_error (error, SL_ERROR, SL_ERROR_INPUT, "%s: it has no column 'gold'",
               sl_reader_name (run->in));
  return FALSE;
}

/* Answers, or with --merge, sums. */
static gboolean
check_kind (const SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  const SlKind *kind = sl_reader_table (run->in)->kind;
  if ((kind == &sl_confusion) == options->merge)
    return TRUE;
  g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
               options->merge ? "%s: is a table of %s; --merge takes confusion"
                              : "%s: is a table of %s; annotations or labels are wanted here",
               sl_reader_name (run->in), kind->name);
  return FALSE;
}

/* Answers with percents are labels in waiting; a vote is all that is counted of them here. */
static void
tell_of_percents (SlRun *run)
{
  const SlTable *in = sl_reader_table (run->in);
  if (in->kind == &sl_annotations && sl_table_has (in, SL_ANNOTATIONS_CHOICES))
    sl_run_warn (run, "first choices alone are counted, percents and second choices are not used; "
                      "`softlabel redistribute` before this makes labels of them");
}

static gboolean
run (SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  g_autoptr (SlTable) table = NULL;
  gint64 unlabelled = 0;
  if (!check_kind (run, error) || !output_table (sl_reader_table (run->in), &table, run, error))
    return FALSE;
  SlAggregation aggregation = {
    .run = run,
    .method = &sl_methods[options->method],
    .settings = { .temperature = options->temperature,
                  .digits = options->digits,
                  .ties = (SlTies) options->ties,
                  .seed = run->seed,
                  .threads = run->threads,
                  .iterations = options->iterations,
                  .tolerance = options->tolerance,
                  .smoothing = options->smoothing,
                  .restarts = options->restarts,
                  .prior_weight = options->prior_weight },
    .priors = options->priors,
    .annotators = options->annotators,
    .confusion = options->confusion,
    .calibrate = options->calibrate,
    .frozen = options->frozen,
    .partial = options->partial,
    .table = table,
    .unlabelled = &unlabelled,
  };
  /* For category the gold classes are what its labels are made by. */
  aggregation.settings.fix_gold
      = options->priors.gold != NULL && !(aggregation.method->flags & SL_METHOD_GOLD);
  if (gold_is_column (options))
    aggregation.priors.gold = NULL;
  tell_of_percents (run);
  if (options->merge)
    return sl_shard_merge (&aggregation, error);
  gboolean done = streams (options) ? sl_aggregate_sorted (&aggregation, error)
                                    : sl_aggregate_whole (&aggregation, error);
  if (done && unlabelled > 0)
    sl_run_warn (run, "items left out, as %s has no label for them: %" G_GINT64_FORMAT,
                 aggregation.method->name, unlabelled);
  return done;
}

static const SlKind *const reads[] = { &sl_annotations, &sl_labels, &sl_confusion, NULL };

static const SlAlsoWrites also_writes[] = { { &sl_confusion, "--partial or --merge" }, { 0 } };

const SlCommand sl_command_aggregate = {
  .name = "aggregate",
  .summary = "make one label of all that annotators said of an item",
  .arguments = "[FILE]",
  .reads = reads,
  .writes = &sl_labels,
  .also_writes = also_writes,
  .flags = SL_COMMAND_SEEDED,
  SL_OPTIONS (option_table, defaults),
  .description
  = "A row of annotations is as many votes for its first choice as its count says. A row of labels "
    "is as many votes as its "
    "weight says, shared among the classes as the label does: nothing is rounded to a winner, and "
    "labels that were aggregated "
    "before count for all who are behind them. To count first choices only, aggregate the "
    "annotations, not labels made from them. "
    "Percents of annotations are not looked at; `softlabel redistribute` makes labels of them.\n\n"
    "mean, counts, softmax and majority look at an item's votes alone, log-pool at its labels; "
    "category gives every item the mean of the shares of all items with its gold class, so each "
    "needs one (leave out held-out items before). The others ask who gave an answer: they learn "
    "from all answers together what each annotator's are worth, and need annotations "
    "(soft-dawid-skene takes labels too). auto chooses for you; -v and "
    "`softlabel history --json` tell what it chose. Methods that multiply up what answers say "
    "are good at the winner and far too sure of it: --calibrate mends that.\n\n"
    "Attention checks and rows that `exclude --mark` has marked are left out. Output has one row "
    "an "
    "item, in order of first appearance, with the votes behind it as weight and the gold class "
    "where "
    "it is known; two different gold classes for one item are an error (--gold FILE goes before "
    "them). The same annotator's answers, however many, all count; in ibcc, ebcc and bwa, the same "
    "answer to the same item once.\n\n"
    "Memory: items × (classes + 1) × 8 bytes, and the items' names; for methods that ask who gave "
    "an answer, 24 bytes an answer besides. With --sorted, one batch; an "
    "item that comes again "
    "after its rows had ended is then an error. It is found for certain among the first million "
    "items, and in larger tables unless "
    "only a few are out of place.",
  .examples
  = "softlabel aggregate votes.parquet -o labels.parquet\n"
    "    the share of the votes\n"
    "softlabel redistribute survey.parquet | softlabel aggregate -o labels.parquet\n"
    "    the mean of what each annotator believed\n"
    "softlabel aggregate --method dawid-skene --calibrate --annotators who.parquet votes.parquet\n"
    "    labels by annotators' confusion matrices, and what was learned of annotators\n"
    "softlabel aggregate --method majority --ties random --seed 1 votes.parquet\n"
    "    hard labels\n",
  .check = check_options,
  .run = run,
};
