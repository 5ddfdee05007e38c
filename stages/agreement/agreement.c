/* SPDX-License-Identifier: GPL-3.0-or-later */
/* agreement: annotations in; how annotators agree out: one row a figure, an item or an annotator.
 * Figures that need a label for each item take the one-coin model's, calibrated. */
#include "pipeline/command/options/option-rows.h"
#include "pipeline/command/run.h"
#include "schemas/annotations.h"
#include "stages/common/answers/gathering.h"
#include "stages/common/figures/pair-agreement.h"
#include "stages/common/figures/vote-figures.h"
#include "stages/common/methods/calibrate.h"
#include "stages/common/methods/held-out.h"
#include "stages/common/priors/prior-files.h"
#include "figure-rows.h"
#include "habits.h"
#include "activelab.h"

#include <math.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <string.h>

/* ---- annotators: a table of annotators ---- */

static void
put (double **value, int column, gint32 a, double figure)
{
  if (value[column] != NULL)
    value[column][a] = figure;
}

/* What annotator A did beside first choices. */
static void
put_habit (double **value, gint32 a, const SlHabits *habits, const SlHabit *habit)
{
  put (value, SL_ANNOTATORS_TOP2_ACCURACY, a,
       habit->tested > 0 ? habit->in_two / habit->tested : (double) NAN);
  put (value, SL_ANNOTATORS_REPEATS, a, habit->repeats);
  put (value, SL_ANNOTATORS_REPEAT_CONSISTENCY, a,
       habit->repeats > 0 ? habit->repeated / habit->repeats : (double) NAN);
  put (value, SL_ANNOTATORS_SECONDS_Q1, a, sl_habits_seconds (habits, habit, 0.25));
  put (value, SL_ANNOTATORS_SECONDS_MEDIAN, a, sl_habits_seconds (habits, habit, 0.5));
  put (value, SL_ANNOTATORS_SECONDS_Q3, a, sl_habits_seconds (habits, habit, 0.75));
}

/* Writes a row for each annotator of CROWD, with what TABLE has of their HABITS, to run->out. */
static gboolean
write_annotator_figures (SlGathering *crowd, const SlHabits *habits, const SlRowOrder *order,
                         SlTable *table, GError **error)
{
  const SlAnswers answers = sl_collected_answers (&crowd->answers);
  const SlItems items = { .n_items = crowd->tally.n_items,
                          .n_classes = crowd->tally.n_classes,
                          .label = crowd->tally.sum,
                          .weight = crowd->tally.weight,
                          .gold = crowd->tally.gold };
  gsize n = (gsize) items.n_classes;
  g_auto (SlByItem) by;
  sl_by_item_init (&by, &items, &answers, 0);
  g_autofree SlAnswerConduct *conduct = sl_answer_conduct (&by, items.gold);
  g_autofree double *named = sl_run_alloc0 (crowd->run, MAX ((gsize) answers.n_annotators, 1),
                                            n * sizeof *named, "annotators × classes sums", error);
  if (named == NULL)
    return FALSE;
  for (gint64 j = 0; j < answers.n_answers; j++)
    named[(gsize) answers.annotator[j] * n + (gsize) answers.answer[j]]
        += answers.count != NULL ? answers.count[j] : 1;
  g_auto (SlFigureRows) figures = { 0 };
  double **value = figures.value;
  if (!sl_figure_rows_init (&figures, crowd->run, table, answers.n_annotators, error))
    return FALSE;
  for (gint32 a = 0; a < answers.n_annotators; a++)
    {
      gint32 place = sl_gathering_annotator_place (crowd, a);
      const SlAnswerConduct *own = &conduct[place];
      value[SL_ANNOTATORS_ANSWERS][a] = floor (own->answers + 0.5);
      put (value, SL_ANNOTATORS_ACCURACY, a,
           own->tested > 0 ? own->right / own->tested : (double) NAN);
      value[SL_ANNOTATORS_AGREEMENT][a] = own->pairs > 0 ? own->same / own->pairs : (double) NAN;
      value[SL_ANNOTATORS_ENTROPY][a]
          = sl_shares_entropy (named + (gsize) place * n, items.n_classes);
      gsize length;
      const char *name = sl_intern_get (crowd->answers.annotators, place, &length);
      put_habit (value, a, habits, sl_habits_find (habits, name, length));
    }
  return sl_figure_rows_write (&figures, crowd->run, table, crowd->answers.annotators,
                               crowd->annotator_place, order, error);
}

/* ---- all answers: a table of scores ---- */

#define GOOD 0.75 /* accuracy of an annotator */

typedef struct
{
  const char *metric;
  double value;
  gint64 n;
} Score;

static void
add (GArray *scores, const char *metric, double value, gint64 n)
{
  Score score = { metric, value, n };
  g_array_append_val (scores, score);
}

/* The share WHOLE has of PART; NaN of nothing. */
static double
share (double part, double whole)
{
  return whole > 0 ? part / whole : (double) NAN;
}

static void
add_agreement (GArray *scores, const SlGathering *crowd)
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
  gboolean named = !crowd->answers.anonymous;
  add (scores, "items", (double) n_items, n_items);
  add (scores, "annotators", named ? sl_intern_size (crowd->answers.annotators) : (double) NAN,
       named ? n_answers : 0);
  add (scores, "answers", (double) n_answers, n_answers);
  add (scores, "alpha", alpha.alpha, alpha.items);
  add (scores, "observed_agreement", alpha.observed, alpha.items);
  add (scores, "expected_agreement", alpha.expected, alpha.items);
  add (scores, "item_agreement", share (observed, (double) alpha.items), alpha.items);
  add (scores, "consistency", share (consistency, (double) n_items), n_items);
  add (scores, "entropy", share (entropy, (double) n_items), n_items);
  add (scores, "accuracy", share (right, (double) tested), tested);
}

/* Means over annotators, each by what they answered about items with gold, in the order of their
 * names: rows' order is not to be seen in the rounding. */
static void
add_annotators (GArray *scores, const SlHabits *habits)
{
  double sum = 0, sum_two = 0, least = NAN, tested = 0, in_two = 0;
  gint64 n = 0, good = 0;
  g_autofree gint32 *order = sl_intern_order (habits->names);
  for (guint a = 0; a < habits->of->len; a++)
    {
      const SlHabit *habit
          = &g_array_index (habits->of, SlHabit, order != NULL ? (guint) order[a] : a);
      tested += habit->tested;
      in_two += habit->in_two;
      if (!(habit->tested > 0))
        continue;
      double own = habit->right / habit->tested;
      n++;
      sum += own;
      sum_two += habit->in_two / habit->tested;
      good += own > GOOD;
      least = isnan (least) ? own : MIN (least, own);
    }
  if (habits->second)
    add (scores, "top2_accuracy", share (in_two, tested), (gint64) (tested + 0.5));
  if (sl_intern_size (habits->names) == 0)
    return;
  add (scores, "annotator_accuracy", share (sum, (double) n), n);
  if (habits->second)
    add (scores, "annotator_top2_accuracy", share (sum_two, (double) n), n);
  add (scores, "annotator_accuracy_least", least, n);
  add (scores, "annotator_accuracy_above_75", share ((double) good, (double) n), n);
}

static void
add_repeats (GArray *scores, const SlHabits *habits)
{
  double repeats = 0, repeated = 0, shifts = 0, shifted = 0;
  for (guint a = 0; a < habits->of->len; a++)
    {
      repeats += g_array_index (habits->of, SlHabit, a).repeats;
      repeated += g_array_index (habits->of, SlHabit, a).repeated;
      shifts += g_array_index (habits->of, SlHabit, a).shifts;
      shifted += g_array_index (habits->of, SlHabit, a).shifted;
    }
  add (scores, "repeat_consistency", share (repeated, repeats), (gint64) repeats);
  if (shifts > 0)
    add (scores, "repeat_percent_change", share (shifted, shifts), (gint64) shifts);
}

static void
add_seconds (GArray *scores, const SlHabits *habits)
{
  static const struct
  {
    const char *metric;
    double share;
  } quantiles[] = { { "seconds_q1", 0.25 }, { "seconds_median", 0.5 }, { "seconds_q3", 0.75 } };
  gsize n = habits->taken->len;
  double *seconds = (double *) (gpointer) habits->taken->data, sum = 0;
  gsl_sort (seconds, 1, n);
  for (gsize i = 0; i < n; i++)
    sum += seconds[i];
  add (scores, "seconds_mean", share (sum, (double) n), (gint64) n);
  for (gsize q = 0; q < G_N_ELEMENTS (quantiles); q++)
    add (scores, quantiles[q].metric,
         n > 0 ? gsl_stats_quantile_from_sorted_data (seconds, 1, n, quantiles[q].share) : NAN,
         (gint64) n);
}

/* Writes the figures of CROWD and of HABITS to run->out, a table of scores. */
static gboolean
write_all_figures (SlGathering *crowd, const SlHabits *habits, SlTable *table, GError **error)
{
  g_autoptr (GArray) scores = g_array_new (FALSE, FALSE, sizeof (Score));
  add_agreement (scores, crowd);
  if (habits->gold)
    add_annotators (scores, habits);
  if (habits->repeat)
    add_repeats (scores, habits);
  if (habits->timed)
    add_seconds (scores, habits);
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  for (guint i = 0; i < scores->len; i++)
    {
      const Score *score = &g_array_index (scores, Score, i);
      sl_builder_text (builder, SL_SCORES_METRIC, score->metric, strlen (score->metric));
      sl_builder_real (builder, SL_SCORES_VALUE, score->value);
      sl_builder_int (builder, SL_SCORES_N, score->n);
    }
  return sl_writer_write_built (crowd->run->out, builder, TRUE, error);
}

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

#define OPTIONS Options

static const SlOption option_table[] = {
  CHOICE ("by", by, by_names,
          "what a row is about: a figure for all (a table of scores), an item, an annotator",
          .traits = by_traits),
  TEXT ("sort", order.sort, "COLUMN",
        "order the rows by this column, the largest first; rows without a value come last",
        .with = "by", .of = EACH),
  FLAG ("ascending", order.ascending, "the smallest first", .with = "sort"),
  WHOLE ("top", order.top, 1, G_MAXINT32, "N", "only the first N rows", .with = "by", .of = EACH),
  WHOLE ("min-answers", order.min_answers, 0, G_MAXINT32, "N",
         "leave out rows with fewer answers behind them", .with = "by", .of = EACH),
  INPUT ("predictions", priors.predictions, "FILE",
         "a table of a model's predictions, or of labels, of each item, also of items that nobody "
         "has answered yet; several rows of an item count as their mean; adds ActiveLab's scores",
         .with = "by", .of = OF_ITEMS),
  REAL ("temperature", temperature, 0.01, 100, "T",
        "what the logarithms of the predictions are divided by; 1: nothing. Unless given, found as "
        "cleanlab finds it",
        .with = "predictions"),
  { 0 },
};

/* ---- items ---- */

/* Labels as sure as they are right: [n_items][n_classes]. */
static double *
make_labels (SlGathering *crowd, const SlAnswers *answers, GError **error)
{
  gsize size = (gsize) crowd->tally.n_items * (gsize) crowd->tally.n_classes;
  g_autofree double *label = g_memdup2 (crowd->tally.sum, MAX (size, 1) * sizeof *label);
  g_autofree guint64 *key = sl_gathering_keys (crowd);
  const SlItems items = { .n_items = crowd->tally.n_items,
                          .n_classes = crowd->tally.n_classes,
                          .label = label,
                          .weight = crowd->tally.weight,
                          .gold = crowd->tally.gold,
                          .key = key };
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

/* The figures of item I, by the labels of all items and the MODEL that made them. ROOM: [classes].
 * VALUE: columns of all items. */
static void
set_figures (const SlGathering *crowd, gint32 i, const double *label, const SlCrowd *model,
             double *room, double **value)
{
  const SlTally *tally = &crowd->tally;
  gint32 n = tally->n_classes, place = sl_gathering_place (crowd, i);
  const double *votes = tally->sum + (gsize) place * (gsize) n;
  const double *p = label + (gsize) place * (gsize) n;
  double right = 0, weight = tally->weight[place];
  for (gint32 k = 0; k < n; k++)
    right += p[k] * votes[k];
  value[SL_ITEMS_ANSWERS][i] = floor (weight + 0.5);
  value[SL_ITEMS_AGREEMENT][i] = sl_votes_agreement (votes, n);
  value[SL_ITEMS_CONSISTENCY][i] = sl_votes_consistency (votes, n);
  value[SL_ITEMS_ENTROPY][i] = sl_shares_entropy (votes, n);
  value[SL_ITEMS_DIFFICULTY][i] = CLAMP (1 - right / weight, 0, 1);
  value[SL_ITEMS_GAIN][i] = sl_label_gain (p, model->crowd, n, room);
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
  /* Labels of all answers, and for calibration of those that are seen, twice; the crowd's table. */
  if (!sl_run_claim_array (
          crowd->run, (gsize) n,
          ((gsize) n + 2 * (gsize) answers.n_annotators + 3 * (gsize) tally->n_items)
              * sizeof (double),
          "labels, and a table of classes × classes", error))
    return FALSE;
  g_autofree double *label = tally->n_items > 0 ? make_labels (crowd, &answers, error) : NULL;
  if (label == NULL && tally->n_items > 0)
    return FALSE;
  g_auto (SlCrowd) model;
  sl_crowd_init (&model, label, &answers, n);
  g_autofree double *room = g_new (double, MAX (n, 1));
  g_auto (SlFigureRows) figures = { 0 };
  /* Items that only the predictions have come behind the others: there is nothing to say of them
   * but their score. */
  if (!sl_figure_rows_init (&figures, crowd->run, table,
                            score != NULL ? sl_intern_size (crowd->items) : tally->n_items, error))
    return FALSE;
  for (gint32 i = 0; i < figures.n; i++)
    {
      figures.value[SL_ITEMS_ANSWERS][i] = 0;
      if (score != NULL)
        figures.value[SL_ITEMS_ACTIVELAB][i] = score[i];
      if (i < tally->n_items)
        set_figures (crowd, i, label, &model, room, figures.value);
    }
  return sl_figure_rows_write (&figures, crowd->run, table, crowd->items, NULL, &options->order,
                               error);
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
  if (sl_table_has (in, SL_ANNOTATIONS_GOLD) && sl_table_has (in, SL_ANNOTATIONS_CHOICES))
    sl_table_add (table, SL_ANNOTATORS_TOP2_ACCURACY);
  for (int c = SL_ANNOTATORS_REPEATS; c <= SL_ANNOTATORS_REPEAT_CONSISTENCY; c++)
    if (sl_table_has (in, SL_ANNOTATIONS_REPEAT))
      sl_table_add (table, c);
  for (int c = SL_ANNOTATORS_SECONDS_Q1; c <= SL_ANNOTATORS_SECONDS_Q3; c++)
    if (sl_table_has (in, SL_ANNOTATIONS_SECONDS))
      sl_table_add (table, c);
  return table;
}

/* Answers are counted in 64 bits; sums of them are exact enough to see that they have no room. */
static gboolean
check_number (const SlGathering *crowd, GError **error)
{
  double n = 0;
  for (gint32 i = 0; i < crowd->tally.n_items; i++)
    n += crowd->tally.weight[i];
  return n < 0x1p63
         || sl_error_bad_input (error, "%s: its counts add up to 2^63 answers or more",
                                sl_reader_name (crowd->from));
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
  g_auto (SlHabits) habits;
  sl_habits_init (&habits, run, in);
  if (options->by != BY_ITEMS)
    {
      crowd.each = sl_habits_add;
      crowd.each_data = &habits;
    }
  if (!named && options->by != BY_ALL)
    {
      g_set_error (
          error, SL_ERROR, SL_ERROR_INPUT,
          "%s: it has no column 'annotator', and whose answers they are must be known here",
          sl_reader_name (run->in));
      return FALSE;
    }
  if (!sl_priors_open (&priors, run, &options->priors, in, error)
      || !sl_gathering_read (&crowd, error) || !check_number (&crowd, error)
      || !sl_gathering_arrange (&crowd, FALSE, error) || !sl_run_start (run, table, error))
    return FALSE;
  sl_habits_finish (&habits);
  return options->by == BY_ALL ? write_all_figures (&crowd, &habits, table, error)
         : options->by == BY_ITEMS
             ? write_items (&crowd, table, &priors, error)
             : write_annotator_figures (&crowd, &habits, &options->order, table, error);
}

static const SlKind *const reads[] = { &sl_annotations, NULL };

static const SlAlsoWrites also_writes[]
    = { { &sl_items, "--by items" }, { &sl_annotators, "--by annotators" }, { 0 } };

const SlCommand sl_command_agreement = {
  .name = "agreement",
  .summary = "how far annotators agree, and where another answer is worth most",
  .arguments = "[FILE…]",
  .reads = reads,
  .writes = &sl_scores,
  .also_writes = also_writes,
  SL_OPTIONS (option_table, defaults),
  .description
  = "A row of annotations is as many answers as its count says, all its first choice. Attention "
    "checks and rows that `exclude --mark` has marked are left out.\n\n"
    "--by all gives, one a row: the numbers of items, annotators and answers; Krippendorff's alpha "
    "(1: all agree, 0: as by chance), observed and expected agreement, over items with two answers "
    "or more; the mean over those items of the share of pairs that are the same; the mean share of "
    "the commonest answer (consistency); the mean entropy of the answers' shares; and accuracy, "
    "where there is gold. Then, where the table has what it takes: the share of answers with gold "
    "among their first two choices; means over annotators of both, the least accuracy, the share "
    "of annotators above 0.75; how often an item that comes again is answered as before, and by "
    "how much the percent of such an answer changes; mean and "
    "quartiles of the seconds.\n\n"
    "--by items adds difficulty, the expected share of wrong answers, and gain, what one more "
    "answer by the crowd as it is can be expected to take off the label's entropy: ask again where "
    "it is largest. Both by the labels of `aggregate --method one-coin --calibrate`.\n\n"
    "With --predictions, --by items adds activelab, ActiveLab's score (Goh and Mueller; as "
    "cleanlab's get_active_learning_scores): how sure the class is by CROWDLAB's label, drawn to "
    "1/K by few answers; ask again where it is least. Items that are in FILE alone have a row too, "
    "with no answers.\n\n"
    "--by annotators gives accuracy on gold, the share of others' answers to the same items that "
    "are the same, and the entropy of the annotator's own; with second choices, repeats and "
    "seconds in the table also those. `aggregate --annotators` tells what a method found them to "
    "be worth.",
  .examples = "softlabel agreement votes.parquet\n"
              "    alpha and the other figures\n"
              "softlabel agreement --by items --sort gain --top 10 votes.parquet\n"
              "    the items that another answer would help most\n"
              "softlabel agreement --by annotators --sort agreement --ascending --min-answers 20 "
              "votes.parquet\n"
              "    whose answers are least like those of others\n",
  .run = run,
};
