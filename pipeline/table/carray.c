/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "carray.h"

#include <arrow-glib/arrow-glib.h>
#include <stdlib.h>
#include <string.h>

gpointer
sl_buffer_new (gsize bytes)
{
  gsize padded = (bytes + 63) / 64 * 64;
  gpointer memory = aligned_alloc (64, MAX (padded, 64));
  if (memory == NULL)
    g_error ("out of memory: %" G_GSIZE_FORMAT " bytes for a buffer", bytes);
  return memory;
}

void
sl_carray_release (struct ArrowArray *array)
{
  if (array->release != NULL)
    array->release (array);
}

static void
release_owned (struct ArrowArray *array)
{
  for (gint64 i = 0; i < array->n_buffers; i++)
    free ((gpointer) array->buffers[i]);
  g_free (array->buffers);
  for (gint64 i = 0; i < array->n_children; i++)
    {
      sl_carray_release (array->children[i]);
      g_free (array->children[i]);
    }
  g_free (array->children);
  if (array->dictionary != NULL)
    {
      sl_carray_release (array->dictionary);
      g_free (array->dictionary);
    }
  array->release = NULL;
}

void
sl_carray_init (struct ArrowArray *array, gint64 length, int buffers, int children)
{
  memset (array, 0, sizeof *array);
  array->length = length;
  array->n_buffers = buffers;
  array->n_children = children;
  array->buffers = g_new0 (const void *, buffers);
  array->children = g_new0 (struct ArrowArray *, children);
  for (int i = 0; i < children; i++)
    array->children[i] = g_new0 (struct ArrowArray, 1);
  array->release = release_owned;
}

void
sl_carray_set (struct ArrowArray *array, int buffer, gpointer memory)
{
  array->buffers[buffer] = memory;
}

gpointer
sl_bits_new (const guint8 *bytes, gint64 length, gint64 *n_clear)
{
  gsize n = (gsize) (length + 7) / 8;
  guint8 *bits = sl_buffer_new (n);
  memset (bits, 0, n);
  gint64 set = 0, whole = length - length % 8;
  /* Eight bytes at a time: the top bit of each tells whether it is 0; the product gathers them. */
  for (gint64 i = 0; i < whole; i += 8)
    {
      const guint64 low = G_GUINT64_CONSTANT (0x7f7f7f7f7f7f7f7f);
      guint64 word;
      memcpy (&word, bytes + i, sizeof word);
      word = GUINT64_FROM_LE (word);
      word = (((word & low) + low) | word) & ~low;
      bits[i / 8] = (guint8) ((word >> 7) * G_GUINT64_CONSTANT (0x0102040810204080) >> 56);
      set += __builtin_popcount (bits[i / 8]);
    }
  for (gint64 i = whole; i < length; i++)
    {
      guint8 bit = bytes[i] != 0;
      bits[i / 8] |= (guint8) (bit << (i % 8));
      set += bit;
    }
  *n_clear = length - set;
  return bits;
}

void
sl_bits_to_bytes (const guint8 *bits, gint64 offset, gint64 length, guint8 *bytes)
{
  for (gint64 i = 0; i < length; i++)
    bytes[i] = (bits[(offset + i) / 8] >> ((offset + i) % 8)) & 1;
}

void
sl_carray_init_texts (struct ArrowArray *array, char *const *texts, gint64 n)
{
  sl_carray_init (array, n, 3, 0);
  gint32 *offsets = sl_buffer_new (sizeof (gint32) * (gsize) (n + 1));
  gsize total = 0;
  offsets[0] = 0;
  for (gint64 i = 0; i < n; i++)
    {
      total += strlen (texts[i]);
      g_assert (total <= G_MAXINT32);
      offsets[i + 1] = (gint32) total;
    }
  char *data = sl_buffer_new (total);
  for (gint64 i = 0; i < n; i++)
    memcpy (data + offsets[i], texts[i], (gsize) (offsets[i + 1] - offsets[i]));
  sl_carray_set (array, 1, offsets);
  sl_carray_set (array, 2, data);
}

void
sl_carray_take_dictionary (struct ArrowArray *parent, struct ArrowArray *array)
{
  parent->dictionary = g_new (struct ArrowArray, 1);
  *parent->dictionary = *array;
  array->release = NULL;
}

void
sl_carray_take_child (struct ArrowArray *parent, int i, struct ArrowArray *array)
{
  *parent->children[i] = *array;
  array->release = NULL;
}

/* An array with nothing in it may be without its buffers: none of it and of what is in it is NULL
 * then, but for which values are there. */
static void
give_buffers (struct ArrowArray *array)
{
  static const gint64 nothing[8];
  for (gint64 i = 1; array->length == 0 && i < array->n_buffers; i++)
    if (array->buffers[i] == NULL)
      array->buffers[i] = nothing;
  for (gint64 i = 0; i < array->n_children; i++)
    give_buffers (array->children[i]);
  if (array->dictionary != NULL)
    give_buffers (array->dictionary);
}

gboolean
sl_carray_export (GArrowArray *array, struct ArrowArray *out, GError **error)
{
  gpointer exported = NULL;
  if (!garrow_array_export (array, &exported, NULL, error))
    return FALSE;
  *out = *(struct ArrowArray *) exported;
  g_free (exported);
  give_buffers (out);
  return TRUE;
}
