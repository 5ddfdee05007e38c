/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the verbs that look after a cache have in common. */
#pragma once

#include "pipeline/command/run-cache.h"
#include "pipeline/files/cache-entry.h"

/* The folder of --cache or SOFTLABEL_CACHE_DIR; NULL and ERROR where none is named. */
const char *sl_cache_named (const SlRun *run, GError **error);

/* All entries that can be read, those used last first; the others are counted. */
GPtrArray *sl_cache_entries (const char *folder, guint *damaged, GError **error);

/* "12.3 KiB"; "3 days ago", from NOW. */
char *sl_cache_bytes_text (gint64 bytes);
char *sl_cache_age_text (gint64 seconds);
