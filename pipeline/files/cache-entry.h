/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One earlier result in a folder of them: a file that takes its name when it is whole.
 *
 *     softlabel-cache 1
 *     the digest of the two lines that follow
 *     the key, as JSON
 *     {"names":[...],"said":[[level,"text"],...],"outputs":[{"option":..,"size":..,"xxh3":..}]}
 *     the outputs' bytes, one after the other
 */
#pragma once

#include "output.h"

typedef struct
{
  char *option; /* whose FILE it is; "output" is the main one */
  gint64 size, at;
  char xxh3[33];
} SlCacheOutput;

typedef struct
{
  int fd;
  char *path, *id;
  char *key;
  gint64 size; /* of the whole file */
  gint64 used; /* when it was last of use, in seconds since 1970 */
  char **names;
  gboolean names_matter; /* what is said has one of them */
  GArray *levels;        /* of int, and */
  GPtrArray *said;       /* texts: what was said on standard error */
  GArray *outputs;       /* of SlCacheOutput */
} SlCacheEntry;

void sl_cache_entry_free (SlCacheEntry *entry);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlCacheEntry, sl_cache_entry_free)

/* What the entry of KEY is called, to be freed. */
char *sl_cache_id (const char *key);

/* The folder, made if need be; FALSE and ERROR where it is none. */
gboolean sl_cache_folder (const char *folder, gboolean make, GError **error);

/* The names of all entries in FOLDER, sorted: of char *. */
GPtrArray *sl_cache_ids (const char *folder, GError **error);

/* NULL where there is none; *DAMAGED: there is one, of which nothing can be told. */
SlCacheEntry *sl_cache_entry_open (const char *folder, const char *id, gboolean *damaged);

/* Of many, only what is known of it is held, no descriptor. */
void sl_cache_entry_close (SlCacheEntry *entry);

/* Whether all its bytes are as they were written. */
gboolean sl_cache_entry_is_sound (const SlCacheEntry *entry);

/* Writes its output I to OUTPUT. */
gboolean sl_cache_entry_copy (const SlCacheEntry *entry, guint i, SlOutput *output, GError **error);

/* It was of use now. */
void sl_cache_entry_touch (const SlCacheEntry *entry);

/* The entry ID is gone; FALSE and errno where it cannot be removed. */
gboolean sl_cache_remove (const char *folder, const char *id);

/* Makes the entry of ENTRY's key, names, texts and outputs (their option alone), whose bytes are
 * all that stands in FDS. */
gboolean sl_cache_entry_write (const SlCacheEntry *entry, const char *folder, const int *fds,
                               GError **error);
