/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "item-texts.h"

#include "pipeline/table/class-values.h"
#include "pipeline/table/tag-columns.h"

#include <string.h>

gboolean
sl_item_texts_open (SlItemTexts *texts, SlRun *run, const char *text, SlReader *reader,
                    GError **error)
{
  const SlTable *table = sl_reader_table (reader);
  *texts = (SlItemTexts){ .column = -1 };
  if (text == NULL)
    return TRUE;
  texts->column = sl_table_tag_column (table, sl_tag_key_of (text) ?: text);
  if (texts->column >= 0 && sl_table_has (table, texts->column))
    return TRUE;
  texts->column = -1;
  if (strcmp (text, "-") != 0 && !g_file_test (text, G_FILE_TEST_EXISTS))
    return sl_error_usage (error, "--text: '%s' is neither a tag's column of %s nor a file", text,
                           sl_reader_name (reader));
  if (!sl_item_values_open (&texts->file, run, "text", text, error))
    return FALSE;
  sl_item_values_want (&texts->file, SL_ITEM_TEXT, SL_TYPE_TEXT, FALSE);
  return sl_item_values_read (&texts->file, table->classes, table->n_classes, NULL, error);
}

void
sl_item_texts_clear (SlItemTexts *texts)
{
  if (texts->file.items != NULL)
    sl_item_values_clear (&texts->file);
}

char *
sl_item_texts_find (const SlItemTexts *texts, const char *item, gsize n)
{
  gsize length;
  const SlItemValue *value
      = texts->file.items != NULL
            ? sl_item_values_get (&texts->file, 0, sl_item_values_find (&texts->file, item, n))
            : NULL;
  if (value == NULL)
    return NULL;
  const char *text = sl_intern_get (texts->file.texts, (gint32) value->integer, &length);
  return g_strndup (text, length);
}

void
sl_item_texts_want (const SlItemTexts *texts, SlRowTags *tags, const SlTable *table)
{
  if (texts->column < 0)
    return;
  sl_row_tags_want (tags, table, texts->column);
  g_free (tags->tag[tags->n - 1].key);
  tags->tag[tags->n - 1].key = g_strdup (SL_ITEM_TEXT);
}

static gboolean
none_found (const SlItemTexts *texts, gint32 n_items, GError **error)
{
  return sl_error_bad_input (error, "%s: it has a text of none of the %d items", texts->file.name,
                             n_items);
}

gboolean
sl_item_texts_settle (const SlItemTexts *texts, SlRowTags *tags, SlRun *run, const SlIntern *items,
                      SlTable *table, GError **error)
{
  gint32 n = texts->file.items != NULL ? sl_intern_size (items) : 0, found = 0;
  if (texts->file.items != NULL)
    sl_row_tags_begin (tags, SL_ITEM_TEXT);
  for (gint32 i = 0; i < n; i++)
    {
      gsize length;
      const char *item = sl_intern_get (items, i, &length);
      g_autofree char *text = sl_item_texts_find (texts, item, length);
      sl_row_tags_put (tags, i, text);
      found += text != NULL;
    }
  if (n > 0 && found == 0)
    return none_found (texts, n, error);
  if (found < n)
    sl_run_note (run, "%s: it has texts of %d of %d items", texts->file.name, found, n);
  return sl_row_tags_settle (tags, run, items, table, error);
}

SlTable *
sl_item_texts_header (const SlTable *table, GError **error)
{
  g_autoptr (SlTable) header = sl_table_new (table->kind, (const char *const *) table->classes);
  sl_table_take_columns (header, table, table->columns);
  sl_tags_copy (&header->tags, &table->tags);
  sl_table_set_values (header, table->values);
  return sl_table_add_tag_column (header, SL_ITEM_TEXT, error) ? g_steal_pointer (&header) : NULL;
}

SlBatch *
sl_item_texts_fill (const SlItemTexts *texts, const SlBatch *batch, SlTable *header, GError **error)
{
  g_autoptr (SlBatch) wide = sl_tag_columns_fill ((SlBatch *) batch, header, error);
  g_autoptr (SlBuilder) builder = sl_builder_new (header);
  const int column = sl_table_tag_column (header, SL_ITEM_TEXT),
            named = sl_table_column (header, "item");
  if (wide == NULL)
    return NULL;
  for (int c = 0; header->spec[c].name != NULL; c++)
    if (sl_table_has (header, c) && c != column)
      sl_builder_share (builder, c, wide, c);
  for (gint64 i = 0; i < wide->n_rows; i++)
    {
      gsize length;
      const char *item = sl_text_get (wide->column[named].text, i, &length);
      g_autofree char *text = sl_item_texts_find (texts, item, length);
      if (text != NULL)
        sl_builder_text (builder, column, text, strlen (text));
      else
        sl_builder_null (builder, column);
    }
  SlBatch *rows = sl_builder_take (builder, error);
  if (rows != NULL)
    rows->first_row = batch->first_row;
  return rows;
}
