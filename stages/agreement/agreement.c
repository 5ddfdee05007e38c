/* SPDX-License-Identifier: GPL-3.0-or-later */
/* agreement: annotations in; how annotators agree out: one row a figure, an item or an annotator.
 * Figures that need a label for each item take the one-coin model's, calibrated. */
#include "pipeline/command/options/option-rows.h"
#include "pipeline/command/run.h"
#include "schemas/annotations.h"
#include "stages/common/answers/gathering.h"
#include "stages/common/answers/repeats.h"
#include "stages/common/items/item-texts.h"
#include "stages/common/classes/class-scale.h"
#include "pipeline/table/class-values.h"
#include "pipeline/table/tag-columns.h"
#include "stages/common/figures/pair-agreement.h"
#include "stages/common/figures/vote-figures.h"
#include "stages/common/methods/calibrate.h"
#include "stages/common/methods/held-out.h"
#include "stages/common/priors/prior-files.h"
#include "activelab.h"
#include "all-figures.h"
#include "figure-rows.h"

#include <math.h>
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
                               crowd->annotator_place, order, NULL, error);
}

enum
{
  BY_ALL,
  BY_ITEMS,
  BY_ANNOTATORS,
  BY_PAIRS,
};

typedef struct
{
  int by;
  SlPriorFiles priors; /* predictions */
  double temperature;  /* NaN: found */
  SlRowOrder order;
  int interval; /* 0: by items, 1: none */
  double level, circle;
  gint64 resamples;
  char *group;
  gint64 permutations;
  int repeats; /* SlCounted */
  char *text;
} Options;

static const Options defaults
    = { .temperature = NAN, .level = 0.95, .resamples = 1000, .permutations = 2000 };

static const char *const by_names[] = { "all", "items", "annotators", "pairs", NULL };
/* What --by writes: a row for each of them; rows of items, which predictions can be set beside;
 * figures with intervals; those of all. */
enum
{
  EACH = 1 << 0,
  OF_ITEMS = 1 << 1,
  INTERVALS = 1 << 2,
  OF_ALL = 1 << 3,
};
static const guint32 by_traits[] = { INTERVALS | OF_ALL, EACH | OF_ITEMS, EACH, EACH | INTERVALS };

#define OPTIONS Options

static const SlOption option_table[] = {
  CHOICE ("by", by, by_names,
          "what a row is about: a figure for all (a table of scores), an item, an annotator, two "
          "annotators with an item in common",
          .traits = by_traits),
  TEXT ("group", group, "ATTRIBUTE",
        "an attribute of annotators (`ingest --annotator-columns`, `join --by annotator`), as "
        "gender: how far annotators of one group agree within it and with others, and the figures "
        "of each group alone",
        .with = "by", .of = OF_ALL),
  WHOLE ("permutations", permutations, 0, 1e6, "N",
         "how often groups are permuted among annotators, to test within less between; 0: no test",
         .with = "group"),
  TEXT ("sort", order.sort, "COLUMN",
        "order the rows by this column, the largest first; rows without a value come last",
        .with = "by", .of = EACH),
  FLAG ("ascending", order.ascending, "the smallest first", .with = "sort"),
  WHOLE ("top", order.top, 1, G_MAXINT32, "N", "only the first N rows", .with = "by", .of = EACH),
  WHOLE ("min-answers", order.min_answers, 0, G_MAXINT32, "N",
         "leave out rows with fewer answers behind them; of pairs, items in common", .with = "by",
         .of = EACH),
  CHOICE ("interval", interval, WORDS ("items", "none"),
          "items: the bootstrap over items; where resamples × items are over 50 million, the "
          "jackknife over 200 groups of items. Of pairs, the jackknife over items",
          .with = "by", .of = INTERVALS),
  REAL ("level", level, 0.5, 0.9999, "P", "the share of intervals that hold what they are about",
        .with = "by", .of = INTERVALS),
  WHOLE ("resamples", resamples, 10, 1e6, "N", "how often items are drawn again", .with = "by",
         .of = OF_ALL),
  REAL ("circle", circle, 1e-9, 1e9, "U",
        "ordered classes go round in a circle, and come back after U: 24 for hours, 360 for "
        "degrees; adds alpha_circular",
        .with = "by", .of = OF_ALL),
  SL_REPEATS_OPTION,
  SL_TEXT_OPTION ("what items say, as the column tag_text", .with = "by", .of = OF_ITEMS),
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
                               &crowd->tags, error);
}

static SlTable *
output_table (const Options *options, const SlTable *in)
{
  const SlKind *kinds[] = { &sl_scores, &sl_items, &sl_annotators, &sl_pairs };
  SlTable *table = sl_table_new (kinds[options->by], NULL);
  static const int of_all[] = { SL_SCORES_LOWER, SL_SCORES_UPPER, SL_SCORES_INTERVAL };
  if (options->by == BY_ALL)
    {
      sl_table_add (table, SL_SCORES_REASON);
      sl_table_add (table, SL_SCORES_DEFINITION);
      for (gsize c = 0; c < G_N_ELEMENTS (of_all) && options->interval == 0; c++)
        sl_table_add (table, of_all[c]);
    }
  if (options->group != NULL)
    {
      sl_table_add (table, SL_SCORES_GROUP);
      sl_table_add (table, SL_SCORES_P);
    }
  if (options->by == BY_PAIRS)
    sl_pairs_columns (table, sl_classes_are_ordered (in), options->interval == 0);
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

/* ---- coefficients ---- */

static SlItems
items_of (const SlGathering *crowd)
{
  return (SlItems){ .n_items = crowd->tally.n_items,
                    .n_classes = crowd->tally.n_classes,
                    .label = crowd->tally.sum,
                    .weight = crowd->tally.weight,
                    .gold = crowd->tally.gold };
}

/* Of classes that look like a scale, and are none. */
static void
tell_of_scale (const SlGathering *crowd)
{
  const SlTable *in = sl_reader_table (crowd->from);
  g_autofree char *guess = sl_classes_are_ordered (in) ? NULL : sl_scale_guess (in->classes);
  if (guess != NULL)
    sl_run_note (crowd->run,
                 "the classes look like a scale (%s ... %s), and are taken for names; `softlabel "
                 "cat --ordered` makes them one, and adds coefficients that know it",
                 in->classes[0], in->classes[in->n_classes - 1]);
}

static gboolean
write_all (SlGathering *crowd, const SlHabits *habits, const SlAgreementGroups *groups,
           SlTable *table, GError **error)
{
  const Options *options = crowd->run->options->values;
  const SlTable *in = sl_reader_table (crowd->from);
  const SlAnswers answers = sl_collected_answers (&crowd->answers);
  const SlItems items = items_of (crowd);
  g_auto (SlByItem) by;
  sl_by_item_init (&by, &items, &answers, 0);
  const SlAgreed agreed = { .scale = { .n_classes = items.n_classes,
                                       .value = sl_class_values (in),
                                       .circle = options->circle },
                            .items = &items,
                            .by = crowd->answers.anonymous ? NULL : &by };
  const SlIntervalPlan plan
      = { .bootstrap = { .seed = crowd->run->seed,
                         .resamples = options->interval == 0 ? options->resamples : 0,
                         .threads = crowd->run->threads },
          .level = options->level };
  tell_of_scale (crowd);
  g_autoptr (GArray) scores = g_array_new (FALSE, FALSE, sizeof (SlAgreementFigure));
  return sl_all_figures_add (scores, crowd, habits, &agreed, &plan, error)
         && sl_agreement_groups_figures (groups, crowd, &agreed, &plan, scores, error)
         && sl_all_figures_write (scores, crowd->run, plan.level, groups->key, table, error);
}

static gboolean
write_pairs (SlGathering *crowd, SlTable *table, GError **error)
{
  const Options *options = crowd->run->options->values;
  const SlAnswers answers = sl_collected_answers (&crowd->answers);
  const SlItems items = items_of (crowd);
  g_auto (SlByItem) by;
  sl_by_item_init (&by, &items, &answers, 0);
  tell_of_scale (crowd);
  return sl_pairs_write (crowd, &by, sl_class_values (sl_reader_table (crowd->from)),
                         options->level, &options->order, table, error);
}

/* What is taken from each batch besides the answers. */
typedef struct
{
  SlHabits habits;
  SlAgreementGroups groups;
} Watch;

static void
watch_clear (Watch *watch)
{
  sl_habits_clear (&watch->habits);
  sl_annotator_tags_clear (&watch->groups.tags);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Watch, watch_clear)

static gboolean
watch_batch (gpointer data, SlBatch *batch, GError **error)
{
  Watch *watch = data;
  return sl_habits_add (&watch->habits, batch, error)
         && sl_agreement_groups_add (&watch->groups, batch, error);
}

/* The attribute that groups annotators, if there is to be one. */
static gboolean
find_groups (SlAgreementGroups *groups, const Options *options, SlReader *in, SlTable *table,
             GError **error)
{
  const SlTable *answers = sl_reader_table (in);
  *groups = (SlAgreementGroups){ .column = -1,
                                 .source = sl_reader_name (in),
                                 .permutations = options->permutations };
  if (options->group == NULL)
    return TRUE;
  groups->column = sl_table_attribute (answers, groups->source, options->group, error);
  if (groups->column < 0)
    return FALSE;
  groups->key = answers->spec[groups->column].name;
  sl_annotator_tags_want (&groups->tags, answers, groups->column);
  return sl_table_add_tag_column (table, groups->key, error);
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
  if (options->circle > 0 && !sl_classes_are_ordered (in))
    return sl_error_usage (error, "--circle: the classes are names; `softlabel cat --ordered` says "
                                  "that they are numbers");
  g_auto (SlPriors) priors = { 0 };
  g_auto (SlGathering) crowd;
  sl_gathering_init (&crowd, run, run->in);
  sl_gathering_collect (&crowd, named);
  g_auto (Watch) watch = { 0 };
  sl_habits_init (&watch.habits, run, in);
  if (!find_groups (&watch.groups, options, run->in, table, error))
    return FALSE;
  if (options->by == BY_ALL || options->by == BY_ANNOTATORS)
    {
      crowd.each = watch_batch;
      crowd.each_data = &watch;
    }
  if (!named && (options->by != BY_ALL || options->group != NULL))
    {
      g_set_error (
          error, SL_ERROR, SL_ERROR_INPUT,
          "%s: it has no column 'annotator', and whose answers they are must be known here",
          sl_reader_name (run->in));
      return FALSE;
    }
  g_auto (SlItemTexts) texts = { 0 };
  if (!sl_item_texts_open (&texts, run, options->text, run->in, error))
    return FALSE;
  sl_item_texts_want (&texts, &crowd.tags, in);
  if (!sl_priors_open (&priors, run, &options->priors, in, error)
      || !sl_gathering_read (&crowd, error) || !check_number (&crowd, error)
      || !sl_item_texts_settle (&texts, &crowd.tags, run, crowd.items, table, error)
      || !sl_gathering_arrange (&crowd, FALSE, error) || !sl_run_start (run, table, error))
    return FALSE;
  sl_habits_finish (&watch.habits);
  switch (options->by)
    {
    case BY_ALL:
      return write_all (&crowd, &watch.habits, &watch.groups, table, error);
    case BY_ITEMS:
      return write_items (&crowd, table, &priors, error);
    case BY_PAIRS:
      return write_pairs (&crowd, table, error);
    default:
      return write_annotator_figures (&crowd, &watch.habits, &options->order, table, error);
    }
}

static const SlKind *const reads[] = { &sl_annotations, NULL };

static const SlAlsoWrites also_writes[] = { { &sl_items, "--by items" },
                                            { &sl_annotators, "--by annotators" },
                                            { &sl_pairs, "--by pairs" },
                                            { 0 } };

const SlCommand sl_command_agreement = {
  .name = "agreement",
  .summary = "how far annotators agree, and where another answer is worth most",
  .arguments = "[FILE…]",
  .reads = reads,
  .writes = &sl_scores,
  .also_writes = also_writes,
  .flags = SL_COMMAND_SEEDED,
  .opened = sl_repeats_opened,
  SL_OPTIONS (option_table, defaults),
  .description
  = "A row of annotations is as many answers as its count says, all its first choice. Attention "
    "checks and rows that `exclude --mark` has marked are left out.\n\n"
    "--by all gives, one a row: the numbers of items, annotators and answers; coefficients of "
    "agreement, each with an interval and its definition, or the reason why it has none; the share "
    "of an item's commonest answer (consistency), the entropy of its answers, and accuracy, where "
    "there is gold. The coefficients are Krippendorff's alpha, observed and expected agreement, "
    "Cohen's kappa and Scott's pi (means over each two annotators), Fleiss's kappa, Gwet's AC1 and "
    "Bennett's S; of ordered classes (`ingest --ordered`, `cat --ordered`) also alpha_ordinal, "
    "_interval and _ratio, kappa with linear and quadratic weights, AC2, and intra-class "
    "correlations. An item with one answer has no part in agreement. share_width, the mean width "
    "of the interval of the share of an item's commonest answer, says how well labels are known; "
    "share_width_2x and _4x, how well with twice and four times as many answers. Then, where the "
    "table has what it takes: the share of answers with gold among their first "
    "two choices; means over annotators of both, the least accuracy, the share of annotators above "
    "0.75; how often an item that comes again is answered as before, and by how much the percent "
    "of such an answer changes; mean and quartiles of the seconds.\n\n"
    "--group gender adds rows for groups of annotators: alpha_within (pairs of annotators of one "
    "group), alpha_between (of two groups) and their difference, with the p of a permutation test, "
    "for all groups together and for each against the others; of ordered classes also "
    "alpha_interval_within and so on; then the coefficients of each group's answers alone. The "
    "column `group`, and one named like the attribute, say which rows are whose; annotators "
    "without a value are in no group.\n\n"
    "--by pairs has a row for each two annotators with an item in common: how many items, the "
    "share that they answer alike, Cohen's kappa with its interval (from 10 items on), and Scott's "
    "pi. Pairs without an item in common cost nothing.\n\n"
    "--by items adds difficulty, the expected share of wrong answers, and gain, by how much one "
    "more answer of the same crowd is expected to lower the label's entropy: ask again where it is "
    "largest. Both are computed from the labels of `aggregate --method one-coin --calibrate`.\n\n"
    "With --predictions, --by items adds activelab, ActiveLab's score (Goh and Mueller; as "
    "cleanlab's get_active_learning_scores): how sure the class is by CROWDLAB's label, drawn to "
    "1/K by few answers; ask again where it is least. Items that are in FILE alone have a row too, "
    "with no answers.\n\n"
    "--by annotators gives accuracy on gold, the share of others' answers to the same items that "
    "are the same, and the entropy of the annotator's own; where the table has second choices, "
    "repeats and seconds, also figures of those. `aggregate --annotators` tells what a method "
    "found them to be worth.",
  .examples = "softlabel agreement votes.parquet\n"
              "    alpha and the other figures\n"
              "softlabel agreement --group gender votes.parquet\n"
              "    whether people agree more with their like\n"
              "softlabel agreement --by pairs --sort kappa --ascending --min-answers 20 "
              "votes.parquet\n"
              "    who agrees with whom, the worst first\n"
              "softlabel agreement --by items --sort gain --top 10 votes.parquet\n"
              "    the items that another answer would help most\n"
              "softlabel agreement --by annotators --sort agreement --ascending --min-answers 20 "
              "votes.parquet\n"
              "    whose answers are least like those of others\n",
  .run = run,
};
