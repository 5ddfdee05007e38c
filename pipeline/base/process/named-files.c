/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "named-files.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct
{
  dev_t device;
  ino_t inode;
} Identity;

typedef struct
{
  int fd;
  gboolean late;
} Held;

static GMutex lock;
static GHashTable *held;    /* of Held by name */
static GHashTable *watched; /* of Identity by name */
static gboolean moved;

/* Descriptors are for other things, too. */
static gboolean
is_one_too_many (int fd)
{
  struct rlimit most;
  return getrlimit (RLIMIT_NOFILE, &most) == 0 && (rlim_t) fd >= most.rlim_cur / 2;
}

int
sl_named_file_hold (const char *path, gboolean late)
{
  /* A pipe is not opened: its writer would see a reader that comes and goes. */
  struct stat info;
  gboolean regular = stat (path, &info) == 0 && S_ISREG (info.st_mode);
  int fd = regular ? open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
  if (fd >= 0 && is_one_too_many (fd))
    {
      (void) close (fd);
      return -1;
    }
  if (fd < 0)
    return -1;
  if (held == NULL)
    held = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  const Held *other = g_hash_table_lookup (held, path), own = { fd, late };
  if (other != NULL)
    {
      (void) close (fd);
      return other->fd;
    }
  g_hash_table_insert (held, g_strdup (path), g_memdup2 (&own, sizeof own));
  return fd;
}

/* Opened by its descriptor, for a position of its own; where there is no /proc, by its name. */
static int
open_held (int fd)
{
  char path[64];
  (void) g_snprintf (path, sizeof path, "/proc/self/fd/%d", fd);
  return open (path, O_RDONLY | O_CLOEXEC);
}

static void
watch (const char *path, int fd)
{
  struct stat info;
  if (fstat (fd, &info) != 0)
    return;
  const Identity now = { info.st_dev, info.st_ino };
  g_mutex_lock (&lock);
  const Identity *before = g_hash_table_lookup (watched, path);
  if (before == NULL)
    g_hash_table_insert (watched, g_strdup (path), g_memdup2 (&now, sizeof now));
  else
    moved = moved || before->device != now.device || before->inode != now.inode;
  g_mutex_unlock (&lock);
}

int
sl_named_file_open (const char *path)
{
  const Held *kept = held != NULL ? g_hash_table_lookup (held, path) : NULL;
  int fd = kept != NULL && !kept->late ? open_held (kept->fd) : -1;
  if (fd < 0)
    fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 && errno == EACCES && kept != NULL && kept->late)
    fd = open_held (kept->fd);
  if (fd >= 0 && watched != NULL)
    watch (path, fd);
  return fd;
}

gboolean
sl_named_file_read (const char *path, char **bytes, gsize *n, GError **error)
{
  int fd = sl_named_file_open (path);
  GByteArray *all = g_byte_array_new ();
  guint8 some[1 << 14];
  gssize got = fd >= 0 ? 1 : -1;
  while (fd >= 0 && ((got = read (fd, some, sizeof some)) > 0 || (got < 0 && errno == EINTR)))
    if (got > 0)
      g_byte_array_append (all, some, (guint) got);
  int number = errno;
  if (fd >= 0)
    (void) close (fd);
  *n = all->len;
  g_byte_array_append (all, (const guint8 *) "", 1);
  *bytes = (char *) g_byte_array_free (all, FALSE);
  if (got == 0)
    return TRUE;
  g_clear_pointer (bytes, g_free);
  g_set_error_literal (error, G_FILE_ERROR, (int) g_file_error_from_errno (number),
                       g_strerror (number));
  return FALSE;
}

void
sl_named_files_watch (void)
{
  if (watched == NULL)
    watched = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
}

gboolean
sl_named_files_stayed (void)
{
  return !moved;
}
