/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run-cache.h"

#include "pipeline/base/process/named-files.h"
#include "pipeline/files/cache-entry.h"
#include "cache-key.h"
#include "run-private.h"

#include <errno.h>
#include <string.h>

const char *
sl_run_cache_folder (const SlRun *run)
{
  const char *given = sl_run_common (run)->cache;
  const char *set = given != NULL ? given : g_getenv ("SOFTLABEL_CACHE_DIR");
  return set != NULL && *set != '\0' ? set : NULL;
}

gboolean
sl_run_cache_begin (SlRun *run, GError **error)
{
  SlRunCache *cache = &run->priv->cache;
  const char *folder = sl_run_cache_folder (run);
  if (folder == NULL || sl_command_prints (run->command))
    return TRUE;
  if (!sl_cache_folder (folder, TRUE, error))
    return FALSE;
  cache->folder = g_strdup (folder);
  cache->levels = g_array_new (FALSE, FALSE, sizeof (int));
  cache->said = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *why = NULL;
  cache->key = sl_cache_key (run, folder, &why);
  if (cache->key != NULL)
    cache->id = sl_cache_id (cache->key);
  else
    {
      g_autofree char *text = g_strdup_printf ("not cached: %s", why);
      sl_messages_say (&run->priv->messages, SL_MESSAGE_NOTE, text);
    }
  return TRUE;
}

/* All files that the command line names, as it does. */
static char **
list_names (const SlRun *run)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  for (char **file = run->files; *file != NULL; file++)
    {
      g_autofree char *valid = g_utf8_make_valid (*file, -1);
      g_strv_builder_add (names, valid);
    }
  const SlOption *option = run->command->options;
  for (; option != NULL && option->name != NULL; option++)
    for (gsize i = 0; sl_option_input (run->options, option, i) != NULL; i++)
      {
        g_autofree char *valid = g_utf8_make_valid (sl_option_input (run->options, option, i), -1);
        g_strv_builder_add (names, valid);
      }
  return g_strv_builder_end (names);
}

/* Where the output of OPTION goes, or NULL: to standard output. */
static const char *
path_of (const SlRun *run, const char *name)
{
  if (strcmp (name, "output") == 0)
    return sl_run_common (run)->output;
  return sl_option_path (run->options, sl_option_find (run->options->table, name));
}

static gboolean
has_output (const SlRun *run, const char *name)
{
  const SlOption *option = run->command->options;
  while (option != NULL && option->name != NULL && strcmp (option->name, name) != 0)
    option++;
  return option != NULL && option->name != NULL && option->kind == SL_OPTION_OUTPUT
         && sl_option_path (run->options, option) != NULL;
}

/* Whether RUN writes what ENTRY holds, once each: anybody may have written it. */
static gboolean
fits (const SlRun *run, const SlCacheEntry *entry)
{
  g_autoptr (GHashTable) met = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < entry->outputs->len; i++)
    {
      char *name = g_array_index (entry->outputs, SlCacheOutput, i).option;
      if (!g_hash_table_add (met, name)
          || (strcmp (name, "output") != 0 && !has_output (run, name)))
        return FALSE;
    }
  return g_hash_table_contains (met, "output");
}

static gboolean
serve_output (SlRun *run, const SlCacheEntry *entry, guint i, GError **error)
{
  const char *name = g_array_index (entry->outputs, SlCacheOutput, i).option;
  SlOutput *output;
  if (strcmp (name, "output") == 0)
    output = run->priv->bytes = sl_output_new (path_of (run, name), error);
  else
    output = sl_run_side_file (run, path_of (run, name), error);
  if (output == NULL)
    return FALSE;
  if (sl_run_common (run)->if_changed)
    sl_output_keep_same (output);
  return sl_cache_entry_copy (entry, i, output, error);
}

/* The entry of RUN's key, if there is a sound one that will do. */
static SlCacheEntry *
find_entry (SlRun *run)
{
  SlRunCache *cache = &run->priv->cache;
  gboolean damaged = FALSE;
  g_autoptr (SlCacheEntry) entry = sl_cache_entry_open (cache->folder, cache->id, &damaged);
  if (entry != NULL && strcmp (entry->key, cache->key) != 0)
    return NULL;
  if (damaged || (entry != NULL && !(fits (run, entry) && sl_cache_entry_is_sound (entry))))
    {
      g_autofree char *text
          = g_strdup_printf ("%s: the entry %s is damaged, and not used", cache->folder, cache->id);
      sl_messages_say (&run->priv->messages, SL_MESSAGE_WARNING, text);
      (void) sl_cache_remove (cache->folder, cache->id);
      return NULL;
    }
  if (entry == NULL)
    return NULL;
  g_auto (GStrv) names = list_names (run);
  if (entry->names_matter
      && !g_strv_equal ((const char *const *) names, (const char *const *) entry->names))
    return NULL;
  return g_steal_pointer (&entry);
}

gboolean
sl_run_cache_serve (SlRun *run, gboolean *served, GError **error)
{
  *served = FALSE;
  if (run->priv->cache.key == NULL)
    return TRUE;
  g_autoptr (SlCacheEntry) entry = find_entry (run);
  if (entry == NULL)
    return TRUE;
  *served = TRUE;
  g_clear_pointer (&run->priv->cache.key, g_free); /* nothing is to be kept */
  for (guint i = 0; i < entry->said->len; i++)
    sl_messages_say (&run->priv->messages, (SlMessageLevel) g_array_index (entry->levels, int, i),
                     entry->said->pdata[i]);
  g_autofree char *text = g_strdup_printf ("taken from the cache (%.12s)", entry->id);
  sl_messages_say (&run->priv->messages, SL_MESSAGE_NOTE, text);
  sl_cache_entry_touch (entry);
  for (guint i = 0; i < entry->outputs->len; i++)
    if (!serve_output (run, entry, i, error))
      return FALSE;
  return TRUE;
}

static void
warn_not_kept (SlRun *run, const char *problem)
{
  g_autofree char *text = g_strdup_printf ("not kept in the cache: %s", problem);
  sl_messages_say (&run->priv->messages, SL_MESSAGE_WARNING, text);
}

void
sl_run_cache_watch (SlRun *run, SlOutput *output)
{
  SlRunCache *cache = &run->priv->cache;
  if (cache->key == NULL || cache->unfit || sl_output_keep_copy (output, cache->folder))
    return;
  cache->unfit = TRUE;
  warn_not_kept (run, g_strerror (errno));
}

/* Whether what is said names a file, so that it is said of that one alone. */
static gboolean
is_named (const SlRunCache *cache, char *const *names)
{
  for (guint i = 0; i < cache->said->len; i++)
    for (char *const *name = names; *name != NULL; name++)
      if (strstr (cache->said->pdata[i], *name) != NULL)
        return TRUE;
  return FALSE;
}

static void
add_output (SlCacheEntry *entry, GArray *fds, const char *option, SlOutput *output)
{
  SlCacheOutput one = { .option = g_strdup (option) };
  int fd = sl_output_copy (output);
  g_array_append_val (entry->outputs, one);
  g_array_append_val (fds, fd);
}

/* Whether the inputs are still those that the key was made of, and were all the time: what changed
 * while it was read may have been read either way, and a name may have meant another file when it
 * was opened. */
static gboolean
inputs_are_same (const SlRun *run)
{
  guint64 stamp = 0;
  g_autofree char *now = sl_cache_key_inputs (run, &stamp);
  g_autofree char *end = g_strconcat ("\"inputs\":", now, "}", NULL);
  return now != NULL && stamp == run->priv->cache.stamp && sl_named_files_stayed ()
         && g_str_has_suffix (run->priv->cache.key, end);
}

void
sl_run_cache_keep (SlRun *run)
{
  SlRunCache *cache = &run->priv->cache;
  SlRunPrivate *priv = run->priv;
  if (cache->key == NULL || cache->unfit || priv->told_to_stop || !inputs_are_same (run))
    return;
  g_autoptr (SlCacheEntry) entry = g_new0 (SlCacheEntry, 1);
  g_autoptr (GArray) fds = g_array_new (FALSE, FALSE, sizeof (int));
  entry->fd = -1;
  entry->key = g_strdup (cache->key);
  entry->names = list_names (run);
  entry->names_matter = is_named (cache, entry->names);
  entry->levels = g_array_ref (cache->levels);
  entry->said = g_ptr_array_ref (cache->said);
  entry->outputs = g_array_new (FALSE, TRUE, sizeof (SlCacheOutput));
  add_output (entry, fds, "output", run->out != NULL ? sl_writer_output (run->out) : priv->bytes);
  for (guint i = 0; i < priv->sides->len; i++)
    {
      const SlRunSide *side = &g_array_index (priv->sides, SlRunSide, i);
      add_output (entry, fds, side->option,
                  side->table != NULL ? sl_writer_output (side->table) : side->bytes);
    }
  for (guint i = 0; i < fds->len; i++)
    if (g_array_index (fds, int, i) < 0)
      return;
  /* The result is right without it. */
  g_autoptr (GError) error = NULL;
  if (!sl_cache_entry_write (entry, cache->folder, (const int *) fds->data, &error))
    warn_not_kept (run, error->message);
}

void
sl_run_cache_record (SlRun *run, int level, const char *text)
{
  SlRunCache *cache = &run->priv->cache;
  if (cache->key == NULL)
    return;
  g_mutex_lock (&run->priv->messages.lock);
  g_array_append_val (cache->levels, level);
  g_ptr_array_add (cache->said, g_strdup (text));
  g_mutex_unlock (&run->priv->messages.lock);
}

void
sl_run_cache_clear (SlRun *run)
{
  SlRunCache *cache = &run->priv->cache;
  g_free (cache->folder);
  g_free (cache->key);
  g_free (cache->id);
  g_clear_pointer (&cache->levels, g_array_unref);
  g_clear_pointer (&cache->said, g_ptr_array_unref);
}
