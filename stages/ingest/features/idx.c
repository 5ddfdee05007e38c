/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "idx.h"

#include "pipeline/base/error.h"

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

gboolean
sl_idx_read_header (SlSource *source, SlNpy *idx, GError **error)
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
