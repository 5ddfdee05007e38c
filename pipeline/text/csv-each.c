/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The threads that read a CSV file. All do the same: read the next block, split and parse it, wait
 * for their turn, hand the piece on. Reading and handing on are one thread's at a time and in
 * order; parsing is everybody's at once. So the outcome, errors included, does not depend on how
 * many they are. */
#include "csv.h"

#include "pipeline/base/error.h"
#include "pipeline/base/parallel.h"

typedef struct
{
  SlCsv *csv;
  const int *columns;
  int n_columns;
  const SlCsvHandler *handler;
  gpointer data;
  GMutex reading; /* guards the rest of csv, n_read, read_all */
  gint64 n_read;
  gboolean read_all;
  GMutex turns; /* guards csv->row, csv->done and what follows; held while a piece is handed on */
  GCond turn_over;
  gint64 turn;
  gboolean stopped;
  GError *error; /* the first in the order of the file */
} Team;

typedef struct
{
  SlCsvBlock block;
  SlCsvSplit *split;
  gpointer piece;
  gint64 number;
  GError *error;
} Member;

static gboolean
take_block (Team *team, Member *member)
{
  g_mutex_lock (&team->reading);
  gboolean more = !team->read_all;
  if (more)
    {
      gboolean ok = sl_csv_read_block (team->csv, &member->block, &member->error);
      team->read_all = !ok || member->block.n == 0;
      member->number = team->n_read++;
    }
  g_mutex_unlock (&team->reading);
  return more;
}

static void
parse_block (Team *team, Member *member)
{
  const SlCsvHandler *handler = team->handler;
  if (member->piece == NULL)
    member->piece = handler->piece_new (team->data);
  sl_csv_split_start (member->split, &member->block);
  for (SlCsvRows *rows; (rows = sl_csv_split_next (member->split)) != NULL;)
    {
      handler->parse (rows, member->piece, team->data);
      sl_csv_rows_drop_bad (rows);
    }
}

static gboolean
report_bad (Team *team, Member *member, GError **error)
{
  const GArray *bad = sl_csv_split_bad (member->split);
  const char *data = member->block.data;
  gsize counted = 0;
  gint64 row = team->csv->row;
  for (guint i = 0; i < bad->len; i++)
    {
      const SlCsvBad *one = &g_array_index (bad, SlCsvBad, i);
      row += sl_csv_count_newlines (data + counted, one->record - counted);
      counted = one->record;
      if (!team->handler->bad (row, one->reason, data + one->record, one->record_end - one->record,
                               team->data, error))
        return FALSE;
    }
  return TRUE;
}

/* With the turn: reports the block's bad records, hands its piece on. */
static gboolean
hand_on (Team *team, Member *member, GError **error)
{
  if (member->error != NULL)
    {
      if (g_error_matches (member->error, SL_ERROR, SL_ERROR_INPUT))
        g_prefix_error (&member->error, "%s: row %" G_GINT64_FORMAT ": ", team->csv->name,
                        team->csv->row);
      g_propagate_error (error, g_steal_pointer (&member->error));
      return FALSE;
    }
  if (member->block.n == 0)
    return TRUE;
  if (!report_bad (team, member, error) || !team->handler->emit (&member->piece, team->data, error))
    return FALSE;
  team->csv->row += sl_csv_split_lines (member->split);
  team->csv->done = member->block.taken;
  return TRUE;
}

static void
work (int thread, gpointer data)
{
  (void) thread;
  Team *team = data;
  Member member = { .split = sl_csv_split_new (team->csv->separator, team->csv->n_fields,
                                               team->columns, team->n_columns) };
  gboolean go_on = TRUE;
  while (go_on && take_block (team, &member))
    {
      if (member.error == NULL && member.block.n > 0)
        parse_block (team, &member);
      g_mutex_lock (&team->turns);
      while (team->turn != member.number && !team->stopped)
        g_cond_wait (&team->turn_over, &team->turns);
      if (!team->stopped && !hand_on (team, &member, &team->error))
        team->stopped = TRUE;
      team->turn++;
      go_on = !team->stopped;
      g_cond_broadcast (&team->turn_over);
      g_mutex_unlock (&team->turns);
    }
  if (member.piece != NULL)
    team->handler->piece_free (member.piece);
  g_clear_error (&member.error);
  sl_csv_split_free (member.split);
  g_free (member.block.data);
}

gboolean
sl_csv_each (SlCsv *csv, const int *columns, int n_columns, int threads,
             const SlCsvHandler *handler, gpointer data, GError **error)
{
  Team team = {
    .csv = csv, .columns = columns, .n_columns = n_columns, .handler = handler, .data = data
  };
  g_mutex_init (&team.reading);
  g_mutex_init (&team.turns);
  g_cond_init (&team.turn_over);
  sl_parallel (threads, threads, work, &team);
  g_cond_clear (&team.turn_over);
  g_mutex_clear (&team.turns);
  g_mutex_clear (&team.reading);
  if (team.error == NULL)
    return TRUE;
  g_propagate_error (error, team.error);
  return FALSE;
}
