/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What this process may open from now on, whatever the bytes do to it that it reads: Linux'
 * Landlock (landlock(7), from 5.13 on). What is open stays open. */
#pragma once

#include <glib.h>

typedef struct _SlSandbox SlSandbox;

/* NULL: this kernel has none. */
SlSandbox *sl_sandbox_new (void);
void sl_sandbox_free (SlSandbox *sandbox);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlSandbox, sl_sandbox_free)

/* The file PATH, or all of a folder, also where links in it lead, may be read. What is not there is
 * passed over. */
void sl_sandbox_let_read (SlSandbox *sandbox, const char *path);

/* An output may be made or replaced at PATH, file or folder: Landlock knows folders, so that any
 * other in the same folder may be, too. */
void sl_sandbox_let_write (SlSandbox *sandbox, const char *path);

/* Files and folders may be made, read and removed in FOLDER. */
void sl_sandbox_let_keep (SlSandbox *sandbox, const char *folder);

/* From now on nothing else can be opened, by no thread, nor can a program be run, a host be reached
 * or another process be sent a signal. To be called before there are threads. FALSE where the
 * kernel refuses. */
gboolean sl_sandbox_enter (SlSandbox *sandbox);
