/* SPDX-License-Identifier: GPL-3.0-or-later */
/* images: folders of PNG and JPEG files, and single ones. The folder that an image lies in is its
 * class, its file's name its item, unless options say otherwise. All are brought to one shape. */
#include "image-list.h"

#include "pipeline/base/number-text.h"
#include "pipeline/base/parallel.h"
#include "pipeline/base/process/shortage.h"
#include "examples-out.h"
#include "stages/common/images/image-file.h"
#include "stages/common/images/image-resize.h"
#include "stages/ingest/formats.h"

#include <string.h>

/* A file that is larger is no image that is read. */
#define MOST_FILE_BYTES ((gsize) 1 << 28)
/* So much usually has the header. */
#define HEAD_BYTES ((gsize) 1 << 16)
/* Images of which bytes are kept. */
#define AT_ONCE 256
#define MOST_SIDE 16384

/* ---- one image: planes of bytes ---- */

/* Choices of --fit. */
typedef enum
{
  SL_FIT_STRETCH, /* to the new shape */
  SL_FIT_CROP,    /* the largest part of that shape in the middle, made as large */
} SlFit;

/* The form that images are brought to. */
typedef struct
{
  gint32 width, height;
  int channels;
  gboolean crop; /* see SlFit; without it they are stretched */
} SlImageForm;

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

/* Looks at the file's first bytes: size and channels, or what is wrong, become IMAGE's. */
static void
measure_image (SlImage *image)
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

/* Bytes that load_image() takes meanwhile, for an image like this. */
static gsize
image_load_bytes (const SlImage *image, const SlImageForm *form)
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

/* PLANES[channels][height][width] become those of IMAGE, or image->wrong says why not. */
static void
load_image (SlImage *image, const SlImageForm *form, guint8 *planes)
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

/* ---- all images ---- */

typedef struct
{
  SlIngest *ingest;
  GPtrArray *images; /* of SlImage */
  SlImageForm form;
  guint first;    /* of the images at hand */
  guint8 *planes; /* [AT_ONCE] examples */
  gsize size;     /* of one */
} Loading;

static void
measure (int i, gpointer data)
{
  const Loading *loading = data;
  measure_image (loading->images->pdata[loading->first + (guint) i]);
}

static void
load (int i, gpointer data)
{
  const Loading *loading = data;
  SlImage *image = loading->images->pdata[loading->first + (guint) i];
  if (image->wrong == NULL)
    load_image (image, &loading->form, loading->planes + (gsize) i * loading->size);
}

/* "32" or "48x32", width before height. */
static gboolean
parse_size (const char *text, gint32 *width, gint32 *height, GError **error)
{
  const char *x = strchr (text, 'x');
  gint64 w = 0, h = 0;
  gboolean ok = sl_parse_integer (text, x != NULL ? x - text : -1, &w);
  h = w;
  ok = ok && (x == NULL || sl_parse_integer (x + 1, -1, &h));
  if (!ok || w < 1 || h < 1 || w > MOST_SIDE || h > MOST_SIDE)
    return sl_error_usage (error, "--resize: '%s' is no size such as 32 or 48x32 (width first)",
                           text);
  *width = (gint32) w;
  *height = (gint32) h;
  return TRUE;
}

/* Why an image cannot be taken: it is put aside, or ends the run. */
static gboolean
refuse (Loading *loading, guint i, GError **error)
{
  const SlImage *image = loading->images->pdata[i];
  SlRejectedRows *rejects = &loading->ingest->rejected;
  g_autofree char *shown = g_filename_display_name (image->path);
  if (rejects->path != NULL)
    return sl_rejected_rows_add (rejects, shown, i + 1, image->wrong, image->item,
                                 strlen (image->item), error);
  return sl_error_bad_input (error, "%s: %s (--rejects FILE puts bad images aside)", shown,
                             image->wrong);
}

/* That all have one size, where none was asked for. */
static gboolean
check_sizes (const Loading *loading, const SlImage *model, GError **error)
{
  for (guint i = 0; i < loading->images->len; i++)
    {
      const SlImage *image = loading->images->pdata[i];
      if (image->wrong == NULL && (image->width != model->width || image->height != model->height))
        return sl_error_bad_input (
            error, "%s is %d x %d pixels, %s before it %d x %d: --resize makes them alike",
            image->path, image->width, image->height, model->path, model->width, model->height);
    }
  return TRUE;
}

/* Sees all headers before the first image is read. Images are grey where none has colours. */
static gboolean
find_form (Loading *loading, GError **error)
{
  SlIngest *ingest = loading->ingest;
  SlImageForm *form = &loading->form;
  const SlImage *model = NULL;
  gsize room = 0;
  sl_parallel (ingest->run->threads, (int) loading->images->len, measure, loading);
  *form = (SlImageForm){ 0, 0, 1, ingest->options->fit == SL_FIT_CROP };
  for (guint i = 0; i < loading->images->len; i++)
    {
      const SlImage *image = loading->images->pdata[i];
      if (image->wrong != NULL && ingest->rejected.path == NULL)
        return refuse (loading, i, error);
      if (image->wrong != NULL)
        continue;
      form->channels = MAX (form->channels, image->channels);
      model = model != NULL ? model : image;
    }
  if (model == NULL)
    return refuse (loading, 0, error);
  form->width = model->width;
  form->height = model->height;
  if (ingest->options->resize != NULL
          ? !parse_size (ingest->options->resize, &form->width, &form->height, error)
          : !check_sizes (loading, model, error))
    return FALSE;
  for (guint i = 0; i < loading->images->len; i++)
    room = MAX (room, image_load_bytes (loading->images->pdata[i], form));
  return sl_run_claim_array (ingest->run, (gsize) ingest->run->threads, room,
                             "images that are being read", error);
}

static gboolean
add_images (Loading *loading, SlExamplesOut *out, guint n, GError **error)
{
  for (guint i = loading->first; i < loading->first + n; i++)
    {
      const SlImage *image = loading->images->pdata[i];
      SlExample example = { image->path,
                            -1,
                            image->item,
                            0,
                            loading->planes + (gsize) (i - loading->first) * loading->size,
                            image->gold };
      if (!(image->wrong != NULL ? refuse (loading, i, error)
                                 : sl_examples_add (out, &example, error)))
        return FALSE;
    }
  return TRUE;
}

static gboolean
load_all (Loading *loading, SlExamplesOut *out, GError **error)
{
  SlIngest *ingest = loading->ingest;
  guint n_all = loading->images->len;
  guint at_once = (guint) CLAMP ((gsize) SL_TENSOR_BYTES / loading->size, 1, AT_ONCE);
  g_autofree guint8 *planes = loading->planes
      = sl_run_alloc0 (ingest->run, at_once, loading->size, "images", error);
  for (loading->first = 0; planes != NULL && loading->first < n_all; loading->first += at_once)
    {
      guint n = MIN (at_once, n_all - loading->first);
      sl_parallel (ingest->run->threads, (int) n, load, loading);
      if (!add_images (loading, out, n, error))
        return FALSE;
      sl_run_progress (ingest->run, loading->first + n, loading->first + n, n_all);
    }
  return planes != NULL;
}

static gboolean
run (SlIngest *ingest, GError **error)
{
  gboolean gold;
  g_auto (SlExamplesOut) out = { 0 };
  g_autoptr (GPtrArray) images = sl_image_list (ingest, &gold, error);
  if (images == NULL || !sl_examples_init (&out, ingest, error))
    return FALSE;
  out.advice = "--item path names items by the folders, too";
  Loading loading = { .ingest = ingest, .images = images };
  if (!find_form (&loading, error))
    return FALSE;
  const SlImageForm *form = &loading.form;
  const gint64 dim[] = { form->channels, form->height, form->width };
  loading.size = (gsize) form->channels * (gsize) form->height * (gsize) form->width;
  return sl_examples_start (&out, ingest->files[0], SL_NUMBER_UINT8, 3, dim, gold, error)
         && load_all (&loading, &out, error);
}

static gboolean
check (const SlIngestOptions *options, GError **error)
{
  gint32 width, height;
  if (options->resize != NULL && !parse_size (options->resize, &width, &height, error))
    return FALSE;
  if (options->resize == NULL && options->fit == SL_FIT_CROP)
    return sl_error_usage (error, "--fit crop goes with --resize");
  if (options->pattern == NULL)
    return TRUE;
  g_autoptr (GRegex) pattern = sl_image_pattern (options->pattern, error);
  return pattern != NULL;
}

const SlIngestFormat sl_ingest_images = {
  .check = check,
  .run = run,
};
