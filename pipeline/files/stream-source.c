/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stream-source.h"

#include "pipeline/arrow/plain-columns.h"
#include "pipeline/arrow/reading-memory.h"
#include "pipeline/arrow/stream-door.h"
#include "pipeline/base/error.h"
#include "pipeline/base/xxh3.h"
#include "pipeline/table/rechunk.h"
#include "file-seal.h"

#include <string.h>

/* Rows and bytes of a batch that is not small. */
#define ENOUGH_ROWS 256
#define ENOUGH_BYTES (1 << 20)

/* The end of an Arrow file: the footer's length, and the magic. */
#define END 10

struct _SlStreamSource
{
  SlInput *input;
  gboolean is_file;
  SlStreamDigests digests;
  GArrowRecordBatchReader *reader;
  GInputStream *whole;               /* in place of the reader: the file, */
  GArrowSeekableInputStream *bytes;  /* over it; kept, as it closes the file when it goes, */
  GArrowRecordBatchFileReader *file; /* what reads it by its footer, */
  guint next;                        /* and the next batch */
  GArrowSchema *schema, *plain;      /* plain columns; NULL: all are as they come */
  GQueue waiting;                    /* of batches that were read */
  GError *problem;                   /* after them */
  gboolean ended;
};

/* What follows the stream in an Arrow file, as it comes. */
typedef struct
{
  SlSeal seal; /* its first bytes, if it is one */
  guint8 end[END];
  XXH3_state_t rest; /* what follows the seal */
  gint64 length;
} Tail;

/* A problem in one line, as what it means for the input. */
static gboolean
fail (SlStreamSource *source, gint64 rows, const GError *problem, GError **error)
{
  const GError *system = sl_input_error (source->input);
  if (system == NULL && source->whole != NULL)
    system = sl_sealed_file_error (source->whole);
  if (system != NULL)
    return sl_error_runtime (error, "cannot be read: %s", system->message);
  if (sl_input_was_spoilt (source->input))
    return sl_error_bad_input (error,
                               "was broken off after row %" G_GINT64_FORMAT
                               ": the stage that wrote it failed, and has said why",
                               rows);
  if (sl_input_at_end (source->input))
    return sl_error_bad_input (error,
                               "ends in the middle of the table, after row %" G_GINT64_FORMAT
                               "; was the stage before it stopped?",
                               rows);
  if (g_error_matches (problem, GARROW_ERROR, GARROW_ERROR_NOT_IMPLEMENTED))
    return sl_error_bad_input (error, "is written in a way that is not read here: %s",
                               problem->message);
  return sl_error_bad_input (error, "is damaged after row %" G_GINT64_FORMAT, rows);
}

static gboolean
more_follows (GError **error)
{
  return sl_error_bad_input (
      error, "has bytes after the end of the table (two tables run together? use `softlabel cat`)");
}

/* A footer is as long as its last bytes say. */
static gboolean
check_footer (const Tail *tail, GError **error)
{
  const guint8 *end = tail->end;
  if (tail->length < END || memcmp (end + 4, "ARROW1", 6) != 0)
    return sl_error_bad_input (error, "ends before the end of its footer: the file was cut short");
  gint64 said = end[0] | end[1] << 8 | end[2] << 16 | (gint64) end[3] << 24;
  gint64 seal = tail->length > (gint64) sizeof tail->seal && sl_seal_is_there (&tail->seal)
                    ? (gint64) sizeof tail->seal
                    : 0;
  if (said != tail->length - END - seal)
    return more_follows (error);
  if (seal > 0 && XXH3_64bits_digest (&tail->rest) != GUINT64_FROM_LE (tail->seal.footer))
    return sl_error_bad_input (error, "is damaged in its footer");
  return TRUE;
}

static void
add_to_tail (Tail *tail, const guint8 *bytes, gsize n)
{
  gsize before = (gsize) MIN (tail->length, (gint64) sizeof tail->seal);
  gsize of_seal = MIN (n, sizeof tail->seal - before), fresh = MIN (n, END);
  memcpy ((guint8 *) &tail->seal + before, bytes, of_seal);
  XXH3_64bits_update (&tail->rest, bytes + of_seal, n - of_seal);
  memmove (tail->end, tail->end + fresh, END - fresh);
  memcpy (tail->end + END - fresh, bytes + n - fresh, fresh);
  tail->length += (gint64) n;
}

/* What follows the stream's end marker: nothing, or in an Arrow file the footer. */
static gboolean
check_rest (SlStreamSource *source, gint64 rows, GError **error)
{
  guint8 bytes[4096];
  Tail tail = { .length = 0 };
  XXH3_64bits_reset (&tail.rest);
  for (;;)
    {
      gsize n = 0;
      g_autoptr (GError) problem = NULL;
      if (!g_input_stream_read_all (G_INPUT_STREAM (source->input), bytes, sizeof bytes, &n, NULL,
                                    &problem))
        return fail (source, rows, problem, error);
      if (n == 0)
        return !source->is_file || check_footer (&tail, error);
      /* A stage may fail once its stream has ended. */
      if (!source->is_file)
        return sl_input_was_spoilt (source->input) ? fail (source, rows, NULL, error)
                                                   : more_follows (error);
      add_to_tail (&tail, bytes, n);
    }
}

/* After the last batch: was that the end of the table, and of the input? */
static gboolean
check_end (SlStreamSource *source, gint64 rows, GError **error)
{
  if (source->file != NULL)
    return TRUE;
  if (sl_input_at_end (source->input))
    return sl_error_bad_input (error,
                               "ends after row %" G_GINT64_FORMAT
                               " without its end marker; was the stage before it stopped?",
                               rows);
  if (source->digests.digested && !source->digests.ended)
    return fail (source, rows, NULL, error);
  return check_rest (source, rows, error);
}

/* What is in such a file its end says. One of ours holds a stream, and is damaged. */
static gboolean
open_by_footer (SlStreamSource *source, const char *path, int threads, GError **error)
{
  gboolean is_sealed, says_digested = FALSE;
  if (path == NULL || sl_input_size (source->input) < 0)
    return sl_error_bad_input (error,
                               "is damaged, or an Arrow file that holds no stream, as Polars "
                               "writes them: give the file's name");
  source->whole = sl_sealed_file_new (source->input, &is_sealed, NULL);
  if (source->whole != NULL && !is_sealed)
    {
      source->bytes = GARROW_SEEKABLE_INPUT_STREAM (garrow_gio_input_stream_new (source->whole));
      source->file = sl_stream_door_file (source->bytes, threads, &says_digested, NULL);
    }
  return (source->file != NULL && !says_digested)
         || sl_error_bad_input (error,
                                "is not a whole Arrow file: it was cut short, or is damaged");
}

SlStreamSource *
sl_stream_source_new (SlInput *input, const char *path, gboolean is_file, int threads,
                      GError **error)
{
  g_autoptr (SlStreamSource) source = g_new0 (SlStreamSource, 1);
  g_autoptr (GError) problem = NULL;
  source->input = g_object_ref (input);
  source->is_file = is_file;
  g_queue_init (&source->waiting);
  source->reader
      = sl_stream_door_from (G_INPUT_STREAM (input), threads, &source->digests, &problem);
  gboolean has_no_stream = source->reader == NULL && is_file && !sl_input_at_end (input)
                           && sl_input_error (input) == NULL;
  if (source->reader == NULL
      && !(has_no_stream ? open_by_footer (source, path, threads, error)
                         : fail (source, 0, problem, error)))
    return NULL;
  source->schema = source->file != NULL ? garrow_record_batch_file_reader_get_schema (source->file)
                                        : garrow_record_batch_reader_get_schema (source->reader);
  source->plain = sl_plain_schema (source->schema);
  return g_steal_pointer (&source);
}

void
sl_stream_source_free (SlStreamSource *source)
{
  if (source == NULL)
    return;
  g_queue_clear_full (&source->waiting, g_object_unref);
  g_clear_error (&source->problem);
  g_clear_object (&source->schema);
  g_clear_object (&source->plain);
  g_clear_object (&source->reader);
  g_clear_object (&source->file);
  g_clear_object (&source->bytes);
  g_clear_object (&source->whole);
  g_clear_object (&source->input);
  g_free (source);
}

GArrowSchema *
sl_stream_source_schema (SlStreamSource *source)
{
  return g_object_ref (source->plain != NULL ? source->plain : source->schema);
}

gboolean
sl_stream_source_is_digested (const SlStreamSource *source)
{
  return source->digests.digested;
}

gboolean
sl_stream_source_is_by_footer (const SlStreamSource *source)
{
  return source->file != NULL;
}

/* The next batch, with plain columns; NULL: the source has ended, in peace or by its problem. */
static GArrowRecordBatch *
read_one (SlStreamSource *source)
{
  g_autoptr (GArrowRecordBatch) raw = NULL;
  sl_reading_begin ();
  if (source->file == NULL)
    raw = garrow_record_batch_reader_read_next (source->reader, &source->problem);
  else if (source->next < garrow_record_batch_file_reader_get_n_record_batches (source->file))
    raw = garrow_record_batch_file_reader_read_record_batch (source->file, source->next++,
                                                             &source->problem);
  GArrowRecordBatch *batch
      = raw != NULL ? sl_plain_batch (raw, source->plain, &source->problem) : NULL;
  source->ended = batch == NULL;
  return batch;
}

/* Some batches that wait: small ones, each of which would cost as much as a large one, as one, and
 * what came after them. What is damaged may not be joined, and is told of by itself. A failure
 * comes after what was read before it. */
static void
gather (SlStreamSource *source)
{
  g_autoptr (GPtrArray) small = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GArrowRecordBatch) last = NULL;
  const gint64 from = sl_input_position (source->input);
  for (gint64 rows = 0; !source->ended && last == NULL && rows < ENOUGH_ROWS
                        && sl_input_position (source->input) - from < ENOUGH_BYTES;)
    {
      g_autoptr (GArrowRecordBatch) batch = read_one (source);
      if (batch == NULL)
        break;
      const gint64 n = garrow_record_batch_get_n_rows (batch);
      if (n < ENOUGH_ROWS && garrow_record_batch_validate_full (batch, NULL))
        g_ptr_array_add (small, g_steal_pointer (&batch));
      else
        last = g_steal_pointer (&batch);
      rows += n;
    }
  GArrowRecordBatch *joined = small->len > 1 ? sl_batches_join (small, NULL) : NULL;
  if (joined != NULL)
    g_queue_push_tail (&source->waiting, joined);
  for (guint i = 0; joined == NULL && i < small->len; i++)
    g_queue_push_tail (&source->waiting, g_object_ref (small->pdata[i]));
  if (last != NULL)
    g_queue_push_tail (&source->waiting, g_steal_pointer (&last));
}

gboolean
sl_stream_source_next (SlStreamSource *source, gint64 rows, GArrowRecordBatch **batch,
                       GError **error)
{
  if (source->waiting.length == 0 && !source->ended)
    gather (source);
  *batch = g_queue_pop_head (&source->waiting);
  if (*batch != NULL)
    return TRUE;
  return source->problem != NULL ? fail (source, rows, source->problem, error)
                                 : check_end (source, rows, error);
}
