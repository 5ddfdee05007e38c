/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "parquet-source.h"

#include "pipeline/arrow/parquet-door.h"
#include "pipeline/arrow/plain-columns.h"
#include "pipeline/arrow/reading-memory.h"
#include "pipeline/base/error.h"

#include <arrow-glib/arrow-glib.h>
#include <string.h>

struct _SlParquetSource
{
  GInputStream *file;
  GArrowSeekableInputStream *bytes; /* over the file; kept, as it closes the file when it goes */
  GParquetArrowFileReader *reader;
  GParquetFileMetadata *metadata;
  GArrowSchema *schema, *plain; /* plain columns; NULL: all are as they come */
  int threads;
  int group, to;                    /* the next row group, and where they end */
  GArrowRecordBatchReader *batches; /* of row groups before it */
  gint64 left;                      /* rows that these still have */
};

/* So that rows can be added up, whatever a file says. */
#define MOST_ROWS (G_GINT64_CONSTANT (1) << 60)

/* The rows of the groups from FROM on, to before TO. */
static gint64
add_rows (const SlParquetSource *source, int from, int to)
{
  gint64 rows = 0;
  for (int i = from; i < to; i++)
    rows = MIN (rows + CLAMP (sl_parquet_door_rows (source->reader, i), 0, MOST_ROWS), MOST_ROWS);
  return rows;
}

static gboolean
find_range (SlParquetSource *source, SlParquetRange *range, gint64 *n_rows, GError **error)
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

/* A problem in one line, as what it means for the file, of which ROWS rows were read; -1: it is not
 * open yet. */
static gboolean
fail (SlParquetSource *source, gint64 rows, const GError *problem, GError **error)
{
  const GError *system = source->file != NULL ? sl_sealed_file_error (source->file) : problem;
  if (g_error_matches (system, SL_ERROR, SL_ERROR_RUNTIME))
    {
      g_propagate_error (error, g_error_copy (system));
      return FALSE;
    }
  if (rows < 0 && strstr (problem->message, SL_PARQUET_TWO) != NULL)
    return sl_error_bad_input (error, SL_PARQUET_TWO);
  if (rows < 0 && strstr (problem->message, SL_SEAL_BROKEN) == NULL)
    return sl_error_bad_input (error,
                               "is not a whole Parquet file: it was cut short, or is damaged");
  if (g_error_matches (problem, GARROW_ERROR, GARROW_ERROR_NOT_IMPLEMENTED))
    return sl_error_bad_input (error, "is written in a way that is not read here: %s",
                               problem->message);
  return sl_error_bad_input (error, "is damaged after row %" G_GINT64_FORMAT, MAX (rows, 0));
}

/* Whether a file of ours, which says that it is sealed, still is. */
static gboolean
check_seal (const SlParquetSource *source, gboolean is_sealed, GError **error)
{
  const char *by = gparquet_file_metadata_get_created_by (source->metadata);
  return is_sealed || by == NULL || !g_str_has_prefix (by, SL_PARQUET_SEALED)
         || sl_error_bad_input (error, SL_SEAL_BROKEN);
}

static gboolean
open_file (SlParquetSource *source, SlInput *input, int threads, gboolean *is_sealed,
           GError **error)
{
  source->threads = threads;
  source->file = sl_sealed_file_new (input, is_sealed, error);
  if (source->file == NULL)
    return FALSE;
  source->bytes = GARROW_SEEKABLE_INPUT_STREAM (garrow_gio_input_stream_new (source->file));
  source->reader = sl_parquet_door_from (source->bytes, *is_sealed, threads, error);
  if (source->reader == NULL)
    return FALSE;
  source->metadata = gparquet_arrow_file_reader_get_metadata (source->reader);
  source->schema = gparquet_arrow_file_reader_get_schema (source->reader, error);
  if (source->schema == NULL)
    return FALSE;
  source->plain = sl_plain_schema (source->schema);
  return check_seal (source, *is_sealed, error);
}

SlParquetSource *
sl_parquet_source_new (SlInput *input, int threads, SlParquetRange *range, gint64 *n_rows,
                       gboolean *digested, GError **error)
{
  g_autoptr (SlParquetSource) source = g_new0 (SlParquetSource, 1);
  g_autoptr (GError) problem = NULL;
  if (open_file (source, input, threads, digested, &problem)
      && find_range (source, range, n_rows, &problem))
    return g_steal_pointer (&source);
  fail (source, -1, problem, error);
  return NULL;
}

void
sl_parquet_source_free (SlParquetSource *source)
{
  if (source == NULL)
    return;
  g_clear_object (&source->batches);
  g_clear_object (&source->schema);
  g_clear_object (&source->plain);
  g_clear_object (&source->metadata);
  g_clear_object (&source->reader);
  g_clear_object (&source->bytes);
  g_clear_object (&source->file);
  g_free (source);
}

GArrowSchema *
sl_parquet_source_schema (SlParquetSource *source)
{
  return g_object_ref (source->plain != NULL ? source->plain : source->schema);
}

/* Arrow makes no batch of two groups where a list has a dictionary, so a large group begins after
 * the one before it has ended. It ends a group in peace where a column has no more values, so rows
 * are counted. */
static gboolean
read_on (SlParquetSource *source, GArrowRecordBatch **batch, GError **error)
{
  if (source->batches == NULL)
    {
      int to = source->to;
      source->batches
          = sl_parquet_door_groups (source->reader, source->group, &to, source->threads, error);
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

gboolean
sl_parquet_source_next (SlParquetSource *source, gint64 rows, GArrowRecordBatch **batch,
                        GError **error)
{
  g_autoptr (GArrowRecordBatch) raw = NULL;
  g_autoptr (GError) problem = NULL;
  sl_reading_begin ();
  while (problem == NULL && raw == NULL && (source->batches != NULL || source->group < source->to))
    (void) read_on (source, &raw, &problem);
  *batch = problem == NULL && raw != NULL ? sl_plain_batch (raw, source->plain, &problem) : NULL;
  return problem == NULL || fail (source, rows, problem, error);
}
