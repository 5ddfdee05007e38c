/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts from a NumPy array. */
#include "counts.h"

#include "stages/ingest/readers/array-file.h"

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
take_row (SlCounts *state, const SlArrayFile *file, const guint8 *row, SlBuilder *rows,
          GError **error)
{
  SlIngest *ingest = state->source.ingest;
  const SlNpy *npy = &file->npy;
  gsize step = sl_array_file_stride (file, 1);
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
  return sl_rejected_rows_add (&ingest->rejected, file->source->name, state->n_items - 1, fault,
                               record->str, record->len, error);
}

static gboolean
check_shape (SlCounts *state, const SlArrayFile *file, GError **error)
{
  const char *name = file->source->name;
  const SlNpy *npy = &file->npy;
  if (npy->n_dims != 2)
    return sl_error_bad_input (
        error, "%s: the array has %s than two dimensions; counts have two: items and classes", name,
        npy->n_dims < 2 ? "fewer" : "more");
  if (!sl_counts_start (state, npy->dim[1], NULL, error))
    {
      g_prefix_error (error, "%s: ", name);
      return FALSE;
    }
  return npy->dim[1] == state->n_classes
         || sl_error_bad_input (
             error, "%s: the array has %" G_GINT64_FORMAT " columns, but there are %d classes",
             name, npy->dim[1], state->n_classes);
}

gboolean
sl_counts_read_npy (SlCounts *state, SlSource *source, GError **error)
{
  SlIngest *ingest = state->source.ingest;
  g_auto (SlArrayFile) file = { 0 };
  const guint8 *first;
  gsize step;
  gint64 n;
  if (!sl_array_file_open (&file, ingest->run, source, error) || !check_shape (state, &file, error))
    return FALSE;
  g_autoptr (SlBuilder) rows = sl_builder_new (ingest->table);
  for (;;)
    {
      if (!sl_array_file_next (&file, ingest->run, &first, &step, &n, error))
        return FALSE;
      if (n == 0)
        return TRUE;
      for (gint64 i = 0; i < n; i++)
        if (!take_row (state, &file, first + (gsize) i * step, rows, error)
            || (sl_builder_room (rows) == 0 && !sl_ingest_put (ingest, rows, error)))
          return FALSE;
      if (!sl_ingest_put (ingest, rows, error))
        return FALSE;
    }
}
