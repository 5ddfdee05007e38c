/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts from a NumPy array. Rows that lie one behind the other are read a piece at a time; an
 * array in Fortran's order, whose columns do, has to be in memory as a whole. */
#include "counts.h"
#include "stages/common/files/npy.h"

#include <math.h>
#include <string.h>

#define PIECE_BYTES (1 << 20)

static gboolean fail (const SlSource *source, GError **error, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

static gboolean
fail (const SlSource *source, GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  return sl_error_bad_input (error, "%s: %s", source->name, what);
}

/* What is wrong with a row of the matrix, whose values lie STEP bytes apart; NULL: nothing. */
static char *
find_fault (const SlIngest *ingest, const SlNpy *npy, const guint8 *row, gsize step)
{
  gboolean any = FALSE;
  for (gint64 c = 0; c < npy->dim[1]; c++)
    {
      gint64 count;
      const char *wrong = sl_npy_count (sl_npy_value (npy, row + (gsize) c * step), &count);
      if (wrong != NULL)
        return g_strdup_printf ("the count of class '%s' %s", ingest->classes[c], wrong);
      any = any || count > 0;
    }
  return any ? NULL : g_strdup ("no votes at all");
}

/* The row becomes rows of ROWS, or a bad one. */
static gboolean
take_row (SlCounts *state, const SlSource *source, const SlNpy *npy, const guint8 *row, gsize step,
          SlBuilder *rows, GError **error)
{
  SlIngest *ingest = state->source.ingest;
  char item[24];
  gsize length = (gsize) g_snprintf (item, sizeof item, "%" G_GINT64_FORMAT, state->n_items++);
  g_autofree char *fault = find_fault (ingest, npy, row, step);
  for (gint64 c = 0; fault == NULL && c < npy->dim[1]; c++)
    {
      gint64 count;
      sl_npy_count (sl_npy_value (npy, row + (gsize) c * step), &count);
      if (count > 0)
        sl_counts_add (rows, item, length, (gint32) c, count);
    }
  if (fault == NULL)
    return TRUE;
  g_autoptr (GString) record = g_string_new (NULL);
  for (gint64 c = 0; c < npy->dim[1]; c++)
    {
      char text[G_ASCII_DTOSTR_BUF_SIZE];
      g_string_append_printf (
          record, "%s%s", c > 0 ? "," : "",
          g_ascii_formatd (text, sizeof text, "%.15g", sl_npy_value (npy, row + (gsize) c * step)));
    }
  return sl_rejected_rows_add (&ingest->rejected, source->name, state->n_items - 1, fault,
                               record->str, record->len, error);
}

static gboolean
read_by_rows (SlCounts *state, SlSource *source, const SlNpy *npy, gsize row_bytes, GError **error)
{
  SlIngest *ingest = state->source.ingest;
  g_autoptr (SlBuilder) rows = sl_builder_new (ingest->table);
  gsize most = MAX (PIECE_BYTES / row_bytes, 1), got;
  g_autofree guint8 *bytes = g_malloc (most * row_bytes);
  for (gint64 row = 0; row < npy->dim[0];)
    {
      gsize wanted = MIN (most, (gsize) (npy->dim[0] - row));
      if (!sl_source_read (source, bytes, wanted * row_bytes, &got, error))
        return FALSE;
      for (gsize i = 0; i < got / row_bytes; i++)
        if (!take_row (state, source, npy, bytes + i * row_bytes, npy->width, rows, error))
          return FALSE;
      row += (gint64) (got / row_bytes);
      if (got < wanted * row_bytes)
        return fail (source, error,
                     "ends after %" G_GINT64_FORMAT " of its %" G_GINT64_FORMAT " rows", row,
                     npy->dim[0]);
      if (!sl_ingest_put (ingest, rows, error))
        return FALSE;
    }
  return TRUE;
}

/* Memory grows with what is there, not with what the header says. */
static guint8 *
read_whole (SlCounts *state, SlSource *source, gsize n, GError **error)
{
  g_autofree guint8 *bytes = NULL;
  for (gsize have = 0, got; have < n; have += got)
    {
      gsize wanted = MIN (n - have, MAX (have, PIECE_BYTES));
      if (!sl_run_claim (state->source.ingest->run, wanted,
                         "an array in Fortran's order (save it with numpy.ascontiguousarray)",
                         error))
        return NULL;
      bytes = g_realloc (bytes, have + wanted);
      if (!sl_source_read (source, bytes + have, wanted, &got, error))
        return NULL;
      if (got < wanted)
        {
          fail (source, error,
                "ends after %" G_GSIZE_FORMAT " of its %" G_GSIZE_FORMAT " bytes of numbers",
                have + got, n);
          return NULL;
        }
    }
  return g_steal_pointer (&bytes);
}

static gboolean
read_by_columns (SlCounts *state, SlSource *source, const SlNpy *npy, gsize row_bytes,
                 GError **error)
{
  SlIngest *ingest = state->source.ingest;
  gsize step = (gsize) npy->dim[0] * npy->width;
  g_autofree guint8 *bytes = read_whole (state, source, (gsize) npy->dim[0] * row_bytes, error);
  if (bytes == NULL)
    return FALSE;
  g_autoptr (SlBuilder) rows = sl_builder_new (ingest->table);
  for (gint64 row = 0; row < npy->dim[0]; row++)
    {
      if (!take_row (state, source, npy, bytes + (gsize) row * npy->width, step, rows, error)
          || !sl_ingest_put (ingest, rows, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_matrix (SlCounts *state, SlSource *source, const SlNpy *npy, GError **error)
{
  gsize row_bytes, all, got;
  if (npy->n_dims != 2)
    return fail (source, error,
                 "the array has %s than two dimensions; counts have two: items and classes",
                 npy->n_dims < 2 ? "fewer" : "more");
  if (npy->dim[0] == 0 || npy->dim[1] == 0)
    return fail (source, error, "the array is empty");
  if (!g_size_checked_mul (&row_bytes, (gsize) npy->dim[1], npy->width)
      || !g_size_checked_mul (&all, row_bytes, (gsize) npy->dim[0]) || all > G_MAXSSIZE)
    return fail (source, error, "its header has a shape that is too large");
  if (!sl_counts_start (state, npy->dim[1], NULL, error))
    {
      g_prefix_error (error, "%s: ", source->name);
      return FALSE;
    }
  if (npy->dim[1] != state->n_classes)
    return fail (source, error,
                 "the array has %" G_GINT64_FORMAT " columns, but there are %d classes",
                 npy->dim[1], state->n_classes);
  if (!(npy->fortran ? read_by_columns : read_by_rows) (state, source, npy, row_bytes, error))
    return FALSE;
  guint8 more;
  if (!sl_source_read (source, &more, 1, &got, error))
    return FALSE;
  return got == 0 || fail (source, error, "has bytes after the end of the array");
}

gboolean
sl_counts_read_npy (SlCounts *state, SlSource *source, GError **error)
{
  g_autoptr (SlSource) own = source;
  SlNpy npy;
  if (sl_npy_read_header (own, &npy, error))
    return read_matrix (state, own, &npy, error);
  if (error != NULL && !g_error_matches (*error, SL_ERROR, SL_ERROR_RUNTIME))
    g_prefix_error (error, "%s: ", own->name);
  return FALSE;
}
