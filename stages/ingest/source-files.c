/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source-files.h"

#include "pipeline/base/error.h"
#include "pipeline/text/zip.h"

#include <string.h>

#define DEEPEST 32

static gboolean
is_data (const char *name)
{
  static const char *const ends[] = { ".json",     ".jsonl", ".csv",     ".tsv",   ".txt",
                                      ".manifest", ".npy",   ".parquet", ".arrow", ".arrows" };
  for (gsize i = 0; i < G_N_ELEMENTS (ends); i++)
    if (g_str_has_suffix (name, ends[i]))
      return TRUE;
  return FALSE;
}

/* 9 before 10, and the rest bytewise. */
static int
compare_names (gconstpointer a, gconstpointer b)
{
  const char *first = *(const char *const *) a, *second = *(const char *const *) b;
  gsize n = strspn (first, "0123456789"), m = strspn (second, "0123456789");
  if (n > 0 && m > 0 && n != m)
    return n < m ? -1 : 1;
  return strcmp (first, second);
}

/* Paths of one archive, as add_folder() comes by them. */
static int
compare_paths (gconstpointer a, gconstpointer b)
{
  g_auto (GStrv) first = g_strsplit (*(const char *const *) a, "/", -1);
  g_auto (GStrv) second = g_strsplit (*(const char *const *) b, "/", -1);
  int i = 0;
  while (first[i] != NULL && second[i] != NULL && strcmp (first[i], second[i]) == 0)
    i++;
  if (first[i] == NULL || second[i] == NULL)
    return (first[i] != NULL) - (second[i] != NULL);
  return compare_names (&first[i], &second[i]);
}

static gboolean
add_folder (const char *path, int depth, GPtrArray *files, GError **error)
{
  g_autoptr (GError) problem = NULL;
  g_autoptr (GDir) folder = g_dir_open (path, 0, &problem);
  if (folder == NULL || depth > DEEPEST)
    {
      g_set_error (error, SL_ERROR, SL_ERROR_RUNTIME, "%s",
                   problem != NULL ? problem->message : path);
      return FALSE;
    }
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  for (const char *name; (name = g_dir_read_name (folder)) != NULL;)
    if (name[0] != '.')
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *whole = g_build_filename (path, names->pdata[i], NULL);
      if (g_file_test (whole, G_FILE_TEST_IS_DIR))
        {
          if (!add_folder (whole, depth + 1, files, error))
            return FALSE;
        }
      else if (is_data (whole))
        g_ptr_array_add (files, g_steal_pointer (&whole));
    }
  return TRUE;
}

/* Members are sorted as the files of the folder that they would make. What a Mac adds is no data.
 */
static gboolean
add_archive (const char *path, GPtrArray *files, GError **error)
{
  g_auto (GStrv) members = sl_zip_members (path, error);
  if (members == NULL)
    return FALSE;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (int i = 0; members[i] != NULL; i++)
    {
      g_autofree char *base = g_path_get_basename (members[i]);
      if (is_data (base) && base[0] != '.' && strstr (members[i], "/__MACOSX/") == NULL)
        g_ptr_array_add (names, members[i]);
    }
  g_ptr_array_sort (names, compare_paths);
  for (guint i = 0; i < names->len; i++)
    g_ptr_array_add (files, g_strdup (names->pdata[i]));
  return TRUE;
}

char **
sl_source_files (const char *const *paths, GError **error)
{
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_free);
  for (int i = 0; paths[i] != NULL; i++)
    {
      guint before = files->len;
      if (sl_zip_is_archive (paths[i]))
        {
          if (!add_archive (paths[i], files, error))
            return NULL;
        }
      else if (strcmp (paths[i], "-") == 0 || !g_file_test (paths[i], G_FILE_TEST_IS_DIR))
        g_ptr_array_add (files, g_strdup (paths[i]));
      else if (!add_folder (paths[i], 0, files, error))
        return NULL;
      if (files->len == before)
        {
          sl_error_bad_input (error, "%s: no file in %s has the name of data", paths[i],
                              g_file_test (paths[i], G_FILE_TEST_IS_DIR) ? "this folder"
                                                                         : "this archive");
          return NULL;
        }
    }
  g_ptr_array_add (files, NULL);
  return (char **) g_ptr_array_steal (files, NULL);
}
