/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cache-entry.h"

#include "pipeline/base/error.h"
#include "pipeline/base/folder-names.h"
#include "pipeline/base/json.h"
#include "pipeline/base/json-value.h"
#include "pipeline/base/texts.h"
#include "content-digest.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "softlabel-cache 1\n"
#define ENDING ".entry"
#define ID_LENGTH 32
#define CHUNK (1 << 20)
#define MOST_HEADER (1 << 26)
#define MOST_LEVEL 3 /* of what is said */

void
sl_cache_entry_free (SlCacheEntry *entry)
{
  if (entry == NULL)
    return;
  if (entry->fd >= 0)
    (void) close (entry->fd);
  g_free (entry->path);
  g_free (entry->id);
  g_free (entry->key);
  g_strfreev (entry->names);
  g_clear_pointer (&entry->levels, g_array_unref);
  g_clear_pointer (&entry->said, g_ptr_array_unref);
  for (guint i = 0; entry->outputs != NULL && i < entry->outputs->len; i++)
    g_free (g_array_index (entry->outputs, SlCacheOutput, i).option);
  g_clear_pointer (&entry->outputs, g_array_unref);
  g_free (entry);
}

char *
sl_cache_id (const char *key)
{
  char id[ID_LENGTH + 1];
  sl_content_of_text (key, strlen (key), id);
  return g_strdup (id);
}

static char *
path_of (const char *folder, const char *id)
{
  g_autofree char *name = g_strconcat (id, ENDING, NULL);
  return g_build_filename (folder, name, NULL);
}

gboolean
sl_cache_folder (const char *folder, gboolean make, GError **error)
{
  g_autofree char *shown = g_filename_display_name (folder);
  if (g_file_test (folder, G_FILE_TEST_IS_DIR))
    return TRUE;
  if (!make)
    return sl_error_runtime (error, "%s: there is no such cache", shown);
  if (g_mkdir_with_parents (folder, 0777) != 0)
    return sl_error_runtime (error, "%s: cannot be a cache: %s", shown, g_strerror (errno));
  /* Programs that make backups leave out what has this (bford.info/cachedir). */
  g_autofree char *tag = g_build_filename (folder, "CACHEDIR.TAG", NULL);
  (void) g_file_set_contents (tag, "Signature: 8a477f597d28d172789f06886806bc55\n", -1, NULL);
  return TRUE;
}

static gboolean
is_id (const char *name)
{
  return strspn (name, "0123456789abcdef") == ID_LENGTH && strcmp (name + ID_LENGTH, ENDING) == 0;
}

GPtrArray *
sl_cache_ids (const char *folder, GError **error)
{
  if (!sl_cache_folder (folder, FALSE, error))
    return NULL;
  g_autoptr (GPtrArray) names = sl_folder_names (folder, "", error);
  if (names == NULL)
    return NULL;
  GPtrArray *ids = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < names->len; i++)
    if (is_id (names->pdata[i]))
      g_ptr_array_add (ids, g_strndup (names->pdata[i], ID_LENGTH));
  g_ptr_array_sort (ids, sl_compare_texts);
  return ids;
}

/* The lines before the outputs, *LENGTH bytes; NULL where they are not whole. */
static char *
read_header (int fd, gsize *length)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *bytes = g_malloc (CHUNK);
  while (text->len < MOST_HEADER)
    {
      gssize n = pread (fd, bytes, 1 << 16, (gint64) text->len);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return NULL;
      g_string_append_len (text, bytes, n);
      gsize at = 0;
      int lines = 0;
      for (const char *end; lines < 4 && (end = memchr (text->str + at, '\n', text->len - at));
           lines++)
        at = (gsize) (end - text->str) + 1;
      *length = at;
      if (lines == 4)
        return g_strndup (text->str, at);
    }
  return NULL;
}

/* Whatever stands in an entry: anybody may have written it, and its digest. */
static gboolean
read_texts (SlJson list, char ***texts)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  for (SlJsonEach each = sl_json_each (list); sl_json_each_next (&each);)
    {
      SlCell text = sl_json_text (each.value);
      if (text.text == NULL)
        return FALSE;
      g_autofree char *copy = g_strndup (text.text, text.n);
      g_strv_builder_add (builder, copy);
    }
  *texts = g_strv_builder_end (builder);
  return sl_json_type (list) == SL_JSON_ARRAY;
}

static gboolean
read_said (SlCacheEntry *entry, SlJson list)
{
  entry->levels = g_array_new (FALSE, FALSE, sizeof (int));
  entry->said = g_ptr_array_new_with_free_func (g_free);
  for (SlJsonEach each = sl_json_each (list); sl_json_each_next (&each);)
    {
      SlJsonEach parts = sl_json_each (each.value);
      double level = sl_json_each_next (&parts) ? sl_json_number (parts.value) : NAN;
      SlCell text = sl_json_each_next (&parts) ? sl_json_text (parts.value) : (SlCell){ NULL, 0 };
      int number = level >= 0 && level <= MOST_LEVEL ? (int) level : -1;
      if (number < 0 || text.text == NULL)
        return FALSE;
      g_array_append_val (entry->levels, number);
      g_ptr_array_add (entry->said, g_strndup (text.text, text.n));
    }
  return sl_json_type (list) == SL_JSON_ARRAY;
}

static gboolean
read_outputs (SlCacheEntry *entry, SlJson list, gsize header)
{
  gint64 at = (gint64) header;
  entry->outputs = g_array_new (FALSE, TRUE, sizeof (SlCacheOutput));
  for (SlJsonEach each = sl_json_each (list); sl_json_each_next (&each);)
    {
      SlCell option = sl_json_text (sl_json_get (each.value, "option"));
      SlCell xxh3 = sl_json_text (sl_json_get (each.value, "xxh3"));
      double size = sl_json_number (sl_json_get (each.value, "size"));
      SlCacheOutput one = { .at = at };
      if (option.text == NULL || xxh3.n != sizeof one.xxh3 - 1
          || !(size >= 0 && size <= (double) (entry->size - at)))
        return FALSE;
      one.size = (gint64) size;
      one.option = g_strndup (option.text, option.n);
      memcpy (one.xxh3, xxh3.text, xxh3.n);
      g_array_append_val (entry->outputs, one);
      at += one.size;
    }
  return at == entry->size;
}

static gboolean
read_rest (SlCacheEntry *entry, const char *rest, gsize header)
{
  g_autoptr (SlJsonParser) parser = sl_json_parser_new ();
  SlJson object;
  if (sl_json_parse_cell (parser, (SlCell){ rest, strlen (rest) }, &object) != NULL)
    return FALSE;
  entry->names_matter = sl_json_is_true (sl_json_get (object, "names_matter"));
  return read_texts (sl_json_get (object, "names"), &entry->names)
         && read_said (entry, sl_json_get (object, "said"))
         && read_outputs (entry, sl_json_get (object, "outputs"), header);
}

static gboolean
is_key (const char *text)
{
  g_autoptr (SlJsonParser) parser = sl_json_parser_new ();
  SlJson key;
  return sl_json_parse_cell (parser, (SlCell){ text, strlen (text) }, &key) == NULL
         && sl_json_text (sl_json_get (key, "verb")).text != NULL;
}

static gboolean
read_entry (SlCacheEntry *entry)
{
  struct stat info;
  gsize n;
  g_autofree char *header = fstat (entry->fd, &info) == 0 ? read_header (entry->fd, &n) : NULL;
  if (header == NULL || !g_str_has_prefix (header, MAGIC))
    return FALSE;
  entry->size = info.st_size;
  entry->used = info.st_mtim.tv_sec;
  g_auto (GStrv) lines = g_strsplit (header, "\n", 5);
  char xxh3[33];
  const char *told = header + strlen (MAGIC) + strlen (lines[1]) + 1;
  sl_content_of_text (told, strlen (told), xxh3);
  if (strcmp (xxh3, lines[1]) != 0)
    return FALSE;
  entry->key = g_strdup (lines[2]);
  return is_key (entry->key) && read_rest (entry, lines[3], n);
}

SlCacheEntry *
sl_cache_entry_open (const char *folder, const char *id, gboolean *damaged)
{
  g_autoptr (SlCacheEntry) entry = g_new0 (SlCacheEntry, 1);
  entry->path = path_of (folder, id);
  entry->id = g_strdup (id);
  entry->fd = open (entry->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  *damaged = entry->fd >= 0 && !read_entry (entry);
  return entry->fd >= 0 && !*damaged ? g_steal_pointer (&entry) : NULL;
}

void
sl_cache_entry_close (SlCacheEntry *entry)
{
  (void) close (entry->fd);
  entry->fd = -1;
}

gboolean
sl_cache_entry_is_sound (const SlCacheEntry *entry)
{
  for (guint i = 0; i < entry->outputs->len; i++)
    {
      const SlCacheOutput *output = &g_array_index (entry->outputs, SlCacheOutput, i);
      SlContent content;
      if (!sl_content_of (entry->fd, output->at, output->size, &content)
          || content.size != output->size || strcmp (content.xxh3, output->xxh3) != 0)
        return FALSE;
    }
  return TRUE;
}

/* Hands SIZE bytes of FD from AT on to PUT. */
static gboolean
copy_bytes (int fd, gint64 at, gint64 size, gboolean (*put) (gpointer to, const char *, gsize),
            gpointer to)
{
  g_autofree char *bytes = g_malloc (CHUNK);
  for (gint64 end = at + size; at < end;)
    {
      gssize n = pread (fd, bytes, (gsize) MIN (end - at, CHUNK), at);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0 || !put (to, bytes, (gsize) n))
        return FALSE;
      at += n;
    }
  return TRUE;
}

static gboolean
put_output (gpointer to, const char *bytes, gsize n)
{
  return sl_output_write (to, bytes, n, NULL);
}

gboolean
sl_cache_entry_copy (const SlCacheEntry *entry, guint i, SlOutput *output, GError **error)
{
  const SlCacheOutput *from = &g_array_index (entry->outputs, SlCacheOutput, i);
  return copy_bytes (entry->fd, from->at, from->size, put_output, output)
         || sl_output_fail (output, NULL, error);
}

void
sl_cache_entry_touch (const SlCacheEntry *entry)
{
  (void) futimens (entry->fd, NULL);
}

gboolean
sl_cache_remove (const char *folder, const char *id)
{
  g_autofree char *path = path_of (folder, id);
  return g_unlink (path) == 0 || errno == ENOENT;
}

static gboolean
append_outputs (GString *json, const SlCacheEntry *entry, const int *fds)
{
  for (guint i = 0; i < entry->outputs->len; i++)
    {
      SlContent content;
      if (!sl_content_of (fds[i], 0, -1, &content))
        return FALSE;
      SlCacheOutput *output = &g_array_index (entry->outputs, SlCacheOutput, i);
      output->size = content.size;
      g_string_append (json, i > 0 ? ",{" : "{");
      sl_json_member (json, "option");
      sl_json_string (json, output->option, -1);
      g_string_append_printf (json, ",\"size\":%" G_GINT64_FORMAT ",\"xxh3\":\"%s\"}", content.size,
                              content.xxh3);
    }
  return TRUE;
}

/* All lines before the outputs' bytes. */
static char *
make_header (const SlCacheEntry *entry, const int *fds)
{
  g_autoptr (GString) told = g_string_new (entry->key);
  g_string_append (told, "\n{\"names\":[");
  for (char **name = entry->names; *name != NULL; name++)
    {
      g_string_append (told, name > entry->names ? "," : "");
      sl_json_string (told, *name, -1);
    }
  g_string_append_printf (told, "],\"names_matter\":%s,\"said\":[",
                          entry->names_matter ? "true" : "false");
  for (guint i = 0; i < entry->said->len; i++)
    {
      g_string_append_printf (told, "%s[%d,", i > 0 ? "," : "",
                              g_array_index (entry->levels, int, i));
      sl_json_string (told, entry->said->pdata[i], -1);
      g_string_append_c (told, ']');
    }
  g_string_append (told, "],\"outputs\":[");
  if (!append_outputs (told, entry, fds))
    return NULL;
  g_string_append (told, "]}\n");
  char xxh3[33];
  sl_content_of_text (told->str, told->len, xxh3);
  return g_strconcat (MAGIC, xxh3, "\n", told->str, NULL);
}

gboolean
sl_cache_entry_write (const SlCacheEntry *entry, const char *folder, const int *fds, GError **error)
{
  g_autofree char *id = sl_cache_id (entry->key), *path = path_of (folder, id);
  g_autofree char *header = make_header (entry, fds);
  if (header == NULL)
    return sl_error_runtime (error, "an output cannot be read again: %s", g_strerror (errno));
  /* Not synced: an entry that a power cut has damaged is not served. */
  g_autoptr (SlOutput) file = sl_output_new (path, error);
  if (file == NULL || !sl_output_write (file, header, strlen (header), error))
    return FALSE;
  for (guint i = 0; i < entry->outputs->len; i++)
    if (!copy_bytes (fds[i], 0, g_array_index (entry->outputs, SlCacheOutput, i).size, put_output,
                     file))
      return sl_output_fail (file, NULL, error);
  return sl_output_commit (file, error);
}
