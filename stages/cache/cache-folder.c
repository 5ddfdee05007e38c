/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cache-folder.h"

#include <string.h>

const char *
sl_cache_named (const SlRun *run, GError **error)
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

GPtrArray *
sl_cache_entries (const char *folder, guint *damaged, GError **error)
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

char *
sl_cache_bytes_text (gint64 bytes)
{
  return g_format_size_full ((guint64) bytes, G_FORMAT_SIZE_IEC_UNITS);
}

char *
sl_cache_age_text (gint64 seconds)
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
