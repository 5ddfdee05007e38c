/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The CSV reader against one that looks at a byte at a time: the same fields, the same bad lines,
 * whatever the size of blocks and the number of threads. */
#include "pipeline/text/csv.h"
#include "fuzz.h"

#include <string.h>

/* Fields of good records in their order, each followed by \1, records by \2; lines of bad ones. */
typedef struct
{
  GString *good, *bad;
} Seen;

static gpointer
piece_new (gpointer data)
{
  (void) data;
  return g_string_new (NULL);
}

static void
piece_free (gpointer piece)
{
  g_string_free (piece, TRUE);
}

static void
parse (SlCsvRows *rows, gpointer piece, gpointer data)
{
  (void) data;
  sl_csv_rows_drop_bad (rows);
  for (guint32 r = 0; r < rows->n; r++)
    {
      for (int c = 0; c < rows->n_columns; c++)
        {
          gsize n;
          const char *field = sl_csv_field (rows, c, r, &n);
          g_string_append_len (piece, field, (gssize) n);
          g_string_append_c (piece, '\1');
        }
      g_string_append_c (piece, '\2');
    }
}

static gboolean
bad (gint64 row, const char *reason, const char *record, gsize length, gpointer data,
     GError **error)
{
  Seen *seen = data;
  (void) reason, (void) record, (void) length, (void) error;
  g_string_append_printf (seen->bad, "%" G_GINT64_FORMAT "\n", row);
  return TRUE;
}

static gboolean
emit (gpointer *piece, gpointer data, GError **error)
{
  Seen *seen = data;
  GString *text = *piece;
  (void) error;
  g_string_append_len (seen->good, text->str, (gssize) text->len);
  g_string_truncate (text, 0);
  return TRUE;
}

static void
seen_init (Seen *seen)
{
  seen->good = g_string_new (NULL);
  seen->bad = g_string_new (NULL);
}

static void
seen_clear (Seen *seen)
{
  g_string_free (seen->good, TRUE);
  g_string_free (seen->bad, TRUE);
}

/* The end of the record that begins at AT, that of its newline; its fields' ends, separators and
 * newline alike, are added to ENDS. N where a mark is never closed. */
static gsize
record_end (const char *text, gsize at, gsize n, char separator, GArray *ends)
{
  gboolean quoted = FALSE, may_open = TRUE;
  for (; at < n; at++)
    {
      gboolean breaks = !quoted && (text[at] == separator || text[at] == '\n');
      gboolean closes = quoted && text[at] == '"';
      if (breaks)
        g_array_append_val (ends, at);
      if (breaks && text[at] == '\n')
        return at;
      quoted = closes ? FALSE : quoted || (text[at] == '"' && may_open);
      may_open = breaks || closes;
    }
  return n;
}

/* FIELD[n] with its quotes undone, and \1; FALSE where they are wrong. */
static gboolean
put_field (GString *out, const char *field, gsize n)
{
  gboolean quotes = n > 0 && field[0] == '"';
  if (quotes && (n < 2 || field[n - 1] != '"'))
    return FALSE;
  for (gsize i = quotes; i + quotes < n; i++)
    {
      if (quotes && field[i] == '"' && (i + 2 >= n || field[++i] != '"'))
        return FALSE;
      g_string_append_c (out, field[i]);
    }
  g_string_append_c (out, '\1');
  return TRUE;
}

static gboolean
put_record (GString *out, const char *text, gsize at, gsize end, const GArray *ends)
{
  for (guint f = 0; f < ends->len; f++)
    {
      gsize to = f + 1 == ends->len ? end : g_array_index (ends, gsize, f);
      if (!put_field (out, text + at, to - at))
        return FALSE;
      at = to + 1;
    }
  g_string_append_c (out, '\2');
  return TRUE;
}

/* TEXT[n], which ends with a newline, as records of N_FIELDS. */
static void
read_plainly (Seen *seen, const char *text, gsize n, char separator, guint n_fields)
{
  g_autoptr (GArray) ends = g_array_new (FALSE, FALSE, sizeof (gsize));
  gint64 line = 1;
  for (gsize at = 0, newline; at < n; at = newline + 1, g_array_set_size (ends, 0))
    {
      newline = record_end (text, at, n, separator, ends);
      gsize end = newline, length = seen->good->len;
      while (end > at && text[end - 1] == '\r' && newline < n)
        end--;
      gboolean empty = end == at && newline < n && (ends->len == 1);
      gboolean right = newline < n && ends->len == n_fields
                       && put_record (seen->good, text, at, end, ends)
                       && g_utf8_validate_len (text + at, end - at, NULL);
      if (!right || empty)
        g_string_truncate (seen->good, length);
      if (!right && !empty)
        g_string_append_printf (seen->bad, "%" G_GINT64_FORMAT "\n", line);
      for (gsize i = at; i <= newline && i < n; i++)
        line += text[i] == '\n';
    }
}

static void
expect (const GString *a, const GString *b, const char *what, gsize block)
{
  if (a->len != b->len || memcmp (a->str, b->str, a->len) != 0)
    sl_fuzz_fail ("%s differ with blocks of %" G_GSIZE_FORMAT ":\n%.*s\nand read plainly\n%.*s",
                  what, block, (int) MIN (a->len, 2000), a->str, (int) MIN (b->len, 2000), b->str);
}

static void
compare (const char *text, gsize n, gsize block, int threads)
{
  static const SlCsvHandler handler = { piece_new, piece_free, parse, bad, emit };
  g_autoptr (GError) error = NULL;
  g_autoptr (SlCsv) csv = sl_csv_open ("in.csv", &error);
  if (csv == NULL)
    return;
  g_autofree int *columns = g_new (int, csv->n_fields);
  for (int i = 0; i < csv->n_fields; i++)
    columns[i] = i;
  csv->block = block;
  Seen seen, plain;
  seen_init (&seen);
  seen_init (&plain);
  gsize mark = n >= 3 && memcmp (text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  read_plainly (&plain, text + mark, n - mark, csv->separator, (guint) csv->n_fields);
  if (!sl_csv_each (csv, columns, csv->n_fields, threads, &handler, &seen, &error))
    sl_fuzz_fail ("%s", error->message);
  expect (seen.bad, plain.bad, "bad lines", block);
  expect (seen.good, plain.good, "fields", block);
  seen_clear (&seen);
  seen_clear (&plain);
}

/* Where no line ends in a newline but the last one, each ends in a return. */
static void
take_returns (GString *text)
{
  const char *newline = memchr (text->str, '\n', text->len);
  gsize alone = 0;
  if (newline != NULL && newline + 1 < text->str + text->len)
    return;
  for (gsize i = 0; i < text->len; i++)
    alone += text->str[i] == '\r' && text->str + i + 1 != newline;
  for (gsize i = 0; i < text->len && alone > 0; i++)
    if (text->str[i] == '\r')
      text->str[i] = '\n';
}

void
sl_fuzz_csv_plain (const guint8 *data, gsize size)
{
  g_autoptr (GString) text = g_string_new_len ((const char *) data, (gssize) size);
  sl_fuzz_write ("in.csv", data, size);
  take_returns (text);
  if (text->len > 0 && text->str[text->len - 1] != '\n')
    g_string_append_c (text, '\n');
  compare (text->str, text->len, 1 << 18, 1);
  compare (text->str, text->len, 64 + size % 193, 1);
  compare (text->str, text->len, 64, 3);
}
