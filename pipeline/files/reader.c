/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reader.h"

#include "pipeline/base/error.h"
#include "pipeline/table/canonical.h"
#include "pipeline/table/reading-memory.h"
#include "pipeline/table/rechunk.h"
#include "pipeline/table/tag-columns.h"
#include "arrow-cxx.h"
#include "arrow-end.h"
#include "input.h"
#include "read-ahead.h"

#include <string.h>

struct _SlReader
{
  char *path; /* NULL: standard input */
  char *name;
  SlReaderOptions options;
  SlTable *table;
  GArrowSchema *schema; /* canonical */
  SlInput *input;       /* NULL for Parquet */
  gboolean is_file_format;
  GArrowRecordBatchReader *source;
  GArrowRecordBatch *first; /* read to learn how long lists are, and not used yet */
  SlRechunk chunks;
  gint64 raw_rows; /* rows of the source so far */
  gint64 rows;     /* rows made into batches */
  gint64 given;    /* rows given out */
  gint64 whole;    /* rows in all, where Parquet tells */
  gboolean source_ended;
  SlAhead *
      ahead; /* makes the batches, where there is a thread to spare; all of the above is then its own */
  gboolean keep;
  GQueue kept;      /* of SlBatch: what came by a pipe, to be given again */
  GList *kept_next; /* in a second pass over them; NULL otherwise */
  gboolean replaying;
};

/* Nothing reads on in another thread. */
static void
stop_ahead (SlReader *reader)
{
  if (reader->ahead != NULL && reader->input != NULL)
    sl_input_cancel (reader->input);
  g_clear_pointer (&reader->ahead, sl_ahead_free);
}

void
sl_reader_free (SlReader *reader)
{
  if (reader == NULL)
    return;
  stop_ahead (reader);
  sl_rechunk_clear (&reader->chunks);
  g_queue_clear_full (&reader->kept, (GDestroyNotify) sl_batch_unref);
  g_clear_object (&reader->first);
  g_clear_object (&reader->source);
  g_clear_object (&reader->input);
  g_clear_object (&reader->schema);
  g_clear_pointer (&reader->table, sl_table_unref);
  g_free (reader->path);
  g_free (reader->name);
  g_free (reader);
}

/* What the system said, in one of Arrow's messages ("... Detail: [errno 5] Input/output error"); NULL: nothing. */
static const char *
system_message (const GError *problem)
{
  const char *at = strstr (problem->message, "[errno ");
  at = at != NULL ? strstr (at, "] ") : NULL;
  return at != NULL ? at + strlen ("] ") : NULL;
}

/* One line of PROBLEM, told as what it means for the input. */
static gboolean
fail (SlReader *reader, const GError *problem, GError **error)
{
  const GError *read_error = reader->input != NULL ? sl_input_error (reader->input) : NULL;
  const char *system = read_error != NULL ? read_error->message : system_message (problem);
  if (system != NULL)
    g_set_error (error, SL_ERROR, SL_ERROR_RUNTIME, "cannot be read: %s", system);
  else if (reader->input != NULL && sl_input_at_end (reader->input))
    g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
                 "ends in the middle of the table, after row %" G_GINT64_FORMAT
                 "; was the stage before it stopped?",
                 reader->raw_rows);
  else
    g_set_error (error, SL_ERROR, SL_ERROR_INPUT, "is damaged after row %" G_GINT64_FORMAT,
                 reader->raw_rows);
  return FALSE;
}

static gboolean
refuse (GError **error, const char *why)
{
  g_set_error_literal (error, SL_ERROR, SL_ERROR_INPUT, why);
  return FALSE;
}

static gboolean
open_arrow (SlReader *reader, GError **error)
{
  g_autoptr (GError) problem = NULL;
  GArrowRecordBatchReader *source
      = sl_stream_reader_new (reader->input, reader->options.threads, &problem);
  if (source == NULL && reader->is_file_format && !sl_input_at_end (reader->input)
      && sl_input_error (reader->input) == NULL)
    return refuse (error,
                   "is damaged, or an Arrow file that holds no stream, as Polars writes them; "
                   "there, use write_parquet or write_ipc_stream");
  if (source == NULL)
    return fail (reader, problem, error);
  reader->source = source;
  return TRUE;
}

static gboolean
open_parquet (SlReader *reader, GError **error)
{
  gboolean is_file = reader->path != NULL && sl_input_size (reader->input) >= 0;
  g_clear_object (&reader->input);
  if (!is_file)
    return refuse (
        error, "is Parquet, which cannot be read from a pipe or standard input; give the file's "
               "name");
  g_autoptr (GError) problem = NULL;
  /* The batches are cut to the table's size later; this is how many rows are decoded at a time. */
  reader->source = sl_parquet_reader_new (reader->path, 1 << 16, reader->options.threads,
                                          &reader->whole, &problem);
  if (reader->source != NULL)
    return TRUE;
  if (system_message (problem) != NULL)
    return fail (reader, problem, error);
  const char *ours = strstr (problem->message, SL_PARQUET_TWO);
  return refuse (error, ours != NULL
                            ? SL_PARQUET_TWO
                            : "is not a whole Parquet file: it was cut short, or is damaged");
}

/* Opens the source by its first bytes. An Arrow file is an Arrow stream between a magic and a footer, and is read as one: what was
 * said of cut streams then holds for it too. */
static gboolean
open_source (SlReader *reader, GError **error)
{
  reader->input = sl_input_open (reader->path, error);
  gsize n = 0;
  const char *head = reader->input != NULL ? sl_input_peek (reader->input, &n, error) : NULL;
  if (head == NULL)
    return FALSE;
  if (n == 0)
    return refuse (error, "is empty: no table; was the stage before it stopped?");
  if (n >= 4 && memcmp (head, "PAR1", 4) == 0)
    return open_parquet (reader, error);
  reader->is_file_format = n == 8 && memcmp (head, "ARROW1\0\0", 8) == 0;
  if (reader->is_file_format)
    sl_input_skip_peeked (reader->input);
  else if (n >= 4 && memcmp (head, "\377\377\377\377", 4) != 0)
    return refuse (error, "is not a table (Arrow stream, Arrow file or Parquet); `softlabel "
                          "ingest` makes one from CSV and other forms");
  return open_arrow (reader, error);
}

static gboolean
kind_wanted (SlReader *reader, GError **error)
{
  if (reader->options.kinds == NULL)
    return TRUE;
  g_autoptr (GString) wanted = g_string_new (NULL);
  for (int i = 0; reader->options.kinds[i] != NULL; i++)
    {
      if (reader->options.kinds[i] == reader->table->kind)
        return TRUE;
      g_string_append_printf (wanted, "%s%s", i > 0 ? " or " : "", reader->options.kinds[i]->name);
    }
  g_set_error (error, SL_ERROR, SL_ERROR_INPUT, "is a table of %s; %s is wanted here",
               reader->table->kind->name, wanted->str);
  return FALSE;
}

/* Of lists that are to be tensors only a row tells how long they are. */
static gboolean
settle (SlReader *reader, SlTable *table, GError **error)
{
  while (!sl_table_is_settled (table))
    {
      g_autoptr (GError) problem = NULL;
      g_clear_object (&reader->first);
      reader->first = garrow_record_batch_reader_read_next (reader->source, &problem);
      if (problem != NULL)
        return fail (reader, problem, error);
      if (reader->first == NULL)
        return refuse (error,
                       "has no rows, and so does not tell how long its lists of numbers are");
      if (!sl_table_settle (table, reader->first, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
open_table (SlReader *reader, GError **error)
{
  sl_reading_begin ();
  reader->raw_rows = reader->rows = reader->given = 0;
  if (!open_source (reader, error))
    return FALSE;
  g_autoptr (GArrowRecordBatchReader) raw = g_steal_pointer (&reader->source);
  reader->source = sl_plain_reader_new (raw);
  g_autoptr (GArrowSchema) schema = garrow_record_batch_reader_get_schema (reader->source);
  g_autoptr (SlTable) table
      = sl_table_from_schema (schema, reader->options.kind, reader->options.classes, error);
  if (table == NULL || !settle (reader, table, error))
    return FALSE;
  /* A second pass must find what the first did: the table has been handed out. */
  if (reader->table != NULL
      && (table->kind != reader->table->kind || !sl_table_columns_equal (table, reader->table, NULL)
          || !g_strv_equal ((const char *const *) table->classes,
                            (const char *const *) reader->table->classes)))
    return refuse (error, "has changed while it was being read");
  if (reader->table == NULL)
    {
      reader->table = g_steal_pointer (&table);
      reader->schema = sl_table_to_schema (reader->table);
    }
  if (!kind_wanted (reader, error))
    return FALSE;
  sl_rechunk_init (&reader->chunks, sl_table_batch_rows (reader->table));
  reader->source_ended = FALSE;
  return TRUE;
}

/* Ends a call that has failed. */
static gboolean
tell (SlReader *reader, GError **error)
{
  sl_reading_tell (error);
  g_prefix_error (error, "%s: ", reader->name);
  return FALSE;
}

SlReader *
sl_reader_open (const char *path, const SlReaderOptions *options, GError **error)
{
  g_autoptr (SlReader) reader = g_new0 (SlReader, 1);
  gboolean is_stdin = path == NULL || strcmp (path, "-") == 0;
  reader->path = is_stdin ? NULL : g_strdup (path);
  reader->name = is_stdin ? g_strdup ("standard input") : g_filename_display_name (path);
  reader->options = *options;
  g_queue_init (&reader->kept);
  if (!open_table (reader, error))
    {
      tell (reader, error);
      return NULL;
    }
  return g_steal_pointer (&reader);
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
  if (g_str_has_prefix ((*error)->message, "row "))
    g_prefix_error (error, "%s: ", sl_reader_name (reader));
}

/* After the source's last batch: was that the end of the table, and of the input? */
static gboolean
check_end (SlReader *reader, GError **error)
{
  if (reader->input == NULL)
    return TRUE;
  if (sl_input_at_end (reader->input))
    {
      g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
                   "ends after row %" G_GINT64_FORMAT
                   " without its end marker; was the stage before it stopped?",
                   reader->raw_rows);
      return FALSE;
    }
  g_autoptr (GError) problem = NULL;
  if (sl_arrow_end_check (G_INPUT_STREAM (reader->input), reader->is_file_format, &problem))
    return TRUE;
  if (problem->domain != SL_ERROR)
    return fail (reader, problem, error);
  g_propagate_error (error, g_steal_pointer (&problem));
  return FALSE;
}

/* Reads on until a chunk is full or the source ends. */
static gboolean
fill (SlReader *reader, GError **error)
{
  while (!reader->source_ended && reader->chunks.n_pending < reader->chunks.rows)
    {
      g_autoptr (GError) problem = NULL;
      g_autoptr (GArrowRecordBatch) raw = g_steal_pointer (&reader->first);
      if (raw == NULL)
        {
          if (reader->input == NULL) /* the reader of streams knows when a batch begins */
            sl_reading_begin ();
          raw = garrow_record_batch_reader_read_next (reader->source, &problem);
        }
      if (problem != NULL)
        return fail (reader, problem, error);
      if (raw == NULL)
        {
          reader->source_ended = TRUE;
          return check_end (reader, error);
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
  if (!fill (reader, error) || !sl_rechunk_pop (&reader->chunks, TRUE, &arrow, error))
    return FALSE;
  if (arrow == NULL)
    return TRUE;
  g_autoptr (SlBatch) batch = sl_batch_new (reader->table, arrow, reader->rows, error);
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
    reader->ahead = sl_ahead_new (make_batch, reader, (GDestroyNotify) sl_batch_unref);
  gboolean ok = reader->ahead != NULL ? sl_ahead_next (reader->ahead, &item, error)
                                      : make_batch (reader, &item, error);
  *batch = item;
  return ok;
}

/* Parquet, or a regular file with a name; /dev/fd/63 is none. */
static gboolean
opens_again (SlReader *reader)
{
  return reader->path != NULL && (reader->input == NULL || sl_input_size (reader->input) >= 0);
}

gboolean
sl_reader_keeps_memory (SlReader *reader)
{
  return reader->keep && !reader->replaying && !opens_again (reader);
}

gboolean
sl_reader_next (SlReader *reader, SlBatch **batch, GError **error)
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
  if (*batch != NULL && sl_reader_keeps_memory (reader))
    g_queue_push_tail (&reader->kept, sl_batch_ref (*batch));
  return TRUE;
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
  g_clear_object (&reader->first);
  g_clear_object (&reader->source);
  g_clear_object (&reader->input);
  return open_table (reader, error) || tell (reader, error);
}

void
sl_reader_position (SlReader *reader, gint64 *done, gint64 *whole)
{
  *done = reader->input != NULL ? sl_input_position (reader->input) : reader->given;
  *whole = reader->input != NULL ? MAX (sl_input_size (reader->input), 0) : reader->whole;
}
