/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "image-paths.h"

#include "pipeline/base/folder-names.h"
#include "pipeline/base/texts.h"

#include <string.h>

#define DEEPEST 64 /* folders in each other */

typedef struct
{
  SlRun *run;
  GPtrArray *paths;
  gsize skip;
  SlOtherFiles *others;
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

/* Files that begin with a dot are a system's own. */
static gboolean
gather (Gathering *gathering, const char *folder, int depth, GError **error)
{
  g_autoptr (GPtrArray) names = sl_folder_names (folder, ".", error);
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
          if (!gather (gathering, path, depth + 1, error))
            return FALSE;
        }
      else if (is_image_name (names->pdata[i]))
        {
          if (!sl_run_claim (gathering->run, strlen (path) + 16, "a list of images", error))
            return FALSE;
          g_ptr_array_add (gathering->paths, g_steal_pointer (&path));
        }
      else if (gathering->others->n_other++ == 0)
        gathering->others->other = g_strdup (path + gathering->skip);
    }
  return TRUE;
}

GPtrArray *
sl_image_paths (SlRun *run, const char *folder, gsize *skip, SlOtherFiles *others, GError **error)
{
  g_autofree char *plain = g_strdup (folder);
  for (gsize n = strlen (plain); n > 1 && plain[n - 1] == '/'; n--)
    plain[n - 1] = '\0';
  *skip = strlen (plain) + (strcmp (plain, "/") == 0 ? 0 : 1);
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  Gathering gathering = { run, paths, *skip, others };
  if (!gather (&gathering, plain, 0, error))
    return NULL;
  if (paths->len == 0)
    {
      sl_error_bad_input (error, "%s: there are no images (.png, .jpg, .jpeg) in it", folder);
      return NULL;
    }
  qsort (paths->pdata, paths->len, sizeof *paths->pdata, sl_compare_texts);
  return g_steal_pointer (&paths);
}

void
sl_image_paths_tell (SlRun *run, const SlOtherFiles *others)
{
  if (others->n_other > 0)
    sl_run_warn (run,
                 "left out what is not called .png, .jpg or .jpeg: %" G_GINT64_FORMAT
                 " file%s, such as %s",
                 others->n_other, others->n_other > 1 ? "s" : "", others->other);
}
