/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "parts.h"

#include "pipeline/base/error.h"
#include "pipeline/base/folder-names.h"

#include <string.h>

#define MOST_SHARDS 1000000

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strverscmp (*(const char *const *) a, *(const char *const *) b);
}

#define DEEPEST 32 /* folders */

static gboolean add_folder (GStrvBuilder *files, const char *folder, int depth, GError **error);

/* A folder in a folder holds a part of the table where its name says so. */
static gboolean
add_inner (GStrvBuilder *files, const char *folder, const char *name, int depth, GError **error)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  if (strchr (name, '=') != NULL && depth < DEEPEST)
    return add_folder (files, path, depth + 1, error);
  g_autofree char *shown = g_filename_display_name (folder),
                  *inner = g_filename_display_name (name);
  return sl_error_bad_input (error,
                             "%s: has the folder '%s'; a folder that is one table has files, or "
                             "folders such as 'dt=2026-11-20'",
                             shown, inner);
}

static gboolean
add_folder (GStrvBuilder *files, const char *folder, int depth, GError **error)
{
  g_autoptr (GPtrArray) names = sl_folder_names (folder, "._", error);
  if (names == NULL)
    return FALSE;
  g_ptr_array_sort (names, by_name);
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *path = g_build_filename (folder, names->pdata[i], NULL);
      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        {
          if (!add_inner (files, folder, names->pdata[i], depth, error))
            return FALSE;
          continue;
        }
      if (g_file_test (path, G_FILE_TEST_EXISTS) && !g_file_test (path, G_FILE_TEST_IS_REGULAR))
        {
          g_autofree char *inner = g_filename_display_name (path);
          return sl_error_bad_input (
              error, "%s: is no file; a folder that is one table has files alone", inner);
        }
      g_strv_builder_add (files, path);
    }
  g_autofree char *shown = g_filename_display_name (folder);
  return names->len > 0 || sl_error_bad_input (error, "%s: is an empty folder: no table", shown);
}

char **
sl_part_files (const char *const *paths, GError **error)
{
  g_autoptr (GStrvBuilder) files = g_strv_builder_new ();
  for (; *paths != NULL; paths++)
    if (!g_file_test (*paths, G_FILE_TEST_IS_DIR))
      g_strv_builder_add (files, *paths);
    else if (!add_folder (files, *paths, 0, error))
      return NULL;
  return g_strv_builder_end (files);
}

void
sl_shard_units (gint64 n, gint64 i, gint64 shards, gint64 *from, gint64 *to)
{
  gint64 whole = n / shards, rest = n % shards;
  *from = whole * (i - 1) + MIN (i - 1, rest);
  *to = whole * i + MIN (i, rest);
}

gboolean
sl_shard_parse (const char *text, gint64 *i, gint64 *shards, GError **error)
{
  g_auto (GStrv) words = g_strsplit (text, "/", -1);
  gboolean ok = g_strv_length (words) == 2
                && g_ascii_string_to_signed (words[0], 10, 1, MOST_SHARDS, i, NULL)
                && g_ascii_string_to_signed (words[1], 10, 1, MOST_SHARDS, shards, NULL)
                && *i <= *shards;
  g_autofree char *shown = g_utf8_make_valid (text, -1);
  return ok
         || sl_error_usage (error,
                            "--shard: '%s' is not I/N, as 2/8: the second of eight parts, counted "
                            "from 1",
                            shown);
}
