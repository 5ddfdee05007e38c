/* SPDX-License-Identifier: GPL-3.0-or-later */
/* score: predictions or labels in; a figure for each metric out, with its interval: beside a table
 * of labels, beside gold classes, or of the table by itself. The metrics are in metrics/metrics.c,
 * with their definitions. */
#include "score-options.h"
#include "results.h"

#include "pipeline/base/number-text.h"
#include "pipeline/files/input.h"
#include "schemas/annotations.h"
#include "stages/common/answers/repeats.h"
#include "stages/common/classes/word-vectors.h"
#include "stages/common/methods/method.h"
#include "stages/common/priors/prior-files.h"

#include <math.h>

static const SlScoreOptions defaults = SL_SCORE_DEFAULTS;

/* With --interval auto, the bootstrap draws at most so many items in all. */
#define MOST_DRAWN 50000000

typedef struct
{
  SlReference against, entropies;
  SlItemValues gold;
  double *cost, *edges;
  double *class_value; /* NULL: the classes are no numbers */
  double *value;       /* what ordered classes stand for; NULL: they are not ordered */
  gint32 n_edges;
  gboolean *chosen;
  char **by;
} Inputs;

static void
inputs_clear (Inputs *inputs)
{
  sl_reference_clear (&inputs->against);
  sl_reference_clear (&inputs->entropies);
  sl_item_values_clear (&inputs->gold);
  g_free (inputs->cost);
  g_free (inputs->edges);
  g_free (inputs->class_value);
  g_free (inputs->value);
  g_free (inputs->chosen);
  g_strfreev (inputs->by);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Inputs, inputs_clear)

static const SlKind *const kinds[] = { &sl_predictions, &sl_labels, &sl_annotations, NULL };

/* The numbers that TABLE's classes are, and their range; NULL: they are none. */
static double *
read_class_values (const SlTable *table, double *scale)
{
  g_autofree double *value = g_new (double, MAX (table->n_classes, 1));
  double least = INFINITY, most = -INFINITY;
  for (gint32 k = 0; k < table->n_classes; k++)
    {
      if (!sl_parse_real (table->classes[k], -1, &value[k]))
        return NULL;
      least = MIN (least, value[k]);
      most = MAX (most, value[k]);
    }
  *scale = isnan (*scale) ? most - least + 1 : *scale;
  return g_steal_pointer (&value);
}

static double *
from_csv (SlRun *run, const SlTable *table, const char *path, GError **error)
{
  SlPriorFiles files = { .cost = (char *) path };
  g_auto (SlPriors) priors = { 0 };
  if (!sl_priors_open (&priors, run, &files, table, error))
    return NULL;
  for (gint64 i = 0; i < (gint64) table->n_classes * table->n_classes; i++)
    if (!(priors.cost[i] >= 0))
      {
        sl_error_bad_input (error, "%s: from '%s' to '%s' costs %g; costs are 0 or more", path,
                            table->classes[i / table->n_classes],
                            table->classes[i % table->n_classes], priors.cost[i]);
        return NULL;
      }
  return g_steal_pointer (&priors.cost);
}

static double *
from_vectors (SlRun *run, const SlTable *table, const char *path, GError **error)
{
  if (!sl_run_add_option_file (run, "vectors", path, error))
    return NULL;
  g_autoptr (SlInput) text = sl_input_open (path, error);
  if (text == NULL)
    {
      g_prefix_error (error, "%s: ", path);
      return NULL;
    }
  double *cosine
      = sl_vectors_read (G_INPUT_STREAM (text), path, (const char *const *) table->classes, error);
  for (gint64 i = 0; cosine != NULL && i < (gint64) table->n_classes * table->n_classes; i++)
    cosine[i] = i % (table->n_classes + 1) == 0 ? 0 : MAX (1 - cosine[i], 0);
  return cosine;
}

/* What mass costs to move between TABLE's classes, [n_classes][n_classes]: as the CSV file COST
 * says, or 1 - the cosine of the word vectors in VECTORS; one of the two is NULL. */
static double *
semantic_cost (SlRun *run, const SlTable *table, const char *cost, const char *vectors,
               GError **error)
{
  return cost != NULL ? from_csv (run, table, cost, error)
                      : from_vectors (run, table, vectors, error);
}

/* What of the scoring follows from the options and from TABLE, the first file's header. */
static gboolean
set_up (SlScoring *scoring, Inputs *inputs, SlTable *table, GError **error)
{
  SlRun *run = scoring->run;
  const SlScoreOptions *options = run->options->values;
  gboolean column = g_strcmp0 (options->gold, "column") == 0;
  scoring->table = sl_table_ref (table);
  scoring->against = options->against != NULL ? &inputs->against : NULL;
  scoring->entropies = options->entropy_from != NULL ? &inputs->entropies : NULL;
  scoring->source = column                            ? SL_CLASS_COLUMN
                    : options->gold != NULL           ? SL_CLASS_FILE
                    : inputs->against.answers != NULL ? SL_CLASS_ANSWER
                                                      : SL_CLASS_OF_TARGET;
  scoring->wants_class = options->gold != NULL || options->against != NULL;
  scoring->inner = options->inner;
  scoring->questions = options->questions;
  scoring->said = table->kind == &sl_annotations;
  scoring->edges = inputs->edges;
  scoring->n_edges = inputs->n_edges;
  scoring->how = (SlItemBlock){ .clip = options->clip, .second = (SlSecondBest) options->second };
  if (scoring->source == SL_CLASS_FILE
      && !sl_item_values_gold (&inputs->gold, run, options->gold, scoring->table, error))
    return FALSE;
  scoring->gold = &inputs->gold;
  if (options->cost != NULL || options->vectors != NULL)
    {
      inputs->cost = semantic_cost (run, scoring->table, options->cost, options->vectors, error);
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
               { "annotator", SL_BY_ANNOTATOR },
               { "question", SL_BY_QUESTION } };
  for (gsize k = 0; k < G_N_ELEMENTS (keys); k++)
    if (sl_score_has_key (options, keys[k].key))
      scoring->by |= keys[k].by;
  return TRUE;
}

/* What metrics are made, and what must be kept of items for them. */
static gboolean
plan (SlScoring *scoring, Inputs *inputs, const SlTable *table, GError **error)
{
  const SlScoreOptions *options = scoring->run->options->values;
  SlMetricFlags has = scoring->said ? SL_METRIC_SAID : SL_METRIC_TABLE;
  if (scoring->against != NULL)
    has |= SL_METRIC_TARGET | SL_METRIC_SOFT | SL_METRIC_CLASS;
  if (options->gold != NULL)
    has |= SL_METRIC_TARGET | SL_METRIC_CLASS;
  if (scoring->source == SL_CLASS_ANSWER)
    has |= SL_METRIC_ANSWERS;
  if (scoring->how.cost != NULL)
    has |= SL_METRIC_COST;
  if (options->questions != NULL)
    has |= SL_METRIC_QUESTIONS;
  has |= SL_METRIC_RANKED | SL_METRIC_BY_CLASS;
  inputs->value = sl_run_class_values (scoring->run, scoring->table->classes);
  if (inputs->value != NULL)
    has |= SL_METRIC_ORDERED;
  if (table->kind == &sl_predictions && sl_table_has (table, SL_PREDICTIONS_LOSS))
    has |= SL_METRIC_LOSS;
  inputs->chosen = sl_metrics_chosen (options->metrics, SL_METRIC_DEFAULT, has, error);
  if (inputs->chosen == NULL)
    return FALSE;
  gboolean draws = options->interval == SL_SCORE_BOOTSTRAP || options->interval == SL_SCORE_AUTO;
  scoring->plan = (SlCasePlan){
    .n_classes = scoring->table->n_classes,
    .most
    = !draws ? 0
             : (options->interval == SL_SCORE_AUTO ? MOST_DRAWN / options->resamples : G_MAXINT32),
    .settings = { .bin_size = options->bin_size,
                  .skip_last_bin = options->skip_last_bin,
                  .bins = (gint32) options->bins,
                  .edge = (SlBinEdge) options->edge,
                  .own_bin_of_one = options->bin_of_one == 1 },
  };
  scoring->plan.settings.scale = options->scale;
  inputs->class_value = read_class_values (scoring->table, &scoring->plan.settings.scale);
  scoring->plan.settings.class_value = inputs->class_value;
  scoring->plan.settings.value = scoring->how.value = inputs->value;
  sl_metrics_needs (inputs->chosen, &scoring->plan.wanted, &scoring->plan.keep, &scoring->plan.bins,
                    &scoring->plan.ranked);
  if (draws
      && (options->questions != NULL || sl_table_has (table, sl_annotator_column (table))
          || scoring->said))
    {
      scoring->plan.wanted |= SL_FIGURE_BIT (SL_FIGURE_ITEM);
      scoring->plan.keep |= SL_FIGURE_BIT (SL_FIGURE_ITEM);
    }
  return TRUE;
}

/* Labels of the truth and of what people would answer (aggregate --for) say different things.
 * REFERENCE: NULL for gold classes. */
static void
tell_of_purpose (SlRun *run, const SlTable *table, const char *name, const SlTable *reference)
{
  const char *asked = sl_tags_get (&table->tags, SL_ASKED_TAG), *against = SL_FOR_TRUTH;
  if (table->kind != &sl_labels || asked == NULL)
    return;
  if (reference != NULL)
    against = reference->kind == &sl_annotations ? SL_FOR_PEOPLE
                                                 : sl_tags_get (&reference->tags, SL_ASKED_TAG);
  if (g_strcmp0 (asked, SL_FOR_PEOPLE) == 0 && g_strcmp0 (against, SL_FOR_TRUTH) == 0)
    sl_run_warn (run,
                 "%s: these labels are of what people would answer, and are held against the "
                 "truth; `softlabel aggregate --for truth` makes labels of that",
                 name);
  if (g_strcmp0 (asked, SL_FOR_TRUTH) == 0 && g_strcmp0 (against, SL_FOR_PEOPLE) == 0)
    sl_run_warn (run,
                 "%s: these labels are of the truth, and are held against what people answer; "
                 "`softlabel aggregate --for people` makes labels of that",
                 name);
}

static gboolean
read_references (SlRun *run, Inputs *inputs, SlTable *table, const char *name, GError **error)
{
  const SlScoreOptions *options = run->options->values;
  gboolean answers
      = table->kind == &sl_predictions && sl_table_has (table, SL_PREDICTIONS_ANNOTATOR);
  if (table->n_classes == 0)
    return sl_error_bad_input (error, "%s: it names no classes", name);
  inputs->edges = sl_score_edges (options, &inputs->n_edges, error);
  inputs->by = options->by != NULL ? g_strsplit (options->by, ",", -1) : NULL;
  if (options->against != NULL
      && !sl_reference_read (&inputs->against, run, "against", options->against, answers, error))
    return FALSE;
  tell_of_purpose (run, table, name, options->against != NULL ? inputs->against.table : NULL);
  return inputs->edges != NULL
         && (options->against == NULL || sl_reference_follow (&inputs->against, table, name, error))
         && (options->entropy_from == NULL
             || sl_reference_read (&inputs->entropies, run, "entropy-from", options->entropy_from,
                                   FALSE, error));
}

static gboolean
begin (SlScoring *scoring, Inputs *inputs, SlReader *reader, GError **error)
{
  SlTable *table = sl_reader_table (reader);
  scoring->first_name = g_strdup (sl_reader_name (reader));
  if (!read_references (scoring->run, inputs, table, scoring->first_name, error)
      || !set_up (scoring, inputs, table, error) || !plan (scoring, inputs, table, error))
    return FALSE;
  for (int m = 0; m < sl_n_metrics; m++)
    scoring->on_line |= inputs->chosen[m] && sl_metrics[m].flags & SL_METRIC_LINE;
  if (inputs->against.moved)
    sl_scoring_tell_order (scoring, inputs->against.name);
  sl_scoring_init (scoring);
  return TRUE;
}

static gboolean
check_outcome (const SlScoring *scoring, GError **error)
{
  const SlScoreOptions *options = scoring->run->options->values;
  if (scoring->n_rows == 0 && scoring->against != NULL && sl_reference_size (scoring->against) > 0)
    return sl_error_bad_input (error, "no item of %s is in the table that is scored",
                               scoring->against->name);
  if (scoring->source == SL_CLASS_ANSWER && scoring->n_rows > 0 && scoring->n_with_class == 0)
    return sl_error_bad_input (error, "no annotator of the predictions has answered in %s",
                               scoring->against->name);
  if (options->gold != NULL && scoring->n_rows > 0 && scoring->n_with_class == 0)
    return sl_error_bad_input (error, "no item has a gold class%s%s",
                               scoring->source == SL_CLASS_FILE ? " in " : "",
                               scoring->source == SL_CLASS_FILE ? scoring->gold->name : "");
  if (scoring->source == SL_CLASS_ANSWER && scoring->n_with_class < scoring->n_rows)
    sl_run_warn (scoring->run,
                 "%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
                 " rows predict an answer that is not in %s",
                 scoring->n_rows - scoring->n_with_class, scoring->n_rows, scoring->against->name);
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
  const SlScoreOptions *options = scoring->run->options->values;
  static const SlInterval intervals[] = { SL_INTERVAL_NONE, SL_INTERVAL_NONE, SL_INTERVAL_T,
                                          SL_INTERVAL_NORMAL, SL_INTERVAL_BOOTSTRAP };
  const SlResultsPlan plan = { .chosen = inputs->chosen,
                               .interval = intervals[options->interval],
                               .automatic = options->interval == SL_SCORE_AUTO,
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
  for (gint32 i = 0; i < (gint32) g_strv_length (files); i++)
    {
      g_autoptr (SlReader) reader = sl_run_open (run, NULL, files[i], kinds, error);
      if (reader == NULL || (i == 0 && !begin (&scoring, &inputs, reader, error))
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
  .opened = sl_repeats_opened,
  SL_OPTIONS (sl_score_option_table, defaults),
  .description
  = "Compares predictions of models, or labels that `aggregate` has made, with what is known: "
    "labels (--against), gold classes (--gold), or both. With both, distributions are compared "
    "with the labels, and classes with gold. With neither, it gives the figures that a table has "
    "by itself: entropy, largest probability, support; of annotations percents, second classes, "
    "and classes not ruled out. Classes are matched by their names. The first table's order "
    "decides ties, and the steps of w_line.\n\n"
    "Each row of the output is one metric with its definition. Rows of predictions that differ in "
    "attack, epsilon, step, corruption or severity are never mixed: each condition has its own "
    "rows, and so has each value of what --by names. Runs, in one table or in several files, are "
    "averaged: value is their mean, sd their standard deviation. Where a figure cannot be "
    "computed, its value is missing, and the column reason says why.\n\n"
    "An interval over runs is about other runs on the same items. An interval over items is about "
    "other items of the same kind. Shares have Wilson's interval. Other figures have the "
    "bootstrap's (BCa: Efron, JASA 1987); of an item with several rows it draws all rows together. "
    "Calibration errors have none: chance alone makes them larger. `ece_rms_debiased` is without "
    "what chance adds and has an interval. An extreme has none.\n\n"
    "Items must be the same on both sides and in every run, unless --inner is given. Runs that "
    "share no item and together have all of them, such as the folds of `train --held-out`, count "
    "as one; --by run keeps them apart. An item without a gold class is left out of the figures "
    "that need one.\n\n"
    "Memory: items × classes of --against, the items' names, and per run at most 8 bytes for each "
    "item and figure that is not a mean: confidence and correctness, entropies. Where the "
    "bootstrap may be needed, also all figures of all items.",
  .examples = "softlabel aggregate votes.parquet | softlabel score --gold=truth.csv\n"
              "    how good aggregated labels are\n"
              "softlabel score --against human.parquet predictions.parquet\n"
              "    every usual metric, with intervals\n"
              "softlabel score --against human.parquet --by model seed*.parquet -o scores.parquet\n"
              "    means over the runs of each model, of tables that were tagged model=…\n"
              "softlabel score --metrics entropy,support --by entropy labels.parquet\n"
              "    a table by itself, items of low and high entropy apart\n",
  .check = sl_score_check_options,
  .run = run,
};
