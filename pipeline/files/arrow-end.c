/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "arrow-end.h"

#include "pipeline/base/error.h"
#include "pipeline/base/xxh3.h"
#include "file-seal.h"

#include <string.h>

/* The end of an Arrow file: the footer's length, and the magic. */
#define END 10

/* What follows the stream in an Arrow file, as it comes. */
typedef struct
{
  SlSeal seal; /* its first bytes, if it is one */
  guint8 end[END];
  XXH3_state_t rest; /* what follows the seal */
  gint64 length;
} Tail;

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
check_footer (const Tail *tail, GError **error)
{
  const guint8 *end = tail->end;
  if (tail->length < END || memcmp (end + 4, "ARROW1", 6) != 0)
    return sl_error_bad_input (error, "ends before the end of its footer: the file was cut short");
  gint64 said = end[0] | end[1] << 8 | end[2] << 16 | (gint64) end[3] << 24;
  gint64 seal = tail->length > (gint64) sizeof tail->seal && sl_seal_is_there (&tail->seal)
                    ? (gint64) sizeof tail->seal
                    : 0;
  if (said != tail->length - END - seal)
    return more_follows (error);
  if (seal > 0 && XXH3_64bits_digest (&tail->rest) != tail->seal.footer)
    return sl_error_bad_input (error, "is damaged in its footer");
  return TRUE;
}

static void
add_to_tail (Tail *tail, const guint8 *bytes, gsize n)
{
  gsize before = (gsize) MIN (tail->length, (gint64) sizeof tail->seal);
  gsize of_seal = MIN (n, sizeof tail->seal - before), fresh = MIN (n, END);
  memcpy ((guint8 *) &tail->seal + before, bytes, of_seal);
  XXH3_64bits_update (&tail->rest, bytes + of_seal, n - of_seal);
  memmove (tail->end, tail->end + fresh, END - fresh);
  memcpy (tail->end + END - fresh, bytes + n - fresh, fresh);
  tail->length += (gint64) n;
}

gboolean
sl_arrow_end_check (GInputStream *input, gboolean is_file_format, GError **error)
{
  guint8 bytes[4096];
  Tail tail = { .length = 0 };
  XXH3_64bits_reset (&tail.rest);
  for (;;)
    {
      gsize n = 0;
      if (!g_input_stream_read_all (input, bytes, is_file_format ? sizeof bytes : 1, &n, NULL,
                                    error))
        return FALSE;
      if (n == 0)
        return !is_file_format || check_footer (&tail, error);
      if (!is_file_format)
        return more_follows (error);
      add_to_tail (&tail, bytes, n);
    }
}
