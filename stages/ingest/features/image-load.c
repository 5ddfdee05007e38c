/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "image-load.h"

#include "pipeline/base/process/shortage.h"
#include "stages/common/images/image-file.h"
#include "stages/common/images/image-resize.h"

#include <string.h>

/* A file that is larger is no image that is read. */
#define MOST_FILE_BYTES ((gsize) 1 << 28)
/* So much usually has the header. */
#define HEAD_BYTES ((gsize) 1 << 16)

/* At most MOST bytes of the file at PATH. */
static guint8 *
read_file (const char *path, gsize most, gsize *n, GError **error)
{
  g_autoptr (SlSource) source = sl_source_open (path, error);
  gsize room = MIN (most, HEAD_BYTES), got = 0;
  if (source == NULL)
    return NULL;
  g_autofree guint8 *bytes = g_malloc (room);
  for (*n = 0;; room = MIN (most, 2 * room))
    {
      bytes = g_realloc (bytes, room);
      if (!sl_source_read (source, bytes + *n, room - *n, &got, error))
        return NULL;
      *n += got;
      if (*n < room || room == most)
        return g_steal_pointer (&bytes);
    }
}

/* Why it cannot be read, without the file's name. */
static void
note (SlImage *image, const GError *problem)
{
  g_autofree char *prefix = g_strdup_printf ("%s: ", image->path);
  const char *text = problem->message;
  text += g_str_has_prefix (text, prefix) ? strlen (prefix) : 0;
  image->wrong = g_strdup (text);
}

void
sl_image_measure (SlImage *image)
{
  g_autoptr (GError) problem = NULL;
  gsize n;
  g_autofree guint8 *bytes = read_file (image->path, HEAD_BYTES, &n, &problem);
  if (bytes != NULL
      && sl_image_size (bytes, n, &image->width, &image->height, &image->channels, &problem))
    return;
  /* A large picture of the picture may stand before the header. */
  if (bytes != NULL && n == HEAD_BYTES && sl_image_format (bytes, n) == SL_IMAGE_JPEG)
    {
      g_clear_error (&problem);
      g_free (bytes);
      bytes = read_file (image->path, MOST_FILE_BYTES, &n, &problem);
      if (bytes != NULL
          && sl_image_size (bytes, n, &image->width, &image->height, &image->channels, &problem))
        return;
    }
  note (image, problem);
}

/* The part of IMAGE that is used, from (*X, *Y) on. */
static void
find_part (const SlImage *image, const SlImageForm *form, gint32 *x, gint32 *y, gint32 *width,
           gint32 *height)
{
  *width = image->width;
  *height = image->height;
  if (form->crop && (gint64) image->width * form->height > (gint64) image->height * form->width)
    *width = (gint32) MAX ((gint64) image->height * form->width / form->height, 1);
  else if (form->crop)
    *height = (gint32) MAX ((gint64) image->width * form->height / form->width, 1);
  *x = (image->width - *width) / 2;
  *y = (image->height - *height) / 2;
}

gsize
sl_image_load_bytes (const SlImage *image, const SlImageForm *form)
{
  gsize pixels = (gsize) image->width * (gsize) image->height;
  gsize row = (gsize) MAX (form->width, image->width) * 3;
  return pixels * (3 + (gsize) form->channels) + row * (gsize) image->height
         + (gsize) form->width * (gsize) form->height * 3;
}

/* Moves the part to the front of PIXELS. */
static void
cut (guint8 *pixels, gint32 row, int channels, gint32 x, gint32 y, gint32 width, gint32 height)
{
  gsize each = (gsize) width * (gsize) channels;
  for (gint32 i = 0; i < height; i++)
    memmove (pixels + (gsize) i * each,
             pixels + ((gsize) (y + i) * (gsize) row + (gsize) x) * (gsize) channels, each);
}

static void
make_planes (const guint8 *pixels, const SlImageForm *form, guint8 *planes)
{
  gsize n = (gsize) form->width * (gsize) form->height, channels = (gsize) form->channels;
  for (gsize i = 0; i < n; i++)
    for (gsize c = 0; c < channels; c++)
      planes[c * n + i] = pixels[i * channels + c];
}

/* The file's bytes as an image that still is as large as it was. */
static guint8 *
decode (const SlImage *image, const SlImageForm *form, GError **error)
{
  gsize n;
  gint32 width, height;
  int channels;
  g_autofree guint8 *bytes = read_file (image->path, MOST_FILE_BYTES, &n, error);
  if (bytes == NULL || !sl_image_size (bytes, n, &width, &height, &channels, error))
    return NULL;
  if (n == MOST_FILE_BYTES || width != image->width || height != image->height)
    {
      g_set_error_literal (error, SL_ERROR, SL_ERROR_INPUT,
                           n == MOST_FILE_BYTES ? "is over 256 MiB"
                                                : "has changed while it was read");
      return NULL;
    }
  g_autofree guint8 *pixels
      = sl_memory_try0 ((gsize) width * (gsize) height, (gsize) form->channels);
  if (pixels == NULL)
    g_set_error_literal (error, SL_ERROR, SL_ERROR_RUNTIME, "there is no memory for its pixels");
  return pixels != NULL && sl_image_read (bytes, n, form->channels, pixels, error)
             ? g_steal_pointer (&pixels)
             : NULL;
}

void
sl_image_load (SlImage *image, const SlImageForm *form, guint8 *planes)
{
  g_autoptr (GError) problem = NULL;
  g_autofree guint8 *pixels = decode (image, form, &problem);
  if (pixels == NULL)
    {
      note (image, problem);
      return;
    }
  gint32 x, y, width, height;
  find_part (image, form, &x, &y, &width, &height);
  if (width < image->width || height < image->height)
    cut (pixels, image->width, form->channels, x, y, width, height);
  if (width == form->width && height == form->height)
    {
      make_planes (pixels, form, planes);
      return;
    }
  gsize row = (gsize) form->width * (gsize) form->channels;
  g_autofree guint8 *work = g_malloc (row * (gsize) height),
                    *resized = g_malloc (row * (gsize) form->height);
  sl_image_resize (SL_RESIZE_TRIANGLE, pixels, width, height, form->channels, work, resized,
                   form->width, form->height);
  make_planes (resized, form, planes);
}
