/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show: prints any table for people to read, with a chart of what it says, or one JSON object a
 * row; all of its rows, or those that fit, as they come or sorted. */
#include "pipeline/command/options/option-rows.h"
#include "pipeline/display/readable-table.h"
#include "pipeline/display/terminal.h"
#include "pipeline/files/text/csv-json-out.h"
#include "sorting.h"
#include "pipeline/table/condition.h"
#include "table-chart.h"

#include <string.h>

typedef struct
{
  SlRun *run;
  GArray *conditions; /* SlCondition */
  SlSorting *sorting; /* NULL: as they come */
  gint64 read, fit;
  /* What is done with each batch of those that fit, in the table's order (CHART, or NULL), and with
   * those that are shown, in theirs. */
  void (*chart) (gpointer data, const SlBatch *batch);
  void (*show) (gpointer data, const SlBatch *batch);
  gpointer data;
} ShownRows;

/* The rows of BATCH that fit, numbered anew. */
static SlBatch *
fitting (ShownRows *rows, SlBatch *batch, GError **error)
{
  rows->read += batch->n_rows;
  if (rows->conditions->len == 0)
    return sl_batch_ref (batch);
  g_autofree guint8 *keep = g_malloc (MAX ((gsize) batch->n_rows, 1));
  memset (keep, 1, (gsize) batch->n_rows);
  sl_conditions_apply (rows->conditions, batch, keep);
  SlBatch *kept = sl_batch_filter (batch, keep, error);
  if (kept != NULL)
    kept->first_row = rows->fit;
  return kept;
}

/* Reads run->in to its end even where few rows are shown: to count the rows, and because a table
 * that breaks off must not look like a whole one. */
static gboolean
shown_rows_go (ShownRows *rows, GError **error)
{
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_run_each (rows->run, &batch, &ok, error))
    {
      g_autoptr (SlBatch) kept = fitting (rows, batch, error);
      ok = kept != NULL;
      if (!ok)
        continue;
      if (rows->chart != NULL)
        rows->chart (rows->data, kept);
      if (rows->sorting != NULL)
        ok = sl_sorting_add (rows->sorting, kept, error);
      else
        rows->show (rows->data, kept);
      rows->fit += kept->n_rows;
    }
  while (ok && rows->sorting != NULL)
    {
      g_autoptr (SlBatch) sorted = NULL;
      ok = sl_sorting_take (rows->sorting, &sorted, error);
      if (sorted == NULL)
        break;
      rows->show (rows->data, sorted);
    }
  return ok;
}

typedef struct
{
  gint64 rows; /* 0: all */
  char **where;
  char *sort;
  gboolean descending;
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

#define OPTIONS Options

static const SlOption option_table[] = {
  WHOLE ("rows", rows, 0, 9e18, "N", "print the first N rows; 0 prints all", .letter = 'n',
         .unrecorded = TRUE),
  TEXTS ("where", where, "CONDITION",
         "only rows for which 'COLUMN OP VALUE' holds, with OP one of = != < <= > >=, or 'COLUMN "
         "missing', 'COLUMN present', as in `softlabel select`; given again, all must hold",
         .unrecorded = TRUE),
  TEXT ("sort", sort, "COLUMN",
        "the rows in the order of this column, the smallest first, or by name; of a distribution, "
        "name a class: label.cat. Rows without a value come last",
        .unrecorded = TRUE),
  FLAG ("desc", descending, "the largest first", .with = "sort", .unrecorded = TRUE),
  FLAG ("json", json, "print one JSON object a row", .unrecorded = TRUE),
  CHOICE ("chart", chart, charts,
          "below the rows draw what the whole table says: how reliable predictions are (by their "
          "gold), how certain labels are, how training went; auto is on terminals",
          .unrecorded = TRUE),
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

static void
show_json (gpointer data, const SlBatch *batch)
{
  SlRun *run = data;
  const Options *options = run->options->values;
  g_autoptr (GString) text = g_string_new (NULL);
  gint64 n
      = options->rows > 0 ? MIN (batch->n_rows, options->rows - batch->first_row) : batch->n_rows;
  for (gint64 i = 0; i < n; i++)
    sl_jsonl_append (text, batch, i);
  print (run, text);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlTableChart, sl_table_chart_free)

typedef struct
{
  SlRun *run;
  SlRender *render;
  SlTableChart *chart; /* NULL: none is drawn */
} Table;

static void
add_to_chart (gpointer data, const SlBatch *batch)
{
  const Table *table = data;
  if (table->chart != NULL)
    sl_table_chart_add (table->chart, batch);
}

static void
show_batch (gpointer data, const SlBatch *batch)
{
  const Table *table = data;
  g_autoptr (GString) text = g_string_new (NULL);
  sl_render_batch (table->render, batch, text);
  print (table->run, text);
}

/* What stands below the rows. */
static void
end_table (const Table *table, const ShownRows *rows, gboolean color)
{
  const Options *options = table->run->options->values;
  g_autoptr (GString) text = g_string_new (NULL);
  if (rows->sorting != NULL)
    sl_render_skip (table->render, rows->fit - rows->sorting->taken);
  sl_render_end (table->render, text);
  if (rows->conditions->len > 0)
    {
      sl_display_count (text, rows->fit);
      g_string_append (text, " of ");
      sl_display_count (text, rows->read);
      g_string_append (text, rows->read == 1 ? " row fits" : " rows fit");
      const guint n = sl_reader_n_passed (table->run->in);
      if (n > 0)
        g_string_append_printf (text, "; %u file%s passed over", n, n == 1 ? " was" : "s were");
      g_string_append_c (text, '\n');
    }
  if (table->chart != NULL
      && !sl_table_chart_draw (table->chart, sl_display_columns (), color, text)
      && options->chart == CHART_ALWAYS)
    sl_run_warn (table->run, "--chart: nothing is drawn: %s",
                 sl_table_chart_missing (sl_reader_table (table->run->in)));
  print (table->run, text);
}

static gboolean
show_table (ShownRows *rows, GError **error)
{
  SlRun *run = rows->run;
  const Options *options = run->options->values;
  SlTable *in = sl_reader_table (run->in);
  /* The terminal may be there without being where the text goes. */
  gboolean away = sl_option_given (run->common, "output");
  gboolean color = sl_display_color () && !away;
  gboolean drawn = options->chart == CHART_ALWAYS
                   || (options->chart == CHART_AUTO && sl_display_terminal () && !away);
  g_autoptr (SlTableChart) chart = drawn ? sl_table_chart_new (in) : NULL;
  g_autoptr (SlRender) render = sl_render_new (in, sl_display_columns (), color, options->rows);
  Table table = { run, render, chart };
  if (rows->sorting != NULL)
    sl_render_keep (render, rows->sorting->column);
  if (options->chart == CHART_ALWAYS && chart == NULL)
    sl_run_warn (run, "--chart: nothing is drawn: %s", sl_table_chart_missing (in));
  rows->chart = add_to_chart;
  rows->show = show_batch;
  rows->data = &table;
  if (!shown_rows_go (rows, error))
    return FALSE;
  end_table (&table, rows, color);
  return TRUE;
}

static char *const *
conditions_of (const SlOptions *options)
{
  return ((const Options *) options->values)->where;
}

static gboolean
run (SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  g_autoptr (GArray) conditions
      = sl_conditions_new (options->where, sl_reader_table (run->in), error);
  g_auto (SlSorting) sorting = { 0 };
  if (conditions == NULL
      || (options->sort != NULL
          && !sl_sorting_init (&sorting, run, sl_reader_table (run->in), options->sort,
                               options->descending, options->rows, error)))
    return FALSE;
  ShownRows rows = { .run = run,
                     .conditions = conditions,
                     .sorting = options->sort != NULL ? &sorting : NULL,
                     .show = show_json,
                     .data = run };
  return options->json ? shown_rows_go (&rows, error) : show_table (&rows, error);
}

const SlCommand sl_command_show = {
  .name = "show",
  .summary = "print a table for people to read",
  .arguments = "[FILE…]",
  .reads = sl_kinds,
  .flags = SL_COMMAND_TEXT,
  .where = conditions_of,
  SL_OPTIONS (option_table, defaults),
  .description
  = "Prints the first rows of any table: a distribution as its likeliest classes with a bar each, "
    "the answers of an annotator in the order given with what was ruled out, a missing value as a "
    "dot. What does not fit the terminal's width is cut short or left out, and said so.\n\n"
    "On a terminal, or with --chart always, a chart follows of what all rows say: what share of "
    "predictions is right by their confidence, in tenths, the entropies of labels, loss and "
    "accuracy of a log by epoch, as means over runs.\n\n"
    "Several files are one table, one after the other. Where their tags differ, a column says "
    "those of each row, so that --sort item puts what several rules made of an item side by "
    "side.\n\n"
    "--where shows the rows that fit, and the chart is of these; it holds one batch. --sort holds "
    "as many rows as are printed, with --rows 0 all of them.\n\n"
    "The width is the terminal's, else that of the variable COLUMNS, else 100. Colours are for "
    "terminals only, and NO_COLOR turns them off. In a locale without UTF-8 everything is ASCII. "
    "Characters that could steer a terminal are written as escapes.",
  .examples = "softlabel show labels.parquet\n"
              "    the first 20 rows\n"
              "softlabel aggregate --method mean redistributed.arrows | softlabel show --rows 5\n"
              "    what comes out of a stage\n"
              "softlabel show --chart always --rows 1 predictions.parquet\n"
              "    how often what the model says is right, by how sure it is\n"
              "softlabel show --where 'gold = Cat' --sort label.Cat --rows 5 labels.parquet\n"
              "    the five cats that fewest take for one\n"
              "softlabel show --sort item uniform.parquet clamp.parquet\n"
              "    labels of two rules, each with its tag, item by item\n"
              "softlabel show --json --rows 0 labels.parquet | jq .label\n"
              "    every row as JSON\n",
  .check = check_options,
  .run = run,
};
