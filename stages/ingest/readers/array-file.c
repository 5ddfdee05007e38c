/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "array-file.h"

#include <string.h>

#define PIECE_BYTES (1 << 20)
#define MOST_ROW_BYTES ((gsize) 1 << 29) /* doubles of the largest tensor */

/* What the third byte says that numbers are. */
static gboolean
type_of (guint8 code, char *kind, gsize *width)
{
  static const struct
  {
    guint8 code;
    char kind;
    gsize width;
  } types[] = { { 0x08, 'u', 1 }, { 0x09, 'i', 1 }, { 0x0b, 'i', 2 },
                { 0x0c, 'i', 4 }, { 0x0d, 'f', 4 }, { 0x0e, 'f', 8 } };
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    if (types[i].code == code)
      {
        *kind = types[i].kind;
        *width = types[i].width;
        return TRUE;
      }
  return FALSE;
}

gboolean
sl_idx_begins (const guint8 *head)
{
  char kind;
  gsize width;
  return head[0] == 0 && head[1] == 0 && type_of (head[2], &kind, &width) && head[3] > 0;
}

/* Reads what comes before the numbers of a file of MNIST's format (LeCun, Cortes & Burges): two
 * zeros, a type, a number of dimensions, their sizes; then the numbers, all big-endian. */
static gboolean
read_idx_header (SlSource *source, SlNpy *idx, GError **error)
{
  guint8 head[4], size[4];
  gsize got;
  *idx = (SlNpy){ 0 };
  if (!sl_source_read (source, head, sizeof head, &got, error))
    return FALSE;
  if (got < sizeof head || !sl_idx_begins (head))
    return sl_error_bad_input (error, "is not of MNIST's idx format");
  if (head[3] > SL_NPY_DIMS)
    return sl_error_bad_input (error, "has %d dimensions; at most %d are read", head[3],
                               SL_NPY_DIMS);
  (void) type_of (head[2], &idx->kind, &idx->width);
  idx->swapped = G_BYTE_ORDER == G_LITTLE_ENDIAN && idx->width > 1;
  idx->n_dims = head[3];
  for (int d = 0; d < SL_NPY_DIMS; d++)
    {
      idx->dim[d] = 1;
      if (d >= idx->n_dims)
        continue;
      if (!sl_source_read (source, size, sizeof size, &got, error))
        return FALSE;
      if (got < sizeof size)
        return sl_error_bad_input (error, "ends within its header");
      idx->dim[d] = (gint64) size[0] << 24 | size[1] << 16 | size[2] << 8 | size[3];
    }
  return TRUE;
}

void
sl_array_file_clear (SlArrayFile *file)
{
  g_clear_pointer (&file->source, sl_source_free);
  g_clear_pointer (&file->bytes, g_free);
}

static gboolean
check_size (SlArrayFile *file, gint64 header, GError **error)
{
  const SlSource *source = file->source;
  SlNpy *npy = &file->npy;
  gsize bytes = npy->width;
  for (int d = npy->n_dims - 1; d >= 0; d--)
    {
      if (npy->dim[d] == 0)
        return sl_error_bad_input (error, "%s: the array is empty", source->name);
      if (d == 0)
        file->row_bytes = bytes;
      if (!g_size_checked_mul (&bytes, bytes, (gsize) npy->dim[d]) || bytes > G_MAXINT64)
        return sl_error_bad_input (error, "%s: its header has a shape that is too large",
                                   source->name);
    }
  if (file->row_bytes > MOST_ROW_BYTES)
    return sl_error_bad_input (
        error, "%s: its rows have %" G_GSIZE_FORMAT " bytes each: too many for an example",
        source->name, file->row_bytes);
  gint64 there = source->size - header;
  /* Of a member of an archive it is not known where its header ends. */
  if (source->size == 0 || source->at < 0 || (gint64) bytes == there)
    return TRUE;
  if ((gint64) bytes < there)
    return sl_error_bad_input (
        error, "%s: has %" G_GINT64_FORMAT " byte%s after the end of the array", source->name,
        there - (gint64) bytes, there - (gint64) bytes == 1 ? "" : "s");
  return sl_error_bad_input (error,
                             "%s: was cut short: %" G_GINT64_FORMAT " of its %" G_GSIZE_FORMAT
                             " bytes of numbers are there",
                             source->name, MAX (there, 0), bytes);
}

/* Where the next byte lies that is read of a regular file. */
static gint64
position (const SlSource *source)
{
  return source->at - (gint64) source->n_head;
}

gboolean
sl_array_file_open (SlArrayFile *file, SlRun *run, SlSource *source, GError **error)
{
  *file = (SlArrayFile){ .source = source };
  gint64 start = position (source);
  if (!sl_source_begins (source, SL_NPY_MAGIC, SL_NPY_MAGIC_BYTES, &file->is_npy, error))
    return FALSE;
  guint8 head[4];
  memcpy (head, source->head, sizeof head);
  if (!file->is_npy && (source->n_head < sizeof head || !sl_idx_begins (head)))
    return sl_error_bad_input (
        error, "%s: is neither a NumPy array (.npy) nor of MNIST's idx format", source->name);
  if (!(file->is_npy ? sl_npy_read_header : read_idx_header) (source, &file->npy, error))
    {
      if (error != NULL && !g_error_matches (*error, SL_ERROR, SL_ERROR_RUNTIME)
          && !g_str_has_prefix ((*error)->message, source->name))
        g_prefix_error (error, "%s: ", source->name);
      return FALSE;
    }
  if (!check_size (file, position (source) - start, error))
    return FALSE;
  gsize bytes = MAX (file->row_bytes, PIECE_BYTES);
  if (file->npy.fortran && file->npy.n_dims > 1)
    return TRUE;
  file->bytes = sl_run_alloc0 (run, 1, bytes, "a row of an array", error);
  return file->bytes != NULL;
}

static gboolean
fail_cut (const SlArrayFile *file, gint64 rows, GError **error)
{
  return sl_error_bad_input (error,
                             "%s: ends after %" G_GINT64_FORMAT " of its %" G_GINT64_FORMAT " rows",
                             file->source->name, rows, file->npy.dim[0]);
}

/* Nothing may lie behind the array. */
static gboolean
check_end (SlArrayFile *file, GError **error)
{
  guint8 more;
  gsize got;
  return sl_source_read (file->source, &more, 1, &got, error)
         && (got == 0
             || sl_error_bad_input (error, "%s: has bytes after the end of the array",
                                    file->source->name));
}

/* All of an array whose columns lie one behind the other. Room grows with what is there, not with
 * what the header says. */
static gboolean
read_whole (SlArrayFile *file, SlRun *run, GError **error)
{
  gsize all = file->row_bytes * (gsize) file->npy.dim[0], got;
  for (gsize have = 0; have < all; have += got)
    {
      gsize wanted = MIN (all - have, MAX (have, PIECE_BYTES));
      if (!sl_run_claim (run, wanted,
                         "an array in Fortran's order (save it with numpy.ascontiguousarray)",
                         error))
        return FALSE;
      file->bytes = g_realloc (file->bytes, have + wanted);
      if (!sl_source_read (file->source, file->bytes + have, wanted, &got, error))
        return FALSE;
      if (got < wanted)
        return fail_cut (file, 0, error);
    }
  return TRUE;
}

gsize
sl_array_file_stride (const SlArrayFile *file, int d)
{
  const SlNpy *npy = &file->npy;
  gsize stride = npy->width;
  for (int e = npy->fortran ? 0 : d + 1; e < (npy->fortran ? d : npy->n_dims); e++)
    stride *= (gsize) npy->dim[e];
  return stride;
}

gboolean
sl_array_file_next (SlArrayFile *file, SlRun *run, const guint8 **first, gsize *step, gint64 *n,
                    GError **error)
{
  const SlNpy *npy = &file->npy;
  gint64 left = npy->dim[0] - file->row;
  gsize got;
  *step = sl_array_file_stride (file, 0);
  *n = left;
  if (left == 0)
    return check_end (file, error);
  if (npy->fortran && npy->n_dims > 1)
    {
      if (!read_whole (file, run, error))
        return FALSE;
    }
  else
    {
      *n = MIN (left, (gint64) MAX (PIECE_BYTES / file->row_bytes, 1));
      if (!sl_source_read (file->source, file->bytes, (gsize) *n * file->row_bytes, &got, error))
        return FALSE;
      if (got < (gsize) *n * file->row_bytes)
        return fail_cut (file, file->row + (gint64) (got / file->row_bytes), error);
    }
  *first = file->bytes;
  file->row += *n;
  return TRUE;
}
