/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "image-list.h"

#include "image-names.h"

#include <glib/gstdio.h>
#include <string.h>

#define DEEPEST 64 /* folders in each other */

static void
image_free (gpointer data)
{
  SlImage *image = data;
  g_free (image->path);
  g_free (image->item);
  g_free (image->wrong);
  g_free (image);
}

typedef struct
{
  SlRun *run;
  GPtrArray *images;
  gint64 n_other; /* files that are no images, by their names */
  char *other;    /* the first of them */
} Gathering;

static gboolean
is_image_name (const char *name)
{
  static const char *const endings[] = { ".png", ".jpg", ".jpeg" };
  g_autofree char *small = g_ascii_strdown (name, -1);
  for (gsize i = 0; i < G_N_ELEMENTS (endings); i++)
    if (g_str_has_suffix (small, endings[i]))
      return TRUE;
  return FALSE;
}

static gboolean
add_image (Gathering *gathering, char *path, gsize skip, gboolean named, GError **error)
{
  SlImage *image = g_new0 (SlImage, 1);
  image->path = path;
  image->below = path + skip;
  image->named = named;
  image->gold = -1;
  g_ptr_array_add (gathering->images, image);
  return sl_run_claim (gathering->run, sizeof *image + 3 * strlen (path) + 64, "a list of images",
                       error);
}

/* Files that begin with a dot are a system's own. */
static GPtrArray *
list_names (const char *folder, GError **error)
{
  g_autoptr (GError) problem = NULL;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, &problem);
  if (dir == NULL)
    {
      g_autofree char *shown = g_filename_display_name (folder);
      g_set_error (error, SL_ERROR, SL_ERROR_RUNTIME, "%s: cannot be read: %s", shown,
                   problem->message);
      return NULL;
    }
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  for (const char *name; (name = g_dir_read_name (dir)) != NULL;)
    if (name[0] != '.')
      g_ptr_array_add (names, g_strdup (name));
  return names;
}

static gboolean
gather (Gathering *gathering, const char *folder, gsize skip, int depth, GError **error)
{
  g_autoptr (GPtrArray) names = list_names (folder, error);
  if (names == NULL)
    return FALSE;
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *path = g_build_filename (folder, names->pdata[i], NULL);
      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        {
          if (depth == DEEPEST)
            return sl_error_bad_input (error, "%s: folders lie over %d deep: is one its own?", path,
                                       DEEPEST);
          if (!gather (gathering, path, skip, depth + 1, error))
            return FALSE;
        }
      else if (is_image_name (names->pdata[i]))
        {
          if (!add_image (gathering, g_steal_pointer (&path), skip, FALSE, error))
            return FALSE;
        }
      else if (gathering->n_other++ == 0)
        gathering->other = g_strdup (path + skip);
    }
  return TRUE;
}

static int
by_path (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(SlImage *const *) a)->path, (*(SlImage *const *) b)->path);
}

/* The images from FIRST on, of one folder, by their paths. */
static void
sort_from (GPtrArray *images, guint first)
{
  if (images->len > first)
    qsort (images->pdata + first, images->len - first, sizeof *images->pdata, by_path);
}

static gboolean
gather_all (Gathering *gathering, const char *const *files, GError **error)
{
  for (int i = 0; files[i] != NULL; i++)
    {
      guint first = gathering->images->len;
      if (strcmp (files[i], "-") == 0)
        return sl_error_usage (error, "images are read from folders and files that are named, not "
                                      "from standard input");
      if (!g_file_test (files[i], G_FILE_TEST_IS_DIR))
        {
          if (!add_image (gathering, g_strdup (files[i]), 0, TRUE, error))
            return FALSE;
          continue;
        }
      g_autofree char *folder = g_strdup (files[i]);
      for (gsize n = strlen (folder); n > 1 && folder[n - 1] == '/'; n--)
        folder[n - 1] = '\0';
      gsize skip = strlen (folder) + (strcmp (folder, "/") == 0 ? 0 : 1);
      if (!gather (gathering, folder, skip, 0, error))
        return FALSE;
      if (gathering->images->len == first)
        return sl_error_bad_input (error, "%s: there are no images (.png, .jpg, .jpeg) in it",
                                   files[i]);
      sort_from (gathering->images, first);
    }
  return TRUE;
}

GPtrArray *
sl_image_list (SlIngest *ingest, gboolean *gold, GError **error)
{
  g_autoptr (GPtrArray) images = g_ptr_array_new_with_free_func (image_free);
  Gathering gathering = { ingest->run, images, 0, NULL };
  gboolean ok = gather_all (&gathering, ingest->files, error);
  g_autofree char *other = gathering.other;
  if (!ok)
    return NULL;
  if (gathering.n_other > 0)
    sl_run_warn (ingest->run,
                 "left out what is not called .png, .jpg or .jpeg: %" G_GINT64_FORMAT
                 " file%s, such as %s",
                 gathering.n_other, gathering.n_other > 1 ? "s" : "", other);
  return sl_image_names_find (ingest, images, gold, error) ? g_steal_pointer (&images) : NULL;
}
