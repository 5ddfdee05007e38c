/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "text-lines.h"

#include <string.h>

#define PIECE_BYTES (1 << 16)

void
sl_text_lines_clear (SlTextLines *lines)
{
  g_clear_pointer (&lines->name, g_free);
  g_clear_pointer (&lines->text, g_free);
  g_clear_pointer (&lines->line, g_free);
}

/* All of SOURCE, with a NUL behind it. */
static char *
read_all (SlRun *run, SlSource *source, gsize *n, GError **error)
{
  g_autofree char *text = NULL;
  gsize room = 0, got;
  for (*n = 0; *n == room; *n += got)
    {
      gsize more = MAX (room, PIECE_BYTES);
      if (!sl_run_claim (run, more, "a list of lines", error))
        return NULL;
      text = g_realloc (text, room + more + 1);
      room += more;
      if (!sl_source_read (source, text + *n, room - *n, &got, error))
        return NULL;
    }
  text[*n] = '\0';
  return g_steal_pointer (&text);
}

static gboolean
split (SlTextLines *lines, SlRun *run, gsize n_bytes, GError **error)
{
  char *at = lines->text, *end = lines->text + n_bytes;
  at += g_str_has_prefix (at, "\xef\xbb\xbf") ? 3 : 0;
  gsize n = 1;
  for (const char *c = at; (c = memchr (c, '\n', (gsize) (end - c))) != NULL; c++)
    n++;
  if (!sl_run_claim_array (run, n, sizeof *lines->line, "a list of lines", error))
    return FALSE;
  lines->line = g_new (const char *, n);
  while (at < end)
    {
      char *stop = memchr (at, '\n', (gsize) (end - at));
      stop = stop != NULL ? stop : end;
      *stop = '\0';
      if (stop > at && stop[-1] == '\r')
        stop[-1] = '\0';
      lines->line[lines->n++] = at;
      at = stop + 1;
    }
  return TRUE;
}

gboolean
sl_text_lines_read (SlTextLines *lines, SlRun *run, const char *option, SlSource *source,
                    GError **error)
{
  gsize n;
  *lines = (SlTextLines){ .name = g_strdup (source->name) };
  lines->text = read_all (run, source, &n, error);
  if (lines->text == NULL)
    return FALSE;
  const char *bad;
  if (strlen (lines->text) < n)
    return sl_error_bad_input (error, "--%s: %s is not text", option, lines->name);
  if (!g_utf8_validate (lines->text, (gssize) n, &bad))
    {
      gint64 line = 1;
      for (const char *c = lines->text; c < bad; c++)
        line += *c == '\n';
      return sl_error_bad_input (error, "--%s: %s: line %" G_GINT64_FORMAT " is not UTF-8", option,
                                 lines->name, line);
    }
  return split (lines, run, n, error);
}
