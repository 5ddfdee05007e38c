/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reader-private.h"

#include "pipeline/base/error.h"
#include "pipeline/table/canonical/canonical.h"
#include "pipeline/table/missing.h"
#include "pipeline/arrow/reading-memory.h"
#include "pipeline/table/schema-keys.h"
#include "pipeline/table/tag-columns.h"
#include "partition.h"
#include "parts.h"

#include <arrow-glib/arrow-glib.h>
#include <string.h>

/* Nothing reads on in another thread. */
static void
stop_ahead (SlReader *reader)
{
  if (reader->ahead != NULL && reader->n_parts == 0 && reader->input != NULL)
    sl_input_cancel (reader->input);
  g_clear_pointer (&reader->ahead, sl_read_ahead_free);
}

void
sl_reader_free (SlReader *reader)
{
  if (reader == NULL)
    return;
  stop_ahead (reader);
  sl_rechunk_clear (&reader->chunks);
  g_queue_clear_full (&reader->kept, (GDestroyNotify) sl_batch_unref);
  sl_reader_close_source (reader);
  g_clear_object (&reader->schema);
  g_clear_pointer (&reader->table, sl_table_unref);
  sl_reader_clear_parts (reader);
  if (reader->sieve != NULL)
    reader->sieve_free (reader->sieve_data);
  g_free (reader->path);
  g_free (reader->name);
  g_free (reader);
}

/* Ends a call that has failed. What fails in a part has the row of its file, all else that of the
 * table. */
static gboolean
tell (SlReader *reader, GError **error)
{
  if (error == NULL || *error == NULL)
    return FALSE;
  if (!g_str_has_prefix ((*error)->message, "row "))
    sl_reading_tell (error);
  g_autofree char *part = NULL;
  if (reader->failed_in_part)
    part = g_filename_display_name (reader->path);
  else
    part = sl_reader_locate (reader, *error);
  g_autofree char *named = g_strconcat (part != NULL ? part : reader->name, ": ", NULL);
  /* What reads text names the file itself. */
  if (!g_str_has_prefix ((*error)->message, named))
    g_prefix_error (error, "%s", named);
  return FALSE;
}

static SlReader *
reader_new (const char *path, const SlReaderOptions *options)
{
  SlReader *reader = g_new0 (SlReader, 1);
  gboolean is_stdin = path == NULL || strcmp (path, "-") == 0;
  reader->path = is_stdin ? NULL : g_strdup (path);
  reader->name = is_stdin ? g_strdup ("standard input") : g_filename_display_name (path);
  reader->options = *options;
  reader->range.to = -1;
  g_queue_init (&reader->kept);
  return reader;
}

/* A table that is FILES, and called NAME, to be freed. */
static SlReader *
open_parts (char *name, const char *const *files, const SlReaderOptions *options, GError **error)
{
  g_autoptr (SlReader) reader = reader_new (files[0], options);
  g_free (reader->name);
  reader->name = name;
  if (!sl_reader_survey (reader, files, error))
    return NULL;
  if (!sl_reader_open_table (reader, error))
    {
      reader->failed_in_part = TRUE;
      tell (reader, error);
      return NULL;
    }
  return g_steal_pointer (&reader);
}

/* What the folders of each of FILES say of its rows, N of them. */
static gboolean
find_partitions (const char *const *files, SlTags *tags, gboolean *any, GError **error)
{
  *any = FALSE;
  for (guint i = 0; files[i] != NULL; i++)
    {
      if (!sl_partition_find (files[i], &tags[i], error))
        return FALSE;
      *any = *any || tags[i].n > 0;
    }
  return TRUE;
}

static SlReader *
open_files (const char *const *paths, const char *const *files, const SlReaderOptions *options,
            GError **error)
{
  guint n = g_strv_length ((char **) files), named = g_strv_length ((char **) paths);
  if (n == 1 && options->shards == 0 && options->partition == NULL)
    return sl_reader_open (files[0], options, error);
  g_autofree char *first = g_filename_display_name (paths[0]);
  for (gsize end = strlen (first); end > 1 && first[end - 1] == '/'; end--)
    first[end - 1] = '\0';
  char *name = named == 1 ? g_steal_pointer (&first)
                          : g_strdup_printf ("%s and %u more", first, named - 1);
  return open_parts (name, files, options, error);
}

SlReader *
sl_reader_open_all (const char *const *paths, const SlReaderOptions *options, GError **error)
{
  g_auto (GStrv) files = sl_part_files (paths, error);
  if (files == NULL)
    return NULL;
  guint n = g_strv_length (files);
  g_autofree SlTags *tags = g_new0 (SlTags, n + 1);
  gboolean any;
  SlReaderOptions own = *options;
  SlReader *reader = NULL;
  guint n_fit = n;
  if (find_partitions ((const char *const *) files, tags, &any, error))
    {
      own.partition = any ? tags : NULL;
      n_fit = any && own.where != NULL ? sl_partition_sort (files, tags, own.where) : n;
      own.no_rows = n_fit == 0;
      for (guint i = MAX (n_fit, 1); i < n; i++)
        g_clear_pointer (&files[i], g_free);
      reader = open_files (paths, (const char *const *) files, &own, error);
    }
  if (reader != NULL)
    reader->n_passed = n - n_fit;
  for (guint i = 0; i < n; i++)
    sl_tags_clear (&tags[i]);
  return reader;
}

SlReader *
sl_reader_open (const char *path, const SlReaderOptions *options, GError **error)
{
  const char *const paths[] = { path, NULL };
  if (path != NULL && strcmp (path, "-") != 0
      && (options->shards > 0 || g_file_test (path, G_FILE_TEST_IS_DIR)))
    return sl_reader_open_all (paths, options, error);
  g_autoptr (SlReader) reader = reader_new (path, options);
  if (options->shards > 0)
    sl_error_usage (error, "--shard takes a part of a file or a folder, not of standard input");
  else if (sl_reader_open_table (reader, error))
    return g_steal_pointer (&reader);
  else
    tell (reader, error);
  return NULL;
}

SlTable *
sl_reader_table (SlReader *reader)
{
  return reader->table;
}

const char *
sl_reader_name (SlReader *reader)
{
  return reader->name;
}

void
sl_reader_name_rows (SlReader *reader, GError **error)
{
  if (error == NULL || *error == NULL || !g_str_has_prefix ((*error)->message, "row "))
    return;
  if (reader->n_parts > 0)
    stop_ahead (reader); /* which opens the parts */
  g_autofree char *part = sl_reader_locate (reader, *error);
  g_prefix_error (error, "%s: ", part != NULL ? part : sl_reader_name (reader));
}

/* Reads on until a chunk is full or the source ends. */
static gboolean
fill (SlReader *reader, GError **error)
{
  while (!reader->source_ended && reader->chunks.n_pending < reader->chunks.rows)
    {
      g_autoptr (GArrowRecordBatch) raw = g_steal_pointer (&reader->first);
      if (sl_reader_part_ended (reader))
        g_clear_object (&raw);
      else if (raw == NULL && !sl_reader_read_raw (reader, &raw, error))
        return FALSE;
      if (raw == NULL)
        {
          gboolean more;
          if (!sl_reader_next_part (reader, &more, error))
            return FALSE;
          reader->source_ended = !more;
          continue;
        }
      g_autoptr (GArrowRecordBatch) batch
          = sl_canonical (reader->table, reader->schema, raw, reader->raw_rows, error);
      if (batch == NULL)
        return FALSE;
      reader->raw_rows += garrow_record_batch_get_n_rows (batch);
      sl_rechunk_push (&reader->chunks, batch);
    }
  return TRUE;
}

static gboolean
make_batch (gpointer source, gpointer *item, GError **error)
{
  SlReader *reader = source;
  g_autoptr (GArrowRecordBatch) arrow = NULL;
  if (!fill (reader, error))
    {
      reader->failed_in_part = reader->n_parts > 0;
      return FALSE;
    }
  if (!sl_rechunk_pop (&reader->chunks, TRUE, &arrow, error))
    return FALSE;
  if (arrow == NULL)
    return TRUE;
  g_autoptr (GArrowRecordBatch) clear = sl_clear_missing_columns (arrow, error);
  g_autoptr (SlBatch) batch
      = clear != NULL ? sl_batch_new (reader->table, clear, reader->rows, error) : NULL;
  if (batch == NULL
      || (reader->table->kind->check != NULL && !reader->table->kind->check (batch, error))
      || !sl_tag_columns_check (batch, error))
    return FALSE;
  reader->rows += batch->n_rows;
  *item = g_steal_pointer (&batch);
  return TRUE;
}

static gboolean
next (SlReader *reader, SlBatch **batch, GError **error)
{
  gpointer item = NULL;
  if (reader->ahead == NULL && reader->options.threads > 1)
    reader->ahead = sl_read_ahead_new (make_batch, reader, (GDestroyNotify) sl_batch_unref);
  gboolean ok = reader->ahead != NULL ? sl_read_ahead_next (reader->ahead, &item, error)
                                      : make_batch (reader, &item, error);
  *batch = item;
  return ok;
}

/* Parquet, or a regular file with a name; /dev/fd/63 is none. */
static gboolean
opens_again (SlReader *reader)
{
  return reader->n_parts > 0
         || (reader->path != NULL && (reader->input == NULL || sl_input_size (reader->input) >= 0));
}

gboolean
sl_reader_keeps_memory (SlReader *reader)
{
  return reader->keep && !reader->replaying && !opens_again (reader);
}

void
sl_reader_set_sieve (SlReader *reader, SlReaderSieve sieve, gpointer data, GDestroyNotify free)
{
  reader->sieve = sieve;
  reader->sieve_data = data;
  reader->sieve_free = free;
}

static gboolean
next_whole (SlReader *reader, SlBatch **batch, GError **error)
{
  *batch = NULL;
  if (reader->replaying)
    {
      if (reader->kept_next != NULL)
        {
          *batch = sl_batch_ref (reader->kept_next->data);
          reader->kept_next = reader->kept_next->next;
        }
      return TRUE;
    }
  if (!next (reader, batch, error))
    return tell (reader, error);
  if (*batch != NULL)
    reader->given += (*batch)->n_rows;
  if (reader->count != NULL && reader->given > reader->counted)
    {
      *reader->count += reader->given - reader->counted;
      reader->counted = reader->given;
    }
  if (*batch != NULL && sl_reader_keeps_memory (reader))
    g_queue_push_tail (&reader->kept, sl_batch_ref (*batch));
  return TRUE;
}

gboolean
sl_reader_next (SlReader *reader, SlBatch **batch, GError **error)
{
  if (!next_whole (reader, batch, error))
    return FALSE;
  if (reader->sieve == NULL || reader->sieve (reader->sieve_data, *batch, error))
    return TRUE;
  g_clear_pointer (batch, sl_batch_unref);
  return FALSE;
}

gboolean
sl_reader_each (SlReader *reader, SlBatch **batch, gboolean *ok, GError **error)
{
  if (!*ok)
    {
      sl_reader_name_rows (reader, error);
      return FALSE;
    }
  g_clear_pointer (batch, sl_batch_unref);
  *ok = sl_reader_next (reader, batch, error);
  return *ok && *batch != NULL;
}

gboolean
sl_reader_is_digested (SlReader *reader)
{
  return reader->digested;
}

guint
sl_reader_n_passed (const SlReader *reader)
{
  return reader->n_passed;
}

void
sl_reader_count (SlReader *reader, gint64 *rows)
{
  reader->count = rows;
}

void
sl_reader_keep (SlReader *reader)
{
  reader->keep = TRUE;
}

gboolean
sl_reader_rewind (SlReader *reader, GError **error)
{
  g_assert (reader->keep);
  if (!opens_again (reader))
    {
      reader->replaying = TRUE;
      reader->kept_next = reader->kept.head;
      return TRUE;
    }
  stop_ahead (reader);
  sl_rechunk_clear (&reader->chunks);
  sl_reader_close_source (reader);
  sl_reader_first_part (reader);
  return sl_reader_open_table (reader, error) || tell (reader, error);
}

void
sl_reader_position (SlReader *reader, gint64 *done, gint64 *whole)
{
  if (reader->n_parts > 0)
    {
      *done = reader->given;
      *whole = MAX (reader->parts_rows, 0);
      return;
    }
  *done = reader->input != NULL ? sl_input_position (reader->input) : reader->given;
  *whole = reader->input != NULL ? MAX (sl_input_size (reader->input), 0) : reader->whole;
}

SlReader *
sl_reader_open_raw (const char *path, int threads, GArrowSchema **schema, GError **error)
{
  const SlReaderOptions options = { .threads = threads };
  g_autoptr (SlReader) reader = reader_new (path, &options);
  if (!sl_reader_open_plain (reader, error))
    {
      tell (reader, error);
      return NULL;
    }
  *schema = g_object_ref (reader->theirs);
  return g_steal_pointer (&reader);
}

gboolean
sl_reader_is_foreign (const char *path)
{
  static const char *const starts[] = { "PAR1", "ARROW1", "\xff\xff\xff\xff" };
  gboolean table = FALSE;
  g_autoptr (SlSource) source = sl_source_can_reopen (path) ? sl_source_open (path, NULL) : NULL;
  for (gsize i = 0; source != NULL && !table && i < G_N_ELEMENTS (starts); i++)
    if (!sl_source_begins (source, starts[i], strlen (starts[i]), &table, NULL))
      return FALSE;
  g_autoptr (GArrowSchema) schema = NULL;
  g_autoptr (SlReader) reader = table ? sl_reader_open_raw (path, 1, &schema, NULL) : NULL;
  if (reader == NULL)
    return FALSE;
  g_autoptr (GHashTable) metadata
      = garrow_schema_has_metadata (schema) ? garrow_schema_get_metadata (schema) : NULL;
  return metadata == NULL || !g_hash_table_contains (metadata, SL_KEY_KIND);
}

gboolean
sl_reader_next_raw (SlReader *reader, GArrowRecordBatch **raw, GError **error)
{
  if (!sl_reader_next_plain (reader, raw, error))
    return tell (reader, error);
  reader->raw_rows += *raw != NULL ? garrow_record_batch_get_n_rows (*raw) : 0;
  return TRUE;
}
