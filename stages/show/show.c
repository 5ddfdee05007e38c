/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show: prints any table for people to read, with a chart of what it says, or one JSON object a
 * row. */
#include "pipeline/command/run.h"
#include "pipeline/display/readable-table.h"
#include "pipeline/display/terminal.h"
#include "pipeline/files/csv-json-out.h"
#include "table-chart.h"

typedef struct
{
  gint64 rows; /* 0: all */
  gboolean json;
  int chart; /* an index of charts[] */
} Options;

enum
{
  CHART_AUTO,
  CHART_ALWAYS,
  CHART_NEVER,
};

static const char *const charts[] = { "auto", "always", "never", NULL };

static const Options defaults = { .rows = 20 };

static const SlOption option_table[] = {
  { .name = "rows",
    .letter = 'n',
    .kind = SL_OPTION_INTEGER,
    .field = offsetof (Options, rows),
    .min = 0,
    .max = 9e18,
    .placeholder = "N",
    .help = "print the first N rows; 0 prints all",
    .unrecorded = TRUE },
  { .name = "json",
    .kind = SL_OPTION_FLAG,
    .field = offsetof (Options, json),
    .help = "print one JSON object a row",
    .unrecorded = TRUE },
  { .name = "chart",
    .kind = SL_OPTION_CHOICE,
    .field = offsetof (Options, chart),
    .choices = charts,
    .help = "below the rows draw what the whole table says: how reliable predictions are (by "
            "their gold), how certain labels are, how training went; auto is on terminals",
    .unrecorded = TRUE },
  { 0 },
};

static gboolean
check_options (SlOptions *options, GError **error)
{
  const Options *values = options->values;
  return !values->json || values->chart != CHART_ALWAYS
         || sl_error_usage (error, "--chart: there is none between the lines of --json");
}

static void
print (SlRun *run, GString *text)
{
  sl_run_print (run, text->str, (gssize) text->len);
  g_string_truncate (text, 0);
}

/* The table is read to its end even where few rows are printed: to count the rows, and because one
 * that breaks off must not look like a whole one. */
static gboolean
show_json (SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_run_each (run, &batch, &ok, error))
    {
      gint64 n = options->rows > 0 ? MIN (batch->n_rows, options->rows - batch->first_row)
                                   : batch->n_rows;
      for (gint64 i = 0; i < n; i++)
        sl_jsonl_append (text, batch, i);
      print (run, text);
    }
  return ok;
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlTableChart, sl_table_chart_free)

static gboolean
show_table (SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  /* The terminal may be there without being where the text goes. */
  gboolean away = sl_option_given (run->common, "output");
  gboolean color = sl_display_color () && !away;
  gboolean drawn = options->chart == CHART_ALWAYS
                   || (options->chart == CHART_AUTO && sl_display_terminal () && !away);
  g_autoptr (SlTableChart) chart = drawn ? sl_table_chart_new (sl_reader_table (run->in)) : NULL;
  g_autoptr (SlRender) render
      = sl_render_new (sl_reader_table (run->in), sl_display_columns (), color, options->rows);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_run_each (run, &batch, &ok, error))
    {
      sl_render_batch (render, batch, text);
      if (chart != NULL)
        sl_table_chart_add (chart, batch);
      print (run, text);
    }
  if (!ok)
    return FALSE;
  sl_render_end (render, text);
  if (chart != NULL)
    sl_table_chart_draw (chart, sl_display_columns (), color, text);
  print (run, text);
  return TRUE;
}

static gboolean
run (SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  return options->json ? show_json (run, error) : show_table (run, error);
}

const SlCommand sl_command_show = {
  .name = "show",
  .summary = "print a table for people to read",
  .arguments = "[FILE…]",
  .reads = sl_kinds,
  .flags = SL_COMMAND_TEXT,
  SL_OPTIONS (option_table, defaults),
  .description = "Prints the first rows of any table: a distribution as its likeliest classes "
                 "with a bar each, the answers of an annotator in the order given with what was "
                 "ruled out, a missing value as a dot. What does not fit the terminal's width is "
                 "cut short or left out, and said so.\n\n"
                 "On a terminal, or with --chart always, a chart follows of what all rows say: "
                 "what share of predictions is right by their confidence, in tenths, the entropies "
                 "of labels, loss and accuracy of a log by epoch, as means over runs.\n\n"
                 "The width is the terminal's, else that of the variable COLUMNS, else 100. "
                 "Colours are for terminals only, and NO_COLOR turns them off. In a locale "
                 "without UTF-8 everything is ASCII. Characters that could steer a terminal are "
                 "written as escapes.",
  .examples = "softlabel show labels.parquet\n"
              "    the first 20 rows\n"
              "softlabel aggregate --method mean redistributed.arrows | softlabel show --rows 5\n"
              "    what comes out of a stage\n"
              "softlabel show --chart always --rows 1 predictions.parquet\n"
              "    how often what the model says is right, by how sure it is\n"
              "softlabel show --json --rows 0 labels.parquet | jq .label\n"
              "    every row as JSON\n",
  .check = check_options,
  .run = run,
};
