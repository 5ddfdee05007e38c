/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table that is several files, or some of a file's row groups: what all parts must have in
 * common, and the way from one to the next. */
#include "reader-private.h"

#include "pipeline/base/error.h"
#include "pipeline/table/class-values.h"
#include "partition.h"
#include "parts.h"

#include <string.h>

/* The name of the part that is being read, or was when reading failed. */
static void
set_part (SlReader *reader, guint at)
{
  reader->at_part = at;
  g_free (reader->path);
  reader->path = g_strdup (reader->parts[at].path);
  reader->range = reader->parts[at].range;
}

static gboolean
fail (const SlReaderPart *part, const char *what, const SlReaderPart *first, GError **error)
{
  g_autofree char *name = g_filename_display_name (part->path);
  g_autofree char *other = g_filename_display_name (first->path);
  return sl_error_bad_input (error, "%s: %s %s, and so is no part of the same table", name, what,
                             other);
}

/* Whether PART goes on where FIRST ends, but for tags if TAGS_APART. */
static gboolean
check_alike (const SlReaderPart *part, const SlReaderPart *first, gboolean tags_apart,
             GError **error)
{
  const SlTable *table = part->table, *other = first->table;
  if (table->kind != other->kind)
    return fail (part, "is another kind of table than", first, error);
  if (!g_strv_equal ((const char *const *) table->classes, (const char *const *) other->classes))
    return fail (part, "has other classes, or in another order, than", first, error);
  g_autofree char *values = sl_values_to_json (table->values, table->n_classes);
  g_autofree char *others_values = sl_values_to_json (other->values, other->n_classes);
  if (g_strcmp0 (values, others_values) != 0)
    return fail (part, "has ordered classes, or values of them, unlike", first, error);
  if (!sl_table_columns_equal (table, other, NULL))
    return fail (part, "has other columns than", first, error);
  if (tags_apart)
    return TRUE;
  const char *key = sl_tags_difference (&table->tags, &other->tags);
  if (key == NULL)
    return TRUE;
  const char *value = sl_tags_get (&table->tags, key);
  g_autofree char *what = value == NULL ? g_strdup_printf ("has no tag '%s', unlike", key)
                                        : g_strdup_printf ("has tag '%s=%s', unlike", key, value);
  return fail (part, what, first, error);
}

/* Opens PART for its header, and counts its units: row groups, or one. */
static gboolean
survey_part (SlReader *reader, SlReaderPart *part, GError **error)
{
  SlReaderOptions options = reader->options;
  options.threads = 1;
  options.shards = 0;
  options.partition = &part->partition;
  g_autoptr (SlReader) own = sl_reader_open (part->path, &options, error);
  if (own == NULL)
    return FALSE;
  gboolean parquet = own->source != NULL && sl_table_source_is_parquet (own->source);
  if (own->input != NULL && sl_input_size (own->input) < 0)
    return sl_error_bad_input (error, "%s: is no file; of several parts each must be one",
                               sl_reader_name (own));
  part->table = sl_table_ref (own->table);
  part->range = (SlRowGroups){ 0, parquet ? own->range.n : 1, parquet ? own->range.n : 1, 0 };
  reader->parts_rows = parquet && reader->parts_rows >= 0 ? reader->parts_rows + own->whole : -1;
  reader->divisible = reader->divisible || parquet || reader->n_parts > 1;
  return part == reader->parts
         || check_alike (part, reader->parts, reader->options.tags_apart, error);
}

static gboolean
all_have (const SlReader *reader, const SlTag *tag)
{
  for (guint i = 0; i < reader->n_parts; i++)
    if (g_strcmp0 (sl_tags_get (&reader->parts[i].table->tags, tag->key), tag->value) != 0)
      return FALSE;
  return TRUE;
}

/* What parts have other tags of is told of their rows, as if folders said it. */
static void
tell_tags_apart (SlReader *reader)
{
  for (guint i = 0; i < reader->n_parts; i++)
    for (int t = 0; t < reader->parts[i].table->tags.n; t++)
      {
        const SlTag *tag = &reader->parts[i].table->tags.tag[t];
        if (all_have (reader, tag))
          continue;
        for (guint j = 0; j < reader->n_parts; j++)
          {
            SlReaderPart *part = &reader->parts[j];
            const char *own = sl_tags_get (&part->table->tags, tag->key);
            if (sl_tags_get (&part->partition, tag->key) == NULL)
              sl_tags_set (&part->partition, tag->key, own != NULL ? own : "");
          }
      }
}

void
sl_reader_share_tags (const SlReader *reader, SlTable *table)
{
  for (guint i = 0; reader->options.tags_apart && i < reader->n_parts; i++)
    for (int t = 0; t < reader->parts[i].table->tags.n; t++)
      if (!all_have (reader, &reader->parts[i].table->tags.tag[t]))
        sl_tags_set (&table->tags, reader->parts[i].table->tags.tag[t].key, NULL);
}

/* Leaves each part the row groups that are this shard's. */
static void
keep_shard (SlReader *reader)
{
  gint64 n = 0, from, to, at = 0;
  for (guint i = 0; i < reader->n_parts; i++)
    n += reader->parts[i].range.n;
  sl_shard_units (n, reader->options.shard, reader->options.shards, &from, &to);
  for (guint i = 0; i < reader->n_parts; i++)
    {
      SlRowGroups *range = &reader->parts[i].range;
      range->from = (int) CLAMP (from - at, 0, range->n);
      range->to = (int) CLAMP (to - at, 0, range->n);
      at += range->n;
    }
  reader->parts_rows = -1;
}

gboolean
sl_reader_survey (SlReader *reader, const char *const *files, GError **error)
{
  reader->n_parts = g_strv_length ((char **) files);
  reader->parts = g_new0 (SlReaderPart, reader->n_parts);
  for (guint i = 0; i < reader->n_parts; i++)
    {
      reader->parts[i].path = g_strdup (files[i]);
      reader->parts[i].first_row = G_MAXINT64;
      if (reader->options.partition != NULL)
        sl_tags_copy (&reader->parts[i].partition, &reader->options.partition[i]);
    }
  for (guint i = 0; i < reader->n_parts; i++)
    if (!survey_part (reader, &reader->parts[i], error))
      return FALSE;
  if (reader->options.tags_apart)
    tell_tags_apart (reader);
  if (reader->options.shards > 0 && !reader->divisible)
    return sl_error_bad_input (error,
                               "%s: --shard takes row groups of Parquet, or some of several files; "
                               "this is one file of another format",
                               reader->name);
  if (reader->options.shards > 0)
    keep_shard (reader);
  for (guint i = 0; reader->options.no_rows && i < reader->n_parts; i++)
    reader->parts[i].range.to = reader->parts[i].range.from;
  if (reader->options.no_rows)
    reader->parts_rows = 0;
  set_part (reader, 0);
  return TRUE;
}

const SlTags *
sl_reader_partition (const SlReader *reader)
{
  const SlTags *tags
      = reader->n_parts > 0 ? &reader->parts[reader->at_part].partition : reader->options.partition;
  return tags != NULL && tags->n > 0 ? tags : NULL;
}

void
sl_reader_begin_part (SlReader *reader)
{
  if (reader->n_parts == 0)
    return;
  SlReaderPart *part = &reader->parts[reader->at_part];
  part->first_row = reader->rows + reader->chunks.n_pending;
  part->range.rows_before = reader->range.rows_before;
}

char *
sl_reader_locate (SlReader *reader, GError *error)
{
  const SlReaderPart *has_it = NULL;
  char *rest;
  if (reader->n_parts == 0 || !g_str_has_prefix (error->message, "row "))
    return NULL;
  gint64 row = g_ascii_strtoll (error->message + strlen ("row "), &rest, 10);
  for (guint i = 0; i < reader->n_parts; i++)
    if (reader->parts[i].first_row < row)
      has_it = &reader->parts[i];
  if (has_it == NULL)
    return NULL;
  row += has_it->range.rows_before - has_it->first_row;
  char *message = g_strdup_printf ("row %" G_GINT64_FORMAT "%s", row, rest);
  g_free (error->message);
  error->message = message;
  return g_filename_display_name (has_it->path);
}

static gboolean
is_wanted (const SlReaderPart *part)
{
  return part->range.to > part->range.from;
}

gboolean
sl_reader_part_ended (const SlReader *reader)
{
  return reader->n_parts > 0 && !is_wanted (&reader->parts[reader->at_part]);
}

gboolean
sl_reader_next_part (SlReader *reader, gboolean *more, GError **error)
{
  *more = FALSE;
  for (guint i = reader->at_part + 1; i < reader->n_parts && !*more; i++)
    if (is_wanted (&reader->parts[i]))
      {
        *more = TRUE;
        set_part (reader, i);
      }
  if (!*more)
    return TRUE;
  sl_reader_close_source (reader);
  return sl_reader_open_one (reader, error);
}

void
sl_reader_first_part (SlReader *reader)
{
  if (reader->n_parts > 0)
    set_part (reader, 0);
}

void
sl_reader_clear_parts (SlReader *reader)
{
  for (guint i = 0; i < reader->n_parts; i++)
    {
      g_free (reader->parts[i].path);
      sl_tags_clear (&reader->parts[i].partition);
      g_clear_pointer (&reader->parts[i].table, sl_table_unref);
    }
  g_free (reader->parts);
}

guint
sl_reader_n_parts (const SlReader *reader)
{
  return reader->n_parts;
}

const SlTable *
sl_reader_part (const SlReader *reader, guint i)
{
  return reader->parts[i].table;
}
