/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show: prints any table for people to read, with a chart of what it says, or one JSON object a
 * row; all of its rows, or those that fit, as they come or sorted. */
#include "pipeline/command/options/option-rows.h"
#include "pipeline/command/run.h"
#include "pipeline/display/readable-table.h"
#include "pipeline/display/terminal.h"
#include "pipeline/files/text/csv-json-out.h"
#include "pipeline/table/condition.h"
#include "pipeline/table/tag-columns.h"
#include "pipeline/table/types/types.h"
#include "stages/common/items/item-texts.h"
#include "table-chart.h"

#include <math.h>
#include <string.h>

/* The rows of a table in the order of a column: all of them, or the first few, which are all that
 * is held then. Numbers go by size, classes in the table's order, texts by their bytes; rows
 * without a value come last, equal ones stay in their order. */
typedef struct
{
  SlRun *run;
  SlTable *table;
  int column;
  gint32 class; /* of a distribution, the one that is looked at */
  gboolean descending;
  gint64 most; /* rows that are wanted; 0: all */
  GArray *rows;
  gint64 seen, taken; /* rows that were added, and that were taken */
  gsize held;         /* bytes of batches, where all rows are kept */
  gsize claimed;
} SlSorting;

typedef struct
{
  SlBatch *batch;
  gint64 row, place; /* in the batch; among all rows */
} Row;

static void
clear_row (gpointer data)
{
  sl_batch_unref (((Row *) data)->batch);
}

/* "label.cat": of a distribution the probability of one class. */
static gboolean
find_class (SlSorting *sorting, const char *name, const char *dot, GError **error)
{
  SlTable *table = sorting->table;
  sorting->class = dot != NULL ? sl_table_class (table, dot + 1, -1) : -1;
  return sorting->class >= 0
         || sl_error_usage (error,
                            "--sort: of a distribution, name one class of the table: '%s.%s'", name,
                            table->classes[0]);
}

static gboolean
find_column (SlSorting *sorting, const char *text, GError **error)
{
  SlTable *table = sorting->table;
  sorting->column = sl_table_column (table, text);
  const char *dot = sorting->column < 0 ? strchr (text, '.') : NULL;
  g_autofree char *name = dot != NULL ? g_strndup (text, (gsize) (dot - text)) : g_strdup (text);
  if (dot != NULL)
    sorting->column = sl_table_column (table, name);
  if (sorting->column < 0)
    {
      g_autofree char *hint = sl_column_hint (table, name);
      return sl_error_usage (error, "--sort: this table of %s has no column '%s'%s",
                             table->kind->name, text, hint);
    }
  switch (table->spec[sorting->column].type)
    {
    case SL_TYPE_LABEL:
      return find_class (sorting, name, dot, error);
    case SL_TYPE_INT32:
    case SL_TYPE_INT64:
    case SL_TYPE_REAL:
    case SL_TYPE_FLOAT32:
    case SL_TYPE_TEXT:
    case SL_TYPE_CLASS:
    case SL_TYPE_BOOL:
      if (dot == NULL)
        return TRUE;
      /* fall through */
    default:
      return sl_error_usage (error, "--sort: values of the column '%s' have no order", text);
    }
}

/* FALSE and ERROR where TABLE has no such COLUMN ("weight", "label.cat"), or its values have no
 * order. */
static gboolean
sorting_init (SlSorting *sorting, SlRun *run, SlTable *table, const char *column,
              gboolean descending, gint64 most, GError **error)
{
  *sorting = (SlSorting){ .run = run,
                          .table = sl_table_ref (table),
                          .descending = descending,
                          .most = most,
                          .rows = g_array_new (FALSE, FALSE, sizeof (Row)) };
  g_array_set_clear_func (sorting->rows, clear_row);
  return find_column (sorting, column, error);
}

static void
sorting_clear (SlSorting *sorting)
{
  g_clear_pointer (&sorting->rows, g_array_unref);
  g_clear_pointer (&sorting->table, sl_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlSorting, sorting_clear)

/* Of two rows that have values. */
static int
compare_values (const SlSorting *sorting, const Row *a, const Row *b)
{
  int c = sorting->column;
  const SlColumn *x = &a->batch->column[c], *y = &b->batch->column[c];
  gint64 k = sorting->table->n_classes;
  switch (sorting->table->spec[c].type)
    {
    case SL_TYPE_INT32:
      return SL_COMPARE (x->int32[a->row], y->int32[b->row]);
    case SL_TYPE_INT64:
      return SL_COMPARE (x->int64[a->row], y->int64[b->row]);
    case SL_TYPE_REAL:
      return SL_COMPARE (x->real[a->row], y->real[b->row]);
    case SL_TYPE_FLOAT32:
      return SL_COMPARE (x->float32[a->row], y->float32[b->row]);
    case SL_TYPE_LABEL:
      return SL_COMPARE (x->real[a->row * k + sorting->class],
                         y->real[b->row * k + sorting->class]);
    case SL_TYPE_CLASS:
      return SL_COMPARE (x->code[a->row], y->code[b->row]);
    case SL_TYPE_BOOL:
      return SL_COMPARE (x->flag[a->row] != 0, y->flag[b->row] != 0);
    default:
      return sl_value_compare (a->batch, a->row, b->batch, b->row, c);
    }
}

/* A NaN is no value either. */
static gboolean
is_missing (const SlSorting *sorting, const Row *row)
{
  const SlColumn *x = &row->batch->column[sorting->column];
  SlType type = sorting->table->spec[sorting->column].type;
  return sl_value_is_missing (row->batch, sorting->column, row->row)
         || (type == SL_TYPE_REAL && isnan (x->real[row->row]))
         || (type == SL_TYPE_FLOAT32 && isnan (x->float32[row->row]));
}

static int
compare (gconstpointer a, gconstpointer b, gpointer data)
{
  const SlSorting *sorting = data;
  const Row *p = a, *q = b;
  int later = SL_COMPARE (p->place, q->place);
  gboolean p_missing = is_missing (sorting, p), q_missing = is_missing (sorting, q);
  if (p_missing || q_missing)
    return p_missing != q_missing ? p_missing - q_missing : later;
  int order = compare_values (sorting, p, q);
  return order == 0 ? later : sorting->descending ? -order : order;
}

static void
sort (SlSorting *sorting)
{
  g_array_sort_with_data (sorting->rows, compare, sorting);
}

/* Leaves of BATCH the rows that are still wanted, so that the others' memory goes. */
static gboolean
shrink (SlSorting *sorting, SlBatch *batch, GError **error)
{
  g_autofree guint8 *keep = g_new0 (guint8, batch->n_rows);
  g_autofree gint64 *number = g_new (gint64, batch->n_rows);
  gint64 n = 0;
  for (guint i = 0; i < sorting->rows->len; i++)
    {
      const Row *row = &g_array_index (sorting->rows, Row, i);
      if (row->batch == batch)
        keep[row->row] = 1;
    }
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      number[i] = n;
      n += keep[i];
    }
  g_autoptr (SlBatch) small = sl_batch_filter (batch, keep, error);
  if (small == NULL)
    return FALSE;
  for (guint i = 0; i < sorting->rows->len; i++)
    {
      Row *row = &g_array_index (sorting->rows, Row, i);
      if (row->batch != batch)
        continue;
      row->row = number[row->row];
      row->batch = sl_batch_ref (small);
      sl_batch_unref (batch);
    }
  return TRUE;
}

/* Bytes of all batches that some row is in. */
static gsize
bytes_held (const SlSorting *sorting)
{
  g_autoptr (GHashTable) batches = g_hash_table_new (NULL, NULL);
  gsize bytes = 0;
  for (guint i = 0; i < sorting->rows->len; i++)
    {
      SlBatch *batch = g_array_index (sorting->rows, Row, i).batch;
      if (g_hash_table_add (batches, batch))
        bytes += sl_batch_bytes (batch);
    }
  return bytes;
}

/* Whether row I of BATCH comes before the last of the rows that are kept, if these are enough. */
static gboolean
is_wanted (const SlSorting *sorting, guint n_kept, SlBatch *batch, gint64 i)
{
  if (sorting->most == 0 || (gint64) n_kept < sorting->most)
    return TRUE;
  const Row row = { batch, i, sorting->seen + i };
  return compare (&row, &g_array_index (sorting->rows, Row, n_kept - 1), (gpointer) sorting) < 0;
}

static gboolean
sorting_add (SlSorting *sorting, SlBatch *batch, GError **error)
{
  guint before = sorting->rows->len;
  for (gint64 i = 0; i < batch->n_rows; i++)
    if (is_wanted (sorting, before, batch, i))
      {
        Row row = { sl_batch_ref (batch), i, sorting->seen + i };
        g_array_append_val (sorting->rows, row);
      }
  sorting->seen += batch->n_rows;
  if (sorting->rows->len == before)
    return TRUE;
  if (sorting->most > 0)
    {
      sort (sorting);
      if ((gint64) sorting->rows->len > sorting->most)
        g_array_set_size (sorting->rows, (guint) sorting->most);
      if (!shrink (sorting, batch, error))
        return FALSE;
    }
  sorting->held = sorting->most > 0 ? bytes_held (sorting) : sorting->held + sl_batch_bytes (batch);
  return sl_run_claim_up_to (sorting->run, &sorting->claimed,
                             sorting->held + sorting->rows->len * sizeof (Row),
                             "the rows that are sorted", error);
}

/* Once all rows are in: *BATCH becomes the next of them in order, NULL at the end. */
static gboolean
sorting_take (SlSorting *sorting, SlBatch **batch, GError **error)
{
  g_autoptr (SlBuilder) builder = sl_builder_new (sorting->table);
  if (sorting->taken == 0)
    sort (sorting);
  gint64 first = sorting->taken;
  for (; sorting->taken < (gint64) sorting->rows->len && sl_builder_room (builder) > 0;
       sorting->taken++)
    {
      const Row *row = &g_array_index (sorting->rows, Row, sorting->taken);
      for (int c = 0; sorting->table->spec[c].name != NULL; c++)
        if (sl_table_has (sorting->table, c))
          sl_value_copy (builder, c, row->batch, row->row);
    }
  *batch = NULL;
  if (sorting->taken == first)
    return TRUE;
  *batch = sl_builder_take (builder, error);
  if (*batch != NULL)
    (*batch)->first_row = first;
  return *batch != NULL;
}

typedef struct
{
  SlRun *run;
  GArray *conditions; /* SlCondition */
  SlSorting *sorting; /* NULL: as they come */
  const SlItemTexts *texts;
  SlTable *header; /* of what is shown: with texts, if a file has them */
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

static gboolean
show_rows (const ShownRows *rows, SlBatch *batch, GError **error)
{
  gboolean joins = rows->texts->file.items != NULL;
  g_autoptr (SlBatch) wide
      = joins ? sl_item_texts_fill (rows->texts, batch, rows->header, error) : sl_batch_ref (batch);
  if (wide != NULL)
    rows->show (rows->data, wide);
  return wide != NULL;
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
        ok = sorting_add (rows->sorting, kept, error);
      else
        ok = show_rows (rows, kept, error);
      rows->fit += kept->n_rows;
    }
  while (ok && rows->sorting != NULL)
    {
      g_autoptr (SlBatch) sorted = NULL;
      ok = sorting_take (rows->sorting, &sorted, error);
      if (sorted == NULL)
        break;
      ok = show_rows (rows, sorted, error);
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
  char *text;
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
  SL_TEXT_OPTION ("show what items say", .unrecorded = TRUE),
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

#define WIDEST_CHART 100 /* columns */

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
      && !sl_table_chart_draw (table->chart, MIN (sl_display_columns (), WIDEST_CHART), color, text)
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
  g_autoptr (SlRender) render
      = sl_render_new (rows->header, sl_display_columns (), color, options->rows);
  Table table = { run, render, chart };
  if (rows->sorting != NULL)
    sl_render_keep (render, rows->sorting->column);
  const int text = rows->texts->column >= 0 ? rows->texts->column
                                            : sl_table_tag_column (rows->header, SL_ITEM_TEXT);
  if (options->text != NULL)
    sl_render_keep (render, text);
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
          && !sorting_init (&sorting, run, sl_reader_table (run->in), options->sort,
                            options->descending, options->rows, error)))
    return FALSE;
  ShownRows rows = { .run = run,
                     .conditions = conditions,
                     .sorting = options->sort != NULL ? &sorting : NULL,
                     .show = show_json,
                     .data = run };
  g_auto (SlItemTexts) texts;
  if (!sl_item_texts_open (&texts, run, options->text, run->in, error))
    return FALSE;
  rows.texts = &texts;
  g_autoptr (SlTable) header = texts.file.items != NULL
                                   ? sl_item_texts_header (sl_reader_table (run->in), error)
                                   : sl_table_ref (sl_reader_table (run->in));
  rows.header = header;
  if (texts.file.items != NULL && sl_table_column (sl_reader_table (run->in), "item") < 0)
    return sl_error_bad_input (error, "%s: it has no column 'item' that --text could be of",
                               sl_reader_name (run->in));
  if (header == NULL)
    return FALSE;
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
    "ordered ones in their order, the answers of an annotator in the order given with what was "
    "ruled out, a missing value as a "
    "dot. What does not fit the terminal's width is cut short or left out, and said so.\n\n"
    "On a terminal, or with --chart always, a chart follows of what all rows say: what share of "
    "predictions is right by their confidence, in tenths, the entropies of labels, loss and "
    "accuracy of a log by epoch, as means over runs.\n\n"
    "Several files are one table, one after the other. Where their tags differ, a column says "
    "those of each row, so that --sort item puts what several rules made of an item side by "
    "side.\n\n"
    "--where shows the rows that fit, and the chart is of these; it holds one batch. --sort holds "
    "as many rows as are printed, with --rows 0 all of them.\n\n"
    "The width is the terminal's. In a file or pipe it is that of the variable COLUMNS; where that "
    "is not set, nothing is cut or left out. Colours are for "
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
