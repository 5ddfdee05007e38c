/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "provenance.h"

#include "pipeline/base/error.h"
#include "pipeline/base/json.h"
#include "pipeline/base/process/named-files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* The most bytes that the histories of a stage's inputs may take together. There must be a limit,
 * as a table that is joined with itself doubles its history each time. */
#define MAX_BYTES (1 << 20)

/* The depth of a history that goes into another one, three levels deeper; what results can be
 * read. */
#define MAX_INPUT_DEPTH 87

void
sl_provenance_init (SlProvenance *provenance)
{
  provenance->sources = g_string_new (NULL);
  provenance->inputs = g_string_new (NULL);
  provenance->chain = g_string_new (NULL);
}

void
sl_provenance_clear (SlProvenance *provenance)
{
  g_string_free (provenance->sources, TRUE);
  g_string_free (provenance->inputs, TRUE);
  g_string_free (provenance->chain, TRUE);
  g_free (provenance->found);
  g_free (provenance->tags);
  g_free (provenance->shard);
}

static gboolean
digest (int fd, gint64 size, guint64 *hash)
{
  XXH3_state_t *state = XXH3_createState ();
  XXH3_64bits_reset (state);
  gsize room = 1 << 20;
  g_autofree char *bytes = g_malloc (room);
  gint64 at = 0;
  while (at < size)
    {
      gssize n = pread (fd, bytes, (gsize) MIN ((gint64) room, size - at), at);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        break;
      XXH3_64bits_update (state, bytes, (gsize) n);
      at += n;
    }
  *hash = XXH3_64bits_digest (state);
  XXH3_freeState (state);
  return at == size;
}

void
sl_provenance_append_path (GString *json, const char *path)
{
  g_autofree char *name = g_path_is_absolute (path) ? g_path_get_basename (path) : g_strdup (path);
  g_autofree char *valid = g_utf8_make_valid (name, -1);
  sl_json_string (json, valid, -1);
}

/* Appends the file's object to JSON. */
static gboolean
append_file (GString *json, const char *path, GError **error)
{
  g_autofree char *shown = g_filename_display_name (path);
  g_string_append (json, "{\"name\":");
  sl_provenance_append_path (json, path);
  /* A pipe is not opened: its writer would see a reader that comes and goes. */
  struct stat info;
  gboolean is_file = strcmp (path, "-") != 0;
  gboolean ok = !is_file || stat (path, &info) == 0;
  int fd = ok && is_file && S_ISREG (info.st_mode) ? sl_named_file_open (path) : -1;
  if (ok && is_file && S_ISREG (info.st_mode))
    {
      guint64 hash = 0;
      ok = fd >= 0 && digest (fd, info.st_size, &hash);
      g_string_append_printf (
          json, ",\"size\":%" G_GINT64_FORMAT ",\"xxh3\":\"%016" G_GINT64_MODIFIER "x\"",
          (gint64) info.st_size, hash);
    }
  if (!ok)
    sl_error_runtime (error, "%s: cannot be read: %s", shown, g_strerror (errno));
  if (fd >= 0)
    (void) close (fd);
  g_string_append_c (json, '}');
  return ok;
}

gboolean
sl_provenance_add_source (SlProvenance *provenance, const char *path, GError **error)
{
  if (provenance->sources->len > 0)
    g_string_append_c (provenance->sources, ',');
  return append_file (provenance->sources, path, error);
}

static void
begin_input (SlProvenance *provenance, const char *option)
{
  if (provenance->inputs->len > 0)
    g_string_append_c (provenance->inputs, ',');
  sl_json_string (provenance->inputs, option, -1);
  g_string_append_c (provenance->inputs, ':');
}

gboolean
sl_provenance_add_file (SlProvenance *provenance, const char *option, const char *path,
                        GError **error)
{
  begin_input (provenance, option);
  return append_file (provenance->inputs, path, error);
}

gboolean
sl_provenance_read (SlJsonParser *parser, const char *history, SlJson *stages)
{
  if (sl_json_parse_text (parser, history, stages) != NULL
      || sl_json_type (*stages) != SL_JSON_ARRAY)
    return FALSE;
  for (SlJsonEach each = sl_json_each (*stages); sl_json_each_next (&each);)
    if (sl_json_type (each.value) != SL_JSON_OBJECT)
      return FALSE;
  return TRUE;
}

/* Why HISTORY, an array without spaces about it, cannot be kept; NULL where it can. */
static const char *
find_problem (const SlProvenance *provenance, const char *option, const char *history)
{
  g_autoptr (SlJsonParser) parser = sl_json_parser_new ();
  SlJson stages;
  gsize kept = provenance->chain->len + provenance->inputs->len;
  gboolean too_long = kept + strlen (history) > MAX_BYTES;
  if (!too_long && !sl_provenance_read (parser, history, &stages))
    return "its history is not in the form that softlabel writes";
  if (too_long || (option != NULL && sl_json_depth (stages) > MAX_INPUT_DEPTH))
    return "its history is too long to be kept";
  return NULL;
}

const char *
sl_provenance_add_input (SlProvenance *provenance, const char *option, const char *history)
{
  g_autofree char *array = g_strstrip (g_strdup (history != NULL ? history : "[]"));
  const char *problem = find_problem (provenance, option, array);
  if (option == NULL && problem == NULL)
    {
      g_autofree char *entries = g_strstrip (g_strndup (array + 1, strlen (array) - 2));
      g_string_append (provenance->chain, entries);
    }
  if (option == NULL)
    return problem;
  /* Of several tables, one without a history still has its place. */
  begin_input (provenance, option);
  g_string_append (provenance->inputs, problem == NULL ? array : "[]");
  return problem;
}

void
sl_provenance_set_found (SlProvenance *provenance, const char *found)
{
  g_free (provenance->found);
  provenance->found = g_strdup (found);
}

void
sl_provenance_set_tags (SlProvenance *provenance, const char *tags)
{
  g_free (provenance->tags);
  provenance->tags = g_strdup (tags);
}

void
sl_provenance_set_shard (SlProvenance *provenance, const char *shard)
{
  g_free (provenance->shard);
  provenance->shard = g_strdup (shard);
}

char *
sl_provenance_finish (SlProvenance *provenance, const char *verb, const SlOptions *options,
                      const guint64 *seed)
{
  GString *json = g_string_new ("[");
  g_string_append_len (json, provenance->chain->str, (gssize) provenance->chain->len);
  g_autofree char *resolved = sl_options_to_json (options);
  g_string_append_printf (json, "%s{\"verb\":\"%s\",\"version\":\"" SL_VERSION "\",\"options\":%s",
                          provenance->chain->len > 0 ? "," : "", verb, resolved);
  if (seed != NULL)
    g_string_append_printf (json, ",\"seed\":%" G_GUINT64_FORMAT, *seed);
  if (provenance->shard != NULL)
    {
      sl_json_member (json, "shard");
      sl_json_string (json, provenance->shard, -1);
    }
  if (provenance->tags != NULL)
    g_string_append_printf (json, ",\"tags\":%s", provenance->tags);
  if (provenance->sources->len > 0)
    g_string_append_printf (json, ",\"sources\":[%s]", provenance->sources->str);
  if (provenance->inputs->len > 0)
    g_string_append_printf (json, ",\"inputs\":{%s}", provenance->inputs->str);
  if (provenance->found != NULL)
    g_string_append_printf (json, ",\"found\":%s", provenance->found);
  g_string_append (json, "}]");
  return g_string_free (json, FALSE);
}
