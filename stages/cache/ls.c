/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cache ls: what a cache holds (pipeline/files/cache-entry.h), what was used last first. */
#include "cache-folder.h"
#include "key-parts.h"

#include "pipeline/command/options/option-rows.h"
#include "pipeline/display/terminal.h"

#include <string.h>

typedef struct
{
  gboolean json;
} Options;

static const Options defaults = { 0 };

#define OPTIONS Options

static const SlOption option_table[] = {
  FLAG ("json", json,
        "one JSON object a line, with the whole key: options, digests of inputs, versions"),
  { 0 },
};

static void
print_json (SlRun *run, const SlCacheEntry *entry)
{
  sl_run_printf (run,
                 "{\"id\":\"%s\",\"bytes\":%" G_GINT64_FORMAT ",\"used\":%" G_GINT64_FORMAT
                 ",\"key\":%s}\n",
                 entry->id, entry->size, entry->used, entry->key);
}

/* The files that the command line named, as many as a line may have. */
static char *
list_files (const SlCacheEntry *entry)
{
  GString *text = g_string_new (NULL);
  for (char **name = entry->names; *name != NULL; name++)
    {
      if (text->len > 40)
        {
          g_string_append (text, " …");
          break;
        }
      g_string_append (text, text->len > 0 ? " " : "");
      sl_display_text (text, *name, -1);
    }
  if (text->len == 0)
    g_string_append (text, "standard input");
  return g_string_free (text, FALSE);
}

static void
print_entry (SlRun *run, const SlCacheEntry *entry, gint64 now)
{
  g_autoptr (GHashTable) parts = sl_key_parts (entry->key);
  const char *quoted = g_hash_table_lookup (parts, "verb");
  g_autofree char *verb = quoted != NULL ? g_strndup (quoted + 1, strlen (quoted) - 2) : NULL;
  g_autofree char *size = sl_cache_bytes_text (entry->size);
  g_autofree char *age = sl_cache_age_text (now - entry->used);
  g_autofree char *files = list_files (entry);
  sl_run_printf (run, "%.12s  %-18s %10s  %-14s %s\n", entry->id, verb != NULL ? verb : "?", size,
                 age, files);
}

static gboolean
run (SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  const char *folder = sl_cache_named (run, error);
  guint damaged;
  if (folder == NULL)
    return FALSE;
  if (run->files[0] != NULL)
    return sl_error_usage (error, "'%s': the cache is named with --cache", run->files[0]);
  g_autoptr (GPtrArray) entries = sl_cache_entries (folder, &damaged, error);
  if (entries == NULL)
    return FALSE;
  gint64 now = g_get_real_time () / G_USEC_PER_SEC, bytes = 0;
  for (guint i = 0; i < entries->len; i++)
    {
      const SlCacheEntry *entry = entries->pdata[i];
      (options->json ? print_json (run, entry) : print_entry (run, entry, now));
      bytes += entry->size;
    }
  g_autofree char *size = sl_cache_bytes_text (bytes);
  if (!options->json)
    sl_run_printf (run, "%u result%s, %s\n", entries->len, entries->len == 1 ? "" : "s", size);
  if (damaged > 0)
    sl_run_warn (run, "%u damaged; `softlabel cache prune --damaged` removes what is", damaged);
  return TRUE;
}

const SlCommand sl_command_cache_ls = {
  .name = "cache ls",
  .summary = "list the results that a cache holds",
  .arguments = "",
  .flags = SL_COMMAND_SOURCES | SL_COMMAND_TEXT,
  SL_OPTIONS (option_table, defaults),
  .description
  = "Prints a line for each result that runs with --cache have kept: the first digits of its name, "
    "the verb, its size, when it was of use last, and the files that were read. The folder is that "
    "of --cache or of SOFTLABEL_CACHE_DIR.",
  .examples = "softlabel cache ls --cache ~/.cache/softlabel-results\n"
              "    what is kept there\n"
              "softlabel cache ls --json | jq .key.options\n"
              "    with which options, in the folder of SOFTLABEL_CACHE_DIR\n",
  .run = run,
};
