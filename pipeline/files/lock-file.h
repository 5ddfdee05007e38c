/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file that one run at a time writes: beside it lies an empty one, `.NAME.lock`, which the run
 * has locked (flock(2)) and removes. What a killed run leaves is locked by nobody. */
#pragma once

#include <glib.h>

typedef struct _SlLockFile SlLockFile;

/* NULL and ERROR where another run has it. A file system without locks has none to offer. */
SlLockFile *sl_lock_file_new (const char *path, GError **error);
void sl_lock_file_free (SlLockFile *lock);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlLockFile, sl_lock_file_free)
