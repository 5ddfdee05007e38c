/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rejected-rows.h"

#include "pipeline/base/csv-field.h"

#include <string.h>

#define TEXT_BYTES (1 << 16)

gboolean
sl_rejected_rows_start (SlRejectedRows *rejected, SlRun *run, const char *path, GError **error)
{
  *rejected = (SlRejectedRows){ .run = run, .path = path };
  if (path == NULL)
    return TRUE;
  rejected->text = g_string_new ("file,row,reason,record\n");
  rejected->out = sl_run_side_file (run, path, error);
  return rejected->out != NULL;
}

void
sl_rejected_rows_clear (SlRejectedRows *rejected)
{
  if (rejected->text != NULL)
    g_string_free (rejected->text, TRUE);
  g_free (rejected->first);
}

static gboolean
flush (SlRejectedRows *rejected, GError **error)
{
  if (!sl_output_write (rejected->out, rejected->text->str, rejected->text->len, error))
    return FALSE;
  g_string_truncate (rejected->text, 0);
  return TRUE;
}

gboolean
sl_rejected_rows_add (SlRejectedRows *rejected, const char *file, gint64 row, const char *reason,
                      const char *record, gsize length, GError **error)
{
  if (rejected->path == NULL)
    return sl_error_bad_input (
        error, "%s: row %" G_GINT64_FORMAT ": %s (--rejects FILE puts bad rows aside)", file, row,
        reason);
  if (rejected->n++ == 0)
    rejected->first = g_strdup_printf ("%s: row %" G_GINT64_FORMAT ": %s", file, row, reason);
  sl_csv_append_quoted (rejected->text, file, strlen (file));
  g_string_append_printf (rejected->text, ",%" G_GINT64_FORMAT ",", row);
  sl_csv_append_quoted (rejected->text, reason, strlen (reason));
  g_string_append_c (rejected->text, ',');
  sl_csv_append_quoted (rejected->text, record, length);
  g_string_append_c (rejected->text, '\n');
  return rejected->text->len < TEXT_BYTES || flush (rejected, error);
}

gboolean
sl_rejected_rows_end (SlRejectedRows *rejected, gint64 n_good, GError **error)
{
  if (rejected->path == NULL || !flush (rejected, error))
    return rejected->path == NULL;
  if (rejected->n > 0 && n_good == 0)
    return sl_error_bad_input (error, "every row is bad; %s", rejected->first);
  if (rejected->n > 0)
    sl_run_warn (rejected->run, "%" G_GINT64_FORMAT " bad row%s put aside in %s; the first: %s",
                 rejected->n, rejected->n == 1 ? "" : "s", rejected->path, rejected->first);
  return TRUE;
}
