/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "arrays.h"

#include <string.h>

/* Whether a dimension may be that of channels. */
static gboolean
is_channels (gint64 n)
{
  return n == 1 || n == 3;
}

char *
sl_array_form_find (const SlArrayFile *file, SlImageLayout layout, SlArrayForm *form)
{
  const SlNpy *npy = &file->npy;
  int from[3] = { 1, 1, 1 };
  *form = (SlArrayForm){ .number = npy->kind == 'u' && npy->width == 1 ? SL_NUMBER_UINT8
                                                                       : SL_NUMBER_FLOAT32 };
  form->n_dims = npy->n_dims == 2 ? 1 : 3;
  if (npy->n_dims < 2)
    return g_strdup ("the array has one number a row: is it the file of the labels (--labels)?");
  if (npy->n_dims == 4 && layout == SL_LAYOUT_AUTO)
    {
      if (!is_channels (npy->dim[3]) && !is_channels (npy->dim[1]))
        return g_strdup_printf ("rows of %" G_GINT64_FORMAT " x %" G_GINT64_FORMAT
                                " x %" G_GINT64_FORMAT " may be images with their channels last "
                                "or first: say --layout hwc or chw",
                                npy->dim[1], npy->dim[2], npy->dim[3]);
      layout = is_channels (npy->dim[3]) ? SL_LAYOUT_HWC : SL_LAYOUT_CHW;
    }
  /* An image of one channel lacks that dimension. */
  if (npy->n_dims == 3)
    from[0] = 3;
  for (int d = 1; npy->n_dims == 4 && d < 4; d++)
    from[layout == SL_LAYOUT_HWC ? d % 3 : d - 1] = d;
  for (int d = 1; npy->n_dims == 3 && d < 3; d++)
    from[d] = d;
  for (int d = 0; d < form->n_dims; d++)
    {
      form->dim[d] = npy->dim[from[d]];
      form->stride[d] = from[d] < npy->n_dims ? sl_array_file_stride (file, from[d]) : 0;
    }
  return NULL;
}

static void
take_bytes (const SlArrayForm *form, const guint8 *from, guint8 *to)
{
  gint64 height = form->n_dims == 3 ? form->dim[1] : 1,
         width = form->n_dims == 3 ? form->dim[2] : 1;
  for (gint64 c = 0; c < form->dim[0]; c++)
    for (gint64 y = 0; y < height; y++)
      for (gint64 x = 0; x < width; x++)
        *to++ = from[(gsize) c * form->stride[0] + (gsize) y * form->stride[1]
                     + (gsize) x * form->stride[2]];
}

/* N numbers that lie STRIDE bytes apart. */
static void
take_numbers (const SlNpy *npy, const guint8 *from, gsize stride, gint64 n, float *to)
{
  gboolean plain = npy->kind == 'f' && !npy->swapped;
  if (plain && npy->width == 4 && stride == 4)
    memcpy (to, from, (gsize) n * 4);
  else if (plain && npy->width == 8)
    for (gint64 i = 0; i < n; i++)
      {
        double value;
        memcpy (&value, from + (gsize) i * stride, sizeof value);
        to[i] = (float) value;
      }
  else
    for (gint64 i = 0; i < n; i++)
      to[i] = (float) sl_npy_value (npy, from + (gsize) i * stride);
}

void
sl_array_form_take (const SlArrayForm *form, const SlNpy *npy, const guint8 *from, gpointer to)
{
  if (form->number == SL_NUMBER_UINT8)
    {
      take_bytes (form, from, to);
      return;
    }
  float *at = to;
  if (form->n_dims == 1)
    take_numbers (npy, from, form->stride[0], form->dim[0], at);
  for (gint64 c = 0; form->n_dims == 3 && c < form->dim[0]; c++)
    for (gint64 y = 0; y < form->dim[1]; y++, at += form->dim[2])
      take_numbers (npy, from + (gsize) c * form->stride[0] + (gsize) y * form->stride[1],
                    form->stride[2], form->dim[2], at);
}
