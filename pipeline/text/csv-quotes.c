/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "csv-quotes.h"

#include <string.h>

gboolean
sl_csv_quotes_right (const char *field, gsize n, gsize *n_doubled)
{
  *n_doubled = 0;
  if (n < 2 || field[n - 1] != '"')
    return FALSE;
  const char *end = field + n - 1;
  for (const char *mark = field + 1; (mark = memchr (mark, '"', (gsize) (end - mark))) != NULL;
       mark += 2)
    {
      if (mark + 1 == end || mark[1] != '"')
        return FALSE;
      ++*n_doubled;
    }
  return TRUE;
}

gsize
sl_csv_undo_quotes (const char *field, gsize n, char *out)
{
  gsize length = 0;
  for (gsize i = 1; i + 1 < n; i++)
    {
      char c = field[i];
      out[length++] = c;
      i += c == '"';
    }
  return length;
}

/* One field, its quotes undone, is added to FIELDS; returns NULL, or what is wrong. */
static const char *
add_field (const char *text, gsize n, GPtrArray *fields)
{
  gsize n_doubled;
  char *field = g_strndup (text, n);
  g_ptr_array_add (fields, field);
  if (!g_utf8_validate_len (text, n, NULL))
    return SL_CSV_NOT_UTF8;
  if (field[0] != '"')
    return NULL;
  if (!sl_csv_quotes_right (field, n, &n_doubled))
    return SL_CSV_AFTER_QUOTE;
  field[sl_csv_undo_quotes (field, n, field)] = '\0';
  return NULL;
}

const char *
sl_csv_split_one (char separator, const char *data, gsize n, GPtrArray *fields)
{
  guint32 ends[128], lines[128];
  SlCsvMarks marks = { ends, lines, 0, 0, G_N_ELEMENTS (ends) };
  SlCsvScan scan = sl_csv_scan_start (separator);
  guint32 start = 0;
  for (gsize position = 0; position < n;)
    {
      position = sl_csv_scan (&scan, data, position, n, &marks);
      for (gsize i = 0; i < marks.n_ends; i++)
        {
          gboolean last = ends[i] + 1 == n;
          guint32 end = last ? sl_csv_without_return (data, start, ends[i]) : ends[i];
          const char *problem = add_field (data + start, end - start, fields);
          if (problem != NULL)
            return problem;
          start = ends[i] + 1;
        }
      marks.n_ends = marks.n_lines = 0;
    }
  return start < n ? SL_CSV_UNCLOSED : NULL;
}
