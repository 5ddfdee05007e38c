/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What this process may open from now on, whatever the bytes do to it that it reads: Linux'
 * Landlock (landlock(7), from 5.13 on). What is open stays open. */
#pragma once

#include <glib.h>

typedef struct _SlSandbox SlSandbox;

/* The system's libraries alone may be read. NULL: this kernel has no Landlock. */
SlSandbox *sl_sandbox_new (void);
void sl_sandbox_free (SlSandbox *sandbox);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlSandbox, sl_sandbox_free)

/* The file PATH, or all of a folder, may be read; with LINKS also what links in it lead to. What is
 * not there is passed over. */
void sl_sandbox_allow_read (SlSandbox *sandbox, const char *path, gboolean links);

/* What FD has open may be opened again, by whatever name. */
void sl_sandbox_allow_read_open (SlSandbox *sandbox, int fd);

/* The file, pipe or device PATH may be written as it stands. */
void sl_sandbox_allow_write (SlSandbox *sandbox, const char *path);

/* Files and folders may be made, read, written and removed in FOLDER, and in those below it:
 * Landlock knows no less. */
void sl_sandbox_allow_changes (SlSandbox *sandbox, const char *folder);

/* From now on nothing else can be opened, by no thread; no program can be run, no socket and no
 * shared memory made, no file given other permissions or times by its name, nothing about the
 * machine changed, and, from Linux 6.12 on, no other process be sent a signal. Of root's rights
 * those over files stay alone. To be called before there are threads. FALSE where the kernel
 * refuses. */
gboolean sl_sandbox_enter (SlSandbox *sandbox);
