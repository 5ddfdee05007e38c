/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "csv-rows.h"

#include <string.h>

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

void
sl_csv_rows_init (SlCsvRows *rows, int n_columns, gsize most)
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

void
sl_csv_rows_clear (SlCsvRows *rows)
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

void
sl_csv_rows_drop (SlCsvRows *rows, guint32 record, guint32 record_end, char *reason)
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
      sl_csv_rows_drop (rows, rows->record[r], rows->record_end[r],
                        g_steal_pointer (&rows->bad[r]));
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

const GArray *
sl_csv_rows_dropped (SlCsvRows *rows)
{
  g_array_sort (rows->dropped, compare_bad);
  return rows->dropped;
}
