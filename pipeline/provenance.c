/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "provenance.h"

#include "error.h"
#include "json.h"

#include <errno.h>
#include <fcntl.h>
#include <json-glib/json-glib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

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

gboolean
sl_provenance_add_source (SlProvenance *provenance, const char *path, GError **error)
{
  g_autofree char *base = g_path_get_basename (path);
  g_autofree char *name = g_utf8_make_valid (base, -1);
  if (provenance->sources->len > 0)
    g_string_append_c (provenance->sources, ',');
  g_string_append (provenance->sources, "{\"name\":");
  sl_json_string (provenance->sources, name, -1);
  struct stat info;
  int fd = strcmp (path, "-") == 0 ? -1 : open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  gboolean ok = TRUE;
  if (fd >= 0 && fstat (fd, &info) == 0 && S_ISREG (info.st_mode))
    {
      guint64 hash;
      ok = digest (fd, info.st_size, &hash);
      g_string_append_printf (provenance->sources,
                              ",\"size\":%" G_GINT64_FORMAT ",\"xxh3\":\"%016" G_GINT64_MODIFIER
                              "x\"",
                              (gint64) info.st_size, hash);
    }
  if (fd < 0 && strcmp (path, "-") != 0)
    ok = FALSE;
  if (!ok)
    g_set_error (error, SL_ERROR, SL_ERROR_RUNTIME, "%s: cannot be read: %s", name,
                 g_strerror (errno));
  if (fd >= 0)
    (void) close (fd);
  g_string_append_c (provenance->sources, '}');
  return ok;
}

gboolean
sl_provenance_add_input (SlProvenance *provenance, const char *option, const char *history,
                         GError **error)
{
  if (history == NULL)
    return TRUE;
  g_autoptr (JsonParser) parser = json_parser_new ();
  if (!json_parser_load_from_data (parser, history, -1, NULL)
      || json_parser_get_root (parser) == NULL
      || !JSON_NODE_HOLDS_ARRAY (json_parser_get_root (parser)))
    {
      g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
                   "its metadata 'softlabel.provenance' is not a JSON array");
      return FALSE;
    }
  const char *begin = strchr (history, '['), *end = strrchr (history, ']');
  if (option == NULL)
    {
      g_string_append_len (provenance->chain, begin + 1, end - begin - 1);
      return TRUE;
    }
  if (provenance->inputs->len > 0)
    g_string_append_c (provenance->inputs, ',');
  sl_json_string (provenance->inputs, option, -1);
  g_string_append_c (provenance->inputs, ':');
  g_string_append_len (provenance->inputs, begin, end - begin + 1);
  return TRUE;
}

char *
sl_provenance_finish (SlProvenance *provenance, const char *verb, const SlOption *options,
                      const guint64 *seed)
{
  GString *json = g_string_new ("[");
  g_string_append_len (json, provenance->chain->str, (gssize) provenance->chain->len);
  g_autofree char *resolved = sl_options_to_json (options);
  g_string_append_printf (json, "%s{\"verb\":\"%s\",\"version\":\"" SL_VERSION "\",\"options\":%s",
                          provenance->chain->len > 0 ? "," : "", verb, resolved);
  if (seed != NULL)
    g_string_append_printf (json, ",\"seed\":%" G_GUINT64_FORMAT, *seed);
  if (provenance->sources->len > 0)
    g_string_append_printf (json, ",\"sources\":[%s]", provenance->sources->str);
  if (provenance->inputs->len > 0)
    g_string_append_printf (json, ",\"inputs\":{%s}", provenance->inputs->str);
  g_string_append (json, "}]");
  return g_string_free (json, FALSE);
}
