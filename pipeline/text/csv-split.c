/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A block is split a few thousand fields at a time, so that the places of separators, the text and
 * what is made of it stay in a core's cache. Where the r-th newline is also the r * n_fields-th
 * separator, the records so far have as many fields as they should; so whole runs of records are
 * checked with one comparison each, and their fields are then taken column by column. */
#include "csv-split.h"

#include "csv-scan.h"

#include <string.h>

/* ---- rows of a block ---- */

void
sl_csv_block_reserve (SlCsvBlock *block, gsize room)
{
  if (room <= block->room)
    return;
  block->data = g_realloc (block->data, room + SL_CSV_PADDING);
  memset (block->data + room, 0, SL_CSV_PADDING);
  block->room = room;
}

static void
bad_clear (gpointer bad)
{
  g_free (((SlCsvBad *) bad)->reason);
}

static void
csv_rows_init (SlCsvRows *rows, int n_columns, gsize most)
{
  rows->n_columns = n_columns;
  rows->start = g_new (guint32 *, n_columns);
  rows->end = g_new (guint32 *, n_columns);
  for (int c = 0; c < n_columns; c++)
    {
      rows->start[c] = g_new (guint32, most);
      rows->end[c] = g_new (guint32, most);
    }
  rows->record = g_new (guint32, most);
  rows->record_end = g_new (guint32, most);
  rows->bad = g_new0 (char *, most);
  rows->dropped = g_array_new (FALSE, FALSE, sizeof (SlCsvBad));
  g_array_set_clear_func (rows->dropped, bad_clear);
}

static void
csv_rows_clear (SlCsvRows *rows)
{
  for (int c = 0; c < rows->n_columns; c++)
    {
      g_free (rows->start[c]);
      g_free (rows->end[c]);
    }
  g_free (rows->start);
  g_free (rows->end);
  g_free (rows->record);
  g_free (rows->record_end);
  g_free (rows->bad);
  g_array_unref (rows->dropped);
}

void
sl_csv_rows_bad (SlCsvRows *rows, guint32 r, const char *format, ...)
{
  if (rows->bad[r] != NULL)
    return;
  va_list args;
  va_start (args, format);
  rows->bad[r] = g_strdup_vprintf (format, args);
  va_end (args);
  rows->n_bad++;
}

/* In place of a reason. */
static char no_reason[] = "";

void
sl_csv_rows_leave_out (SlCsvRows *rows, guint32 r)
{
  if (rows->bad[r] != NULL)
    return;
  rows->bad[r] = no_reason;
  rows->n_bad++;
}

/* A record that is not among the rows is bad; takes REASON. */
static void
csv_rows_drop (SlCsvRows *rows, guint32 record, guint32 record_end, char *reason)
{
  SlCsvBad bad = { record, record_end, reason };
  g_array_append_val (rows->dropped, bad);
}

gboolean
sl_csv_rows_drop_bad (SlCsvRows *rows)
{
  if (rows->n_bad == 0)
    return FALSE;
  guint32 kept = 0;
  for (guint32 r = 0; r < rows->n; r++)
    if (rows->bad[r] == no_reason)
      {
        rows->bad[r] = NULL;
        rows->n_left_out++;
      }
    else if (rows->bad[r] != NULL)
      csv_rows_drop (rows, rows->record[r], rows->record_end[r], g_steal_pointer (&rows->bad[r]));
    else
      {
        for (int c = 0; c < rows->n_columns; c++)
          {
            rows->start[c][kept] = rows->start[c][r];
            rows->end[c][kept] = rows->end[c][r];
          }
        rows->record[kept] = rows->record[r];
        rows->record_end[kept] = rows->record_end[r];
        kept++;
      }
  rows->n = kept;
  rows->n_bad = 0;
  return TRUE;
}

static int
compare_bad (gconstpointer a, gconstpointer b)
{
  guint32 first = ((const SlCsvBad *) a)->record, second = ((const SlCsvBad *) b)->record;
  return (first > second) - (first < second);
}

/* The bad records of the block so far, in order. */
static const GArray *
csv_rows_dropped (SlCsvRows *rows)
{
  g_array_sort (rows->dropped, compare_bad);
  return rows->dropped;
}

enum
{
  MARKS = 16384,
};

struct _SlCsvSplit
{
  SlCsvScan scan;
  gsize n_fields;
  int *columns;
  SlCsvBlock *block;
  gsize position; /* scanned up to here */
  gsize tail; /* end of the text behind the block's own: fields whose doubled quotes are undone */
  guint32 record;   /* where the next record begins */
  gint64 n_lines;   /* record ends so far */
  gsize n_skipped;  /* fields of that record which the marks have no room for */
  SlCsvMarks marks; /* from that record on */
  SlCsvRows rows;
};

SlCsvSplit *
sl_csv_split_new (char separator, int n_fields, const int *columns, int n_columns)
{
  SlCsvSplit *split = g_new0 (SlCsvSplit, 1);
  split->scan.separator = separator;
  split->n_fields = (gsize) n_fields;
  split->columns = g_memdup2 (columns, sizeof *columns * (gsize) n_columns);
  split->marks.room = MARKS + 2 * split->n_fields;
  split->marks.end = g_new (guint32, split->marks.room);
  split->marks.line = g_new (guint32, split->marks.room);
  csv_rows_init (&split->rows, n_columns, split->marks.room / split->n_fields + 1);
  return split;
}

void
sl_csv_split_free (SlCsvSplit *split)
{
  csv_rows_clear (&split->rows);
  g_free (split->marks.end);
  g_free (split->marks.line);
  g_free (split->columns);
  g_free (split);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlCsvSplit, sl_csv_split_free)

const GArray *
sl_csv_split_bad (SlCsvSplit *split)
{
  return csv_rows_dropped (&split->rows);
}

void
sl_csv_split_start (SlCsvSplit *split, SlCsvBlock *block)
{
  split->scan = sl_csv_scan_start (split->scan.separator);
  split->block = block;
  split->position = 0;
  split->tail = block->n;
  split->record = 0;
  split->n_lines = 0;
  split->n_skipped = 0;
  split->marks.n_ends = split->marks.n_lines = 0;
  g_array_set_size (split->rows.dropped, 0);
  split->rows.n_left_out = 0;
}

/* Marks the taken records from FIRST on in which a field's quotes are wrong; E is their first mark.
 */
static void
check_quotes (SlCsvSplit *split, gsize e, guint32 first)
{
  SlCsvRows *rows = &split->rows;
  const char *data = split->block->data;
  for (guint32 r = first; r < rows->n; r++)
    {
      guint32 start = rows->record[r];
      for (gsize f = 0; f < split->n_fields; f++, e++)
        {
          guint32 end = split->marks.end[e];
          gsize n_doubled;
          if (f + 1 == split->n_fields)
            end = sl_csv_without_return (data, start, end);
          if (data[start] == '"' && start < end
              && !sl_csv_quotes_right (data + start, end - start, &n_doubled))
            sl_csv_rows_bad (rows, r, "%s", SL_CSV_AFTER_QUOTE);
          start = split->marks.end[e] + 1;
        }
    }
}

/* Takes the quotes off the wanted fields of the records from FIRST on. */
static void
take_off_quotes (SlCsvSplit *split, guint32 first)
{
  SlCsvRows *rows = &split->rows;
  for (int c = 0; c < rows->n_columns; c++)
    for (guint32 r = first; r < rows->n; r++)
      {
        guint32 start = rows->start[c][r], end = rows->end[c][r];
        gsize n_doubled, n = end - start;
        if (n == 0 || split->block->data[start] != '"' || rows->bad[r] != NULL)
          continue;
        sl_csv_quotes_right (split->block->data + start, n, &n_doubled);
        rows->start[c][r] = start + 1;
        rows->end[c][r] = end - 1;
        rows->any_blank
            |= split->block->data[start + 1] == ' ' || split->block->data[end - 2] == ' ';
        if (n_doubled == 0)
          continue;
        if (split->tail + n > split->block->room)
          sl_csv_block_reserve (split->block, MAX (split->tail + n, split->block->room * 3 / 2));
        char *data = split->block->data;
        rows->start[c][r] = (guint32) split->tail;
        split->tail += sl_csv_undo_quotes (data + start, n, data + split->tail);
        rows->end[c][r] = (guint32) split->tail;
      }
}

/* How many records from mark E, newline L on have as many fields as they should. */
static gsize
count_regular (const SlCsvSplit *split, gsize e, gsize l)
{
  const SlCsvMarks *marks = &split->marks;
  gsize n = split->n_fields, regular = 0;
  for (gsize last = e + n - 1; l < marks->n_lines && last < marks->n_ends;
       last += n, l++, regular++)
    {
      if (marks->end[last] != marks->line[l])
        break;
      /* With one field only, an empty line looks right, but is none the less no record. */
      guint32 start = last > 0 ? marks->end[last - 1] + 1 : split->record;
      if (n == 1 && sl_csv_without_return (split->block->data, start, marks->line[l]) == start)
        break;
    }
  return split->n_skipped > 0 ? 0 : regular;
}

/* Takes N such records. */
static void
take_regular (SlCsvSplit *split, gsize e, gsize l, gsize n)
{
  SlCsvRows *rows = &split->rows;
  const guint32 *end = split->marks.end + e, *line = split->marks.line + l;
  const char *data = split->block->data;
  gsize n_fields = split->n_fields;
  guint32 first = rows->n;
  rows->record[first] = split->record;
  for (gsize r = 1; r < n; r++)
    rows->record[first + r] = line[r - 1] + 1;
  for (gsize r = 0; r < n; r++)
    rows->record_end[first + r] = sl_csv_without_return (data, rows->record[first + r], line[r]);
  for (int c = 0; c < rows->n_columns; c++)
    {
      gsize f = (gsize) split->columns[c];
      guint32 *starts = rows->start[c] + first, *ends = rows->end[c] + first;
      for (gsize r = 0; r < n; r++)
        ends[r] = end[r * n_fields + f];
      if (f + 1 == n_fields)
        memcpy (ends, rows->record_end + first, n * sizeof *ends);
      if (f == 0)
        memcpy (starts, rows->record + first, n * sizeof *starts);
      else
        for (gsize r = 0; r < n; r++)
          starts[r] = end[r * n_fields + f - 1] + 1;
    }
  rows->n += (guint32) n;
  split->record = line[n - 1] + 1;
  if (split->scan.any_quote)
    {
      check_quotes (split, e, first);
      take_off_quotes (split, first);
    }
}

/* Drops the record from mark E to newline L, which has too few or too many fields, unless it is an
 * empty line; returns how many marks that are. */
static gsize
drop_irregular (SlCsvSplit *split, gsize e, gsize l)
{
  gsize n = 1;
  while (split->marks.end[e + n - 1] != split->marks.line[l])
    n++;
  guint32 end = sl_csv_without_return (split->block->data, split->record, split->marks.line[l]);
  gsize found = n + split->n_skipped;
  const char *hint
      = found > split->n_fields ? "; is there a separator in a text without quotation marks?" : "";
  if (end > split->record)
    csv_rows_drop (&split->rows, split->record, end,
                   g_strdup_printf ("%" G_GSIZE_FORMAT " field%s expected, %" G_GSIZE_FORMAT
                                    " found%s",
                                    split->n_fields, split->n_fields == 1 ? "" : "s", found, hint));
  split->record = split->marks.line[l] + 1;
  split->n_skipped = 0;
  return n;
}

static void
take_records (SlCsvSplit *split)
{
  SlCsvMarks *marks = &split->marks;
  gsize e = 0;
  for (gsize l = 0; l < marks->n_lines;)
    {
      gsize n = count_regular (split, e, l);
      if (n > 0)
        take_regular (split, e, l, n);
      e += n > 0 ? n * split->n_fields : drop_irregular (split, e, l);
      l += n > 0 ? n : 1;
    }
  split->n_lines += (gint64) marks->n_lines;
  marks->n_lines = 0;
  marks->n_ends -= e;
  memmove (marks->end, marks->end + e, marks->n_ends * sizeof *marks->end);
  if (marks->n_ends > split->n_fields)
    {
      split->n_skipped += marks->n_ends;
      marks->n_ends = 0;
    }
}

static void
check_encoding (SlCsvSplit *split)
{
  SlCsvRows *rows = &split->rows;
  for (guint32 r = 0; r < rows->n; r++)
    {
      const char *record = split->block->data + rows->record[r], *at;
      gsize n = rows->record_end[r] - rows->record[r];
      if (g_utf8_validate_len (record, n, &at))
        continue;
      if (*at == '\0')
        sl_csv_rows_bad (rows, r, "a NUL byte");
      else
        sl_csv_rows_bad (rows, r, "byte 0x%02X " SL_CSV_NOT_UTF8, (guint8) *at);
    }
}

SlCsvRows *
sl_csv_split_next (SlCsvSplit *split)
{
  SlCsvBlock *block = split->block;
  SlCsvRows *rows = &split->rows;
  rows->n = 0;
  rows->any_blank = FALSE;
  split->tail = block->n;
  while (rows->n == 0)
    {
      if (split->position == block->n)
        {
          if (split->record < block->n)
            csv_rows_drop (rows, split->record, (guint32) block->n, g_strdup (SL_CSV_UNCLOSED));
          split->record = (guint32) block->n;
          return NULL;
        }
      split->position
          = sl_csv_scan (&split->scan, block->data, split->position, block->n, &split->marks);
      rows->any_blank |= split->scan.any_blank;
      take_records (split);
      if (split->scan.any_odd)
        check_encoding (split);
      /* What was scanned of a record that is not yet complete is still to be looked at. */
      gsize partial = split->position - split->record;
      split->scan.any_odd = split->scan.any_odd && partial > 0;
      split->scan.any_blank = split->scan.any_blank && partial > 0;
      split->scan.any_quote = memchr (block->data + split->record, '"', partial) != NULL;
    }
  rows->data = block->data;
  return rows;
}

gint64
sl_csv_split_lines (const SlCsvSplit *split)
{
  return split->n_lines + (gint64) split->scan.n_hidden;
}
