/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pictures.h"

#include "html-text.h"
#include "picture.h"

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
      gsize length;
      const char *item = sl_text_get (view.item, i, &length);
      g_autofree char *name = g_strndup (item, length);
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
