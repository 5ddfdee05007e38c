/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "image-list.h"

#include "stages/common/images/image-paths.h"
#include "image-names.h"

#include <glib/gstdio.h>
#include <string.h>

static void
image_free (gpointer data)
{
  SlImage *image = data;
  g_free (image->path);
  g_free (image->item);
  g_free (image->wrong);
  g_free (image);
}

static gboolean
add_image (SlIngest *ingest, GPtrArray *images, char *path, gsize skip, gboolean named,
           GError **error)
{
  SlImage *image = g_new0 (SlImage, 1);
  image->path = path;
  image->below = path + skip;
  image->named = named;
  image->gold = -1;
  g_ptr_array_add (images, image);
  return sl_run_claim (ingest->run, sizeof *image + 3 * strlen (path) + 64, "a list of images",
                       error);
}

static gboolean
add_folder (SlIngest *ingest, GPtrArray *images, const char *folder, SlOtherFiles *others,
            GError **error)
{
  gsize skip;
  g_autoptr (GPtrArray) paths = sl_image_paths (ingest->run, folder, &skip, others, error);
  for (guint i = 0; paths != NULL && i < paths->len; i++)
    if (!add_image (ingest, images, g_strdup (paths->pdata[i]), skip, FALSE, error))
      return FALSE;
  return paths != NULL;
}

static gboolean
gather_all (SlIngest *ingest, GPtrArray *images, SlOtherFiles *others, GError **error)
{
  for (int i = 0; ingest->files[i] != NULL; i++)
    {
      const char *file = ingest->files[i];
      if (strcmp (file, "-") == 0)
        return sl_error_usage (error, "images are read from folders and files that are named, not "
                                      "from standard input");
      if (!(g_file_test (file, G_FILE_TEST_IS_DIR)
                ? add_folder (ingest, images, file, others, error)
                : add_image (ingest, images, g_strdup (file), 0, TRUE, error)))
        return FALSE;
    }
  return TRUE;
}

GPtrArray *
sl_image_list (SlIngest *ingest, gboolean *gold, GError **error)
{
  g_autoptr (GPtrArray) images = g_ptr_array_new_with_free_func (image_free);
  SlOtherFiles others = { 0 };
  gboolean ok = gather_all (ingest, images, &others, error);
  g_autofree char *other = others.other;
  if (!ok)
    return NULL;
  sl_image_paths_tell (ingest->run, &others);
  return sl_image_names_find (ingest, images, gold, error) ? g_steal_pointer (&images) : NULL;
}
