/* SPDX-License-Identifier: GPL-3.0-or-later */
/* aggregate: annotations or labels in, labels out: one row an item, in order of first
 * appearance, by one of the methods of methods.c. The weight is the votes behind the label, the
 * gold class that of the item's rows. */
#include "pipeline/command/run-tags.h"
#include "pipeline/table/class-values.h"
#include "schemas/kinds.h"
#include "stages/common/answers/repeats.h"
#include "stages/common/tables/confusion-rows.h"
#include "stages/aggregate/methods/fits.h"
#include "aggregation.h"
#include "shards.h"

static gboolean
output_table (const SlTable *in, SlTable **table, const SlRun *run, GError **error)
{
  const SlAggregateOptions *options = run->options->values;
  if (options->merge || options->partial)
    {
      *table = sl_confusion_table (in->classes);
      if (options->partial && sl_methods[options->method].fit == sl_fit_glad)
        sl_table_add (*table, SL_CONFUSION_INFORMATION);
      return TRUE;
    }
  gboolean has_gold = sl_table_has (in, sl_gold_column (in->kind));
  *table = sl_table_new (&sl_labels, (const char *const *) in->classes);
  if (has_gold || (options->priors.gold != NULL && !sl_aggregate_gold_is_column (options)))
    sl_table_add (*table, SL_LABELS_GOLD);
  const double *value = sl_class_values (in);
  sl_table_set_values (*table, value);
  for (int c = SL_LABELS_VALUE; value != NULL && c <= SL_LABELS_UPPER; c++)
    sl_table_add (*table, c);
  if (value == NULL && sl_methods[options->method].flags & SL_METHOD_ORDERED)
    return sl_error_bad_input (error,
                               "%s: --method %s wants ordered classes, and these are names alone; "
                               "`softlabel ingest --ordered` says their order, and `softlabel cat "
                               "--ordered` of a table that is there",
                               sl_reader_name (run->in), sl_methods[options->method].name);
  if (has_gold || !sl_aggregate_gold_is_column (options))
    return TRUE;
  return sl_error_bad_input (error, "%s: it has no column 'gold'", sl_reader_name (run->in));
}

/* Answers, or with --merge, sums. */
static gboolean
check_kind (const SlRun *run, GError **error)
{
  const SlAggregateOptions *options = run->options->values;
  const SlKind *kind = sl_reader_table (run->in)->kind;
  if ((kind == &sl_confusion) == options->merge)
    return TRUE;
  return sl_error_bad_input (error,
                             options->merge
                                 ? "%s: is a table of %s; --merge takes confusion"
                                 : "%s: is a table of %s; annotations or labels are wanted here",
                             sl_reader_name (run->in), kind->name);
}

static gboolean
run (SlRun *run, GError **error)
{
  const SlAggregateOptions *options = run->options->values;
  g_autoptr (SlTable) table = NULL;
  if (!check_kind (run, error) || !output_table (sl_reader_table (run->in), &table, run, error))
    return FALSE;
  SlAggregation aggregation = { .run = run,
                                .options = options,
                                .method = &sl_methods[options->method],
                                .settings = options->settings,
                                .priors = options->priors,
                                .table = table };
  SlMethodSettings *settings = &aggregation.settings;
  settings->asked
      = g_strcmp0 (options->asked, SL_FOR_PEOPLE) == 0 ? SL_ASKED_PEOPLE : SL_ASKED_TRUTH;
  settings->seed = run->seed;
  settings->threads = run->threads;
  settings->value = sl_class_values (table);
  /* For category the gold classes are what its labels are made by. */
  settings->fix_gold
      = options->priors.gold != NULL && !(aggregation.method->flags & SL_METHOD_GOLD);
  if (sl_aggregate_gold_is_column (options))
    aggregation.priors.gold = NULL;
  /* Answers with percents are labels in waiting; a vote is all that is counted of them here. */
  const SlTable *in = sl_reader_table (run->in);
  if (in->kind == &sl_annotations && sl_table_has (in, SL_ANNOTATIONS_CHOICES)
      && !sl_aggregation_takes_percents (aggregation.method, in))
    sl_run_warn (run, "first choices alone are counted, percents and second choices are not used; "
                      "--method auto uses them, and `softlabel redistribute` before this makes "
                      "labels of them");
  if (!sl_run_add_tag (run, "--for", SL_ASKED_TAG, options->asked, error))
    return FALSE;
  if (options->merge)
    return sl_shard_merge (&aggregation, error);
  gboolean done = sl_aggregate_streams (options) ? sl_aggregate_sorted (&aggregation, error)
                                                 : sl_aggregate_whole (&aggregation, error);
  g_clear_pointer (&aggregation.quantile, g_array_unref);
  if (done && aggregation.unlabelled > 0)
    sl_run_warn (run, "items left out, as %s%s for them: %" G_GINT64_FORMAT,
                 options->weights != NULL ? "no group of any weight has a label"
                                          : aggregation.method->name,
                 options->weights != NULL ? "" : " has no label", aggregation.unlabelled);
  return done;
}

static const SlKind *const reads[] = { &sl_annotations, &sl_labels, &sl_confusion, NULL };

static const SlAlsoWrites also_writes[] = { { &sl_confusion, "--partial or --merge" }, { 0 } };

const SlCommand sl_command_aggregate = {
  .name = "aggregate",
  .summary = "make one label of all that annotators said of an item",
  .arguments = "[FILE…]",
  .reads = reads,
  .writes = &sl_labels,
  .also_writes = also_writes,
  .flags = SL_COMMAND_SEEDED,
  .opened = sl_repeats_opened,
  SL_OPTIONS (sl_aggregate_option_table, sl_aggregate_defaults),
  .description
  = "A row of annotations is one vote for its first choice, or as many as its count says. A row of "
    "labels is as many votes as its weight says, and its label shares them among the classes: "
    "nothing is rounded to a winner, and a label that was aggregated before counts for all the "
    "people behind it. To count first choices only, aggregate the annotations, not labels made "
    "from them. auto and soft-evidence take percents as they are, as `softlabel redistribute` "
    "would make labels of them; other methods do not look at them.\n\n"
    "mean, counts, softmax and majority look at an item's votes alone, log-pool at its labels; "
    "category gives every item the mean label of all items with its gold class, so every item "
    "needs a gold class (take held-out items out before). The others ask who gave an answer: they "
    "learn from all answers together what each annotator's answers are worth, and need annotations "
    "(soft-dawid-skene, soft-evidence and auto take labels too). auto chooses for you; -v and "
    "`softlabel history --json` tell what it chose. Methods that multiply up what answers say are "
    "good at the winner and far too sure of it: --calibrate mends that.\n\n"
    "--for truth, the default, asks how likely each class is the right one. --for people asks what "
    "the next person would answer, which is less sure: people err. soft-evidence, auto and methods "
    "with confusion matrices tell the two apart.\n\n"
    "Attention checks and rows that `exclude --mark` has marked are left out. Output has one row "
    "an item, in order of first appearance, with the votes behind it as weight and the gold class "
    "where it is known; two different gold classes for one item are an error (--gold FILE goes "
    "before them). The same annotator's answers, however many, all count; in ibcc, ebcc and bwa, "
    "the same answer to the same item once.\n\n"
    "Memory: items × (classes + 1) × 8 bytes, and the items' names; for methods that ask who gave "
    "an answer, 24 bytes an answer besides, and where answers are soft 16 bytes for each class of "
    "each. With --sorted, one batch; an item that comes again after its rows had ended is then an "
    "error. Among the first million items it is always found; in larger tables a few of them may "
    "be missed.",
  .examples
  = "softlabel aggregate votes.parquet -o labels.parquet\n"
    "    the share of the votes\n"
    "softlabel aggregate --method auto survey.parquet -o labels.parquet\n"
    "    what all answers, with their percents, say of the truth\n"
    "softlabel redistribute survey.parquet | softlabel aggregate -o labels.parquet\n"
    "    the mean of what each annotator believed\n"
    "softlabel aggregate --method dawid-skene --calibrate --annotators who.parquet votes.parquet\n"
    "    labels by annotators' confusion matrices, and what was learned of annotators\n"
    "softlabel aggregate --method majority --ties random --seed 1 votes.parquet\n"
    "    hard labels\n",
  .check = sl_aggregate_check,
  .run = run,
};
