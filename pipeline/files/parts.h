/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that together are one table. */
#pragma once

#include <glib.h>

/* The files that PATHS stand for, NULL-terminated: a folder for all files in it, by name, numbers
 * in names by their size, but for those whose names begin with "." or "_"; a folder KEY=VALUE in it
 * for those that it has (partition.h). NULL and ERROR for a folder that has none, or another folder
 * in it. */
char **sl_part_files (const char *const *paths, GError **error);

/* Which of N units, counted over all parts, the I-th of SHARDS has, I from 1: from *FROM on, to
 * before *TO. They lie side by side, so that the shards' rows one after the other are all rows. */
void sl_shard_units (gint64 n, gint64 i, gint64 shards, gint64 *from, gint64 *to);

/* "2/8" */
gboolean sl_shard_parse (const char *text, gint64 *i, gint64 *shards, GError **error);
