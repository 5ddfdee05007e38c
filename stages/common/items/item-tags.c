/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "item-tags.h"

#include "pipeline/base/shown-text.h"
#include "pipeline/table/tag-columns.h"
#include "pipeline/table/types/types.h"

#include <string.h>

enum
{
  NOT_MET,
  MISSING,
  FIRST_VALUE
};

void
sl_item_tags_init (SlItemTags *tags, const SlTable *answers)
{
  tags->tag = g_new0 (SlItemTag, SL_MAX_COLUMNS);
  for (int c = sl_table_first_tag (answers); answers->spec[c].name != NULL; c++)
    if (sl_table_has (answers, c))
      tags->tag[tags->n++] = (SlItemTag){ .key = g_strdup (sl_tag_column_key (answers, c)),
                                          .column = c,
                                          .values = sl_intern_new (),
                                          .code = g_array_new (FALSE, TRUE, sizeof (gint32)),
                                          .mixed = -1 };
}

void
sl_item_tags_clear (SlItemTags *tags)
{
  for (int t = 0; t < tags->n; t++)
    {
      g_free (tags->tag[t].key);
      sl_intern_free (tags->tag[t].values);
      g_array_unref (tags->tag[t].code);
    }
  g_clear_pointer (&tags->tag, g_free);
  tags->n = 0;
}

static void
add_tag (SlItemTag *tag, const SlBatch *batch, const gint32 *ids)
{
  const SlColumn *column = &batch->column[tag->column];
  const char *last = NULL;
  gsize last_length = 0;
  gint32 code = MISSING;
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      gsize length;
      const char *text = sl_text_get (column->text, i, &length);
      if (sl_value_is_missing (batch, tag->column, i))
        {
          code = MISSING;
          last = NULL;
        }
      /* Rows of one file have the same. */
      else if (last == NULL || length != last_length || memcmp (text, last, length) != 0)
        {
          code = FIRST_VALUE + sl_intern (tag->values, text, length);
          last = text;
          last_length = length;
        }
      if ((guint) ids[i] >= tag->code->len)
        g_array_set_size (tag->code, (guint) ids[i] + 1);
      gint32 *own = &g_array_index (tag->code, gint32, ids[i]);
      if (*own != NOT_MET && *own != code && tag->mixed < 0)
        tag->mixed = ids[i];
      *own = code;
    }
}

void
sl_item_tags_add (SlItemTags *tags, const SlBatch *batch, const gint32 *ids)
{
  for (int t = 0; t < tags->n; t++)
    if (tags->tag[t].mixed < 0)
      add_tag (&tags->tag[t], batch, ids);
}

gboolean
sl_item_tags_settle (SlItemTags *tags, SlRun *run, const SlIntern *items, SlTable *table,
                     GError **error)
{
  for (int t = 0; t < tags->n; t++)
    {
      const SlItemTag *tag = &tags->tag[t];
      if (tag->mixed < 0)
        {
          if (!sl_table_add_tag_column (table, tag->key, error))
            return FALSE;
          continue;
        }
      gsize length;
      const char *name = sl_intern_get (items, tag->mixed, &length);
      g_autofree char *shown = sl_shown (name, length);
      sl_run_warn (run,
                   "items have rows of several values of '%s', as '%s' has, and so their labels "
                   "have none of it",
                   tag->key, shown);
    }
  return TRUE;
}

void
sl_item_tags_write (const SlItemTags *tags, SlBuilder *builder, const SlTable *table, gint32 from,
                    gint32 to)
{
  for (int t = 0; t < tags->n; t++)
    {
      const SlItemTag *tag = &tags->tag[t];
      const int column = sl_table_tag_column (table, tag->key);
      for (gint32 i = from; column >= 0 && i < to; i++)
        {
          const gint32 code = g_array_index (tag->code, gint32, i);
          gsize length = 0;
          const char *text = code >= FIRST_VALUE
                                 ? sl_intern_get (tag->values, code - FIRST_VALUE, &length)
                                 : NULL;
          if (text != NULL)
            sl_builder_text (builder, column, text, length);
          else
            sl_builder_null (builder, column);
        }
    }
}
