/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cache ls, why, prune: they look after what runs with --cache have kept
 * (pipeline/files/cache-entry.h). */
#include "pipeline/base/json-value.h"
#include "pipeline/base/texts.h"
#include "pipeline/command/cache-key.h"
#include "pipeline/command/options/option-rows.h"
#include "pipeline/command/run-cache.h"
#include "pipeline/display/terminal.h"
#include "pipeline/files/cache-entry.h"

#include <errno.h>
#include <glib.h>
#include <string.h>

/* ---- what the three share ---- */

/* The folder of --cache or SOFTLABEL_CACHE_DIR; NULL and ERROR where none is named. */
static const char *
cache_named (const SlRun *run, GError **error)
{
  const char *folder = sl_run_cache_folder (run);
  if (folder == NULL)
    sl_error_usage (error, "which cache? name it with --cache DIR, or set SOFTLABEL_CACHE_DIR");
  return folder;
}

static void
free_entry (gpointer entry)
{
  sl_cache_entry_free (entry);
}

static int
by_use (gconstpointer a, gconstpointer b)
{
  const SlCacheEntry *first = *(SlCacheEntry *const *) a, *second = *(SlCacheEntry *const *) b;
  return first->used != second->used ? (first->used < second->used ? 1 : -1)
                                     : strcmp (first->id, second->id);
}

/* All entries that can be read, those used last first; the others are counted. */
static GPtrArray *
cache_entries (const char *folder, guint *damaged, GError **error)
{
  g_autoptr (GPtrArray) ids = sl_cache_ids (folder, error);
  if (ids == NULL)
    return NULL;
  *damaged = 0;
  GPtrArray *entries = g_ptr_array_new_with_free_func (free_entry);
  for (guint i = 0; i < ids->len; i++)
    {
      gboolean bad;
      SlCacheEntry *entry = sl_cache_entry_open (folder, ids->pdata[i], &bad);
      *damaged += bad;
      if (entry == NULL)
        continue;
      sl_cache_entry_close (entry);
      g_ptr_array_add (entries, entry);
    }
  g_ptr_array_sort (entries, by_use);
  return entries;
}

/* "12.3 KiB"; "3 days ago", from NOW. */
static char *
cache_bytes_text (gint64 bytes)
{
  return g_format_size_full ((guint64) bytes, G_FORMAT_SIZE_IEC_UNITS);
}

static char *
cache_age_text (gint64 seconds)
{
  static const struct
  {
    gint64 seconds;
    const char *name;
  } units[] = { { 86400, "day" }, { 3600, "hour" }, { 60, "minute" } };
  for (gsize i = 0; i < G_N_ELEMENTS (units); i++)
    if (seconds >= units[i].seconds)
      {
        gint64 n = seconds / units[i].seconds;
        return g_strdup_printf ("%" G_GINT64_FORMAT " %s%s ago", n, units[i].name,
                                n > 1 ? "s" : "");
      }
  return g_strdup ("just now");
}

/* A key's JSON as its parts: "options.top" is "2", "inputs.file 1.xxh3" a digest. */

static void
add_members (GHashTable *parts, const char *prefix, SlJson object)
{
  for (SlJsonEach each = sl_json_each (object); sl_json_each_next (&each);)
    {
      g_autofree char *whole = g_strconcat (prefix, each.key.text, NULL);
      g_autofree char *below = g_strconcat (whole, ".", NULL);
      if (sl_json_type (each.value) == SL_JSON_OBJECT)
        add_members (parts, below, each.value);
      else
        g_hash_table_insert (parts, g_steal_pointer (&whole), sl_json_to_string (each.value));
    }
}

/* Of texts by texts; what is no JSON object has no parts. */
static GHashTable *
key_parts (const char *key)
{
  GHashTable *parts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (SlJsonParser) parser = sl_json_parser_new ();
  SlJson object;
  if (sl_json_parse_text (parser, key, &object) == NULL && sl_json_type (object) == SL_JSON_OBJECT)
    add_members (parts, "", object);
  return parts;
}

/* In how many parts two keys differ; where LIST is given, the names of these, sorted. */
static guint
key_differences (GHashTable *one, GHashTable *other, GPtrArray *list)
{
  guint n = 0;
  GHashTableIter iter;
  gpointer name, value;
  g_hash_table_iter_init (&iter, one);
  while (g_hash_table_iter_next (&iter, &name, &value))
    if (g_strcmp0 (g_hash_table_lookup (other, name), value) != 0 && ++n > 0 && list != NULL)
      g_ptr_array_add (list, name);
  g_hash_table_iter_init (&iter, other);
  while (g_hash_table_iter_next (&iter, &name, &value))
    if (!g_hash_table_contains (one, name) && ++n > 0 && list != NULL)
      g_ptr_array_add (list, name);
  if (list != NULL)
    g_ptr_array_sort (list, sl_compare_texts);
  return n;
}

/* The options of ls, and of prune. */
typedef struct
{
  gboolean json;
  gint64 keep;
  double older;
  gboolean outdated, damaged, all;
} Options;

static const Options defaults = { .keep = -1, .older = -1 };

#define OPTIONS Options

/* ---- ls ---- */

static const SlOption list_options[] = {
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
  g_autoptr (GHashTable) parts = key_parts (entry->key);
  const char *quoted = g_hash_table_lookup (parts, "verb");
  g_autofree char *verb = quoted != NULL ? g_strndup (quoted + 1, strlen (quoted) - 2) : NULL;
  g_autofree char *size = cache_bytes_text (entry->size);
  g_autofree char *age = cache_age_text (now - entry->used);
  g_autofree char *files = list_files (entry);
  sl_run_printf (run, "%.12s  %-18s %10s  %-14s %s\n", entry->id, verb != NULL ? verb : "?", size,
                 age, files);
}

static gboolean
run_ls (SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  const char *folder = cache_named (run, error);
  guint damaged;
  if (folder == NULL)
    return FALSE;
  if (run->files[0] != NULL)
    return sl_error_usage (error, "'%s': the cache is named with --cache", run->files[0]);
  g_autoptr (GPtrArray) entries = cache_entries (folder, &damaged, error);
  if (entries == NULL)
    return FALSE;
  gint64 now = g_get_real_time () / G_USEC_PER_SEC, bytes = 0;
  for (guint i = 0; i < entries->len; i++)
    {
      const SlCacheEntry *entry = entries->pdata[i];
      (options->json ? print_json (run, entry) : print_entry (run, entry, now));
      bytes += entry->size;
    }
  g_autofree char *size = cache_bytes_text (bytes);
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
  SL_OPTIONS (list_options, defaults),
  .description
  = "Prints a line for each result that runs with --cache have kept: the first digits of its name, "
    "the verb, its size, when it was of use last, and the files that were read. The folder is that "
    "of --cache or of SOFTLABEL_CACHE_DIR.",
  .examples = "softlabel cache ls --cache ~/.cache/softlabel-results\n"
              "    what is kept there\n"
              "softlabel cache ls --json | jq .key.options\n"
              "    with which options, in the folder of SOFTLABEL_CACHE_DIR\n",
  .run = run_ls,
};

/* ---- why ---- */

/* cache why: whether a command would be served from a cache, and if not, in what its key differs
 * from the most similar one that is kept: from that of the same verb with the fewest different
 * parts. */

/* The entry whose key has most in common with PARTS; NULL where there is none of the verb. */
static const SlCacheEntry *
find_nearest (GPtrArray *entries, GHashTable *parts, GHashTable **nearest_parts)
{
  const SlCacheEntry *nearest = NULL;
  guint least = G_MAXUINT;
  const char *verb = g_hash_table_lookup (parts, "verb");
  for (guint i = 0; i < entries->len; i++)
    {
      const SlCacheEntry *entry = entries->pdata[i];
      g_autoptr (GHashTable) own = key_parts (entry->key);
      if (g_strcmp0 (g_hash_table_lookup (own, "verb"), verb) != 0)
        continue;
      guint n = key_differences (parts, own, NULL);
      if (n >= least)
        continue;
      least = n;
      nearest = entry;
      g_clear_pointer (nearest_parts, g_hash_table_unref);
      *nearest_parts = g_steal_pointer (&own);
    }
  return nearest;
}

/* What the part NAME of a key is, for a reader. */
static char *
describe (const char *name)
{
  static const struct
  {
    const char *prefix, *text;
  } known[] = { { "options.", "--" }, { "outputs.", "output --" }, { "environment.", "" } };
  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_str_has_prefix (name, known[i].prefix))
      return g_strconcat (known[i].text, name + strlen (known[i].prefix), NULL);
  if (!g_str_has_prefix (name, "inputs."))
    return g_strdup (strcmp (name, "program") == 0   ? "the program or its libraries"
                     : strcmp (name, "tags") == 0    ? "--tag"
                     : strcmp (name, "history") == 0 ? "history kept"
                     : strcmp (name, "digests") == 0 ? "digests kept"
                                                     : name);
  const char *part = strrchr (name, '.');
  g_autofree char *input
      = g_strndup (name + strlen ("inputs."), (gsize) (part - name) - strlen ("inputs."));
  return g_strdup_printf ("%s of %s", strcmp (part, ".xxh3") == 0 ? "content" : part + 1, input);
}

static void
print_difference (SlRun *run, const char *name, GHashTable *here, GHashTable *there)
{
  const char *now = g_hash_table_lookup (here, name), *then = g_hash_table_lookup (there, name);
  g_autofree char *what = describe (name);
  g_autoptr (GString) text = g_string_new ("  ");
  sl_display_text (text, what, -1);
  if (g_str_has_suffix (name, ".xxh3") && now != NULL && then != NULL)
    g_string_append (text, ": another");
  else if (strcmp (name, "program") == 0)
    g_string_append (text, ": another build");
  else
    {
      g_string_append (text, ": ");
      sl_display_text (text, now != NULL ? now : "none", -1);
      g_string_append (text, " now, ");
      sl_display_text (text, then != NULL ? then : "none", -1);
      g_string_append (text, " there");
    }
  sl_run_printf (run, "%s\n", text->str);
}

static gboolean
compare (SlRun *run, const char *folder, const char *key, GError **error)
{
  guint unreadable;
  g_autoptr (GPtrArray) entries = cache_entries (folder, &unreadable, error);
  if (entries == NULL)
    return FALSE;
  g_autoptr (GHashTable) parts = key_parts (key), others = NULL;
  const SlCacheEntry *nearest = find_nearest (entries, parts, &others);
  if (nearest == NULL)
    {
      sl_run_printf (run, "not kept: there is no result of %s\n",
                     (const char *) g_hash_table_lookup (parts, "verb"));
      return TRUE;
    }
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  (void) key_differences (parts, others, names);
  sl_run_printf (run, "not kept; the nearest, %.12s, differs in:\n", nearest->id);
  for (guint i = 0; i < names->len; i++)
    print_difference (run, names->pdata[i], parts, others);
  return TRUE;
}

static gboolean
run_why (SlRun *run, GError **error)
{
  if (run->files[0] == NULL)
    return sl_error_usage (error, "which command? its words follow: softlabel cache why aggregate "
                                  "votes.parquet");
  const char *spare = sl_run_cache_folder (run);
  g_autofree char *named = NULL, *why = NULL;
  GError *problem = NULL;
  g_autofree char *key = sl_run_key_of (run->files, spare != NULL ? spare : g_get_tmp_dir (),
                                        &named, &why, &problem);
  if (problem != NULL)
    {
      g_propagate_error (error, problem);
      return FALSE;
    }
  if (key == NULL)
    {
      sl_run_printf (run, "never kept: %s\n", why);
      return TRUE;
    }
  const char *folder = named != NULL ? named : cache_named (run, error);
  if (folder == NULL || !sl_cache_folder (folder, FALSE, error))
    return FALSE;
  g_autofree char *id = sl_cache_id (key);
  gboolean damaged;
  g_autoptr (SlCacheEntry) entry = sl_cache_entry_open (folder, id, &damaged);
  gboolean sound = entry != NULL && sl_cache_entry_is_sound (entry);
  if (entry == NULL && !damaged)
    return compare (run, folder, key, error);
  sl_run_printf (run, sound ? "kept: %.12s\n" : "kept, but damaged: %.12s\n", id);
  return TRUE;
}

const SlCommand sl_command_cache_why = {
  .name = "cache why",
  .summary = "tell whether a command would be served from a cache, and if not, why",
  .arguments = "VERB [OPTION…] [FILE…]",
  .flags = SL_COMMAND_SOURCES | SL_COMMAND_TEXT | SL_COMMAND_WORDS,
  .description
  = "Takes a whole command line, runs nothing, and prints whether its result is kept. Where it is "
    "not, it names the kept result of the same verb that is nearest, and in which part the two "
    "keys differ: an option, an input's content, the seed, the program.\n\n"
    "A key has the verb, the version and the bytes of the program and its libraries, all options "
    "with their defaults, the seed, tags, the outputs' formats, digests of all that is read "
    "(files, folders, standard input), and of the environment what bears on the output. What reads "
    "from a named pipe, shows its result in a terminal, prints text or writes checkpoints is never "
    "kept.",
  .examples = "softlabel cache why --cache results aggregate --method mean votes.parquet\n"
              "    would this run be saved?\n",
  .run = run_why,
};

/* ---- prune ---- */

/* cache prune: takes results out of a cache, those first that were of use longest ago. Other files
 * in its folder are left alone. */

static const SlOption prune_options[] = {
  SIZE ("keep", keep, "SIZE", "remove until what is left takes SIZE (10G) or less"),
  REAL ("older", older, 0, 1e6, "DAYS", "remove what was of no use for so many days"),
  FLAG ("outdated", outdated,
        "remove what another build of softlabel made, or this one with other libraries"),
  FLAG ("damaged", damaged, "read all, and remove what is not as it was written"),
  FLAG ("all", all, "remove all"),
  { 0 },
};

static gboolean
check_prune (SlOptions *given, GError **error)
{
  const SlOption *option = prune_options;
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
  g_autoptr (GHashTable) parts = key_parts (entry->key);
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
run_prune (SlRun *run, GError **error)
{
  Pruning pruning = { .options = run->options->values,
                      .folder = cache_named (run, error),
                      .now = g_get_real_time () / G_USEC_PER_SEC };
  guint damaged;
  if (pruning.folder == NULL)
    return FALSE;
  if (run->files[0] != NULL)
    return sl_error_usage (error, "'%s': the cache is named with --cache", run->files[0]);
  g_autoptr (GPtrArray) entries = cache_entries (pruning.folder, &damaged, error);
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
  g_autofree char *removed = cache_bytes_text (pruning.removed_bytes);
  g_autofree char *kept = cache_bytes_text (pruning.kept_bytes);
  sl_run_printf (run, "%u removed (%s), %u kept (%s)\n", pruning.removed, removed, pruning.kept,
                 kept);
  return TRUE;
}

const SlCommand sl_command_cache_prune = {
  .name = "cache prune",
  .summary = "take results out of a cache",
  .arguments = "",
  .flags = SL_COMMAND_SOURCES | SL_COMMAND_TEXT,
  SL_OPTIONS (prune_options, defaults),
  .description
  = "Removes the results that one of the options is about, those first that were of use longest "
    "ago; what nothing can be told of is removed in any case. A run that is using one meanwhile is "
    "not disturbed. Nothing but results is removed from the folder.",
  .examples = "softlabel cache prune --cache results --keep 20G --older 90\n"
              "    no more than 20 GiB, and nothing that was of no use for 90 days\n"
              "softlabel cache prune --cache results --outdated\n"
              "    what no run of this program would take\n",
  .check = check_prune,
  .run = run_prune,
};
