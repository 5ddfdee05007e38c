/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lock-file.h"

#include "pipeline/base/error.h"
#include "pipeline/base/process/signals.h"
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct _SlLockFile
{
  SlTemporary *name;
  int fd;
};

/* Whether FD is what PATH names: who had it before may have removed it. */
static gboolean
is_named (int fd, const char *path)
{
  struct stat own, there;
  return fstat (fd, &own) == 0 && stat (path, &there) == 0 && own.st_dev == there.st_dev
         && own.st_ino == there.st_ino;
}

SlLockFile *
sl_lock_file_new (const char *path, GError **error)
{
  g_autofree char *target = sl_output_target (path), *shown = g_filename_display_name (path);
  g_autofree char *folder = g_path_get_dirname (target != NULL ? target : path);
  g_autofree char *base = g_path_get_basename (target != NULL ? target : path);
  g_autofree char *name = g_strdup_printf ("%s/.%.200s.lock", folder, base);
  for (;;)
    {
      int fd = open (name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
      if (fd < 0)
        {
          sl_error_runtime (error, "%s: cannot be written: %s", shown, g_strerror (errno));
          return NULL;
        }
      if (flock (fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        {
          (void) close (fd);
          sl_error_runtime (error,
                            "%s: another run writes it: wait for that to end, or name another file",
                            shown);
          return NULL;
        }
      if (!is_named (fd, name))
        {
          (void) close (fd);
          continue;
        }
      SlLockFile *lock = g_new (SlLockFile, 1);
      *lock = (SlLockFile){ .name = sl_temporary_remember (name), .fd = fd };
      return lock;
    }
}

void
sl_lock_file_free (SlLockFile *lock)
{
  if (lock == NULL)
    return;
  (void) unlink (sl_temporary_path (lock->name));
  sl_temporary_forget (lock->name);
  (void) close (lock->fd);
  g_free (lock);
}
