/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cache why: whether a command would be served from a cache, and if not, in what its key differs
 * from the most similar one that is kept: from that of the same verb with the fewest different
 * parts. */
#include "cache-folder.h"
#include "key-parts.h"

#include "pipeline/display/terminal.h"

#include <string.h>

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
      g_autoptr (GHashTable) own = sl_key_parts (entry->key);
      if (g_strcmp0 (g_hash_table_lookup (own, "verb"), verb) != 0)
        continue;
      guint n = sl_key_differences (parts, own, NULL);
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
  g_autoptr (GPtrArray) entries = sl_cache_entries (folder, &unreadable, error);
  if (entries == NULL)
    return FALSE;
  g_autoptr (GHashTable) parts = sl_key_parts (key), others = NULL;
  const SlCacheEntry *nearest = find_nearest (entries, parts, &others);
  if (nearest == NULL)
    {
      sl_run_printf (run, "not kept: there is no result of %s\n",
                     (const char *) g_hash_table_lookup (parts, "verb"));
      return TRUE;
    }
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  (void) sl_key_differences (parts, others, names);
  sl_run_printf (run, "not kept; the nearest, %.12s, differs in:\n", nearest->id);
  for (guint i = 0; i < names->len; i++)
    print_difference (run, names->pdata[i], parts, others);
  return TRUE;
}

static gboolean
run (SlRun *run, GError **error)
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
  const char *folder = named != NULL ? named : sl_cache_named (run, error);
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
  .run = run,
};
