/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "table-source.h"

#include "pipeline/arrow/parquet-door.h"
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

/* One of the three readers is there: the stream's, the Arrow file's, or Parquet's. */
struct _SlTableSource
{
  SlInput *input;
  int threads;
  gboolean is_file;             /* an Arrow file, read as the stream that it holds */
  GArrowSchema *schema, *plain; /* plain columns; NULL: all are as they come */
  SlStreamDigests digests;
  GArrowRecordBatchReader *stream;
  GInputStream *whole;              /* what is read by its footer, */
  GArrowSeekableInputStream *bytes; /* and over it; kept, as it closes the file when it goes */
  GArrowRecordBatchFileReader *file;
  guint next_batch; /* of the file */
  GParquetArrowFileReader *parquet;
  GParquetFileMetadata *metadata;
  gboolean is_parquet;
  int group, to;                    /* the next row group, and where they end */
  GArrowRecordBatchReader *batches; /* of row groups before it */
  gint64 left;                      /* rows that these still have */
  GQueue waiting;                   /* of batches of the stream that were read */
  GError *problem;                  /* after them */
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

/* A problem, or NULL where batches ended without one, in one line, as what it means for the input,
 * of which ROWS rows were read; -1: it is not open yet. */
static gboolean
fail (SlTableSource *source, gint64 rows, const GError *problem, GError **error)
{
  const GError *read = sl_input_error (source->input);
  const char *said = problem != NULL ? problem->message : "";
  const GError *system = source->whole != NULL ? sl_sealed_file_error (source->whole) : problem;
  if (read != NULL)
    return sl_error_runtime (error, "cannot be read: %s", read->message);
  if (g_error_matches (system, SL_ERROR, SL_ERROR_RUNTIME))
    {
      g_propagate_error (error, g_error_copy (system));
      return FALSE;
    }
  if (!source->is_parquet && sl_input_was_spoilt (source->input))
    return sl_error_bad_input (error,
                               "was broken off after row %" G_GINT64_FORMAT
                               ": the stage that wrote it failed, and has said why",
                               MAX (rows, 0));
  if (!source->is_parquet && sl_input_at_end (source->input))
    return sl_error_bad_input (error,
                               "ends in the middle of the table, after row %" G_GINT64_FORMAT
                               "; was the stage before it stopped?",
                               MAX (rows, 0));
  if (source->is_parquet && rows < 0 && strstr (said, SL_PARQUET_TWO) != NULL)
    return sl_error_bad_input (error, SL_PARQUET_TWO);
  if (source->is_parquet && rows < 0 && strstr (said, SL_SEAL_BROKEN) == NULL)
    return sl_error_bad_input (error,
                               "is not a whole Parquet file: it was cut short, or is damaged");
  if (g_error_matches (problem, GARROW_ERROR, GARROW_ERROR_NOT_IMPLEMENTED)
      || strstr (said, "Not yet implemented") != NULL) /* as Parquet's library has it */
    return sl_error_bad_input (error, "is written in a way that is not read here: %s", said);
  /* Arrow has no missing list where all have one length. */
  if (strstr (said, "Expected all lists to be of size") != NULL)
    return sl_error_bad_input (error,
                               "has a list that is missing, or of another length than the others, "
                               "after row %" G_GINT64_FORMAT,
                               MAX (rows, 0));
  return sl_error_bad_input (error, "is damaged after row %" G_GINT64_FORMAT, MAX (rows, 0));
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
check_rest (SlTableSource *source, gint64 rows, GError **error)
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
check_end (SlTableSource *source, gint64 rows, GError **error)
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
open_by_footer (SlTableSource *source, GError **error)
{
  gboolean is_sealed, says_digested = FALSE;
  if (sl_input_size (source->input) < 0)
    return sl_error_bad_input (error,
                               "is damaged, or an Arrow file that holds no stream, as Polars "
                               "writes them: give the file's name");
  source->whole = sl_sealed_file_new (source->input, &is_sealed, NULL);
  if (source->whole != NULL && !is_sealed)
    {
      source->bytes = GARROW_SEEKABLE_INPUT_STREAM (garrow_gio_input_stream_new (source->whole));
      source->file = sl_stream_door_file (source->bytes, source->threads, &says_digested, NULL);
    }
  return (source->file != NULL && !says_digested)
         || sl_error_bad_input (error,
                                "is not a whole Arrow file: it was cut short, or is damaged");
}

/* So that rows can be added up, whatever a file says. */
#define MOST_ROWS (G_GINT64_CONSTANT (1) << 60)

/* The rows of the groups from FROM on, to before TO. */
static gint64
add_rows (const SlTableSource *source, int from, int to)
{
  gint64 rows = 0;
  for (int i = from; i < to; i++)
    rows = MIN (rows + CLAMP (sl_parquet_door_rows (source->parquet, i), 0, MOST_ROWS), MOST_ROWS);
  return rows;
}

static gboolean
find_range (SlTableSource *source, SlRowGroups *range, gint64 *n_rows, GError **error)
{
  range->n = gparquet_file_metadata_get_n_row_groups (source->metadata);
  if (range->to < 0 || range->to > range->n)
    range->to = range->n;
  const int from = MIN (range->from, range->n);
  const gint64 after = add_rows (source, MAX (from, range->to), range->n);
  range->rows_before = add_rows (source, 0, from);
  *n_rows = add_rows (source, from, range->to);
  source->group = from;
  source->to = range->to;
  return range->rows_before + *n_rows + after
             == gparquet_file_metadata_get_n_rows (source->metadata)
         || sl_error_bad_input (error, "the row groups have other rows than the file says");
}

/* Whether a file of ours, which says that it is sealed, still is. */
static gboolean
check_seal (const SlTableSource *source, gboolean is_sealed, GError **error)
{
  const char *by = gparquet_file_metadata_get_created_by (source->metadata);
  return is_sealed || by == NULL || !g_str_has_prefix (by, SL_PARQUET_SEALED)
         || sl_error_bad_input (error, SL_SEAL_BROKEN);
}

static gboolean
open_parquet (SlTableSource *source, SlRowGroups *range, gint64 *n_rows, GError **error)
{
  gboolean is_sealed;
  source->whole = sl_sealed_file_new (source->input, &is_sealed, error);
  if (source->whole == NULL)
    return FALSE;
  source->digests.digested = is_sealed;
  source->bytes = GARROW_SEEKABLE_INPUT_STREAM (garrow_gio_input_stream_new (source->whole));
  source->parquet = sl_parquet_door_from (source->bytes, is_sealed, source->threads, error);
  if (source->parquet == NULL)
    return FALSE;
  source->metadata = gparquet_arrow_file_reader_get_metadata (source->parquet);
  source->schema = gparquet_arrow_file_reader_get_schema (source->parquet, error);
  return source->schema != NULL && check_seal (source, is_sealed, error)
         && find_range (source, range, n_rows, error);
}

/* An Arrow file is an Arrow stream between a magic and a footer, and is read as one: what was said
 * of cut streams then holds for it, too. */
static gboolean
open_stream (SlTableSource *source, GError **error)
{
  g_autoptr (GError) problem = NULL;
  SlInput *input = source->input;
  if (source->is_file)
    sl_input_skip_peeked (input);
  source->stream
      = sl_stream_door_from (G_INPUT_STREAM (input), source->threads, &source->digests, &problem);
  const gboolean has_no_stream = source->stream == NULL && source->is_file
                                 && !sl_input_at_end (input) && sl_input_error (input) == NULL;
  if (source->stream == NULL
      && !(has_no_stream ? open_by_footer (source, error) : fail (source, 0, problem, error)))
    return FALSE;
  source->schema = source->file != NULL ? garrow_record_batch_file_reader_get_schema (source->file)
                                        : garrow_record_batch_reader_get_schema (source->stream);
  return TRUE;
}

/* What a file is that is no table, by how it begins. */
static const char *
what_else (const char *head, gsize n)
{
  if (n >= 6 && memcmp (head, "\x93NUMPY", 6) == 0)
    return "is an array of NumPy's, not a table; `softlabel ingest` makes one, --from labels of "
           "distributions, counts of votes by class, npy of features";
  if (n >= 4 && memcmp (head, "PK\x03\x04", 4) == 0)
    return "is a zip archive (an .npz of NumPy's, a spreadsheet), not a table; unpack it, and "
           "`softlabel ingest` makes one of an array or of CSV";
  return "is not a table (Arrow stream, Arrow file or Parquet); `softlabel ingest` makes one from "
         "CSV and other forms";
}

SlTableSource *
sl_table_source_new (SlInput *input, gboolean or_text, int threads, SlRowGroups *range,
                     gint64 *n_rows, GError **error)
{
  gsize n = 0;
  const char *head = sl_input_peek (input, &n, error);
  if (head == NULL)
    return NULL;
  g_autoptr (SlTableSource) source = g_new0 (SlTableSource, 1);
  g_autoptr (GError) problem = NULL;
  const gboolean is_stream = n >= 4 && memcmp (head, "\377\377\377\377", 4) == 0;
  source->input = g_object_ref (input);
  source->threads = threads;
  source->is_parquet = n >= 4 && memcmp (head, "PAR1", 4) == 0;
  source->is_file = n == 8 && memcmp (head, "ARROW1\0\0", 8) == 0;
  gboolean ok = FALSE;
  if (n == 0)
    sl_error_bad_input (error, "is empty: no table; was the stage before it stopped?");
  else if (source->is_parquet && sl_input_size (input) < 0)
    sl_error_bad_input (error,
                        "is Parquet, which cannot be read from a pipe; give the file's name");
  else if (source->is_parquet)
    ok = open_parquet (source, range, n_rows, &problem) || fail (source, -1, problem, error);
  else if (source->is_file || is_stream || (n < 4 && !or_text))
    ok = open_stream (source, error);
  else if (!or_text)
    sl_error_bad_input (error, "%s", what_else (head, n));
  if (!ok)
    return NULL;
  source->plain = sl_plain_schema (source->schema);
  return g_steal_pointer (&source);
}

void
sl_table_source_free (SlTableSource *source)
{
  if (source == NULL)
    return;
  g_queue_clear_full (&source->waiting, g_object_unref);
  g_clear_error (&source->problem);
  g_clear_object (&source->batches);
  g_clear_object (&source->schema);
  g_clear_object (&source->plain);
  g_clear_object (&source->metadata);
  g_clear_object (&source->stream);
  g_clear_object (&source->file);
  g_clear_object (&source->parquet);
  g_clear_object (&source->bytes);
  g_clear_object (&source->whole);
  g_clear_object (&source->input);
  g_free (source);
}

GArrowSchema *
sl_table_source_schema (SlTableSource *source)
{
  return g_object_ref (source->plain != NULL ? source->plain : source->schema);
}

gboolean
sl_table_source_is_digested (const SlTableSource *source)
{
  return source->digests.digested;
}

gboolean
sl_table_source_is_parquet (const SlTableSource *source)
{
  return source->is_parquet;
}

gboolean
sl_table_source_is_by_footer (const SlTableSource *source)
{
  return source->whole != NULL;
}

/* The next batch, with plain columns; NULL: the source has ended, in peace or by its problem. */
static GArrowRecordBatch *
read_one (SlTableSource *source)
{
  g_autoptr (GArrowRecordBatch) raw = NULL;
  sl_reading_begin ();
  if (source->file == NULL)
    raw = garrow_record_batch_reader_read_next (source->stream, &source->problem);
  else if (source->next_batch < garrow_record_batch_file_reader_get_n_record_batches (source->file))
    raw = garrow_record_batch_file_reader_read_record_batch (source->file, source->next_batch++,
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
gather (SlTableSource *source)
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

/* Arrow makes no batch of two groups where a list has a dictionary, so a large group begins after
 * the one before it has ended. It ends a group in peace where a column has no more values, so rows
 * are counted. */
static gboolean
read_on (SlTableSource *source, GArrowRecordBatch **batch, GError **error)
{
  if (source->batches == NULL)
    {
      int to = source->to;
      source->batches
          = sl_parquet_door_groups (source->parquet, source->group, &to, source->threads, error);
      source->left = add_rows (source, source->group, to);
      source->group = to;
    }
  if (source->batches == NULL)
    return FALSE;
  g_autoptr (GError) problem = NULL;
  *batch = garrow_record_batch_reader_read_next (source->batches, &problem);
  if (problem != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&problem));
      return FALSE;
    }
  source->left -= *batch != NULL ? garrow_record_batch_get_n_rows (*batch) : 0;
  if (source->left < 0 || (*batch == NULL && source->left > 0))
    return sl_error_bad_input (error, "a row group has another number of rows than it says");
  if (*batch == NULL)
    g_clear_object (&source->batches);
  return TRUE;
}

static gboolean
next_of_parquet (SlTableSource *source, gint64 rows, GArrowRecordBatch **batch, GError **error)
{
  g_autoptr (GArrowRecordBatch) raw = NULL;
  g_autoptr (GError) problem = NULL;
  sl_reading_begin ();
  while (problem == NULL && raw == NULL && (source->batches != NULL || source->group < source->to))
    (void) read_on (source, &raw, &problem);
  *batch = problem == NULL && raw != NULL ? sl_plain_batch (raw, source->plain, &problem) : NULL;
  return problem == NULL || fail (source, rows, problem, error);
}

gboolean
sl_table_source_next (SlTableSource *source, gint64 rows, GArrowRecordBatch **batch, GError **error)
{
  if (source->is_parquet)
    return next_of_parquet (source, rows, batch, error);
  if (source->waiting.length == 0 && !source->ended)
    gather (source);
  *batch = g_queue_pop_head (&source->waiting);
  if (*batch != NULL)
    return TRUE;
  return source->problem != NULL ? fail (source, rows, source->problem, error)
                                 : check_end (source, rows, error);
}
