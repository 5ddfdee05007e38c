/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "item-values-private.h"

#include "pipeline/base/number-text.h"
#include "pipeline/base/shown-text.h"
#include "pipeline/files/text/table-text.h"
#include "pipeline/text/json-reader.h"
#include "pipeline/text/made-source.h"

#include <string.h>

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
sl_item_values_open (SlItemValues *values, SlRun *run, const char *option, const char *path,
                     GError **error)
{
  SlSource *source = NULL;
  const SlReaderOptions options = { .threads = run->threads, .bytes = &source };
  *values = (SlItemValues){ .run = run,
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
  return sl_table_column (table, "item") >= 0
         || sl_error_bad_input (error, "%s: a table of %s has no items", values->name,
                                table->kind->name);
}

void
sl_item_values_clear (SlItemValues *values)
{
  for (guint c = 0; values->columns != NULL && c < values->columns->len; c++)
    {
      const SlItemColumn *column = sl_item_column (values, (int) c);
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

char *
sl_item_values_add (SlItemValues *values, int c, gint32 item, SlItemValue value)
{
  SlItemColumn *column = sl_item_column (values, c);
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
  gsize length;
  const char *text = sl_intern_get (values->items, item, &length);
  g_autofree char *name = sl_shown (text, length);
  g_autofree char *before = value_shown (values, column, *now);
  g_autofree char *here = value_shown (values, column, value);
  return g_strdup_printf ("%s '%s' of item '%s', which has '%s' in a row before", column->name,
                          here, name, before);
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
  item = sl_item_trim (item, &n);
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
        name = sl_item_trim (name, &length);
        if (length < whole)
          id[i] = sl_intern_find (items, name, length);
      }
}

const SlItemValue *
sl_item_values_get (const SlItemValues *values, int c, gint32 id)
{
  const SlItemColumn *column = sl_item_column (values, c);
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
  gsize length;
  const char *item = sl_intern_get (values->items, id, &length);
  g_autofree char *shown = sl_shown (item, length);
  g_autofree char *class = value_shown (values, sl_item_column (values, c), *value);
  return sl_error_bad_input (
      error,
      "--%s %s: the %s class '%s' of item '%s' is none of the classes ('%s', "
      "…)",
      values->option, values->name, sl_item_column (values, c)->name, class, shown,
      values->n_classes > 0 ? values->classes[0] : "");
}
