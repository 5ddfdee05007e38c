/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "arrow-end.h"

#include "pipeline/base/error.h"

#include <string.h>

/* The end of an Arrow file: the footer's length, and the magic. */
#define END 10

static gboolean
more_follows (GError **error)
{
  g_set_error (
      error, SL_ERROR, SL_ERROR_INPUT,
      "has bytes after the end of the table (two tables run together? use `softlabel cat`)");
  return FALSE;
}

/* A footer is as long as its last bytes say. */
static gboolean
check_footer (const guint8 *end, gint64 length, GError **error)
{
  if (length < END || memcmp (end + 4, "ARROW1", 6) != 0)
    return sl_error_bad_input (error, "ends before the end of its footer: the file was cut short");
  gint64 said = end[0] | end[1] << 8 | end[2] << 16 | (gint64) end[3] << 24;
  return said == length - END || more_follows (error);
}

gboolean
sl_arrow_end_check (GInputStream *input, gboolean is_file_format, GError **error)
{
  guint8 bytes[4096], end[END] = { 0 };
  gint64 length = 0;
  for (;;)
    {
      gsize n = 0;
      if (!g_input_stream_read_all (input, bytes, is_file_format ? sizeof bytes : 1, &n, NULL,
                                    error))
        return FALSE;
      if (n == 0)
        return !is_file_format || check_footer (end, length, error);
      if (!is_file_format)
        return more_follows (error);
      /* The last END bytes of what has come so far. */
      gsize fresh = MIN (n, END);
      memmove (end, end + fresh, END - fresh);
      memcpy (end + END - fresh, bytes + n - fresh, fresh);
      length += (gint64) n;
    }
}
