/* SPDX-License-Identifier: GPL-3.0-or-later */
/* images: folders of PNG and JPEG files, and single ones. The folder that an image lies in is its
 * class, its file's name its item, unless options say otherwise. All are brought to one shape. */
#include "image-load.h"

#include "pipeline/base/number-text.h"
#include "pipeline/base/parallel.h"
#include "examples-out.h"
#include "stages/ingest/formats.h"

#include <string.h>

#define AT_ONCE 256 /* images, of which bytes are kept */
#define MOST_SIDE 16384

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
  sl_image_measure (loading->images->pdata[loading->first + (guint) i]);
}

static void
load (int i, gpointer data)
{
  const Loading *loading = data;
  SlImage *image = loading->images->pdata[loading->first + (guint) i];
  if (image->wrong == NULL)
    sl_image_load (image, &loading->form, loading->planes + (gsize) i * loading->size);
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
    room = MAX (room, sl_image_load_bytes (loading->images->pdata[i], form));
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
