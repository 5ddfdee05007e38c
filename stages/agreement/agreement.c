/* SPDX-License-Identifier: GPL-3.0-or-later */
/* agreement: annotations in; how annotators agree out: one row a figure, an item or an annotator.
 * Figures that need a label for each item take the one-coin model's, calibrated. */
#include "pipeline/command/run.h"
#include "schemas/annotations.h"
#include "schemas/annotators.h"
#include "schemas/items.h"
#include "schemas/scores.h"
#include "stages/common/figures/answer-conduct.h"
#include "stages/common/methods/calibrate.h"
#include "stages/common/answers/gathering.h"
#include "stages/common/methods/held-out.h"
#include "stages/common/priors/prior-files.h"
#include "stages/common/figures/vote-figures.h"
#include "item-scores.h"
#include "figure-rows.h"

#include <math.h>
#include <string.h>

enum
{
  BY_ALL,
  BY_ITEMS,
  BY_ANNOTATORS,
};

typedef struct
{
  int by;
  SlPriorFiles priors; /* predictions */
  double temperature;  /* NaN: found */
  SlRowOrder order;
} Options;

static const Options defaults = { .temperature = NAN };

static const char *const by_names[] = { "all", "items", "annotators", NULL };
/* What --by writes: a row for each of them; rows of items, which predictions can be set beside. */
enum
{
  EACH = 1 << 0,
  OF_ITEMS = 1 << 1
};
static const guint32 by_traits[] = { 0, EACH | OF_ITEMS, EACH };

static const SlOption option_table[] = {
  { .name = "by",
    .kind = SL_OPTION_CHOICE,
    .field = offsetof (Options, by),
    .choices = by_names,
    .traits = by_traits,
    .help = "what a row is about: a figure for all (a table of scores), an item, an annotator" },
  { .name = "sort",
    .kind = SL_OPTION_TEXT,
    .field = offsetof (Options, order.sort),
    .placeholder = "COLUMN",
    .with = "by",
    .of = EACH,
    .help = "order the rows by this column, the largest first; rows without a value come last" },
  { .name = "ascending",
    .kind = SL_OPTION_FLAG,
    .field = offsetof (Options, order.ascending),
    .with = "sort",
    .help = "the smallest first" },
  { .name = "top",
    .kind = SL_OPTION_INTEGER,
    .field = offsetof (Options, order.top),
    .min = 1,
    .max = G_MAXINT32,
    .placeholder = "N",
    .with = "by",
    .of = EACH,
    .help = "only the first N rows" },
  { .name = "min-answers",
    .kind = SL_OPTION_INTEGER,
    .field = offsetof (Options, order.min_answers),
    .min = 0,
    .max = G_MAXINT32,
    .placeholder = "N",
    .with = "by",
    .of = EACH,
    .help = "leave out rows with fewer answers behind them" },
  { .name = "predictions",
    .kind = SL_OPTION_INPUT,
    .field = offsetof (Options, priors.predictions),
    .placeholder = "FILE",
    .with = "by",
    .of = OF_ITEMS,
    .help = "a table of labels, a model's for each item, also of items that nobody "
            "has answered yet; adds ActiveLab's scores" },
  { .name = "temperature",
    .kind = SL_OPTION_REAL,
    .field = offsetof (Options, temperature),
    .min = 0.01,
    .max = 100,
    .placeholder = "T",
    .with = "predictions",
    .help
    = "what the logarithms of the predictions are divided by; 1: nothing. Unless given, found "
      "as cleanlab finds it" },
  { 0 },
};

static SlItems
items_of (const SlGathering *crowd, double *label)
{
  return (SlItems){ .n_items = crowd->tally.n_items,
                    .n_classes = crowd->tally.n_classes,
                    .label = label,
                    .weight = crowd->tally.weight,
                    .gold = crowd->tally.gold };
}

/* ---- all ---- */

typedef struct
{
  const char *metric;
  double value;
  gint64 n;
} Score;

static gboolean
write_scores (SlGathering *crowd, SlTable *table, GError **error)
{
  const SlTally *tally = &crowd->tally;
  gint64 n_items = tally->n_items, n_answers = 0, tested = 0;
  double consistency = 0, entropy = 0, observed = 0, right = 0;
  SlAlpha alpha = sl_votes_alpha (tally->sum, n_items, tally->n_classes);
  for (gint64 i = 0; i < n_items; i++)
    {
      const double *votes = tally->sum + i * tally->n_classes;
      n_answers += (gint64) (tally->weight[i] + 0.5);
      consistency += sl_votes_consistency (votes, tally->n_classes);
      entropy += sl_shares_entropy (votes, tally->n_classes);
      observed += tally->weight[i] >= 2 ? sl_votes_agreement (votes, tally->n_classes) : 0;
      tested += tally->gold[i] >= 0 ? (gint64) (tally->weight[i] + 0.5) : 0;
      right += tally->gold[i] >= 0 ? votes[tally->gold[i]] : 0;
    }
  gint64 some = MAX (n_items, 1);
  const Score scores[] = {
    { "items", (double) n_items, n_items },
    { "annotators", crowd->answers.anonymous ? NAN : sl_intern_size (crowd->answers.annotators),
      crowd->answers.anonymous ? 0 : n_answers },
    { "answers", (double) n_answers, n_answers },
    { "alpha", alpha.alpha, alpha.items },
    { "observed_agreement", alpha.observed, alpha.items },
    { "expected_agreement", alpha.expected, alpha.items },
    { "item_agreement", alpha.items > 0 ? observed / (double) alpha.items : NAN, alpha.items },
    { "consistency", n_items > 0 ? consistency / (double) some : NAN, n_items },
    { "entropy", n_items > 0 ? entropy / (double) some : NAN, n_items },
    { "accuracy", tested > 0 ? right / (double) tested : NAN, tested },
  };
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  for (gsize i = 0; i < G_N_ELEMENTS (scores); i++)
    {
      sl_builder_text (builder, SL_SCORES_METRIC, scores[i].metric, strlen (scores[i].metric));
      sl_builder_real (builder, SL_SCORES_VALUE, scores[i].value);
      sl_builder_int (builder, SL_SCORES_N, scores[i].n);
    }
  return sl_writer_write_built (crowd->run->out, builder, TRUE, error);
}

/* ---- items ---- */

/* Labels as sure as they are right: [n_items][n_classes]. */
static double *
make_labels (SlGathering *crowd, const SlAnswers *answers, GError **error)
{
  gsize size = (gsize) crowd->tally.n_items * (gsize) crowd->tally.n_classes;
  g_autofree double *label = g_memdup2 (crowd->tally.sum, MAX (size, 1) * sizeof *label);
  const SlItems items = items_of (crowd, label);
  const SlMethodSettings settings
      = { .temperature = 1, .tolerance = NAN, .smoothing = NAN, .threads = crowd->run->threads };
  SlLearned nothing = { 0 };
  const SlMethod *method = sl_method_find ("one-coin");
  SlCalibration calibration;
  if (!sl_calibration_find (method->fit, SL_CALIBRATE_POSTERIORS, &items, answers, &settings,
                            &calibration, error)
      || !method->fit (&items, answers, &settings, &nothing, error))
    return NULL;
  sl_calibration_apply (&calibration, &items, &settings);
  return g_steal_pointer (&label);
}

static gboolean
write_items (SlGathering *crowd, SlTable *table, SlPriors *priors, GError **error)
{
  const Options *options = crowd->run->options->values;
  const SlTally *tally = &crowd->tally;
  gint32 n = tally->n_classes;
  g_autofree double *score = priors->predictions != NULL
                                 ? sl_item_scores (crowd, priors, options->temperature, error)
                                 : NULL;
  if (score == NULL && priors->predictions != NULL)
    return FALSE;
  const SlAnswers answers = sl_collected_answers (&crowd->answers);
  g_autofree double *label = tally->n_items > 0 ? make_labels (crowd, &answers, error) : NULL;
  if (label == NULL && tally->n_items > 0)
    return FALSE;
  g_auto (SlCrowd) model;
  sl_crowd_init (&model, label, &answers, n);
  g_autofree double *room = g_new (double, MAX (n, 1));
  g_auto (SlFigureRows) figures = { 0 };
  double **value = figures.value;
  /* Items that only the predictions have come behind the others: there is nothing to say of them
   * but their score. */
  if (!sl_figure_rows_init (&figures, crowd->run, table,
                            score != NULL ? sl_intern_size (crowd->items) : tally->n_items, error))
    return FALSE;
  for (gint32 i = 0; i < figures.n; i++)
    {
      const double *votes = tally->sum + (gsize) i * (gsize) n, *p = label + (gsize) i * (gsize) n;
      value[SL_ITEMS_ANSWERS][i] = i < tally->n_items ? floor (tally->weight[i] + 0.5) : 0;
      if (score != NULL)
        value[SL_ITEMS_ACTIVELAB][i] = score[i];
      if (i >= tally->n_items)
        continue;
      double right = 0;
      for (gint32 k = 0; k < n; k++)
        right += p[k] * votes[k];
      value[SL_ITEMS_AGREEMENT][i] = sl_votes_agreement (votes, n);
      value[SL_ITEMS_CONSISTENCY][i] = sl_votes_consistency (votes, n);
      value[SL_ITEMS_ENTROPY][i] = sl_shares_entropy (votes, n);
      value[SL_ITEMS_DIFFICULTY][i] = CLAMP (1 - right / tally->weight[i], 0, 1);
      value[SL_ITEMS_GAIN][i] = sl_label_gain (p, model.crowd, n, room);
    }
  return sl_figure_rows_write (&figures, crowd->run, table, crowd->items, &options->order, error);
}

/* ---- annotators ---- */

static gboolean
write_annotators (SlGathering *crowd, SlTable *table, GError **error)
{
  const Options *options = crowd->run->options->values;
  const SlAnswers answers = sl_collected_answers (&crowd->answers);
  const SlItems items = items_of (crowd, crowd->tally.sum);
  gsize n = (gsize) items.n_classes;
  g_auto (SlByItem) by;
  sl_by_item_init (&by, &items, &answers, 0);
  g_autofree SlAnswerConduct *conduct = sl_answer_conduct (&by, items.gold);
  g_autofree double *named = g_new0 (double, MAX ((gsize) answers.n_annotators * n, 1));
  for (gint64 j = 0; j < answers.n_answers; j++)
    named[(gsize) answers.annotator[j] * n + (gsize) answers.answer[j]]
        += answers.count != NULL ? answers.count[j] : 1;
  g_auto (SlFigureRows) figures = { 0 };
  double **value = figures.value;
  if (!sl_figure_rows_init (&figures, crowd->run, table, answers.n_annotators, error))
    return FALSE;
  for (gint32 a = 0; a < answers.n_annotators; a++)
    {
      const SlAnswerConduct *own = &conduct[a];
      value[SL_ANNOTATORS_ANSWERS][a] = floor (own->answers + 0.5);
      if (value[SL_ANNOTATORS_ACCURACY] != NULL)
        value[SL_ANNOTATORS_ACCURACY][a]
            = own->tested > 0 ? own->right / own->tested : (double) NAN;
      value[SL_ANNOTATORS_AGREEMENT][a] = own->pairs > 0 ? own->same / own->pairs : (double) NAN;
      value[SL_ANNOTATORS_ENTROPY][a] = sl_shares_entropy (named + (gsize) a * n, items.n_classes);
    }
  return sl_figure_rows_write (&figures, crowd->run, table, crowd->answers.annotators,
                               &options->order, error);
}

static SlTable *
output_table (const Options *options, const SlTable *in)
{
  const SlKind *kinds[] = { &sl_scores, &sl_items, &sl_annotators };
  SlTable *table = sl_table_new (kinds[options->by], NULL);
  if (options->priors.predictions != NULL)
    sl_table_add (table, SL_ITEMS_ACTIVELAB);
  if (options->by != BY_ANNOTATORS)
    return table;
  if (sl_table_has (in, SL_ANNOTATIONS_GOLD))
    sl_table_add (table, SL_ANNOTATORS_ACCURACY);
  sl_table_add (table, SL_ANNOTATORS_AGREEMENT);
  sl_table_add (table, SL_ANNOTATORS_ENTROPY);
  return table;
}

static gboolean
run (SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  const SlTable *in = sl_reader_table (run->in);
  gboolean named = sl_table_has (in, SL_ANNOTATIONS_ANNOTATOR);
  g_autoptr (SlTable) table = output_table (options, in);
  if (!sl_row_order_check (&options->order, table, error))
    return FALSE;
  g_auto (SlPriors) priors = { 0 };
  g_auto (SlGathering) crowd;
  sl_gathering_init (&crowd, run, run->in);
  sl_gathering_collect (&crowd, named);
  if (!named && options->by != BY_ALL)
    {
      g_set_error (
          error, SL_ERROR, SL_ERROR_INPUT,
          "%s: it has no column 'annotator', and whose answers they are must be known here",
          sl_reader_name (run->in));
      return FALSE;
    }
  if (!sl_priors_open (&priors, run, &options->priors, in, error)
      || !sl_gathering_read (&crowd, error) || !sl_run_start (run, table, error))
    return FALSE;
  return options->by == BY_ALL     ? write_scores (&crowd, table, error)
         : options->by == BY_ITEMS ? write_items (&crowd, table, &priors, error)
                                   : write_annotators (&crowd, table, error);
}

static const SlKind *const reads[] = { &sl_annotations, NULL };

const SlCommand sl_command_agreement = {
  .name = "agreement",
  .summary = "how far annotators agree, and where another answer is worth most",
  .arguments = "[FILE…]",
  .reads = reads,
  SL_OPTIONS (option_table, defaults),
  .description
  = "A row of annotations is as many answers as its count says, all its first choice. Attention "
    "checks and rows that `exclude --mark` has marked are left out.\n\n"
    "--by all gives, one a row: the numbers of items, annotators and answers; Krippendorff's alpha "
    "(1: all agree, 0: as by chance), observed and expected agreement, over items with two answers "
    "or more; the mean over those items of the share of pairs that are the same; the mean share of "
    "the commonest answer (consistency); the mean entropy of the answers' shares; and accuracy, "
    "where there is gold.\n\n"
    "--by items adds difficulty, the expected share of wrong answers, and gain, what one more "
    "answer "
    "by the crowd as it is can be expected to take off the label's entropy: ask again where it is "
    "largest. Both by the labels of `aggregate --method one-coin --calibrate`.\n\n"
    "With --predictions, --by items adds activelab, ActiveLab's score (Goh and Mueller; as "
    "cleanlab's "
    "get_active_learning_scores): how sure the class is by CROWDLAB's label, drawn to 1/K by few "
    "answers; ask again where it is least. Items that are in FILE alone have a row too, with no "
    "answers.\n\n"
    "--by annotators gives accuracy on gold, the share of others' answers to the same items that "
    "are the same, and the entropy of the annotator's own; `aggregate --annotators` tells what a "
    "method found them to be worth.",
  .examples = "softlabel agreement votes.parquet\n"
              "    alpha and the other figures\n"
              "softlabel agreement --by items --sort gain --top 10 votes.parquet\n"
              "    the items that another answer would help most\n"
              "softlabel agreement --by annotators --sort agreement --ascending --min-answers 20 "
              "votes.parquet\n"
              "    whose answers are least like those of others\n",
  .run = run,
};
