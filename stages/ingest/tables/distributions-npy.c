/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions in a NumPy array, a row an item and a column a class. Rows are read a piece at a
 * time; of an array in Fortran's order, as pandas makes them, they do not lie together, and it has
 * to be in memory as a whole. */
#include "distributions.h"

#include "stages/common/files/npy.h"

#define PIECE_BYTES (1 << 20)

static gboolean
fail (const SlSource *source, GError **error, const char *what)
{
  return sl_error_bad_input (error, "%s: %s", source->name, what);
}

static gboolean
check_shape (SlDistributions *to, const SlSource *source, const SlNpy *npy, gsize *row_bytes,
             GError **error)
{
  SlIngest *ingest = to->ingest;
  if (npy->n_dims != 2)
    return fail (source, error, "the array has not two dimensions: items and classes");
  if (ingest->classes == NULL)
    return fail (source, error,
                 "an array does not name its classes: say them in their order, --classes A,B,C");
  if (npy->dim[1] != (gint64) g_strv_length (ingest->classes))
    return sl_error_bad_input (
        error, "%s: the array has %" G_GINT64_FORMAT " columns, but there are %u classes",
        source->name, npy->dim[1], g_strv_length (ingest->classes));
  if (!g_size_checked_mul (row_bytes, (gsize) npy->dim[1], npy->width) || *row_bytes == 0)
    return fail (source, error, "its header has a shape that is too large");
  return ingest->table != NULL || sl_distributions_start (to, 0, error);
}

/* One row of the array, whose values lie STEP bytes apart. */
static gboolean
take_row (SlDistributions *to, const SlSource *source, const SlNpy *npy, const guint8 *bytes,
          gsize step, double *p, GError **error)
{
  char room[24];
  gint64 n = to->n_rows++;
  SlDistributionRow row = { .item = sl_distributions_item (to, n, room), .weight = 1 };
  for (gint64 k = 0; k < npy->dim[1]; k++)
    p[k] = sl_npy_value (npy, bytes + (gsize) k * step);
  g_autofree char *fault = row.item != NULL
                               ? sl_distributions_check (to, p)
                               : g_strdup ("--items has fewer items than there are rows");
  if (fault != NULL)
    return sl_rejected_rows_add (&to->ingest->rejected, source->name, n, fault, "", 0, error);
  row.item_length = strlen (row.item);
  return sl_distributions_add (to, &row, p, error);
}

static gboolean
fail_cut (const SlSource *source, const SlNpy *npy, GError **error)
{
  return sl_error_bad_input (error, "%s: ends before the last of its %" G_GINT64_FORMAT " rows",
                             source->name, npy->dim[0]);
}

static gboolean
read_rows (SlDistributions *to, SlSource *source, const SlNpy *npy, gsize row_bytes, double *p,
           GError **error)
{
  gsize most = MAX (PIECE_BYTES / row_bytes, 1), got;
  g_autofree guint8 *bytes = g_malloc (most * row_bytes);
  for (gint64 row = 0; row < npy->dim[0];)
    {
      gsize wanted = MIN (most, (gsize) (npy->dim[0] - row));
      if (!sl_source_read (source, bytes, wanted * row_bytes, &got, error))
        return FALSE;
      for (gsize i = 0; i < got / row_bytes; i++)
        if (!take_row (to, source, npy, bytes + i * row_bytes, npy->width, p, error))
          return FALSE;
      row += (gint64) (got / row_bytes);
      if (got < wanted * row_bytes)
        return fail_cut (source, npy, error);
    }
  return TRUE;
}

/* Memory grows with what is there, not with what the header says. */
static gboolean
read_columns (SlDistributions *to, SlSource *source, const SlNpy *npy, gsize row_bytes, double *p,
              GError **error)
{
  gsize all;
  g_autofree guint8 *bytes = NULL;
  if (!g_size_checked_mul (&all, row_bytes, (gsize) npy->dim[0]) || all > G_MAXSSIZE)
    return fail (source, error, "its header has a shape that is too large");
  for (gsize have = 0, got; have < all; have += got)
    {
      gsize wanted = MIN (all - have, MAX (have, PIECE_BYTES));
      if (!sl_run_claim (to->ingest->run, wanted,
                         "an array in Fortran's order (save it with numpy.ascontiguousarray)",
                         error))
        return FALSE;
      bytes = g_realloc (bytes, have + wanted);
      if (!sl_source_read (source, bytes + have, wanted, &got, error))
        return FALSE;
      if (got < wanted)
        return fail_cut (source, npy, error);
    }
  for (gint64 row = 0; row < npy->dim[0]; row++)
    if (!take_row (to, source, npy, bytes + (gsize) row * npy->width,
                   (gsize) npy->dim[0] * npy->width, p, error))
      return FALSE;
  return TRUE;
}

gboolean
sl_distributions_read_npy (SlDistributions *to, SlSource *source, GError **error)
{
  g_autoptr (SlSource) own = source;
  SlNpy npy;
  gsize row_bytes = 0, got;
  guint8 more;
  if (!sl_npy_read_header (own, &npy, error))
    {
      if (error != NULL && !g_error_matches (*error, SL_ERROR, SL_ERROR_RUNTIME))
        g_prefix_error (error, "%s: ", own->name);
      return FALSE;
    }
  if (!check_shape (to, own, &npy, &row_bytes, error))
    return FALSE;
  g_autofree double *p = g_new (double, npy.dim[1]);
  gboolean by_columns = npy.fortran && npy.dim[1] > 1;
  if (!(by_columns ? read_columns : read_rows) (to, own, &npy, row_bytes, p, error)
      || !sl_source_read (own, &more, 1, &got, error))
    return FALSE;
  return got == 0 || fail (own, error, "has bytes after the end of the array");
}
