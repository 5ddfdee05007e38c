/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions in a NumPy array, a row an item and a column a class. */
#include "distributions.h"

#include "stages/ingest/readers/array-file.h"

static gboolean
check_shape (SlDistributions *to, const SlArrayFile *file, GError **error)
{
  SlIngest *ingest = to->ingest;
  const char *name = file->source->name;
  if (file->npy.n_dims != 2)
    return sl_error_bad_input (error, "%s: the array has not two dimensions: items and classes",
                               name);
  if (ingest->classes == NULL)
    return sl_error_bad_input (
        error, "%s: an array does not name its classes: say them in their order, --classes A,B,C",
        name);
  if (file->npy.dim[1] != (gint64) g_strv_length (ingest->classes))
    return sl_error_bad_input (
        error, "%s: the array has %" G_GINT64_FORMAT " columns, but there are %u classes", name,
        file->npy.dim[1], g_strv_length (ingest->classes));
  return ingest->table != NULL || sl_distributions_start (to, 0, error);
}

/* One row of the array. */
static gboolean
take_row (SlDistributions *to, const SlArrayFile *file, const guint8 *bytes, double *p,
          GError **error)
{
  char room[24];
  gint64 n = to->n_rows++;
  gsize step = sl_array_file_stride (file, 1);
  SlDistributionRow row = { .item = sl_distributions_item (to, n, room), .weight = 1 };
  for (gint64 k = 0; k < file->npy.dim[1]; k++)
    p[k] = sl_npy_value (&file->npy, bytes + (gsize) k * step);
  g_autofree char *fault = row.item != NULL
                               ? sl_distributions_check (to, p)
                               : g_strdup ("--items has fewer items than there are rows");
  if (fault != NULL)
    return sl_rejected_rows_add (&to->ingest->rejected, file->source->name, n, fault, "", 0, error);
  row.item_length = strlen (row.item);
  return sl_distributions_add (to, &row, p, error);
}

gboolean
sl_distributions_read_npy (SlDistributions *to, SlSource *source, GError **error)
{
  SlRun *run = to->ingest->run;
  g_auto (SlArrayFile) file = { 0 };
  const guint8 *first;
  gsize step;
  gint64 n;
  if (!sl_array_file_open (&file, run, source, error) || !check_shape (to, &file, error))
    return FALSE;
  g_autofree double *p = g_new (double, file.npy.dim[1]);
  for (;;)
    {
      if (!sl_array_file_next (&file, run, &first, &step, &n, error))
        return FALSE;
      if (n == 0)
        return TRUE;
      for (gint64 i = 0; i < n; i++)
        if (!take_row (to, &file, first + (gsize) i * step, p, error))
          return FALSE;
    }
}
