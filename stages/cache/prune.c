/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cache prune: takes results out of a cache, those first that were of use longest ago. Other files
 * in its folder are left alone. */
#include "cache-folder.h"
#include "key-parts.h"

#include "pipeline/base/json.h"
#include "pipeline/command/cache-key.h"
#include "pipeline/command/options/option-rows.h"

#include <errno.h>
#include <string.h>

typedef struct
{
  gint64 keep;
  double older;
  gboolean outdated, damaged, all;
} Options;

static const Options defaults = { .keep = -1, .older = -1 };

#define OPTIONS Options

static const SlOption option_table[] = {
  SIZE ("keep", keep, "SIZE", "remove until what is left takes SIZE (10G) or less"),
  REAL ("older", older, 0, 1e6, "DAYS", "remove what was of no use for so many days"),
  FLAG ("outdated", outdated,
        "remove what another build of softlabel made, or this one with other libraries"),
  FLAG ("damaged", damaged, "read all, and remove what is not as it was written"),
  FLAG ("all", all, "remove all"),
  { 0 },
};

static gboolean
check_options (SlOptions *given, GError **error)
{
  const SlOption *option = option_table;
  while (option->name != NULL && !sl_option_given (given, option->name))
    option++;
  return option->name != NULL
         || sl_error_usage (error, "what is to go? --keep SIZE, --older DAYS, --outdated, "
                                   "--damaged or --all says it");
}

typedef struct
{
  const Options *options;
  const char *folder;
  char *program; /* this one's digest, as it stands in a key */
  gint64 now, kept_bytes, removed_bytes;
  guint kept, removed;
} Pruning;

static gboolean
is_outdated (const Pruning *pruning, const SlCacheEntry *entry)
{
  g_autoptr (GHashTable) parts = sl_key_parts (entry->key);
  return g_strcmp0 (g_hash_table_lookup (parts, "program"), pruning->program) != 0;
}

static gboolean
is_damaged (const Pruning *pruning, const SlCacheEntry *entry)
{
  gboolean damaged;
  g_autoptr (SlCacheEntry) again = sl_cache_entry_open (pruning->folder, entry->id, &damaged);
  return damaged || (again != NULL && !sl_cache_entry_is_sound (again));
}

static gboolean
goes (const Pruning *pruning, const SlCacheEntry *entry)
{
  const Options *options = pruning->options;
  return options->all
         || (options->older >= 0
             && (double) (pruning->now - entry->used) >= options->older * 24 * 3600)
         || (options->keep >= 0 && pruning->kept_bytes + entry->size > options->keep)
         || (options->outdated && is_outdated (pruning, entry))
         || (options->damaged && is_damaged (pruning, entry));
}

static gboolean
remove_one (Pruning *pruning, const char *id, gint64 bytes, GError **error)
{
  if (!sl_cache_remove (pruning->folder, id))
    return sl_error_runtime (error, "%s: the entry %s cannot be removed: %s", pruning->folder, id,
                             g_strerror (errno));
  pruning->removed++;
  pruning->removed_bytes += bytes;
  return TRUE;
}

/* Entries of which nothing can be told. */
static gboolean
remove_unreadable (Pruning *pruning, GError **error)
{
  g_autoptr (GPtrArray) ids = sl_cache_ids (pruning->folder, error);
  if (ids == NULL)
    return FALSE;
  for (guint i = 0; i < ids->len; i++)
    {
      gboolean damaged;
      g_autoptr (SlCacheEntry) entry
          = sl_cache_entry_open (pruning->folder, ids->pdata[i], &damaged);
      if (damaged && !remove_one (pruning, ids->pdata[i], 0, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
run (SlRun *run, GError **error)
{
  Pruning pruning = { .options = run->options->values,
                      .folder = sl_cache_named (run, error),
                      .now = g_get_real_time () / G_USEC_PER_SEC };
  guint damaged;
  if (pruning.folder == NULL)
    return FALSE;
  if (run->files[0] != NULL)
    return sl_error_usage (error, "'%s': the cache is named with --cache", run->files[0]);
  g_autoptr (GPtrArray) entries = sl_cache_entries (pruning.folder, &damaged, error);
  if (entries == NULL)
    return FALSE;
  char program[33];
  if (!sl_program_digest (program))
    return sl_error_runtime (error, "the program's own file cannot be read, so that no result is "
                                    "known to be of this one");
  g_autofree char *quoted = pruning.program = g_strdup_printf ("\"%s\"", program);
  for (guint i = 0; i < entries->len; i++)
    {
      const SlCacheEntry *entry = entries->pdata[i];
      gboolean gone = goes (&pruning, entry);
      if (gone && !remove_one (&pruning, entry->id, entry->size, error))
        return FALSE;
      pruning.kept += !gone;
      pruning.kept_bytes += gone ? 0 : entry->size;
    }
  if (!remove_unreadable (&pruning, error))
    return FALSE;
  g_autofree char *removed = sl_cache_bytes_text (pruning.removed_bytes);
  g_autofree char *kept = sl_cache_bytes_text (pruning.kept_bytes);
  sl_run_printf (run, "%u removed (%s), %u kept (%s)\n", pruning.removed, removed, pruning.kept,
                 kept);
  return TRUE;
}

const SlCommand sl_command_cache_prune = {
  .name = "cache prune",
  .summary = "take results out of a cache",
  .arguments = "",
  .flags = SL_COMMAND_SOURCES | SL_COMMAND_TEXT,
  SL_OPTIONS (option_table, defaults),
  .description
  = "Removes the results that one of the options is about, those first that were of use longest "
    "ago; what nothing can be told of is removed in any case. A run that is using one meanwhile is "
    "not disturbed. Nothing but results is removed from the folder.",
  .examples = "softlabel cache prune --cache results --keep 20G --older 90\n"
              "    no more than 20 GiB, and nothing that was of no use for 90 days\n"
              "softlabel cache prune --cache results --outdated\n"
              "    what no run of this program would take\n",
  .check = check_options,
  .run = run,
};
