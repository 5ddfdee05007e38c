/* SPDX-License-Identifier: GPL-3.0-or-later */
/* simulate elicit: labels or answers in; simulated answers about the same items out, or a label of
 * each answer. The model is in simulator/elicitation.c. Labels are made as
 * `redistribute --top 2 --spread clamp` makes them. */
#include "pipeline/base/number-text.h"
#include "pipeline/command/options/option-rows.h"
#include "pipeline/command/run-passes.h"
#include "schemas/labels.h"
#include "stages/common/answers/gathering.h"
#include "stages/common/answers/repeats.h"
#include "simulator/elicitation.h"

#include <math.h>
#include <string.h>

enum
{
  AS_ANNOTATIONS,
  AS_LABELS,
};

/* Any other --group is one more than its SlGroup. */
enum
{
  BY_ENTROPY,
};

typedef struct
{
  char *model;
  char *annotators;        /* how many, or FROM-TO; NULL: 1 */
  gint64 answers;          /* an item; 0: one of each annotator */
  int people;              /* 0 differ, 1 alike */
  char *crowd, *confusion; /* at most one of them */
  gboolean study;
  int as;                 /* AS_... */
  double gamma;           /* [0, 1] */
  double step;            /* percents are multiples of it; 0: any number */
  int group;              /* BY_ENTROPY, or 1 + SlGroup */
  double route_threshold; /* NaN: the model's */
  int repeats;            /* SlCounted */
} Options;

static const Options defaults = { .gamma = 0.1, .route_threshold = (double) NAN };

static const char *const as_names[] = { "annotations", "labels", NULL };
static const char *const people_names[] = { "differ", "alike", NULL };
static const char *const group_names[] = { "entropy", "all", "high", "low", NULL };

#define OPTIONS Options

static const SlOption option_table[] = {
  INPUT ("model", model, "FILE", "the simulator, from `softlabel simulate fit`; must be given"),
  TEXT (
      "annotators", annotators, "M|FROM-TO",
      "answer as M annotators, sim1 to simM, or as those from simFROM to simTO, so that several "
      "runs can share them out; all of them answer each item, unless --answers-per-item is given. "
      "Unless given, 1"),
  WHOLE ("answers-per-item", answers, 1, 1e5, "N",
         "write N answers for each item, by N of the annotators, who are drawn"),
  CHOICE ("people", people, people_names,
          "differ: each annotator answers mostly as one of the people does whom the model was "
          "fitted to; alike: each as all of these together. Without people in the model (simulate "
          "fit --joint none) all are alike"),
  TEXT ("crowd", crowd, "TYPE=SHARE,..",
        "let annotators take classes for one another, as those of `simulate crowd` do: the types, "
        "and the share of each, as a probability; the shares sum to 1. What somebody sees in an "
        "item is drawn from its label; the first choice, from what the type answers to that",
        .choices = sl_crowd_type_texts, .meanings = sl_crowd_type_meanings),
  INPUT ("confusion", confusion, "FILE",
         "the same, each as one of the annotators of FILE, a table of confusion that `aggregate` "
         "wrote, who is drawn"),
  CHOICE ("as", as, as_names, "write answers, or the label that each answer becomes"),
  FLAG ("study", study,
        "write what a study records beside answers, too, as in the fit: in which order they come, "
        "how many seconds they take, answers to items that come again and to attention checks, and "
        "which first percents were replaced",
        .with = "as", .of = 1 << AS_ANNOTATIONS),
  REAL ("gamma", gamma, 0, 1, "G",
        "the mass that possible classes share where the percents reach 100, as in `softlabel "
        "redistribute`",
        .with = "as", .of = 1 << AS_LABELS),
  REAL ("round", step, 0, 50, "N",
        "round percents to multiples of N, from N to 100; 0: leave them as people typed them or, "
        "of a model without people, as they are drawn"),
  CHOICE ("group", group, group_names,
          "which people answer: entropy takes, for each item, those fitted to items of like "
          "entropy, if the model tells them apart; the others take one group for all items",
          .placeholder = "GROUP"),
  REAL ("route-threshold", route_threshold, 0, 100, "H",
        "an item is of the group high if its entropy is H nats or more; unless given, as in the "
        "model",
        .with = "group", .of = 1 << BY_ENTROPY),
  SL_REPEATS_OPTION,
  { 0 },
};

#define MOST_ANNOTATORS 1000000

/* The annotators from simFROM to simTO. */
static gboolean
read_annotators (const char *text, gint64 *from, gint64 *to, GError **error)
{
  *from = *to = 1;
  if (text == NULL)
    return TRUE;
  const char *dash = strchr (text, '-');
  gsize length = dash != NULL ? (gsize) (dash - text) : strlen (text);
  gboolean ok = sl_parse_integer (text, (gssize) length, dash != NULL ? from : to)
                && (dash == NULL || sl_parse_integer (dash + 1, -1, to));
  if (ok && *from >= 1 && *from <= *to && *to <= MOST_ANNOTATORS)
    return TRUE;
  return sl_error_usage (error,
                         "--annotators: '%s' is neither a number from 1 to %d nor two of them, "
                         "FROM-TO",
                         text, MOST_ANNOTATORS);
}

static gboolean
check_options (SlOptions *given, GError **error)
{
  const Options *options = given->values;
  if (options->model == NULL)
    return sl_error_usage (error, "--model is missing; `softlabel simulate fit` makes one");
  if (options->crowd != NULL && options->confusion != NULL)
    return sl_error_usage (error, "--crowd and --confusion exclude each other");
  if (options->step > 0 && options->step < 1e-3)
    return sl_error_usage (error, "--round is 0, or 0.001 or more");
  gint64 from, to;
  if (!read_annotators (options->annotators, &from, &to, error))
    return FALSE;
  if (options->answers > 0 && from > 1)
    return sl_error_usage (error,
                           "--answers-per-item draws from all annotators; give --annotators M");
  if (options->answers > to)
    return sl_error_usage (error,
                           "--answers-per-item: %" G_GINT64_FORMAT
                           " annotators cannot give %" G_GINT64_FORMAT
                           " answers to an item; --annotators makes more",
                           to, options->answers);
  return TRUE;
}

static gboolean
read_model (SlSimulator *simulator, SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  static const SlKind *const kinds[] = { &sl_simulator, NULL };
  g_autoptr (SlReader) reader = sl_run_open (run, "model", options->model, kinds, error);
  if (reader == NULL
      || !sl_simulator_read (simulator, run, reader, sl_reader_table (run->in), error)
      || !sl_run_claim (run, sl_elicitor_bytes (simulator->n_classes),
                        "an order of all classes for each", error))
    return FALSE;
  if (!isnan (options->route_threshold) && !sl_simulator_is_routed (simulator))
    return sl_error_usage (error,
                           "--route-threshold: the model does not tell items of high and low "
                           "entropy apart (simulate fit --entropy-from)");
  if ((sl_option_given (run->options, "people") || options->study)
      && !sl_panel_is_there (&simulator->people))
    return sl_error_usage (error, "--%s: the model has no people (simulate fit --joint)",
                           options->study ? "study" : "people");
  if (!isnan (options->route_threshold))
    simulator->threshold = options->route_threshold;
  if (options->group == 0 || simulator->group[options->group - 1].answers > 0)
    return TRUE;
  return sl_error_usage (error, "--group: %s has no fit for '%s'", sl_reader_name (reader),
                         group_names[options->group]);
}

static SlTable *
output_table (const Options *options, const SlTable *in, const SlSimulator *simulator)
{
  gboolean labels = options->as == AS_LABELS;
  SlTable *table
      = sl_table_new (labels ? &sl_labels : &sl_annotations, (const char *const *) in->classes);
  gboolean checks = options->study && simulator->pace.check > 0;
  if (sl_table_has (in, sl_gold_column (in->kind)) || checks)
    sl_table_add (table, sl_gold_column (table->kind));
  sl_table_add (table, SL_ELICITED_ANNOTATOR);
  if (labels)
    return table;
  sl_table_add (table, SL_ANNOTATIONS_CHOICES);
  sl_table_add (table, SL_ANNOTATIONS_IMPOSSIBLE);
  if (!options->study)
    return table;
  sl_table_add (table, SL_ANNOTATIONS_REPEAT);
  sl_table_add (table, SL_ANNOTATIONS_REPAIRED);
  sl_table_add (table, SL_ANNOTATIONS_TRIAL);
  if (checks)
    sl_table_add (table, SL_ANNOTATIONS_CHECK);
  for (int g = 0; g < SL_N_GROUPS; g++)
    if (sl_pace_has_seconds (&simulator->pace, (SlGroup) g))
      sl_table_add (table, SL_ANNOTATIONS_SECONDS);
  return table;
}

/* Labels: each row is an item; nothing but a batch of them is held. */
static gboolean
answer_labels (SlElicitation *elicitation, SlRun *run, GError **error)
{
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_run_each (run, &batch, &ok, error))
    {
      SlLabels view = sl_labels_view (batch);
      const SlElicitedItems items = { view.n, view.item, view.label, view.gold };
      ok = sl_elicitation_add (elicitation, &items, error);
    }
  return ok;
}

#define SLAB 4096 /* items at a time */

/* Answers are summed by item first, wherever an item's rows stand. Of a study all items are known
 * before anybody answers. */
static gboolean
answer_sums (SlElicitation *elicitation, SlRun *run, GError **error)
{
  g_auto (SlGathering) gathering = { 0 };
  sl_gathering_init (&gathering, run, run->in);
  sl_run_passes (run, 2);
  if (!sl_gathering_read (&gathering, error))
    return FALSE;
  const SlTally *tally = &gathering.tally;
  const Options *options = run->options->values;
  gint32 slab = options->study ? MAX (tally->n_items, 1) : SLAB;
  g_autofree gint32 *offset = g_new (gint32, (gsize) slab + 1);
  for (gint32 first = 0; first < tally->n_items; first += slab)
    {
      gint32 n = MIN (slab, tally->n_items - first);
      const SlElicitedItems items
          = { n, sl_intern_texts (gathering.items, first, n, offset),
              tally->sum + (gsize) first * (gsize) tally->n_classes, tally->gold + first };
      elicitation->whole = tally->n_items * elicitation->settings.answers;
      if (!sl_elicitation_add (elicitation, &items, error))
        return FALSE;
    }
  return TRUE;
}

/* What --crowd and --confusion say. */
static gboolean
read_crowd (GArray **mix, SlCrowdPeople *others, SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  static const SlKind *const kinds[] = { &sl_confusion, NULL };
  if (options->crowd != NULL)
    return (*mix = sl_crowd_mix_parse (options->crowd, error)) != NULL;
  if (options->confusion == NULL)
    return TRUE;
  g_autoptr (SlReader) reader = sl_run_open (run, "confusion", options->confusion, kinds, error);
  return reader != NULL
         && sl_crowd_people_read (others, run, reader, sl_reader_table (run->in), error);
}

static gboolean
run (SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  g_autoptr (GArray) mix = NULL;
  g_auto (SlCrowdPeople) others = { 0 };
  const SlTable *in = sl_reader_table (run->in);
  gboolean labels = in->kind == &sl_labels;
  if (labels && !sl_labels_check_whole (in, sl_reader_name (run->in), error))
    return FALSE;
  g_auto (SlSimulator) simulator = { 0 };
  if (!read_model (&simulator, run, error) || !read_crowd (&mix, &others, run, error))
    return FALSE;
  g_autoptr (SlTable) table = output_table (options, in, &simulator);
  if (!sl_run_start (run, table, error))
    return FALSE;
  gint64 from, to;
  if (!read_annotators (options->annotators, &from, &to, error))
    return FALSE;
  gint64 answers = options->answers > 0 ? options->answers : to - from + 1;
  const SlElicitationSettings settings = { .annotators = to - from + 1,
                                           .first = from,
                                           .answers = answers,
                                           .alike = options->people == 1,
                                           .study = options->study,
                                           .gamma = options->gamma,
                                           .step = options->step,
                                           .group = options->group - 1 };
  g_auto (SlElicitation) elicitation = { 0 };
  sl_elicitation_init (&elicitation, run, table, &simulator, &settings);
  if ((mix != NULL || others.n > 0) && !sl_elicitation_confuse (&elicitation, mix, &others, error))
    return FALSE;
  return (labels && !options->study ? answer_labels : answer_sums) (&elicitation, run, error)
         && sl_elicitation_end (&elicitation, error);
}

static const SlKind *const reads[] = { &sl_labels, &sl_annotations, NULL };

static const SlAlsoWrites also_writes[]
    = { { &sl_annotations, "--as annotations" }, { &sl_labels, "--as labels" }, { 0 } };

const SlCommand sl_command_simulate_elicit = {
  .name = "simulate elicit",
  .summary = "answer for any items, as people like those of a fit would",
  .arguments = "--model FILE [FILE]",
  .reads = reads,
  .flags = SL_COMMAND_SEEDED,
  .also_writes = also_writes,
  .opened = sl_repeats_opened_silently,
  SL_OPTIONS (option_table, defaults),
  .description
  = "A simulated annotator's first choice is drawn from the item's label, or from the votes for "
    "it. Then one of people's answers to such items is drawn, and the annotator says what was "
    "said there: the first choice's percent; the second choice's, if there was one; how many "
    "other classes were left possible. These are the classes most like the first choice, all "
    "others are ruled out, and the likest class is the second choice.\n\n"
    "Every annotator is like one of the people whom the model was fitted to, and mostly gives "
    "that one's answers: a share sqrt (n / (n + (1 - icc) / icc)) of them, where n is how many "
    "are known of items of such entropy. The others are drawn from everybody's.\n\n"
    "All are right as often as the label has it, unless --crowd or --confusion says otherwise. "
    "Who is of which type, or like whom, depends on the seed and the annotator's name.\n\n"
    "--study rehearses a study: `cost` has its seconds, `exclude` its mistakes and attention "
    "checks, and `agreement` what people say when an item comes again. Seconds are log-normal, by "
    "person and group, with the drift of a session. An annotator's trials are in an order that is "
    "drawn; items come again at the end. An attention check comes right behind an item, whose name "
    "it has (`check ITEM`); its gold is the class that it asks for, which is drawn. How many "
    "checks an annotator gets right is drawn, too, from a Beta distribution with the mean and the "
    "intraclass correlation of the fit. The rows of an item stand together, the second answers "
    "behind the first ones, the checks behind these.\n\n"
    "A model without people (simulate fit --joint none, --estimator authors) has each part "
    "drawn by itself: the percents from the fitted Beta distributions, the number of classes "
    "left possible from the fitted numbers.\n\n"
    "The output looks like people's answers: `softlabel redistribute`, `exclude` and "
    "`aggregate` take it. --as labels writes what `redistribute` (top 2, clamp) would make "
    "of it.\n\n"
    "The input says how people's first choices are shared among the classes: votes, counts, "
    "or labels made of them. Answers may be in any order; they are added up by item, and of "
    "answers with percents the first choice counts. Labels have one row an item; an item "
    "that is there twice gets the same answers twice. Gold is handed on.\n\n"
    "What is drawn depends on the seed, the item's name and the annotator's name. It does "
    "not depend on the order of rows, on other items, on how many annotators there are, or "
    "on threads. Only who answers, with --answers-per-item, goes by how many there are; and an "
    "answer's trial and seconds, with --study, by the annotator's other ones.\n\n"
    "Memory: one batch, classes × classes, and the model; of answers, items × classes; with "
    "--study, 40 bytes an answer and items × classes; with --crowd, annotators × classes × "
    "classes.",
  .examples
  = "softlabel simulate elicit --model fit.parquet --annotators 6 hard.parquet -o "
    "simulated.parquet\n"
    "    six answers an item\n"
    "softlabel simulate elicit --model fit.parquet --annotators 250 --answers-per-item 6 \\\n"
    "  hard.parquet -o simulated.parquet\n"
    "    the same by 250 annotators, so that each answers a part of the items\n"
    "softlabel simulate elicit --model fit.parquet --annotators 100 --as labels counts.parquet \\\n"
    "  | softlabel aggregate -o soft.parquet\n"
    "    soft labels from a hundred simulated annotators each\n",
  .check = check_options,
  .run = run,
};
