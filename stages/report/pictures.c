/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PNG by ISO/IEC 15948; zlib's format without compression by RFC 1950 and 1951. */
#include "pictures.h"

#include "html-text.h"
#include "pipeline/base/crc32.h"

#define LARGEST (1 << 24) /* numbers of an image that is worth looking at */
#define SMALL 64          /* pixels; below it they are shown as squares */

struct _SlPictures
{
  GHashTable *image; /* item: its <img> without the text in its place; NULL where none was met */
};

SlPictures *
sl_pictures_new (void)
{
  SlPictures *pictures = g_new0 (SlPictures, 1);
  pictures->image = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return pictures;
}

void
sl_pictures_free (SlPictures *pictures)
{
  g_hash_table_unref (pictures->image);
  g_free (pictures);
}

void
sl_pictures_want (SlPictures *pictures, const char *item)
{
  if (!g_hash_table_contains (pictures->image, item))
    g_hash_table_insert (pictures->image, g_strdup (item), NULL);
}

gboolean
sl_pictures_fit (const SlTable *features)
{
  const SlTensor *tensor = &features->tensor[SL_FEATURES_X];
  return tensor->n_dims == 3 && (tensor->dim[0] == 1 || tensor->dim[0] == 3)
         && tensor->size <= LARGEST;
}

static char *
image_of (const SlFeatures *features, gint64 row)
{
  const SlTensor *tensor = features->tensor;
  gsize size = (gsize) tensor->size;
  g_autofree guint8 *stretched = NULL;
  const guint8 *planes = features->pixels != NULL ? features->pixels + (gsize) row * size : NULL;
  if (planes == NULL)
    {
      stretched = g_malloc (size);
      sl_picture_stretch (features->numbers + (gsize) row * size, size, stretched);
      planes = stretched;
    }
  gboolean small = MAX (tensor->dim[1], tensor->dim[2]) <= SMALL;
  GString *out = g_string_new (small ? "<img class=\"small\" src=\"" : "<img src=\"");
  sl_picture_append (out, planes, tensor->dim[0], tensor->dim[1], tensor->dim[2]);
  g_string_append_c (out, '"');
  return g_string_free (out, FALSE);
}

void
sl_pictures_take (SlPictures *pictures, const SlBatch *features)
{
  if (!sl_pictures_fit (features->table) || g_hash_table_size (pictures->image) == 0)
    return;
  SlFeatures view = sl_features_view (features);
  for (gint64 i = 0; i < view.n; i++)
    {
      g_autofree char *name = sl_text_dup (view.item, i);
      gpointer key, image;
      if (g_hash_table_lookup_extended (pictures->image, name, &key, &image) && image == NULL)
        g_hash_table_insert (pictures->image, g_strdup (name), image_of (&view, i));
    }
}

gboolean
sl_pictures_any (const SlPictures *pictures)
{
  GHashTableIter iter;
  gpointer image;
  g_hash_table_iter_init (&iter, pictures->image);
  while (g_hash_table_iter_next (&iter, NULL, &image))
    if (image != NULL)
      return TRUE;
  return FALSE;
}

void
sl_pictures_append (const SlPictures *pictures, GString *out, const char *item)
{
  const char *image = g_hash_table_lookup (pictures->image, item);
  if (image == NULL)
    return;
  g_string_append_printf (out, "%s alt=\"picture of ", image);
  sl_html_text (out, item, -1);
  g_string_append (out, "\">");
}

void
sl_pictures_append_cell (const SlPictures *pictures, GString *out, const char *item)
{
  g_string_append (out, "<td>");
  sl_pictures_append (pictures, out, item);
  g_string_append (out, "</td>");
}

#define LARGEST_SHOWN 96
#define STORED_MOST 65535 /* bytes in a stored block */

static void
put_u32 (GByteArray *out, guint32 value)
{
  guint32 big = GUINT32_TO_BE (value);
  g_byte_array_append (out, (const guint8 *) &big, 4);
}

static guint32
adler32_of (const guint8 *bytes, gsize n)
{
  guint32 a = 1, b = 0;
  for (gsize i = 0; i < n; i++)
    {
      a = (a + bytes[i]) % 65521;
      b = (b + a) % 65521;
    }
  return b << 16 | a;
}

static void
put_chunk (GByteArray *png, const char *type, const guint8 *data, gsize n)
{
  put_u32 (png, (guint32) n);
  guint from = png->len;
  g_byte_array_append (png, (const guint8 *) type, 4);
  g_byte_array_append (png, data, (guint) n);
  put_u32 (png, sl_crc32 (0, png->data + from, n + 4));
}

static GByteArray *
store (const guint8 *bytes, gsize n)
{
  GByteArray *out = g_byte_array_new ();
  g_byte_array_append (out, (const guint8 *) "\x78\x01", 2);
  for (gsize at = 0; at < n; at += STORED_MOST)
    {
      guint16 length = (guint16) MIN (n - at, STORED_MOST);
      guint8 head[5] = { at + length == n, (guint8) length, (guint8) (length >> 8),
                         (guint8) ~length, (guint8) (~length >> 8) };
      g_byte_array_append (out, head, sizeof head);
      g_byte_array_append (out, bytes + at, length);
    }
  put_u32 (out, adler32_of (bytes, n));
  return out;
}

/* The mean of the FACTOR × FACTOR pixels of PLANE at (TOP, LEFT), as far as there are so many. */
static guint8
mean_of (const guint8 *plane, int height, int width, int top, int left, int factor)
{
  guint32 sum = 0, n = 0;
  for (int y = top; y < MIN (top + factor, height); y++)
    for (int x = left; x < MIN (left + factor, width); x++, n++)
      sum += plane[(gsize) y * (gsize) width + (gsize) x];
  return (guint8) ((sum + n / 2) / n);
}

void
sl_picture_append (GString *out, const guint8 *planes, int n_planes, int height, int width)
{
  int factor = (MAX (height, width) + LARGEST_SHOWN - 1) / LARGEST_SHOWN;
  int rows = (height + factor - 1) / factor, columns = (width + factor - 1) / factor;
  gsize plane = (gsize) height * (gsize) width;
  g_autoptr (GByteArray) lines = g_byte_array_new (), png = g_byte_array_new ();
  for (int y = 0; y < rows; y++)
    {
      g_byte_array_append (lines, (const guint8 *) "", 1); /* no filter */
      for (int x = 0; x < columns; x++)
        for (int c = 0; c < n_planes; c++)
          {
            guint8 value = mean_of (planes + (gsize) c * plane, height, width, y * factor,
                                    x * factor, factor);
            g_byte_array_append (lines, &value, 1);
          }
    }
  g_autoptr (GByteArray) header = g_byte_array_new (), body = store (lines->data, lines->len);
  put_u32 (header, (guint32) columns);
  put_u32 (header, (guint32) rows);
  const guint8 form[5] = { 8, n_planes == 3 ? 2 : 0, 0, 0, 0 };
  g_byte_array_append (header, form, sizeof form);
  g_byte_array_append (png, (const guint8 *) "\x89PNG\r\n\x1a\n", 8);
  put_chunk (png, "IHDR", header->data, header->len);
  put_chunk (png, "IDAT", body->data, body->len);
  put_chunk (png, "IEND", NULL, 0);
  g_autofree char *text = g_base64_encode (png->data, png->len);
  g_string_append (out, "data:image/png;base64,");
  g_string_append (out, text);
}

void
sl_picture_stretch (const float *values, gsize n, guint8 *out)
{
  float least = n > 0 ? values[0] : 0, most = least;
  for (gsize i = 0; i < n; i++)
    {
      least = MIN (least, values[i]);
      most = MAX (most, values[i]);
    }
  double range = (double) most - (double) least;
  for (gsize i = 0; i < n; i++)
    out[i] = range > 0 ? (guint8) (((double) values[i] - (double) least) / range * 255 + 0.5) : 128;
}
