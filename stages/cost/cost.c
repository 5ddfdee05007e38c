/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cost: scores in; out the same figures with the annotators' time behind them (Collins, Bhatt &
 * Weller, HCOMP 2022, §5): seconds an item = annotators an item × seconds that one takes, where one
 * who is asked for fewer inputs takes so much less. */
#include "pipeline/base/number-text.h"
#include "pipeline/command/options/option-rows.h"
#include "pipeline/command/run.h"
#include "pipeline/table/tag-columns.h"
#include "schemas/annotations.h"
#include "stages/common/tables/row-conditions.h"

#include <gsl/gsl_sort.h>
#include <math.h>

static gboolean
add_batch (SlRun *run, SlBatch *batch, GArray *all, GError **error)
{
  SlAnnotations answers = sl_annotations_view (batch);
  g_autofree guint8 *counted = sl_annotations_counted (batch);
  for (gint64 i = 0; i < answers.n; i++)
    {
      double seconds = answers.seconds[i];
      if ((counted != NULL && !counted[i]) || isnan (seconds))
        continue;
      if (!(seconds >= 0 && isfinite (seconds)))
        return sl_error_row (error, batch->first_row + i + 1, "seconds are %g", seconds);
      g_array_append_val (all, seconds);
    }
  return sl_run_claim (run, (gsize) answers.n * sizeof (double), "the answers' seconds", error);
}

/* The median, or the mean, of the seconds of the annotations in PATH, which --time-from names: of
 * all rows that have them, but for attention checks and excluded annotators. */
static gboolean
answer_time (SlRun *run, const char *path, gboolean mean, double *seconds, GError **error)
{
  static const SlKind *const kinds[] = { &sl_annotations, NULL };
  g_autoptr (SlReader) reader = sl_run_open (run, "time-from", path, kinds, error);
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (SlBatch) batch = NULL;
  if (reader == NULL)
    return FALSE;
  gboolean ok = TRUE, timed = sl_table_has (sl_reader_table (reader), SL_ANNOTATIONS_SECONDS);
  while (timed && sl_reader_each (reader, &batch, &ok, error))
    ok = add_batch (run, batch, all, error);
  if (!ok)
    return FALSE;
  if (all->len == 0)
    return sl_error_bad_input (error, "%s: no answer in it has its seconds",
                               sl_reader_name (reader));
  double *values = (double *) (gpointer) all->data;
  gsl_sort (values, 1, all->len);
  guint n = all->len;
  double sum = 0;
  for (guint i = 0; i < n; i++)
    sum += values[i];
  *seconds = mean ? sum / n : (values[(n - 1) / 2] + values[n / 2]) / 2;
  return TRUE;
}

typedef struct
{
  char *annotators; /* a number, or a tag's key */
  double seconds;   /* NaN: not given */
  char *time_from;
  int statistic;
  char *inputs; /* a number, or a tag's key; NULL: as many as were timed */
  double inputs_timed;
} Options;

static const Options defaults
    = { .seconds = NAN, .inputs_timed = 1 }; /* with --inputs it is given */

#define OPTIONS Options

static const SlOption option_table[] = {
  TEXT ("annotators", annotators, "KEY|M",
        "annotators an item: a number, or the tag that has it in each row"),
  REAL ("seconds", seconds, 0, 1e9, "S", "what an annotator takes for an item"),
  INPUT ("time-from", time_from, "FILE",
         "measure that in this table of annotations: all its rows with seconds, but for "
         "attention checks and excluded annotators; `softlabel select` takes others out"),
  CHOICE ("statistic", statistic, WORDS ("median", "mean"), "of the answers' seconds",
          .with = "time-from"),
  TEXT ("inputs", inputs, "KEY|N",
        "inputs that an annotator is asked for: a number, or the tag that has it in each "
        "row; time is in proportion to those of --inputs-timed"),
  REAL ("inputs-timed", inputs_timed, 1, 1000, "N",
        "inputs that the seconds are for; --inputs needs it", .with = "inputs"),
  { 0 },
};

static gboolean
check_options (SlOptions *given, GError **error)
{
  const Options *options = given->values;
  if (options->annotators == NULL)
    return sl_error_usage (error, "how many annotators? give --annotators, a number or a tag");
  if (isnan (options->seconds) && options->time_from == NULL)
    return sl_error_usage (error, "how long do they take? give --seconds or --time-from");
  if (!isnan (options->seconds) && options->time_from != NULL)
    return sl_error_usage (error,
                           "--seconds and --time-from both say how long they take; give one");
  if (options->inputs != NULL && !sl_option_given (given, "inputs-timed"))
    return sl_error_usage (error,
                           "--inputs: of how many inputs are the seconds? give --inputs-timed");
  return TRUE;
}

typedef struct
{
  SlRun *run;
  SlTable *table; /* what is written */
  SlBuilder *builder;
  double seconds;                              /* of an annotator, for the inputs that were timed */
  int metric, group, value, lower, upper, bin; /* columns of the scores; -1: not there */
} Cost;

static void
cost_clear (Cost *cost)
{
  g_clear_pointer (&cost->builder, sl_builder_free);
  g_clear_pointer (&cost->table, sl_table_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Cost, cost_clear)

/* The value of tag KEY in ROW; NULL where it has none. */
static char *
tag_of (const SlBatch *batch, gint64 row, const char *key)
{
  SlTags conditions = { 0 };
  (void) sl_row_conditions (&conditions, batch, row); /* other programs' groups may be any text */
  char *value = g_strdup (sl_tags_get (&conditions, key));
  sl_tags_clear (&conditions);
  return value;
}

/* What OPTION's text says of ROW: itself a number, or the key of a tag that is one. */
static gboolean
number_of (const SlBatch *batch, gint64 row, const char *option, const char *text, double *number,
           GError **error)
{
  if (sl_parse_real (text, -1, number))
    return *number >= 0 || sl_error_usage (error, "--%s: %s is less than 0", option, text);
  g_autofree char *value = tag_of (batch, row, text);
  if (value == NULL)
    return sl_error_row (error, batch->first_row + row + 1,
                         "it has no tag '%s', which --%s asks for; `--tag %s=N` gives one", text,
                         option, text);
  if (sl_parse_real (value, -1, number) && *number >= 0)
    return TRUE;
  return sl_error_row (error, batch->first_row + row + 1,
                       "its tag '%s' is '%s'; --%s wants a number, 0 or more", text, value, option);
}

static void
copy_text (Cost *cost, int to, const SlBatch *batch, int from, gint64 row)
{
  gsize length;
  const char *text = sl_text_get (batch->column[from].text, row, &length);
  sl_builder_text (cost->builder, to, text, length);
}

static void
copy_tags (Cost *cost, const SlBatch *batch, gint64 row)
{
  int to = sl_table_first_tag (cost->table);
  for (int c = sl_table_first_tag (batch->table); batch->table->spec[c].name != NULL; c++, to++)
    {
      const guint8 *valid = batch->column[c].valid;
      if (valid != NULL && !valid[row])
        sl_builder_null (cost->builder, to);
      else
        copy_text (cost, to, batch, c, row);
    }
}

static gboolean
add_row (Cost *cost, const SlBatch *batch, gint64 row, GError **error)
{
  const Options *options = cost->run->options->values;
  double annotators, inputs = options->inputs_timed;
  if (!number_of (batch, row, "annotators", options->annotators, &annotators, error)
      || (options->inputs != NULL
          && !number_of (batch, row, "inputs", options->inputs, &inputs, error)))
    return FALSE;
  double each = cost->seconds * inputs / options->inputs_timed;
  copy_text (cost, SL_COSTS_METRIC, batch, cost->metric, row);
  if (cost->group >= 0)
    copy_text (cost, SL_COSTS_GROUP, batch, cost->group, row);
  sl_builder_real (cost->builder, SL_COSTS_ANNOTATORS, annotators);
  sl_builder_real (cost->builder, SL_COSTS_SECONDS_EACH, each);
  sl_builder_real (cost->builder, SL_COSTS_SECONDS, annotators * each);
  sl_builder_real (cost->builder, SL_COSTS_VALUE, batch->column[cost->value].real[row]);
  if (cost->lower >= 0)
    sl_builder_real (cost->builder, SL_COSTS_LOWER, batch->column[cost->lower].real[row]);
  if (cost->upper >= 0)
    sl_builder_real (cost->builder, SL_COSTS_UPPER, batch->column[cost->upper].real[row]);
  copy_tags (cost, batch, row);
  return sl_writer_write_built (cost->run->out, cost->builder, FALSE, error);
}

/* Counts of histograms are no figures that time buys. */
static gboolean
is_figure (const Cost *cost, const SlBatch *batch, gint64 row)
{
  gsize length = 0;
  if (cost->bin >= 0)
    (void) sl_text_get (batch->column[cost->bin].text, row, &length);
  return length == 0;
}

static gboolean
begin (Cost *cost, SlRun *run, GError **error)
{
  const SlTable *in = sl_reader_table (run->in);
  *cost = (Cost){ .run = run,
                  .table = sl_table_new (&sl_costs, NULL),
                  .metric = sl_table_column (in, "metric"),
                  .group = sl_table_column (in, "group"),
                  .value = sl_table_column (in, "value"),
                  .lower = sl_table_column (in, "lower"),
                  .upper = sl_table_column (in, "upper"),
                  .bin = sl_table_column (in, "bin") };
  if (cost->group >= 0)
    sl_table_add (cost->table, SL_COSTS_GROUP);
  if (cost->lower >= 0)
    sl_table_add (cost->table, SL_COSTS_LOWER);
  if (cost->upper >= 0)
    sl_table_add (cost->table, SL_COSTS_UPPER);
  for (int c = sl_table_first_tag (in); in->spec[c].name != NULL; c++)
    if (!sl_table_add_tag_column (cost->table, sl_tag_column_key (in, c), error))
      return FALSE;
  cost->builder = sl_builder_new (cost->table);
  return TRUE;
}

static gboolean
run (SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  g_auto (Cost) cost = { 0 };
  if (!begin (&cost, run, error))
    return FALSE;
  cost.seconds = options->seconds;
  if (options->time_from != NULL
      && !answer_time (run, options->time_from, options->statistic == 1, &cost.seconds, error))
    return FALSE;
  sl_run_note (run, "an annotator takes %.5g seconds", cost.seconds);
  if (!sl_run_start (run, cost.table, error))
    return FALSE;
  for (;;)
    {
      g_autoptr (SlBatch) batch = NULL;
      if (!sl_run_next (run, &batch, error))
        return FALSE;
      if (batch == NULL)
        return sl_writer_write_built (run->out, cost.builder, TRUE, error);
      for (gint64 i = 0; i < batch->n_rows; i++)
        if (is_figure (&cost, batch, i) && !add_row (&cost, batch, i, error))
          return FALSE;
    }
}

static const SlKind *const reads[] = { &sl_scores, NULL };

const SlCommand sl_command_cost = {
  .name = "cost",
  .summary = "what figures cost: annotators' time beside scores",
  .arguments = "[SCORES]",
  .reads = reads,
  .writes = &sl_costs,
  SL_OPTIONS (option_table, defaults),
  .check = check_options,
  .description
  = "Writes each figure with the annotators an item that it took, the seconds that one takes for "
    "an item, and their product. How many annotators there were is a number, or a tag that the "
    "scores have: `--tag M=3` of the stage that chose them stays with the table. Scores of several "
    "conditions are joined by `softlabel cat`.\n\n"
    "Who is asked for fewer things takes less time: with --inputs the seconds are those of "
    "--inputs-timed, in proportion. Of an answer with a class, its percent, a second class, its "
    "percent, and what is ruled out, all five were timed; two are a class and a percent.\n\n"
    "Memory: one batch; --time-from 8 bytes an answer.",
  .examples
  = "softlabel cat m1.parquet m2.parquet | softlabel cost --annotators M --seconds 1.8\n"
    "    how a figure falls with the time that is paid for\n"
    "softlabel cost --annotators 6 --time-from votes.parquet --inputs inputs --inputs-timed 5 "
    "s.parquet\n"
    "    forms of asking, each with its tag inputs=N, by the median time of the full one\n",
  .run = run,
};
