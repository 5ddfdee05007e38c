/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "content-digest.h"

#include "pipeline/arrow/digest-chain.h"
#include "pipeline/base/error.h"
#include "pipeline/base/process/named-files.h"
#include "pipeline/base/process/stdin-again.h"
#include "pipeline/base/process/signals.h"
#include "pipeline/base/texts.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CHUNK (1 << 20)
#define DEEPEST 64 /* folders in each other */

static XXH3_state_t *
new_state (void)
{
  XXH3_state_t *state = XXH3_createState ();
  (void) XXH3_128bits_reset (state);
  return state;
}

void
sl_content_of_text (const char *text, gsize n, char xxh3[33])
{
  XXH3_state_t *state = new_state ();
  (void) XXH3_128bits_update (state, text, n);
  sl_digest_chain_text (state, xxh3);
  XXH3_freeState (state);
}

static gssize
read_some (int fd, char *bytes, gsize n, gint64 at)
{
  for (;;)
    {
      gssize got = at >= 0 ? pread (fd, bytes, n, at) : read (fd, bytes, n);
      if (got >= 0 || errno != EINTR)
        return got;
    }
}

/* When FD's file was last changed, and which one it is. A change within the same tick of the
 * system's clock would not be seen, so that tick is awaited. */
static guint64
stamp_of (int fd)
{
  struct stat info;
  struct timespec now;
  static const struct timespec moment = { .tv_nsec = 1000000 };
  if (fstat (fd, &info) != 0)
    return 0;
  for (int i = 0; i < 20; i++)
    {
      (void) clock_gettime (CLOCK_REALTIME_COARSE, &now);
      if (now.tv_sec != info.st_ctim.tv_sec || now.tv_nsec != info.st_ctim.tv_nsec)
        break;
      (void) nanosleep (&moment, NULL);
    }
  guint64 file[] = { (guint64) info.st_dev, (guint64) info.st_ino, (guint64) info.st_ctim.tv_sec,
                     (guint64) info.st_ctim.tv_nsec };
  return XXH3_64bits (file, sizeof file);
}

gboolean
sl_content_of (int fd, gint64 from, gint64 length, SlContent *content)
{
  guint64 stamp = stamp_of (fd);
  g_autofree char *bytes = g_malloc (CHUNK);
  XXH3_state_t *state = new_state ();
  gint64 at = 0;
  gssize n = 1;
  while (n > 0 && at != length)
    {
      gsize wanted = length < 0 ? CHUNK : (gsize) MIN (length - at, CHUNK);
      n = read_some (fd, bytes, wanted, from + at);
      if (n > 0)
        (void) XXH3_128bits_update (state, bytes, (gsize) n);
      at += MAX (n, 0);
    }
  *content = (SlContent){ .size = at, .files = -1, .stamp = stamp };
  sl_digest_chain_text (state, content->xxh3);
  XXH3_freeState (state);
  return n >= 0;
}

gboolean
sl_write_whole (int fd, const char *bytes, gsize n)
{
  for (gsize done = 0; done < n;)
    {
      gssize written = write (fd, bytes + done, n - done);
      if (written < 0 && errno == EINTR)
        continue;
      if (written <= 0)
        return FALSE;
      done += (gsize) written;
    }
  return TRUE;
}

int
sl_open_unnamed (const char *folder)
{
  int fd = open (folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0)
    return fd;
  g_autofree char *name
      = g_strdup_printf ("%s/.%08x%08x.tmp", folder, g_random_int (), g_random_int ());
  SlTemporary *named = sl_temporary_remember (name);
  sl_step_begin ();
  fd = open (name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd >= 0)
    (void) unlink (name);
  sl_step_end ();
  sl_temporary_forget (named);
  return fd;
}

gboolean
sl_stdin_keep (const char *folder, GError **error)
{
  g_autofree char *bytes = g_malloc (CHUNK);
  int copy = sl_open_unnamed (folder);
  gint64 size = 0;
  gssize n = copy >= 0 ? 1 : -1;
  while (n > 0 && (n = read_some (STDIN_FILENO, bytes, CHUNK, -1)) > 0)
    if (sl_write_whole (copy, bytes, (gsize) n))
      size += n;
    else
      break;
  if (n == 0 && lseek (copy, 0, SEEK_SET) == 0 && dup2 (copy, STDIN_FILENO) >= 0)
    {
      (void) close (copy);
      return TRUE;
    }
  int number = errno;
  g_autofree char *shown = g_filename_display_name (folder);
  if (copy >= 0)
    sl_stdin_give_again (copy, size, g_steal_pointer (&bytes), (gsize) MAX (n, 0));
  return sl_error_runtime (error, "standard input cannot be kept in %s: %s", shown,
                           g_strerror (number));
}

static gboolean
cannot (const char *path, const char *what, char **why)
{
  g_autofree char *shown = g_filename_display_name (path);
  *why = g_strdup_printf ("%s %s", shown, what);
  return FALSE;
}

static gboolean add_path (XXH3_state_t *state, const char *path, int depth, SlContent *content,
                          char **why);

/* All that is in a folder, by name. */
static gboolean
add_folder (XXH3_state_t *state, const char *path, int depth, SlContent *content, char **why)
{
  g_autoptr (GDir) folder = depth < DEEPEST ? g_dir_open (path, 0, NULL) : NULL;
  if (folder == NULL)
    return cannot (path, depth < DEEPEST ? "cannot be read" : "lies too deep", why);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  for (const char *name; (name = g_dir_read_name (folder)) != NULL;)
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, sl_compare_texts);
  (void) XXH3_128bits_update (state, "folder", sizeof "folder");
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *whole = g_build_filename (path, names->pdata[i], NULL);
      (void) XXH3_128bits_update (state, names->pdata[i], strlen (names->pdata[i]) + 1);
      if (!add_path (state, whole, depth + 1, content, why))
        return FALSE;
    }
  (void) XXH3_128bits_update (state, "end", sizeof "end");
  return TRUE;
}

/* A file's digest; FALSE where it is none. A pipe is not opened: its writer would see a reader that
 * comes and goes. */
static gboolean
file_at (const char *path, SlContent *content, char **why)
{
  struct stat info;
  gboolean there = stat (path, &info) == 0, regular = there && S_ISREG (info.st_mode);
  int fd = regular ? sl_named_file_open (path) : -1;
  gboolean ok = fd >= 0 && sl_content_of (fd, 0, -1, content);
  if (fd >= 0)
    (void) close (fd);
  return ok || cannot (path, !there || regular ? "cannot be read" : "is no regular file", why);
}

static gboolean
add_path (XXH3_state_t *state, const char *path, int depth, SlContent *content, char **why)
{
  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    return add_folder (state, path, depth, content, why);
  SlContent own;
  if (!file_at (path, &own, why))
    return FALSE;
  (void) XXH3_128bits_update (state, own.xxh3, sizeof own.xxh3);
  content->size += own.size;
  content->stamp = content->stamp * 31 + own.stamp;
  content->files++;
  return TRUE;
}

gboolean
sl_content_of_path (const char *path, SlContent *content, char **why)
{
  if (!g_file_test (path, G_FILE_TEST_IS_DIR))
    return file_at (path, content, why);
  *content = (SlContent){ 0 };
  XXH3_state_t *state = new_state ();
  gboolean ok = add_folder (state, path, 0, content, why);
  sl_digest_chain_text (state, content->xxh3);
  XXH3_freeState (state);
  return ok;
}
