/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that a run reads by name. Another file may be put into the place of one at any time:
 * one that is held is the same whenever it is opened, and of the others it is known whether they
 * were. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Holds the regular file PATH: the name means this file from now on; with LATE only where what the
 * name means later may not be opened. Its descriptor; -1: it is none, cannot be read, or many are
 * held already. */
int sl_named_file_hold (const char *path, gboolean late);

/* Opens PATH to be read, in any thread; -1 and errno. */
int sl_named_file_open (const char *path);

/* All of the file PATH, and a zero behind it; FALSE, and what the system says. */
gboolean sl_named_file_read (const char *path, char **bytes, gsize *n, GError **error);

/* From now on it is remembered which file each name was opened as. */
void sl_named_files_watch (void);

/* Whether none of them was opened as two files. */
gboolean sl_named_files_stayed (void);

G_END_DECLS
