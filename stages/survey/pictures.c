/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pictures.h"

#include "pipeline/base/process/named-files.h"
#include "pipeline/base/process/shortage.h"
#include "stages/common/images/image-file.h"
#include "stages/common/images/image-resize.h"

#define MOST_FILE_BYTES ((gsize) 1 << 28)

static gboolean
read_file (const char *path, char **bytes, gsize *n, GError **error)
{
  g_autoptr (GError) problem = NULL;
  g_autofree char *shown = g_filename_display_name (path);
  if (!sl_named_file_read (path, bytes, n, &problem))
    return sl_error_runtime (error, "%s: cannot be read: %s", shown, problem->message);
  return *n <= MOST_FILE_BYTES || sl_error_bad_input (error, "%s: is over 256 MiB", shown);
}

static gboolean
name_file (const char *path, gboolean ok, GError **error)
{
  g_autofree char *shown = g_filename_display_name (path);
  if (!ok)
    g_prefix_error (error, "%s: ", shown);
  return ok;
}

static GByteArray *
as_it_is (const char *path, const char **type, GError **error)
{
  g_autofree char *bytes = NULL;
  gsize n;
  gint32 width, height;
  int channels;
  if (!read_file (path, &bytes, &n, error))
    return NULL;
  const guint8 *data = (const guint8 *) bytes;
  GByteArray *out = sl_image_size (data, n, &width, &height, &channels, error)
                        ? sl_image_strip (data, n, error)
                        : NULL;
  *type = sl_image_format (data, n) == SL_IMAGE_JPEG ? "jpeg" : "png";
  (void) name_file (path, out != NULL, error);
  return out;
}

/* ITEM's pixels, of its file if they are not there yet. They stay: an end may be in many mixtures.
 * */
static gboolean
find_pixels (SlStudy *study, SlSurveyItem *item, GError **error)
{
  SlSurveyPixels *pixels = &item->pixels;
  g_autofree char *bytes = NULL;
  gsize n;
  if (pixels->pixels != NULL)
    return TRUE;
  if (!read_file (item->path, &bytes, &n, error))
    return FALSE;
  const guint8 *data = (const guint8 *) bytes;
  if (!sl_image_size (data, n, &pixels->width, &pixels->height, &pixels->channels, error))
    return name_file (item->path, FALSE, error);
  pixels->pixels = sl_run_alloc0 (study->run, (gsize) pixels->width * (gsize) pixels->height,
                                  (gsize) pixels->channels, "the pictures", error);
  return pixels->pixels != NULL
         && name_file (item->path, sl_image_read (data, n, pixels->channels, pixels->pixels, error),
                       error);
}

void
sl_survey_mix (const guint8 *a, const guint8 *b, gsize n, double lambda, guint8 *pixels)
{
  for (gsize i = 0; i < n; i++)
    pixels[i] = (guint8) (lambda * a[i] + (1 - lambda) * b[i] + 0.5);
}

/* Pixels in CHANNELS, to be freed. */
static guint8 *
in_channels (const SlSurveyPixels *from, int channels)
{
  gsize n = (gsize) from->width * (gsize) from->height, each = (gsize) channels;
  guint8 *pixels = g_malloc (n * each);
  for (gsize i = 0; i < n; i++)
    for (gsize c = 0; c < each; c++)
      pixels[i * each + c]
          = from->pixels[i * (gsize) from->channels + (from->channels == 1 ? 0 : c)];
  return pixels;
}

static gboolean
mix (SlStudy *study, const SlSurveyItem *item, SlSurveyPixels *mixed, GError **error)
{
  SlSurveyItem *a = study->ends->pdata[item->end[0]], *b = study->ends->pdata[item->end[1]];
  if (!find_pixels (study, a, error) || !find_pixels (study, b, error))
    return FALSE;
  if (a->pixels.width != b->pixels.width || a->pixels.height != b->pixels.height)
    return sl_error_bad_input (error,
                               "'%s' is %d x %d pixels, and '%s' %d x %d: they cannot be mixed; "
                               "`softlabel ingest --from images --resize` makes them alike",
                               a->name, a->pixels.width, a->pixels.height, b->name, b->pixels.width,
                               b->pixels.height);
  *mixed = a->pixels;
  mixed->channels = MAX (a->pixels.channels, b->pixels.channels);
  g_autofree guint8 *first = in_channels (&a->pixels, mixed->channels),
                    *second = in_channels (&b->pixels, mixed->channels);
  gsize n = (gsize) mixed->width * (gsize) mixed->height * (gsize) mixed->channels;
  mixed->pixels = g_malloc (n);
  sl_survey_mix (first, second, n, item->lambda, mixed->pixels);
  return TRUE;
}

/* SIZE pixels on the longer side. */
static GByteArray *
resized (const SlSurveyPixels *from, int size, GError **error)
{
  gint32 longer = MAX (from->width, from->height);
  gint32 width = (gint32) MAX (((gint64) from->width * size + longer / 2) / longer, 1);
  gint32 height = (gint32) MAX (((gint64) from->height * size + longer / 2) / longer, 1);
  gsize row = (gsize) width * (gsize) from->channels;
  g_autofree guint8 *work = sl_memory_try0 (row, (gsize) from->height),
                    *to = sl_memory_try0 (row, (gsize) height);
  if (work == NULL || to == NULL)
    {
      sl_error_runtime (error, "there is no memory for a picture");
      return NULL;
    }
  sl_image_resize (SL_RESIZE_LANCZOS, from->pixels, from->width, from->height, from->channels, work,
                   to, width, height);
  return sl_png_write (to, width, height, from->channels, error);
}

GByteArray *
sl_survey_picture (SlStudy *study, const SlSurveyItem *item, const char **type, GError **error)
{
  int size = study->options->display_size;
  *type = "png";
  if (item->path != NULL && size == 0)
    return as_it_is (item->path, type, error);
  SlSurveyPixels pixels = item->pixels;
  SlSurveyItem read = { .path = item->path };
  g_autofree guint8 *own = NULL;
  if (item->end[0] >= 0)
    {
      if (!mix (study, item, &pixels, error))
        return NULL;
      own = pixels.pixels;
    }
  else if (item->path != NULL)
    {
      if (!find_pixels (study, &read, error))
        return NULL;
      pixels = read.pixels;
      own = pixels.pixels;
      sl_run_release (study->run,
                      (gsize) pixels.width * (gsize) pixels.height * (gsize) pixels.channels);
    }
  return size > 0
             ? resized (&pixels, size, error)
             : sl_png_write (pixels.pixels, pixels.width, pixels.height, pixels.channels, error);
}
