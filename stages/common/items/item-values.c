/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "item-values.h"

#include "pipeline/base/number-text.h"
#include "pipeline/base/shown-text.h"
#include "pipeline/files/text/table-text.h"
#include "pipeline/table/types/types.h"
#include "pipeline/text/json-reader.h"
#include "pipeline/text/made-source.h"
#include "stages/common/classes/class-list.h"
#include "stages/common/classes/class-map.h"
#include "stages/common/files/csv-cells.h"

#include <string.h>

static SlItemColumn *
column_at (const SlItemValues *values, int c)
{
  return &g_array_index (values->columns, SlItemColumn, c);
}

/* TEXT[n] without blanks around it. */
static const char *
trim (const char *text, gsize *n)
{
  for (; *n > 0 && g_ascii_isspace (text[0]); text++)
    (*n)--;
  while (*n > 0 && g_ascii_isspace (text[*n - 1]))
    (*n)--;
  return text;
}

/* What VALUE of COLUMN is called in messages, to be freed. */
static char *
value_shown (const SlItemValues *values, const SlItemColumn *column, SlItemValue value)
{
  gsize length;
  char number[SL_REAL_CHARS + 1];
  gint64 text = column->type == SL_TYPE_CLASS ? -2 - value.integer : value.integer;
  if (column->type == SL_TYPE_CLASS && value.integer >= 0)
    return sl_shown (values->classes[value.integer], strlen (values->classes[value.integer]));
  if (column->type == SL_TYPE_CLASS || column->type == SL_TYPE_TEXT)
    {
      const char *shown = sl_intern_get (values->texts, (gint32) text, &length);
      return sl_shown (shown, length);
    }
  if (column->type == SL_TYPE_BOOL)
    return g_strdup (value.integer != 0 ? "yes" : "no");
  if (column->type == SL_TYPE_INT32 || column->type == SL_TYPE_INT64)
    return g_strdup_printf ("%" G_GINT64_FORMAT, value.integer);
  number[sl_format_real (number, value.real)] = '\0';
  return g_strdup (number);
}

/* Notes that ITEM has VALUE in column C; what is wrong with that, to be freed, or NULL. */
static char *
add_value (SlItemValues *values, int c, gint32 item, SlItemValue value)
{
  SlItemColumn *column = column_at (values, c);
  if ((guint) item >= column->values->len)
    {
      guint before = column->there->len;
      g_array_set_size (column->values, (guint) item + 1);
      g_byte_array_set_size (column->there, (guint) item + 1);
      memset (column->there->data + before, 0, (guint) item + 1 - before);
    }
  SlItemValue *now = &g_array_index (column->values, SlItemValue, item);
  if (!column->there->data[item] || now->integer == value.integer)
    {
      *now = value;
      column->there->data[item] = 1;
      return NULL;
    }
  g_autofree char *name = sl_intern_shown (values->items, item);
  g_autofree char *before = value_shown (values, column, *now);
  g_autofree char *here = value_shown (values, column, value);
  return g_strdup_printf ("%s '%s' of %s '%s', which has '%s' in a row before", column->name, here,
                          values->of->role, name, before);
}

/* A file that is read. */
typedef struct
{
  SlItemValues *values;
  const SlClassTexts *texts;
  SlCoder *classes;
  gint64 n_alike; /* classes that are written otherwise, and one of them */
  char *alike;
} Reading;

/* A class that is none of the table's, as a value: below -1. */
static gint64
unknown_class (SlItemValues *values, const char *text, gsize n)
{
  text = trim (text, &n);
  return -2 - (gint64) sl_intern (values->texts, text, n);
}

static gboolean
claim (gpointer data, GError **error)
{
  SlItemValues *values = ((Reading *) data)->values;
  gsize bytes = sl_intern_bytes (values->items) + sl_intern_bytes (values->texts);
  for (guint c = 0; c < values->columns->len; c++)
    bytes += (sizeof (SlItemValue) + 1) * (gsize) column_at (values, (int) c)->values->len;
  return sl_run_claim_up_to (values->run, &values->claimed, bytes, "the items and what they have",
                             error);
}

/* ---- texts ---- */

/* The code of a class's name; below -1: of one that is none of the classes. */
static gint64
class_code (Reading *reading, const char *text, gsize length)
{
  gint32 code = sl_coder_code (reading->classes, text, length);
  if (code != SL_CODE_UNKNOWN)
    return code == SL_CODE_MISSING ? -1 : code;
  const char *name = trim (text, &length);
  code = sl_coder_alike (reading->classes, name, length);
  if (code == SL_CODE_UNKNOWN)
    return unknown_class (reading->values, name, length);
  if (reading->n_alike++ == 0)
    reading->alike = g_strdup_printf ("'%.*s' for '%s'", (int) MIN (length, 100), name,
                                      reading->values->classes[code]);
  return code;
}

/* *VALUE <- what TEXT[length] says in a column of TYPE; what is wrong with it, or NULL. *MISSING:
 * it says nothing. */
static const char *
parse_value (Reading *reading, SlType type, const char *text, gsize length, SlItemValue *value,
             gboolean *missing)
{
  static const char *const words[] = { "no", "yes", "false", "true", "0", "1", NULL };
  *value = (SlItemValue){ 0 };
  if (type == SL_TYPE_CLASS)
    {
      value->integer = class_code (reading, text, length);
      *missing = value->integer == -1;
      return NULL;
    }
  text = trim (text, &length);
  *missing = sl_class_texts_missing (reading->texts, text, length);
  gssize n = (gssize) length;
  if (*missing)
    return NULL;
  switch (type)
    {
    case SL_TYPE_BOOL:
      for (int i = 0; words[i] != NULL; i++)
        if (strlen (words[i]) == length && g_ascii_strncasecmp (words[i], text, length) == 0)
          {
            value->integer = i % 2;
            return NULL;
          }
      return "is neither yes nor no";
    case SL_TYPE_INT32:
    case SL_TYPE_INT64:
      if (!sl_parse_integer (text, n, &value->integer))
        return "is not a whole number";
      return type == SL_TYPE_INT64 || (value->integer >= G_MININT32 && value->integer <= G_MAXINT32)
                 ? NULL
                 : "is too large";
    case SL_TYPE_REAL:
    case SL_TYPE_FLOAT32:
      return sl_parse_real (text, n, &value->real) ? NULL : "is not a number";
    default:
      value->integer = sl_intern (reading->values->texts, text, length);
      return NULL;
    }
}

/* What is wrong with field F of row R, column C's value of ITEM; to be freed, or NULL. */
static char *
take_field (Reading *reading, SlCsvRows *rows, guint32 r, int f, int c, gint32 item)
{
  gsize length;
  gboolean missing;
  SlItemValue value;
  const char *text = sl_csv_field (rows, f, r, &length);
  const SlItemColumn *column = column_at (reading->values, c);
  const char *wrong = parse_value (reading, column->type, text, length, &value, &missing);
  if (wrong == NULL)
    return missing ? NULL : add_value (reading->values, c, item, value);
  g_autofree char *shown = sl_shown (text, length);
  return g_strdup_printf ("%s '%s' %s", column->name, shown, wrong);
}

static void
take_rows (SlCsvRows *rows, gpointer data)
{
  Reading *reading = data;
  SlItemValues *values = reading->values;
  for (guint32 r = 0; r < rows->n; r++)
    {
      gsize length;
      const char *name = sl_csv_field (rows, 0, r, &length);
      name = trim (name, &length);
      if (length == 0 && values->columns->len == 0)
        continue;
      g_autofree char *wrong = NULL;
      if (length == 0)
        wrong = g_strdup_printf ("the %s is empty", values->of->role);
      gint32 item = wrong == NULL ? sl_intern (values->items, name, length) : -1;
      for (int c = 0; wrong == NULL && c < (int) values->columns->len; c++)
        wrong = take_field (reading, rows, r, c + 1, c, item);
      if (wrong != NULL)
        sl_csv_rows_bad (rows, r, "%s", wrong);
    }
}

/* A class a line, of items that go by the lines' numbers. */
static void
take_list (SlCsvRows *rows, gpointer data)
{
  Reading *reading = data;
  SlItemValues *values = reading->values;
  for (guint32 r = 0; r < rows->n; r++)
    {
      char name[24];
      gsize length = (gsize) g_snprintf (name, sizeof name, "%d", sl_intern_size (values->items));
      gint32 item = sl_intern (values->items, name, length);
      g_autofree char *wrong = take_field (reading, rows, r, 0, 0, item);
      if (wrong != NULL)
        sl_csv_rows_bad (rows, r, "%s", wrong);
    }
}

/* By the name as it is, or else by one that stands for gold. */
static int
find_field (const SlCsv *csv, const SlItemColumn *column)
{
  for (int f = 0; f < csv->n_fields; f++)
    if (strcmp (csv->first[f], column->name) == 0)
      return f;
  return column->is_gold ? sl_csv_find_role (csv, &sl_gold_role) : -1;
}

static gboolean
is_list (const SlItemValues *values)
{
  return values->csv->n_fields == 1 && values->columns->len == 1 && column_at (values, 0)->is_gold
         && !sl_role_matches (values->of, values->csv->first[0]);
}

static gboolean
read_csv (Reading *reading, GError **error)
{
  SlItemValues *values = reading->values;
  SlCsv *csv = values->csv;
  int n = (int) values->columns->len;
  g_autofree int *fields = g_new (int, n + 1);
  fields[0] = sl_csv_find_role (csv, values->of);
  if (is_list (values))
    {
      fields[0] = 0;
      if (sl_role_matches (&sl_gold_role, csv->first[0]))
        sl_csv_skip_first (csv);
      return sl_csv_cells (csv, fields, 1, take_list, claim, reading, error);
    }
  const char *absent = fields[0] < 0 ? values->of->role : NULL;
  gboolean gold = FALSE;
  for (int c = 0; c < n && absent == NULL; c++)
    {
      const SlItemColumn *column = column_at (values, c);
      fields[c + 1] = find_field (csv, column);
      if (fields[c + 1] < 0 || fields[c + 1] == fields[0])
        absent = column->name;
      gold = column->is_gold;
    }
  if (absent != NULL)
    return sl_error_bad_input (error, "%s: row 1 has no column '%s'%s", csv->name, absent,
                               gold ? " (or truth, label, class)" : "");
  sl_csv_skip_first (csv);
  return sl_csv_cells (csv, fields, n + 1, take_rows, claim, reading, error);
}

/* ---- tables ---- */

/* The value of row I, which is there; MAP: of the table's classes to ours. */
static SlItemValue
value_of (SlItemValues *values, SlType type, const SlBatch *batch, int column, gint64 i,
          const gint32 *map)
{
  gsize length;
  const char *text;
  const SlColumn *of = &batch->column[column];
  SlItemValue value = { 0 };
  switch (type)
    {
    case SL_TYPE_CLASS:
      text = batch->table->classes[of->code[i]];
      value.integer
          = map[of->code[i]] >= 0 ? map[of->code[i]] : unknown_class (values, text, strlen (text));
      return value;
    case SL_TYPE_BOOL:
      value.integer = of->flag[i] != 0;
      return value;
    case SL_TYPE_INT32:
      value.integer = of->int32[i];
      return value;
    case SL_TYPE_INT64:
      value.integer = of->int64[i];
      return value;
    case SL_TYPE_REAL:
      value.real = of->real[i];
      return value;
    case SL_TYPE_FLOAT32:
      value.real = of->float32[i];
      return value;
    default:
      text = sl_text_get (of->text, i, &length);
      value.integer = sl_intern (values->texts, text, length);
      return value;
    }
}

static gboolean
has_blanks (SlText texts, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    {
      gsize length;
      const char *text = sl_text_get (texts, i, &length);
      if (length > 0 && (g_ascii_isspace (text[0]) || g_ascii_isspace (text[length - 1])))
        return TRUE;
    }
  return FALSE;
}

static void
number_items (SlItemValues *values, SlText items, gint64 n, gint32 *id)
{
  if (!has_blanks (items, n))
    {
      sl_intern_column (values->items, items, n, id);
      return;
    }
  for (gint64 i = 0; i < n; i++)
    {
      gsize length;
      const char *item = sl_text_get (items, i, &length);
      item = trim (item, &length);
      id[i] = sl_intern (values->items, item, length);
    }
}

static gboolean
take_batch (Reading *reading, const SlBatch *batch, int items, const int *columns,
            const gint32 *map, GError **error)
{
  SlItemValues *values = reading->values;
  g_autofree gint32 *id = g_new (gint32, MAX (batch->n_rows, 1));
  number_items (values, batch->column[items].text, batch->n_rows, id);
  for (int c = 0; c < (int) values->columns->len; c++)
    for (gint64 i = 0; i < batch->n_rows; i++)
      {
        if (sl_value_is_missing (batch, columns[c], i))
          continue;
        SlType type = column_at (values, c)->type;
        g_autofree char *wrong
            = add_value (values, c, id[i], value_of (values, type, batch, columns[c], i, map));
        if (wrong != NULL)
          return sl_error_row (error, batch->first_row + i + 1, "%s", wrong);
      }
  return claim (reading, error);
}

static gboolean
find_columns (const SlItemValues *values, const SlTable *table, int *columns, GError **error)
{
  for (int c = 0; c < (int) values->columns->len; c++)
    {
      const SlItemColumn *column = column_at (values, c);
      columns[c] = sl_table_column (table, column->name);
      SlType type = columns[c] >= 0 ? table->spec[columns[c]].type : SL_N_TYPES;
      if (type != column->type)
        return sl_error_bad_input (error,
                                   columns[c] < 0 ? "%s: it has no column '%s'"
                                                  : "%s: its column '%s' is of another type",
                                   values->name, column->name);
    }
  return TRUE;
}

static gboolean
read_table (Reading *reading, GError **error)
{
  SlItemValues *values = reading->values;
  SlTable *table = sl_reader_table (values->reader);
  g_autofree int *columns = g_new (int, values->columns->len + 1);
  g_autofree gint32 *map = sl_class_map_alike (table, values->classes, values->n_classes);
  if (!find_columns (values, table, columns, error))
    return FALSE;
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_reader_each (values->reader, &batch, &ok, error))
    ok = take_batch (reading, batch, sl_table_column (table, values->of->role), columns, map,
                     error);
  return ok;
}

gboolean
sl_item_values_read (SlItemValues *values, char *const *classes, gint32 n,
                     const SlClassTexts *texts, GError **error)
{
  SlClassTexts usual = { 0 };
  g_autoptr (SlIntern) known = sl_classes_intern (classes);
  if (texts == NULL && !sl_class_texts_init (&usual, TRUE, NULL, NULL, error))
    return FALSE;
  Reading reading = { .values = values, .texts = texts != NULL ? texts : &usual };
  values->classes = classes;
  values->n_classes = n;
  reading.classes = sl_coder_new (known, reading.texts);
  gboolean ok = (values->csv != NULL ? read_csv : read_table) (&reading, error);
  if (ok && reading.n_alike > 0)
    sl_run_note (values->run,
                 "%s: classes that are written otherwise: %" G_GINT64_FORMAT ", such as %s",
                 values->name, reading.n_alike, reading.alike);
  sl_coder_free (reading.classes);
  sl_class_texts_clear (&usual);
  g_free (reading.alike);
  g_clear_pointer (&values->reader, sl_reader_free);
  g_clear_pointer (&values->csv, sl_csv_free);
  return ok;
}

/* Takes SOURCE, CSV or JSON. */
static SlCsv *
csv_of (SlSource *source, GError **error)
{
  g_autoptr (SlSource) own = source;
  gboolean json;
  if (!sl_json_begins (own, &json, error))
    return NULL;
  if (json)
    own = sl_source_new_json_text (g_steal_pointer (&own), error);
  if (own == NULL)
    return NULL;
  char separator = own->made != NULL && !own->is_file ? ',' : '\0';
  return sl_csv_new (g_steal_pointer (&own), separator, error);
}

gboolean
sl_item_values_open_of (SlItemValues *values, SlRun *run, const char *option, const char *path,
                        const SlColumnRole *of, GError **error)
{
  SlSource *source = NULL;
  const SlReaderOptions options = { .threads = run->threads, .bytes = &source };
  *values = (SlItemValues){ .run = run,
                            .of = of,
                            .option = option,
                            .name = g_filename_display_name (path),
                            .items = sl_intern_new (),
                            .texts = sl_intern_new (),
                            .columns = g_array_new (FALSE, TRUE, sizeof (SlItemColumn)) };
  sl_intern_set_threads (values->items, run->threads);
  if (sl_reader_is_foreign (path))
    source = sl_table_text_open (path, run->threads, error);
  else
    values->reader = sl_run_open_as (run, option, path, &options, error);
  if (values->reader == NULL && source == NULL)
    return FALSE;
  if (source != NULL)
    {
      values->csv = csv_of (source, error);
      return values->csv != NULL && sl_run_add_option_file (run, option, path, error);
    }
  const SlTable *table = sl_reader_table (values->reader);
  return sl_table_column (table, of->role) >= 0
         || sl_error_bad_input (error, "%s: a table of %s has no %ss", values->name,
                                table->kind->name, of->role);
}

gboolean
sl_item_values_open (SlItemValues *values, SlRun *run, const char *option, const char *path,
                     GError **error)
{
  return sl_item_values_open_of (values, run, option, path, &sl_item_role, error);
}

void
sl_item_values_clear (SlItemValues *values)
{
  for (guint c = 0; values->columns != NULL && c < values->columns->len; c++)
    {
      const SlItemColumn *column = column_at (values, (int) c);
      g_free (column->name);
      g_array_unref (column->values);
      g_byte_array_unref (column->there);
    }
  g_clear_pointer (&values->columns, g_array_unref);
  g_clear_pointer (&values->name, g_free);
  g_clear_pointer (&values->items, sl_intern_free);
  g_clear_pointer (&values->texts, sl_intern_free);
  g_clear_pointer (&values->reader, sl_reader_free);
  g_clear_pointer (&values->csv, sl_csv_free);
  if (values->claimed > 0)
    sl_run_release (values->run, values->claimed);
  values->claimed = 0;
}

void
sl_item_values_want (SlItemValues *values, const char *name, SlType type, gboolean gold)
{
  const SlItemColumn column
      = { g_strdup (name), type, gold, g_array_new (FALSE, TRUE, sizeof (SlItemValue)),
          g_byte_array_new () };
  g_array_append_val (values->columns, column);
}

gboolean
sl_item_values_gold (SlItemValues *values, SlRun *run, const char *path, const SlTable *table,
                     GError **error)
{
  if (!sl_item_values_open (values, run, "gold", path, error))
    return FALSE;
  sl_item_values_want (values, "gold", SL_TYPE_CLASS, TRUE);
  return sl_item_values_read (values, table->classes, table->n_classes, NULL, error);
}

gint32
sl_item_values_find (const SlItemValues *values, const char *item, gsize n)
{
  item = trim (item, &n);
  return sl_intern_find (values->items, item, n);
}

void
sl_items_find (const SlIntern *items, SlText names, gint64 n, int threads, gint32 *id)
{
  sl_intern_find_column (items, names, n, threads, id);
  for (gint64 i = 0; i < n; i++)
    if (id[i] < 0)
      {
        gsize length;
        const char *name = sl_text_get (names, i, &length);
        gsize whole = length;
        name = trim (name, &length);
        if (length < whole)
          id[i] = sl_intern_find (items, name, length);
      }
}

const SlItemValue *
sl_item_values_get (const SlItemValues *values, int c, gint32 id)
{
  const SlItemColumn *column = column_at (values, c);
  return id >= 0 && (guint) id < column->there->len && column->there->data[id]
             ? &g_array_index (column->values, SlItemValue, id)
             : NULL;
}

gboolean
sl_item_values_class (const SlItemValues *values, int c, gint32 id, gint32 *code, GError **error)
{
  const SlItemValue *value = sl_item_values_get (values, c, id);
  *code = value != NULL ? (gint32) MAX (value->integer, -1) : -1;
  if (value == NULL || value->integer >= 0)
    return TRUE;
  g_autofree char *shown = sl_intern_shown (values->items, id);
  g_autofree char *class = value_shown (values, column_at (values, c), *value);
  return sl_error_bad_input (
      error,
      "--%s %s: the %s class '%s' of item '%s' is none of the classes ('%s', "
      "…)",
      values->option, values->name, column_at (values, c)->name, class, shown,
      values->n_classes > 0 ? values->classes[0] : "");
}
