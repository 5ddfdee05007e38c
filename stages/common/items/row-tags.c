/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "row-tags.h"

#include "pipeline/base/error.h"
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

static gboolean
is_attribute (const char *key)
{
  return g_str_has_prefix (key, SL_ATTRIBUTE_PREFIX);
}

void
sl_row_tags_init (SlRowTags *tags, const SlTable *answers)
{
  for (int c = sl_table_first_tag (answers); answers->spec[c].name != NULL; c++)
    if (sl_table_has (answers, c) && !is_attribute (sl_tag_column_key (answers, c)))
      sl_row_tags_want (tags, answers, c);
}

void
sl_row_tags_begin (SlRowTags *tags, const char *key)
{
  if (tags->tag == NULL)
    tags->tag = g_new0 (SlRowTag, SL_MAX_COLUMNS);
  tags->tag[tags->n++] = (SlRowTag){ .key = g_strdup (key),
                                     .column = -1,
                                     .values = sl_intern_new (),
                                     .code = g_array_new (FALSE, TRUE, sizeof (gint32)),
                                     .mixed = -1 };
}

void
sl_row_tags_want (SlRowTags *tags, const SlTable *answers, int column)
{
  sl_row_tags_begin (tags, sl_tag_column_key (answers, column));
  tags->tag[tags->n - 1].column = column;
}

void
sl_row_tags_put (SlRowTags *tags, gint32 item, const char *value)
{
  SlRowTag *tag = &tags->tag[tags->n - 1];
  const gint32 code
      = value != NULL ? FIRST_VALUE + sl_intern (tag->values, value, strlen (value)) : MISSING;
  if ((guint) item >= tag->code->len)
    g_array_set_size (tag->code, (guint) item + 1);
  g_array_index (tag->code, gint32, item) = code;
}

void
sl_row_tags_clear (SlRowTags *tags)
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
add_tag (SlRowTag *tag, const SlBatch *batch, const gint32 *ids)
{
  const SlColumn *column = &batch->column[tag->column];
  const char *last = NULL;
  gsize last_length = 0;
  gint32 code = MISSING;
  const gboolean known = is_attribute (tag->key); /* wherever it is said */
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
      if (known && (*own == MISSING || (code == MISSING && *own != NOT_MET)))
        *own = MAX (*own, code);
      else if (*own == NOT_MET)
        *own = code;
      else if (*own != code && tag->mixed < 0)
        {
          tag->mixed = ids[i];
          tag->other = code;
        }
    }
}

void
sl_row_tags_add (SlRowTags *tags, const SlBatch *batch, const gint32 *ids)
{
  for (int t = 0; t < tags->n; t++)
    if (tags->tag[t].mixed < 0 && tags->tag[t].column >= 0)
      add_tag (&tags->tag[t], batch, ids);
}

static char *
shown_value (const SlRowTag *tag, gint32 code)
{
  return sl_intern_shown (tag->values, code - FIRST_VALUE);
}

gboolean
sl_row_tags_settle (SlRowTags *tags, SlRun *run, const SlIntern *items, SlTable *table,
                    GError **error)
{
  for (int t = 0; t < tags->n; t++)
    {
      const SlRowTag *tag = &tags->tag[t];
      if (tag->mixed < 0)
        {
          if (!sl_table_add_tag_column (table, tag->key, error))
            return FALSE;
          continue;
        }
      g_autofree char *shown = sl_intern_shown (items, tag->mixed);
      sl_run_warn (run,
                   "items have rows of several values of '%s', as '%s' has, and so their labels "
                   "have none of it",
                   tag->key, shown);
    }
  return TRUE;
}

void
sl_row_tags_write (const SlRowTags *tags, SlBuilder *builder, const SlTable *table, gint32 from,
                   gint32 to)
{
  for (int t = 0; t < tags->n; t++)
    {
      const SlRowTag *tag = &tags->tag[t];
      const int column = sl_table_tag_column (table, tag->key);
      for (gint32 i = from; column >= 0 && i < to; i++)
        {
          const gint32 code
              = (guint) i < tag->code->len ? g_array_index (tag->code, gint32, i) : MISSING;
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

void
sl_row_tags_merge (SlRowTags *tags, const gint32 *to, gint32 n, gint32 m)
{
  for (int t = 0; t < tags->n; t++)
    {
      SlRowTag *tag = &tags->tag[t];
      GArray *code = g_array_sized_new (FALSE, TRUE, sizeof (gint32), (guint) m);
      g_array_set_size (code, (guint) m);
      if (tag->mixed >= 0)
        tag->mixed = to[tag->mixed];
      for (gint32 i = 0; i < n; i++)
        {
          gint32 *own = &g_array_index (code, gint32, to[i]);
          const gint32 value = g_array_index (tag->code, gint32, i);
          if (*own != NOT_MET && *own != value && tag->mixed < 0)
            tag->mixed = to[i];
          *own = value;
        }
      g_array_unref (tag->code);
      tag->code = code;
    }
}

/* ---- attributes ---- */

void
sl_annotator_tags_want (SlAnnotatorTags *tags, const SlTable *answers, int column)
{
  if (tags->annotators == NULL)
    tags->annotators = sl_intern_new ();
  sl_row_tags_want (&tags->tags, answers, column);
}

void
sl_annotator_tags_clear (SlAnnotatorTags *tags)
{
  g_clear_pointer (&tags->annotators, sl_intern_free);
  sl_row_tags_clear (&tags->tags);
}

static gboolean
fail_mixed (const SlAnnotatorTags *tags, const SlRowTag *tag, const char *source, GError **error)
{
  g_autofree char *who = sl_intern_shown (tags->annotators, tag->mixed),
                  *other = shown_value (tag, tag->other);
  g_autofree char *first = shown_value (tag, g_array_index (tag->code, gint32, tag->mixed));
  return sl_error_bad_input (error,
                             "%s: annotator '%s' has two values of '%s', '%s' and '%s': an "
                             "attribute is the same in all rows of an annotator",
                             source, who, tag->key + strlen (SL_ATTRIBUTE_PREFIX), first, other);
}

gboolean
sl_annotator_tags_add (SlAnnotatorTags *tags, const SlBatch *batch, SlText annotators,
                       const char *source, GError **error)
{
  g_autofree gint32 *ids = g_new (gint32, MAX (batch->n_rows, 1));
  sl_intern_column (tags->annotators, annotators, batch->n_rows, ids);
  sl_row_tags_add (&tags->tags, batch, ids);
  for (int t = 0; t < tags->tags.n; t++)
    if (tags->tags.tag[t].mixed >= 0)
      return fail_mixed (tags, &tags->tags.tag[t], source, error);
  return TRUE;
}

gint32
sl_annotator_tags_find (const SlAnnotatorTags *tags, int t, const char *name, gsize length)
{
  gint32 id = sl_intern_find (tags->annotators, name, length);
  return id < 0 ? -1 : MAX (g_array_index (tags->tags.tag[t].code, gint32, id) - FIRST_VALUE, -1);
}
