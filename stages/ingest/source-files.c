/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source-files.h"

#include "pipeline/base/error.h"
#include "pipeline/base/folder-names.h"
#include "pipeline/base/process/stdin-again.h"
#include "pipeline/text/source.h"
#include "pipeline/text/zip.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEEPEST 32 /* folders */

/* Whether a file of data is so called, packed or not. */
static gboolean
is_data (const char *name)
{
  static const char *const packed[] = { ".gz", ".zst", ".bz2" };
  static const char *const ends[] = { ".json",     ".jsonl", ".csv",     ".tsv",   ".txt",
                                      ".manifest", ".npy",   ".parquet", ".arrow", ".arrows" };
  gsize n = strlen (name);
  for (gsize i = 0; i < G_N_ELEMENTS (packed); i++)
    if (g_str_has_suffix (name, packed[i]))
      n = strlen (name) - strlen (packed[i]);
  g_autofree char *own = g_strndup (name, n);
  for (gsize i = 0; i < G_N_ELEMENTS (ends); i++)
    if (g_str_has_suffix (own, ends[i]))
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
  if (depth > DEEPEST)
    return sl_error_runtime (error, "%s: lies over %d folders deep", path, DEEPEST);
  g_autoptr (GPtrArray) names = sl_folder_names (path, "._", error);
  if (names == NULL)
    return FALSE;
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

/* What is wrong with PATH, a folder or archive without files of data. Spreadsheets are archives. */
static gboolean
fail_no_data (const char *path, GError **error)
{
  g_autofree char *book = g_strconcat (path, "/xl/workbook.xml", NULL);
  g_autofree char *content = g_strconcat (path, "/content.xml", NULL);
  gboolean folder = g_file_test (path, G_FILE_TEST_IS_DIR);
  g_auto (GStrv) members = folder ? NULL : sl_zip_members (path, NULL);
  if (members != NULL
      && (g_strv_contains ((const char *const *) members, book)
          || g_strv_contains ((const char *const *) members, content)))
    return sl_error_bad_input (
        error,
        "%s: is a spreadsheet, which is not read: save its sheet as CSV UTF-8 "
        "there, or `soffice --convert-to csv FILE`",
        path);
  return sl_error_bad_input (error, "%s: no file in %s has the name of data", path,
                             folder ? "this folder" : "this archive");
}

/* Whether there is not one byte in PATH, packed or not. */
static gboolean
is_empty (const char *path)
{
  struct stat info;
  char byte;
  if (strcmp (path, "-") == 0 && fstat (STDIN_FILENO, &info) == 0 && !S_ISREG (info.st_mode))
    {
      const gssize n = read (STDIN_FILENO, &byte, 1);
      if (n == 1)
        sl_stdin_unread (&byte, 1);
      return n == 0;
    }
  g_autoptr (SlSource) source = sl_source_can_reopen (path) ? sl_source_open (path, NULL) : NULL;
  return source != NULL && sl_source_peek (source, 1, NULL) && source->n_head == 0;
}

char **
sl_ingest_source_files (const char *const *paths, gboolean or_none, GError **error)
{
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_free);
  for (int i = 0; paths[i] != NULL; i++)
    {
      guint before = files->len;
      if (sl_zip_is_archive (paths[i]) && !g_str_has_suffix (paths[i], ".npz"))
        {
          if (!add_archive (paths[i], files, error))
            return NULL;
        }
      else if (strcmp (paths[i], "-") == 0 || !g_file_test (paths[i], G_FILE_TEST_IS_DIR))
        g_ptr_array_add (files, g_strdup (paths[i]));
      else if (!add_folder (paths[i], 0, files, error))
        return NULL;
      if (files->len == before && !or_none && !fail_no_data (paths[i], error))
        return NULL;
    }
  for (guint i = files->len; or_none && i-- > 0;)
    if (is_empty (files->pdata[i]))
      g_ptr_array_remove_index (files, i);
  g_ptr_array_add (files, NULL);
  return (char **) g_ptr_array_steal (files, NULL);
}
