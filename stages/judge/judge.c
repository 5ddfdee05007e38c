/* SPDX-License-Identifier: GPL-3.0-or-later */
/* judge: answers of judges in, such as language models, labels made of them, or predictions; how
 * they stand beside people out, a row a figure: how common each class is, corrected by a slice of
 * gold (corrected-rate.h), and whether a judge may take a person's place (alternative.h). */
#include "pipeline/base/intern/intern.h"
#include "pipeline/base/largest.h"
#include "pipeline/command/options/option-rows.h"
#include "pipeline/command/run.h"
#include "pipeline/table/class-values.h"
#include "schemas/annotations.h"
#include "stages/common/answers/answers-by-item.h"
#include "stages/common/answers/gathering.h"
#include "stages/common/answers/repeats.h"
#include "stages/common/classes/class-map.h"
#include "stages/common/figures/chances.h"
#include "stages/common/items/item-values.h"
#include "stages/common/tables/row-conditions.h"
#include "alternative.h"
#include "corrected-rate.h"

#include <math.h>
#include <string.h>

typedef struct
{
  char *gold, *people, *class;
  double level;
  SlAlternativeSettings test;
  int repeats; /* SlCounted */
} Options;

static const Options defaults
    = { .level = 0.95, .test = { .epsilon = 0.2, .rate = 0.05, .least_items = 30 } };

#define OPTIONS Options

static const SlOption option_table[] = {
  INPUT ("gold", gold, "FILE",
         "the true classes of a slice of the items, drawn at random: the column 'gold', or FILE (a "
         "table, CSV, JSON lines or Parquet with item and gold)",
         .by_itself = "column"),
  INPUT ("people", people, "FILE", "annotations of people, to hold the judges against"),
  TEXT ("class", class, "NAME", "the class whose rate is wanted; unless given, of each",
        .with = "gold"),
  REAL ("epsilon", test.epsilon, 0, 1, "E",
        "what a judge may be worse than a person, as people cost more: 0.2 of experts, 0.15 of "
        "skilled people, 0.1 of a crowd",
        .with = "people"),
  REAL ("fdr", test.rate, 0, 1, "Q", "the share of false discoveries among people",
        .with = "people"),
  WHOLE ("least-items", test.least_items, 2, 1e9, "N",
         "people who share fewer items with the judge and with others are not tested",
         .with = "people"),
  REAL ("level", level, 0.5, 0.9999, "P", "the share of intervals that hold what they are about"),
  SL_REPEATS_OPTION,
  { 0 },
};

/* What one judge says, of each item once. */
typedef struct
{
  gint64 n;
  gint32 *item;  /* [n] */
  double *share; /* [n][classes] */
} Judge;

typedef struct
{
  SlRun *run;
  SlTable *table;
  SlBuilder *builder;
  SlGathering judges, crowd;
  SlReader *people_file;
  SlItemValues gold_file;
  gint32 *gold; /* [items]; -1: not known */
  SlPeople people;
  gint32 *of_people; /* [items]: the number among people's items; -1: none */
  gint64 *first;     /* memory of people's */
  gint32 *person, *answer;
} Judging;

static void
judging_clear (Judging *judging)
{
  sl_gathering_clear (&judging->judges);
  sl_gathering_clear (&judging->crowd);
  g_clear_pointer (&judging->people_file, sl_reader_free);
  sl_item_values_clear (&judging->gold_file);
  g_clear_pointer (&judging->builder, sl_builder_free);
  g_clear_pointer (&judging->table, sl_table_unref);
  g_free (judging->gold);
  g_free (judging->of_people);
  g_free (judging->first);
  g_free (judging->person);
  g_free (judging->answer);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Judging, judging_clear)

/* ---- reading ---- */

static gboolean
read_judges (Judging *judging, GError **error)
{
  SlGathering *judges = &judging->judges;
  sl_gathering_init (judges, judging->run, judging->run->in);
  sl_gathering_collect (judges,
                        sl_table_column (sl_reader_table (judging->run->in), "annotator") >= 0);
  if (!sl_gathering_read (judges, error))
    return FALSE;
  return sl_gathering_arrange (judges, FALSE, error);
}

/* judging->gold, by the items' places: from the file, or from the table. */
static gboolean
find_gold (Judging *judging, GError **error)
{
  const Options *options = judging->run->options->values;
  const SlGathering *judges = &judging->judges;
  gint32 n = judges->tally.n_items, known = 0;
  judging->gold = g_new (gint32, MAX (n, 1));
  for (gint32 i = 0; i < n; i++)
    {
      gint32 place = sl_gathering_place (judges, i), *gold = &judging->gold[place];
      gsize length;
      const char *name = sl_intern_get (judges->items, i, &length);
      *gold = judges->tally.gold[place];
      if (strcmp (options->gold, "column") != 0
          && !sl_item_values_class (&judging->gold_file, 0,
                                    sl_item_values_find (&judging->gold_file, name, length), gold,
                                    error))
        return FALSE;
      known += *gold >= 0;
    }
  sl_run_note (judging->run, "items with a gold class: %d of %d", known, n);
  return known > 0 || sl_error_bad_input (error, "no item of the judges has a gold class");
}

/* People's answers, item by item. */
static gboolean
read_people (Judging *judging, const char *path, GError **error)
{
  static const SlKind *const kinds[] = { &sl_annotations, NULL };
  SlGathering *crowd = &judging->crowd;
  SlReader *reader = sl_run_open (judging->run, "people", path, kinds, error);
  judging->people_file = reader;
  if (reader == NULL)
    return FALSE;
  g_autofree gint32 *map = sl_class_map (reader, sl_reader_table (judging->run->in), error);
  if (map == NULL)
    return FALSE;
  if (!sl_table_has (sl_reader_table (reader), SL_ANNOTATIONS_ANNOTATOR))
    return sl_error_bad_input (error, "%s: it has no column 'annotator', and who answered matters",
                               path);
  sl_gathering_init (crowd, judging->run, reader);
  sl_gathering_collect (crowd, TRUE);
  if (!sl_gathering_read (crowd, error))
    return FALSE;
  if (!sl_gathering_arrange (crowd, FALSE, error))
    return FALSE;
  const SlAnswers answers = sl_collected_answers (&crowd->answers);
  gint32 n_items = crowd->tally.n_items;
  judging->first = g_new0 (gint64, (gsize) n_items + 1);
  judging->person = g_new (gint32, MAX (answers.n_answers, 1));
  judging->answer = g_new (gint32, MAX (answers.n_answers, 1));
  for (gint64 j = 0; j < answers.n_answers; j++)
    {
      judging->person[j] = answers.annotator[j];
      judging->answer[j] = map[answers.answer[j]];
      judging->first[answers.item[j] + 1] = j + 1;
    }
  for (gint32 i = 1; i <= n_items; i++)
    judging->first[i] = MAX (judging->first[i], judging->first[i - 1]);
  judging->people = (SlPeople){ .n_items = n_items,
                                .n_people = answers.n_annotators,
                                .first = judging->first,
                                .person = judging->person,
                                .answer = judging->answer,
                                .value = sl_class_values (sl_reader_table (judging->run->in)) };
  return TRUE;
}

/* Which of people's items the judges' are. */
static gboolean
match_items (Judging *judging, const char *path, GError **error)
{
  const SlGathering *judges = &judging->judges, *crowd = &judging->crowd;
  gint32 n = judges->tally.n_items, met = 0;
  judging->of_people = g_new (gint32, MAX (n, 1));
  for (gint32 i = 0; i < n; i++)
    {
      gsize length;
      const char *name = sl_intern_get (judges->items, i, &length);
      gint32 there = sl_intern_find (crowd->items, name, length);
      judging->of_people[sl_gathering_place (judges, i)]
          = there >= 0 ? sl_gathering_place (crowd, there) : -1;
      met += there >= 0;
    }
  sl_run_note (judging->run, "items that people answered, too: %d of %d", met, n);
  return met > 0
         || sl_error_bad_input (error, "%s: no item of it is among those of the judges", path);
}

/* The answers ROW[n] of one judge, in the order of items, as the mean of each item's, by the votes
 * behind them. */
static void
take_judge (const SlAnswers *answers, const gint64 *row, gint64 n, gint32 n_classes, Judge *judge)
{
  gsize k = (gsize) n_classes;
  judge->n = 0;
  for (gint64 r = 0, end; r < n; r = end)
    {
      gint32 item = answers->item[row[r]];
      double *share = judge->share + (gsize) judge->n * k, votes = 0;
      memset (share, 0, k * sizeof *share);
      for (end = r; end < n && answers->item[row[end]] == item; end++)
        {
          double count = answers->count != NULL ? answers->count[row[end]] : 1;
          votes += count;
          if (answers->distribution == NULL)
            share[answers->answer[row[end]]] += count;
          else
            for (gsize c = 0; c < k; c++)
              share[c] += count * answers->distribution[(gsize) row[end] * k + c];
        }
      for (gsize c = 0; c < k; c++)
        share[c] /= votes;
      judge->item[judge->n++] = item;
    }
}

/* ---- writing ---- */

typedef struct
{
  const char *metric, *interval, *definition;
} Figure;

static gboolean
write_figure (Judging *judging, const char *group, const Figure *figure, SlRate rate, gint64 n,
              GError **error)
{
  SlBuilder *builder = judging->builder;
  const char *reason = rate.reason != NULL ? rate.reason : "";
  const char *kind = isnan (rate.lower) ? "" : figure->interval;
  const Options *options = judging->run->options->values;
  g_autofree char *interval
      = *kind != '\0' ? g_strdup_printf ("%.4g %% %s", 100 * options->level, kind) : g_strdup ("");
  sl_builder_text (builder, SL_SCORES_GROUP, group, strlen (group));
  sl_builder_text (builder, SL_SCORES_METRIC, figure->metric, strlen (figure->metric));
  sl_builder_real (builder, SL_SCORES_VALUE, rate.value);
  sl_builder_real (builder, SL_SCORES_LOWER, rate.lower);
  sl_builder_real (builder, SL_SCORES_UPPER, rate.upper);
  sl_builder_int (builder, SL_SCORES_N, n);
  sl_builder_text (builder, SL_SCORES_REASON, reason, strlen (reason));
  sl_builder_text (builder, SL_SCORES_INTERVAL, interval, strlen (interval));
  sl_builder_text (builder, SL_SCORES_DEFINITION, figure->definition, strlen (figure->definition));
  return sl_writer_write_built (judging->run->out, builder, FALSE, error);
}

#define SLICE_ITEMS "Wilson over items"

static const Figure judged_rate
    = { "rate_judged", SLICE_ITEMS, "share of the items that the judge gives the class" },
    gold_rate = { "rate_gold", SLICE_ITEMS, "share of the slice of gold that has the class" },
    rogan_gladen_rate
    = { "rate_rogan_gladen", "delta method over items",
        "(share named + specificity - 1) / (sensitivity + specificity - 1), both of the slice" },
    predicted_rate = { "rate_ppi", "Wilson over items",
                       "prediction-powered: λ mean p of the items without gold + mean of y - λ p "
                       "over the slice, λ = cov (y, p) / ((1 + m / N) var p)" },
    gold_worth = { "gold_worth", "", "items of gold that alone would tell as much as rate_ppi" },
    accuracy = { "accuracy", SLICE_ITEMS, "share of the slice whose class the judge names" },
    agreement = { "agreement", "t over items",
                  "mean over items of the share of people's answers that are the judge's" },
    of_people = { "agreement_of_people", "t over items",
                  "the same of each person's answer and the others', over the same items" },
    advantage = { "advantage", "t over items",
                  "ρ: mean over people of the share of items on which the judge is as near to the "
                  "others as the person, or nearer" },
    winning = { "winning_rate", "",
                "ω: share of people beside whom the judge is no worse than ε; 0.5 or more passes "
                "the alternative annotator test (Calderon et al. 2025)" };

/* "annotator=gpt, class=toxic"; KEY NULL: of the judge alone. */
static char *
group_text (const char *judge, const char *key, const char *value)
{
  g_autoptr (GString) text = g_string_new (NULL);
  if (judge != NULL)
    sl_group_append (text, "annotator", judge);
  if (key != NULL)
    sl_group_append (text, key, value);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static gboolean
write_rates (Judging *judging, const Judge *judge, const char *name, gint32 class, GError **error)
{
  const Options *options = judging->run->options->values;
  gsize k = (gsize) judging->judges.tally.n_classes, n = (gsize) judge->n;
  g_autofree double *said = g_new (double, MAX (n, 1));
  g_autofree guint8 *named = g_new (guint8, MAX (n, 1));
  g_autofree gint8 *truth = g_new (gint8, MAX (n, 1));
  for (gsize i = 0; i < n; i++)
    {
      gint32 gold = judging->gold[judge->item[i]];
      said[i] = judge->share[i * k + (gsize) class];
      named[i] = sl_largest (judge->share + i * k, (gint32) k) == class;
      truth[i] = gold < 0 ? -1 : gold == class;
    }
  SlRates rates;
  const SlJudgedClass judged = { judge->n, said, named, truth };
  sl_corrected_rates (&judged, options->level, &rates);
  g_autofree char *group
      = group_text (name, "class", sl_reader_table (judging->run->in)->classes[class]);
  const SlRate worth = { rates.worth, NAN, NAN, rates.predicted.reason };
  return write_figure (judging, group, &judged_rate, rates.judged, rates.n, error)
         && write_figure (judging, group, &gold_rate, rates.gold, rates.n_gold, error)
         && write_figure (judging, group, &rogan_gladen_rate, rates.rogan_gladen, rates.n, error)
         && write_figure (judging, group, &predicted_rate, rates.predicted, rates.n, error)
         && write_figure (judging, group, &gold_worth, worth, rates.n_gold, error);
}

/* How often the judge is right on the slice. */
static gboolean
write_accuracy (Judging *judging, const Judge *judge, const char *group, GError **error)
{
  const Options *options = judging->run->options->values;
  gint32 k = judging->judges.tally.n_classes;
  gint64 n = 0, right = 0;
  for (gint64 i = 0; i < judge->n; i++)
    {
      gint32 gold = judging->gold[judge->item[i]];
      n += gold >= 0;
      right += gold >= 0 && sl_largest (judge->share + i * k, k) == gold;
    }
  SlRate rate = { NAN, NAN, NAN, n > 0 ? NULL : "no item of the judge has a gold class" };
  if (n > 0)
    {
      rate.value = (double) right / (double) n;
      sl_wilson ((double) right, (double) n, options->level, &rate.lower, &rate.upper);
    }
  return write_figure (judging, group, &accuracy, rate, n, error);
}

static SlRate
rate_of (SlMeanFigure mean, const char *none)
{
  return (SlRate){ mean.value, mean.lower, mean.upper,
                   isnan (mean.value)   ? none
                   : isnan (mean.lower) ? "no interval: it is of fewer than 10 items"
                                        : NULL };
}

static gboolean
write_test (Judging *judging, const Judge *judge, const char *group, GError **error)
{
  const Options *options = judging->run->options->values;
  SlAlternativeSettings settings = options->test;
  settings.level = options->level;
  gint32 k = judging->judges.tally.n_classes, n = judging->people.n_items;
  g_autofree gint32 *class = g_new (gint32, MAX (n, 1));
  memset (class, 0xff, (gsize) n * sizeof *class);
  for (gint64 i = 0; i < judge->n; i++)
    if (judging->of_people[judge->item[i]] >= 0)
      class[judging->of_people[judge->item[i]]] = sl_largest (judge->share + i * k, k);
  SlAlternative test;
  sl_alternative_test (&judging->people, class, &settings, &test);
  g_autofree char *few = g_strdup_printf ("nobody shares %" G_GINT64_FORMAT
                                          " items with the judge and with others (--least-items)",
                                          settings.least_items);
  const char *none = "no item has two people's answers and the judge's";
  const SlRate won = { test.winning, NAN, NAN, isnan (test.winning) ? few : NULL };
  return write_figure (judging, group, &agreement, rate_of (test.agreement, none), test.agreement.n,
                       error)
         && write_figure (judging, group, &of_people, rate_of (test.of_people, none),
                          test.of_people.n, error)
         && write_figure (judging, group, &advantage, rate_of (test.advantage, few),
                          test.advantage.n, error)
         && write_figure (judging, group, &winning, won, test.n_people, error);
}

static gboolean
write_judge (Judging *judging, const Judge *judge, const char *name, GError **error)
{
  const Options *options = judging->run->options->values;
  const SlTable *in = sl_reader_table (judging->run->in);
  g_autofree char *group = group_text (name, NULL, NULL);
  gint32 only = options->class != NULL ? sl_table_class (in, options->class, -1) : -1;
  for (gint32 k = 0; options->gold != NULL && k < in->n_classes; k++)
    if ((only < 0 || k == only) && !write_rates (judging, judge, name, k, error))
      return FALSE;
  return (options->gold == NULL || write_accuracy (judging, judge, group, error))
         && (options->people == NULL || write_test (judging, judge, group, error));
}

static gboolean
write_judges (Judging *judging, GError **error)
{
  const SlAnswers answers = sl_collected_answers (&judging->judges.answers);
  gint32 k = judging->judges.tally.n_classes, n_judges = answers.n_annotators;
  gsize n = (gsize) MAX (answers.n_answers, 1);
  gsize bytes = n * (sizeof (gint64) + sizeof (gint32) + (gsize) k * sizeof (double));
  if (!sl_run_claim (judging->run, bytes, "what one judge says of every item", error))
    return FALSE;
  g_autofree gint64 *row = g_new (gint64, n), *end = g_new0 (gint64, (gsize) n_judges + 1);
  for (gint64 j = 0; j < answers.n_answers; j++)
    end[answers.annotator[j] + 1]++;
  for (gint32 a = 0; a < n_judges; a++)
    end[a + 1] += end[a];
  for (gint64 j = 0; j < answers.n_answers; j++)
    row[end[answers.annotator[j]]++] = j; /* end[a] is where a's rows end, now */
  g_autofree gint32 *item = g_new (gint32, n);
  g_autofree double *share = g_new (double, n *(gsize) k);
  Judge judge = { 0, item, share };
  gboolean named = !judging->judges.answers.anonymous;
  for (gint32 a = 0; a < n_judges; a++)
    {
      gint32 place = sl_gathering_annotator_place (&judging->judges, a);
      gint64 from = place > 0 ? end[place - 1] : 0;
      gsize length = 0;
      const char *text
          = named ? sl_intern_get (judging->judges.answers.annotators, place, &length) : NULL;
      g_autofree char *name = named ? g_strndup (text, length) : NULL;
      take_judge (&answers, row + from, end[place] - from, k, &judge);
      if (!write_judge (judging, &judge, name, error))
        return FALSE;
    }
  return sl_writer_write_built (judging->run->out, judging->builder, TRUE, error);
}

static gboolean
open_references (Judging *judging, GError **error)
{
  const Options *options = judging->run->options->values;
  SlTable *in = sl_reader_table (judging->run->in);
  const char *name = sl_reader_name (judging->run->in);
  if (in->n_classes == 0)
    return sl_error_bad_input (error, "%s: it names no classes", name);
  if (options->class != NULL && sl_table_class (in, options->class, -1) < 0)
    return sl_error_bad_input (error, "%s: it has no class '%s', which --class names", name,
                               options->class);
  if (options->gold != NULL && strcmp (options->gold, "column") == 0)
    return sl_table_column (in, "gold") >= 0
           || sl_error_bad_input (error, "%s: it has no column 'gold'", name);
  return options->gold == NULL
         || sl_item_values_gold (&judging->gold_file, judging->run, options->gold, in, error);
}

static gboolean
run (SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  g_auto (Judging) judging = { .run = run, .table = sl_table_new (&sl_scores, NULL) };
  const int columns[] = { SL_SCORES_GROUP,  SL_SCORES_LOWER,    SL_SCORES_UPPER,
                          SL_SCORES_REASON, SL_SCORES_INTERVAL, SL_SCORES_DEFINITION };
  for (gsize c = 0; c < G_N_ELEMENTS (columns); c++)
    sl_table_add (judging.table, columns[c]);
  judging.builder = sl_builder_new (judging.table);
  return open_references (&judging, error) && read_judges (&judging, error)
         && (options->gold == NULL || find_gold (&judging, error))
         && (options->people == NULL
             || (read_people (&judging, options->people, error)
                 && match_items (&judging, options->people, error)))
         && sl_run_start (run, judging.table, error) && write_judges (&judging, error);
}

static gboolean
check_options (SlOptions *given, GError **error)
{
  const Options *options = given->values;
  return options->gold != NULL || options->people != NULL
         || sl_error_usage (error, "beside what? give --gold, --people FILE or both");
}

/* One answer of a person to an item counts, the first unless something else is asked for. With
 * --people, judges need not be named: then they have no repeats. */
static gboolean
opened (SlRun *run, const char *option, SlReader *reader, GError **error)
{
  const Options *options = run->options->values;
  if (options->people != NULL && sl_table_column (sl_reader_table (reader), "annotator") < 0)
    return TRUE;
  static const SlCounted once[] = { [SL_COUNTED_ALL] = SL_COUNTED_FIRST,
                                    [SL_COUNTED_FIRST] = SL_COUNTED_FIRST,
                                    [SL_COUNTED_LAST] = SL_COUNTED_LAST,
                                    [SL_COUNTED_UNMARKED] = SL_COUNTED_UNMARKED_FIRST };
  return g_strcmp0 (option, "people") != 0
             ? sl_repeats_opened (run, option, reader, error)
             : sl_repeats_sift (run, option, reader, once[options->repeats], TRUE, error);
}

static const SlKind *const reads[] = { &sl_annotations, &sl_labels, &sl_predictions, NULL };

const SlCommand sl_command_judge = {
  .name = "judge",
  .summary = "how language models and other judges stand beside people",
  .arguments = "[FILE…]",
  .reads = reads,
  .writes = &sl_scores,
  .opened = opened,
  SL_OPTIONS (option_table, defaults),
  .description
  = "Reads what judges answered, each annotator being one, labels that were made of their "
    "answers, or a model's predictions; several answers of a judge to an item count as their "
    "mean.\n\n"
    "With --gold: how common each class is. A judge who errs gives another share of the items a "
    "class than have it, however many it judges; a slice of items whose class is known tells how "
    "far. rate_judged is what the judge says of all items, rate_gold what the slice says alone, "
    "rate_rogan_gladen the first one corrected by sensitivity and specificity, rate_ppi the two "
    "put together by prediction-powered inference; its interval is no wider than gold alone makes "
    "it but for chance, and gold_worth tells how many items of gold it is worth. The slice is to "
    "be drawn at random (`softlabel select --sample`): items chosen because somebody doubts them "
    "do not stand for the others. Answers that are distributions count with what they give the "
    "class.\n\n"
    "With --people: whether a judge may take a person's place. agreement is how far it agrees with "
    "people, agreement_of_people how far they agree with one another. In the alternative annotator "
    "test each person in turn is left out, and the judge and the person are held against the "
    "others; the judge wins where it is nearer to them, or not --epsilon farther off. advantage "
    "is how often it is as near or nearer, winning_rate the share of people beside whom it "
    "wins; from 0.5 on the judge may stand in. It wants 3 people or more, each with --least-items "
    "items. One answer of a person to an item counts, the first one, with --repeats last the last, "
    "with drop the first of those that are not marked.\n\n"
    "Memory: the answers, and items × classes.",
  .examples
  = "softlabel judge --gold slice.csv --class toxic verdicts.parquet\n"
    "    each judge's rate of toxic items, corrected\n"
    "softlabel aggregate --method auto verdicts.parquet | softlabel judge --gold slice.csv\n"
    "    the same of all judges together\n"
    "softlabel judge --people crowd.parquet verdicts.parquet\n"
    "    which judge may take a person's place\n",
  .check = check_options,
  .run = run,
};
