/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A folder of files that appears whole or not at all. It replaces one that was made the same way,
 * and nothing else: a list of its files, with their digests, lies in it. */
#pragma once

#include <glib.h>

typedef struct _SlFolder SlFolder;

/* PATH becomes the folder when it is committed. What is there already must be empty, or be all
 * files that the same MAKER, "softlabel survey", wrote, unchanged. */
SlFolder *sl_folder_new (const char *path, const char *maker, GError **error);
void sl_folder_free (SlFolder *folder); /* removes one that has not been committed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlFolder, sl_folder_free)

/* A file of the folder, NAME "index.html" or "images/a.png", synced to the disk. */
gboolean sl_folder_write (SlFolder *folder, const char *name, const void *bytes, gsize n,
                          GError **error);

/* When committed, a folder that is there and holds the same files is left alone. */
void sl_folder_keep_same (SlFolder *folder);

/* It takes its name. */
gboolean sl_folder_commit (SlFolder *folder, GError **error);
