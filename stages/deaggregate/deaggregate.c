/* SPDX-License-Identifier: GPL-3.0-or-later */
/* deaggregate: annotations or labels in; single answers, or samples of them, out.
 * --annotators chooses M of an item's answers without replacement. --draws draws single-annotator
 * targets (Collins, Bhatt & Weller, HCOMP 2022, section 5.2), --hard-samples one-hot targets from
 * the item's label (Peterson et al., ICCV 2019, section 6.2). What is drawn for an item is a
 * function of the seed, the item, and the set of its answers. */
#include "pipeline/command/options/option-rows.h"
#include "schemas/kinds.h"
#include "stages/common/answers/repeats.h"
#include "sample.h"

typedef struct
{
  gint64 annotators;   /* answers an item; 0: all */
  gint64 draws;        /* 0: none */
  gint64 hard_samples; /* 0: none */
  gboolean votes;
  int repeats; /* SlCounted */
} Options;

static const Options defaults = { 0 };

#define MOST 1e9

#define OPTIONS Options

static const SlOption option_table[] = {
  WHOLE ("annotators", annotators, 0, MOST, "M",
         "choose M of each item's answers, without replacement, or all if it has no more; 0: all"),
  WHOLE ("draws", draws, 0, MOST, "D",
         "draw D of each item's answers, with replacement; 0: do not"),
  FLAG ("votes", votes, "write a row for every vote behind a count"),
  WHOLE ("hard-samples", hard_samples, 0, MOST, "D",
         "draw D classes from each item's label, the mean of its answers, and write one-hot "
         "labels; 0: do not"),
  SL_REPEATS_OPTION,
  { 0 },
};

static gboolean
check_options (SlOptions *given, GError **error)
{
  const Options *options = given->values;
  int n_ways = (options->draws > 0) + options->votes + (options->hard_samples > 0);
  const char *wrong = n_ways > 1 ? "--draws, --votes and --hard-samples exclude one another" : NULL;
  if (n_ways == 0 && options->annotators == 0)
    wrong = "nothing to do; give --annotators, --draws, --votes or --hard-samples";
  if (wrong == NULL)
    return TRUE;
  return sl_error_usage (error, "%s", wrong);
}

static SlTable *
output_table (const Options *options, const SlTable *in)
{
  gboolean votes = in->kind == &sl_annotations;
  const SlKind *kind = options->hard_samples > 0 ? &sl_labels : in->kind;
  SlTable *table = sl_table_new (kind, (const char *const *) in->classes);
  if (options->hard_samples > 0)
    {
      if (sl_table_has (in, sl_gold_column (in->kind)))
        sl_table_add (table, SL_LABELS_GOLD);
      return table;
    }
  for (int c = 0; kind->columns[c].name != NULL; c++)
    {
      /* What would say the same in every row is left out. */
      gboolean is_left_out
          = votes
            && (c == SL_ANNOTATIONS_CHECK || c == SL_ANNOTATIONS_EXCLUDED
                || (c == SL_ANNOTATIONS_COUNT && (options->votes || options->draws > 0)));
      if (sl_table_has (in, c) && !is_left_out)
        sl_table_add (table, c);
    }
  return table;
}

/* Every vote behind the rows, in their order; holds a batch in memory. */
static gboolean
expand (SlRun *run, SlTable *table, GError **error)
{
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  g_autoptr (SlBatch) raw = NULL;
  gboolean ok = TRUE;
  while (sl_run_each (run, &raw, &ok, error))
    {
      g_autoptr (SlBatch) batch = sl_judgements (raw, error);
      if (batch == NULL)
        return FALSE;
      for (gint64 i = 0; ok && i < batch->n_rows; i++)
        ok = sl_write_votes (run, builder, table, (SlRow){ batch, i },
                             sl_row_count ((SlRow){ batch, i }), error);
    }
  return ok && sl_writer_write_built (run->out, builder, TRUE, error);
}

static gboolean
run (SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  const SlTable *in = sl_reader_table (run->in);
  if (options->votes && in->kind != &sl_annotations)
    return sl_error_usage (error,
                           "--votes is for annotations; a label of weight 2 is not two votes "
                           "(--draws takes labels)");
  g_autoptr (SlTable) table = output_table (options, in);
  if (!sl_run_start (run, table, error))
    return FALSE;
  if (options->votes && options->annotators == 0)
    return expand (run, table, error);
  const SlSampling sampling = {
    .seed = run->seed,
    .annotators = options->annotators,
    .draws = options->draws,
    .hard_samples = options->hard_samples,
    .votes = options->votes,
  };
  return sl_sample (run, table, &sampling, error);
}

static const SlKind *const reads[] = { &sl_annotations, &sl_labels, NULL };

const SlCommand sl_command_deaggregate = {
  .name = "deaggregate",
  .summary = "take single answers, or samples of them, from what annotators said",
  .arguments = "[FILE…]",
  .reads = reads,
  .flags = SL_COMMAND_SEEDED,
  .opened = sl_repeats_opened,
  SL_OPTIONS (option_table, defaults),
  .description = "An answer is one judgement: a row with count or weight w stands for w alike "
                 "ones, and an annotator who was asked twice has two. Attention checks and rows "
                 "that `exclude --mark` has marked are left out.\n\n"
                 "--annotators M subsamples answers, once for each item; smaller samples are part "
                 "of larger ones with the same seed. What is left goes to the output, or to "
                 "--draws, --votes or --hard-samples.\n\n"
                 "--draws D gives D targets an item, each the answer of one annotator: what a "
                 "network sees that learns from one answer drawn anew each time. Their mean is the "
                 "label of `softlabel aggregate`. --hard-samples D gives D one-hot labels drawn "
                 "from the item's mean label. With a larger D the first ones are the same.\n\n"
                 "The output is a table like the input, with count or weight saying how many "
                 "answers were chosen (the column count is absent where it would be 1); of "
                 "--hard-samples, labels. Items are in order of first appearance, an item's "
                 "answers in order of annotator and content, draws in the order drawn. What is "
                 "drawn for an item depends on the seed, the item's name and the set of its "
                 "answers: not on the order of rows, nor on other items.\n\n"
                 "Memory: all answers. --votes alone keeps the order of rows and holds one batch.",
  .examples
  = "softlabel deaggregate --votes counts.parquet -o votes.parquet\n"
    "    one row a vote\n"
    "softlabel deaggregate --annotators 6 --seed 1 votes.parquet | softlabel aggregate -o "
    "six.parquet\n"
    "    labels as if only six annotators had been asked\n"
    "softlabel redistribute survey.parquet | softlabel deaggregate --draws 10 -o targets.parquet\n"
    "    ten targets an item, each what one annotator believed\n",
  .check = check_options,
  .run = run,
};
