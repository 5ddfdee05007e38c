/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rejects.h"

#include <string.h>

#define TEXT_BYTES (1 << 16)

gboolean
sl_rejects_start (SlRejects *rejects, SlRun *run, const char *path, GError **error)
{
  *rejects = (SlRejects){ .run = run, .path = path };
  if (path == NULL)
    return TRUE;
  rejects->text = g_string_new ("file,row,reason,record\n");
  rejects->out = sl_run_side_file (run, path, error);
  return rejects->out != NULL;
}

void
sl_rejects_clear (SlRejects *rejects)
{
  if (rejects->text != NULL)
    g_string_free (rejects->text, TRUE);
  g_free (rejects->first);
}

static gboolean
flush (SlRejects *rejects, GError **error)
{
  if (!sl_output_write (rejects->out, rejects->text->str, rejects->text->len, error))
    return FALSE;
  g_string_truncate (rejects->text, 0);
  return TRUE;
}

static void
append_quoted (GString *text, const char *field, gsize n)
{
  g_string_append_c (text, '"');
  for (gsize i = 0; i < n; i++)
    {
      if (field[i] == '"')
        g_string_append_c (text, '"');
      g_string_append_c (text, field[i]);
    }
  g_string_append_c (text, '"');
}

gboolean
sl_rejects_add (SlRejects *rejects, const char *file, gint64 row, const char *reason,
                const char *record, gsize length, GError **error)
{
  if (rejects->path == NULL)
    {
      g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
                   "%s: row %" G_GINT64_FORMAT ": %s (--rejects FILE puts bad rows aside)", file,
                   row, reason);
      return FALSE;
    }
  if (rejects->n++ == 0)
    rejects->first = g_strdup_printf ("%s: row %" G_GINT64_FORMAT ": %s", file, row, reason);
  append_quoted (rejects->text, file, strlen (file));
  g_string_append_printf (rejects->text, ",%" G_GINT64_FORMAT ",", row);
  append_quoted (rejects->text, reason, strlen (reason));
  g_string_append_c (rejects->text, ',');
  append_quoted (rejects->text, record, length);
  g_string_append_c (rejects->text, '\n');
  return rejects->text->len < TEXT_BYTES || flush (rejects, error);
}

gboolean
sl_rejects_end (SlRejects *rejects, gint64 n_good, GError **error)
{
  if (rejects->path == NULL || !flush (rejects, error))
    return rejects->path == NULL;
  if (rejects->n > 0 && n_good == 0)
    {
      g_set_error (error, SL_ERROR, SL_ERROR_INPUT, "every row is bad; %s", rejects->first);
      return FALSE;
    }
  if (rejects->n > 0)
    sl_run_warn (rejects->run, "%" G_GINT64_FORMAT " bad row%s put aside in %s; the first: %s",
                 rejects->n, rejects->n == 1 ? "" : "s", rejects->path, rejects->first);
  return TRUE;
}
