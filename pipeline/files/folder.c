/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "folder.h"

#include "pipeline/base/error.h"
#include "pipeline/base/process/signals.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define LIST ".softlabel"
#define MOST_LIST_BYTES (1 << 28)

struct _SlFolder
{
  char *path; /* without a slash at its end */
  char *name; /* for messages */
  char *maker;
  GPtrArray *made; /* of SlTemporary: the folder first, then what is in it */
  GHashTable *parts;
  GString *list;
  gboolean keep_same;
};

static gboolean
fail_errno (const SlFolder *folder, const char *what, GError **error)
{
  int number = errno;
  return sl_error_runtime (error, "%s: %s: %s", folder->name, what, g_strerror (number));
}

static void
digest (const void *bytes, gsize n, char text[33])
{
  XXH128_hash_t hash = XXH3_128bits (bytes, n);
  g_snprintf (text, 33, "%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x",
              (guint64) hash.high64, (guint64) hash.low64);
}

/* The list of the folder at PATH as a table from names to digests; NULL where there is none of this
 * maker. */
static GHashTable *
read_list (const SlFolder *folder, const char *path)
{
  g_autofree char *place = g_build_filename (path, LIST, NULL), *text = NULL;
  gsize n;
  if (!g_file_get_contents (place, &text, &n, NULL) || n > MOST_LIST_BYTES)
    return NULL;
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  if (lines[0] == NULL || strcmp (lines[0], folder->maker) != 0)
    return NULL;
  GHashTable *files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (char **line = lines + 1; *line != NULL; line++)
    if (strlen (*line) > 33 && (*line)[32] == ' ')
      g_hash_table_insert (files, g_strdup (*line + 33), g_strndup (*line, 32));
  return files;
}

static gboolean
is_unchanged (const char *place, const char *wanted)
{
  g_autofree char *bytes = NULL;
  gsize n;
  char text[33];
  if (!g_file_get_contents (place, &bytes, &n, NULL))
    return FALSE;
  digest (bytes, n, text);
  return strcmp (text, wanted) == 0;
}

/* The names of all that is in the folder PATH go to NAMES, PREFIX before them; a folder's ends
 * with a slash and stands before what is in it. FALSE and errno where one cannot be read. */
static gboolean
list_names (const char *path, const char *prefix, GPtrArray *names)
{
  DIR *dir = opendir (path);
  if (dir == NULL)
    return FALSE;
  gboolean ok = TRUE;
  errno = 0;
  for (const struct dirent *entry; ok && (entry = readdir (dir)) != NULL; errno = 0)
    {
      struct stat info;
      if (strcmp (entry->d_name, ".") == 0 || strcmp (entry->d_name, "..") == 0)
        continue;
      ok = fstatat (dirfd (dir), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0;
      gboolean inner = ok && S_ISDIR (info.st_mode);
      char *name = g_strconcat (prefix, entry->d_name, inner ? "/" : NULL, NULL);
      g_ptr_array_add (names, name);
      g_autofree char *below = inner ? g_build_filename (path, entry->d_name, NULL) : NULL;
      ok = ok && (!inner || list_names (below, name, names));
    }
  int number = errno;
  (void) closedir (dir);
  errno = number;
  return ok && number == 0;
}

/* Whether FILES, that were made, has NAME, and it is unchanged. */
static gboolean
is_ours (const SlFolder *folder, GHashTable *files, const char *name)
{
  const char *wanted = files != NULL ? g_hash_table_lookup (files, name) : NULL;
  g_autofree char *place = g_build_filename (folder->path, name, NULL);
  return g_str_has_suffix (name, "/") || (files != NULL && strcmp (name, LIST) == 0)
         || (wanted != NULL && is_unchanged (place, wanted));
}

/* That what is at the folder's path may be replaced; OLD, which may be NULL, is all that is in
 * it. */
static gboolean
check_place (const SlFolder *folder, GPtrArray **old, GError **error)
{
  struct stat info;
  if (lstat (folder->path, &info) != 0)
    return errno == ENOENT || fail_errno (folder, "cannot be written", error);
  if (!S_ISDIR (info.st_mode))
    return sl_error_runtime (error, "%s: it is there, and is no folder", folder->name);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) files = read_list (folder, folder->path);
  if (!list_names (folder->path, "", names))
    return fail_errno (folder, "cannot be read", error);
  for (guint i = 0; i < names->len; i++)
    if (!is_ours (folder, files, names->pdata[i]))
      return sl_error_runtime (error,
                               "%s: '%s' in it was not written by `%s`, or has changed since: name "
                               "another folder, or move it away",
                               folder->name, (char *) names->pdata[i], folder->maker);
  if (old != NULL)
    *old = g_steal_pointer (&names);
  return TRUE;
}

static gboolean
make_folder (SlFolder *folder, const char *path, GError **error)
{
  SlTemporary *made = sl_temporary_remember (path);
  sl_step_begin ();
  gboolean is_made = mkdir (path, 0777) == 0;
  sl_step_end ();
  if (is_made)
    {
      g_ptr_array_add (folder->made, made);
      return TRUE;
    }
  sl_temporary_forget (made);
  return fail_errno (folder, "cannot be written", error);
}

SlFolder *
sl_folder_new (const char *path, const char *maker, GError **error)
{
  g_autoptr (SlFolder) folder = g_new0 (SlFolder, 1);
  folder->path = g_strdup (path);
  for (gsize n = strlen (path); n > 1 && folder->path[n - 1] == '/'; n--)
    folder->path[n - 1] = '\0';
  folder->name = g_filename_display_name (folder->path);
  folder->maker = g_strdup (maker);
  folder->made = g_ptr_array_new ();
  folder->parts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  folder->list = g_string_new (maker);
  g_string_append_c (folder->list, '\n');
  g_autofree char *above = g_path_get_dirname (folder->path);
  g_autofree char *base = g_path_get_basename (folder->path);
  g_autofree char *name
      = g_strdup_printf (".%.200s.%08x%08x.tmp", base, g_random_int (), g_random_int ());
  g_autofree char *temporary = g_build_filename (above, name, NULL);
  if (!check_place (folder, NULL, error) || !make_folder (folder, temporary, error))
    return NULL;
  return g_steal_pointer (&folder);
}

static const char *
temporary_of (const SlFolder *folder)
{
  return sl_temporary_path (folder->made->pdata[0]);
}

void
sl_folder_free (SlFolder *folder)
{
  if (folder == NULL)
    return;
  for (guint i = folder->made->len; i-- > 0;)
    {
      const char *path = sl_temporary_path (folder->made->pdata[i]);
      if (unlink (path) != 0)
        (void) rmdir (path);
      sl_temporary_forget (folder->made->pdata[i]);
    }
  g_ptr_array_unref (folder->made);
  g_hash_table_unref (folder->parts);
  g_string_free (folder->list, TRUE);
  g_free (folder->maker);
  g_free (folder->name);
  g_free (folder->path);
  g_free (folder);
}

static gboolean
write_all (int fd, const char *bytes, gsize n)
{
  while (n > 0)
    {
      gssize written = write (fd, bytes, n);
      if (written < 0 && errno != EINTR)
        return FALSE;
      bytes += MAX (written, 0);
      n -= (gsize) MAX (written, 0);
    }
  return TRUE;
}

static gboolean
write_file (SlFolder *folder, const char *name, const void *bytes, gsize n, GError **error)
{
  g_autofree char *place = g_build_filename (temporary_of (folder), name, NULL);
  SlTemporary *made = sl_temporary_remember (place);
  sl_step_begin ();
  int fd = open (place, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  sl_step_end ();
  if (fd < 0)
    {
      sl_temporary_forget (made);
      return fail_errno (folder, "cannot be written", error);
    }
  g_ptr_array_add (folder->made, made);
  gboolean ok = write_all (fd, bytes, n) && fsync (fd) == 0;
  ok = ok || fail_errno (folder, "cannot be written", error);
  if (close (fd) != 0 && ok)
    return fail_errno (folder, "cannot be written", error);
  return ok;
}

gboolean
sl_folder_write (SlFolder *folder, const char *name, const void *bytes, gsize n, GError **error)
{
  g_autofree char *part = g_path_get_dirname (name);
  if (strcmp (part, ".") != 0 && !g_hash_table_contains (folder->parts, part))
    {
      g_autofree char *place = g_build_filename (temporary_of (folder), part, NULL);
      if (!make_folder (folder, place, error))
        return FALSE;
      g_hash_table_add (folder->parts, g_steal_pointer (&part));
    }
  char text[33];
  digest (bytes, n, text);
  g_string_append_printf (folder->list, "%s %s\n", text, name);
  return write_file (folder, name, bytes, n, error);
}

/* What is at the folder's place goes with the temporary folder, whose name it gets. */
static void
remember_old (SlFolder *folder, const GPtrArray *old)
{
  for (guint i = 0; i < old->len; i++)
    {
      g_autofree char *place = g_build_filename (temporary_of (folder), old->pdata[i], NULL);
      g_ptr_array_add (folder->made, sl_temporary_remember (place));
    }
}

static void
sync_folder (const char *path)
{
  int fd = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0)
    {
      (void) fsync (fd);
      (void) close (fd);
    }
}

void
sl_folder_keep_same (SlFolder *folder)
{
  folder->keep_same = TRUE;
}

/* Whether the folder that is there was made of the same files; that they are unchanged
 * check_place() has seen. */
static gboolean
is_same (const SlFolder *folder)
{
  g_autofree char *place = g_build_filename (folder->path, LIST, NULL), *text = NULL;
  return g_file_get_contents (place, &text, NULL, NULL) && strcmp (text, folder->list->str) == 0;
}

/* A folder that is empty, or is not there, is replaced by the first; a study by the second. FALSE
 * and errno. */
static gboolean
put_in_place (SlFolder *folder, const char *temporary, const GPtrArray *old)
{
  sl_step_begin ();
  gboolean placed = rename (temporary, folder->path) == 0;
  sl_step_end ();
  if (placed)
    return TRUE;
  if (old != NULL)
    remember_old (folder, old);
  sl_step_begin ();
  placed = renameat2 (AT_FDCWD, temporary, AT_FDCWD, folder->path, RENAME_EXCHANGE) == 0;
  sl_step_end ();
  return placed;
}

gboolean
sl_folder_commit (SlFolder *folder, GError **error)
{
  const char *temporary = temporary_of (folder);
  g_autoptr (GPtrArray) old = NULL;
  if (!write_file (folder, LIST, folder->list->str, folder->list->len, error)
      || !check_place (folder, &old, error))
    return FALSE;
  if (folder->keep_same && is_same (folder))
    return TRUE;
  sync_folder (temporary);
  g_autofree char *above = g_path_get_dirname (folder->path);
  if (!put_in_place (folder, temporary, old))
    return fail_errno (folder, "cannot be written", error);
  sync_folder (above);
  return TRUE;
}
