/* SPDX-License-Identifier: GPL-3.0-or-later */
/* aggregate: annotations or labels in, labels out: one row an item, in order of first
 * appearance, by one of the methods of methods.c. The weight is the votes behind the label, the
 * gold class that of the item's rows. */
#include "../../schemas/annotations.h"
#include "../../schemas/labels.h"
#include "aggregation.h"

#include <math.h>

static struct
{
  int method;         /* into sl_methods */
  double temperature; /* of softmax, more than 0 */
  int ties;           /* SlTies */
  gboolean sorted;
} options = { .temperature = 1 };

static const char *const ties[] = { "lowest", "random", "uniform", NULL };

static const SlOption option_table[] = {
  { .name = "method",
    .kind = SL_OPTION_CHOICE,
    .value = &options.method,
    .choices = sl_method_names,
    .placeholder = "METHOD",
    .help = "how an item's votes become its label" },
  { .name = "temperature",
    .kind = SL_OPTION_REAL,
    .value = &options.temperature,
    .min = 1e-6,
    .max = 1e6,
    .placeholder = "T",
    .help = "softmax: what the numbers of votes are divided by" },
  { .name = "ties",
    .kind = SL_OPTION_CHOICE,
    .value = &options.ties,
    .choices = ties,
    .help = "majority: of classes with equally many votes, the first, one drawn by seed and item, "
            "or all in equal shares" },
  { .name = "sorted",
    .kind = SL_OPTION_FLAG,
    .value = &options.sorted,
    .help = "each item's rows come one behind the other: write it as soon as they have passed, "
            "holding one batch in memory "
            "(mean, counts, softmax, majority)",
    .unrecorded = TRUE },
  { 0 },
};

static gboolean
only_for (const char *option, SlMethodFlags flag, GError **error)
{
  const SlMethod *method = &sl_methods[options.method];
  if (method->flags & flag || !sl_option_given (option_table, option))
    return TRUE;
  g_set_error (error, SL_ERROR, SL_ERROR_USAGE, "--%s does not go with --method %s", option,
               method->name);
  return FALSE;
}

static gboolean
check_options (GError **error)
{
  return only_for ("temperature", SL_METHOD_TEMPERATURE, error)
         && only_for ("ties", SL_METHOD_TIES, error) && only_for ("sorted", SL_METHOD_LOCAL, error);
}

static SlTable *
output_table (const SlTable *in)
{
  SlTable *table = sl_table_new (&sl_labels, (const char *const *) in->classes);
  if (sl_table_has (in, in->kind == &sl_labels ? SL_LABELS_GOLD : SL_ANNOTATIONS_GOLD))
    sl_table_add (table, SL_LABELS_GOLD);
  return table;
}

static gboolean
run (SlRun *run, GError **error)
{
  g_autoptr (SlTable) table = output_table (sl_reader_table (run->in));
  const SlAggregation aggregation = {
    .run = run,
    .method = &sl_methods[options.method],
    .settings = { .temperature = options.temperature,
                  .ties = (SlTies) options.ties,
                  .seed = run->seed,
                  .threads = run->threads,
                  .tolerance = NAN,
                  .smoothing = NAN },
    .table = table,
  };
  if (!sl_run_start (run, table, error))
    return FALSE;
  return options.sorted ? sl_aggregate_sorted (&aggregation, error)
                        : sl_aggregate_whole (&aggregation, error);
}

static const SlKind *const reads[] = { &sl_annotations, &sl_labels, NULL };

const SlCommand sl_command_aggregate = {
  .name = "aggregate",
  .summary = "make one label of all that annotators said of an item",
  .arguments = "[FILE]",
  .reads = reads,
  .writes = &sl_labels,
  .flags = SL_COMMAND_SEEDED,
  .options = option_table,
  .description
  = "A row of annotations is as many votes for its first choice as its count says. A row of labels "
    "is as many votes as its "
    "weight says, shared among the classes as the label does: nothing is rounded to a winner, and "
    "labels that were aggregated "
    "before count for all who are behind them. To count first choices only, aggregate the "
    "annotations, not labels made from them. "
    "Percents of annotations are not looked at; `softlabel redistribute` makes labels of them.\n\n"
    "mean is the weighted mean of the labels; counts the share of the votes, made to sum to 1; "
    "softmax exp (votes / T), made to sum "
    "to 1; majority gives all to the class with most votes; category gives every item the mean of "
    "the shares of all items with its "
    "gold class, so each needs one (leave out held-out items before).\n\n"
    "Attention checks and rows that `exclude --mark` has marked are left out. Output has one row "
    "an item, in order of first "
    "appearance, with the votes behind it as weight and the gold class where the input has one; "
    "two different gold classes for one "
    "item are an error. The same annotator's answers, however many, all count.\n\n"
    "Memory: items × (classes + 1) × 8 bytes, and the items' names. With --sorted, one batch; an "
    "item that comes again "
    "after its rows had ended is then an error. It is found for certain among the first million "
    "items, and in larger tables unless "
    "only a few are out of place.",
  .examples = "softlabel aggregate votes.parquet -o labels.parquet\n"
              "    the share of the votes\n"
              "softlabel redistribute survey.parquet | softlabel aggregate -o labels.parquet\n"
              "    the mean of what each annotator believed\n"
              "softlabel aggregate --method majority --ties random --seed 1 votes.parquet\n"
              "    hard labels\n",
  .check = check_options,
  .run = run,
};
