/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file: its first record, and blocks of whole records. */
#include "csv.h"

#include "pipeline/base/error.h"
#include "pipeline/base/parallel.h"
#include "csv-scan.h"

#include <string.h>
#include <unistd.h>

enum
{
  BLOCK = 1 << 18,       /* bytes: a block and what is made of it stay in a core's cache */
  MAX_RECORD = 64 << 20, /* a longer one is a quotation mark that is never closed */
  MAX_FIELDS = 1 << 20,
};

/* The first that fits is taken: the mark of UTF-32 begins with that of UTF-16. */
static const struct
{
  const char *start;
  gsize n;
  const char *message;
} starts[] = {
  { "\xff\xfe\0\0", 4, "is UTF-32, not UTF-8: convert it with `iconv -f UTF-32 -t UTF-8`" },
  { "\0\0\xfe\xff", 4, "is UTF-32, not UTF-8: convert it with `iconv -f UTF-32 -t UTF-8`" },
  { "\xff\xfe", 2, "is UTF-16, not UTF-8: convert it with `iconv -f UTF-16 -t UTF-8`" },
  { "\xfe\xff", 2, "is UTF-16, not UTF-8: convert it with `iconv -f UTF-16 -t UTF-8`" },
  { "PK\x03\x04", 4, "is a zip archive or a spreadsheet: unpack it, or export the sheet as CSV" },
  { "\xd0\xcf\x11\xe0", 4, "is an old file of Office: save the sheet as CSV" },
  { "PAR1", 4, "is a Parquet file, not CSV" },
  { "ARROW1", 6, "is an Arrow file, not CSV" },
  { "\x93NUMPY", 6, "is a NumPy array, not CSV; --from counts reads one" },
};

/* Bytes whose NULs are counted: a header has letters of ASCII among its first ones. */
#define LOOKED_AT 256

/* Text in a wider encoding without a mark at its start: letters of ASCII have NULs at fixed places
 * of every two or four bytes. */
static const char *
find_wide_encoding (const char *data, gsize n)
{
  gsize n_zeros[4] = { 0 }, n_units = MIN (n, LOOKED_AT) / 4;
  for (gsize i = 0; i < n_units * 4; i++)
    n_zeros[i % 4] += data[i] == '\0';
  static const struct
  {
    gboolean zero[4]; /* whether most of such bytes are 0; the others never are */
    const char *message;
  } encodings[] = {
    { { 0, 1, 1, 1 },
      "looks like UTF-32, not UTF-8: convert it with `iconv -f UTF-32LE -t UTF-8`" },
    { { 1, 1, 1, 0 },
      "looks like UTF-32, not UTF-8: convert it with `iconv -f UTF-32BE -t UTF-8`" },
    { { 0, 1, 0, 1 },
      "looks like UTF-16, not UTF-8: convert it with `iconv -f UTF-16LE -t UTF-8`" },
    { { 1, 0, 1, 0 },
      "looks like UTF-16, not UTF-8: convert it with `iconv -f UTF-16BE -t UTF-8`" },
  };
  for (gsize e = 0; n_units > 0 && e < G_N_ELEMENTS (encodings); e++)
    {
      gboolean fits = TRUE;
      for (int b = 0; b < 4; b++)
        fits = fits && (encodings[e].zero[b] ? 2 * n_zeros[b] > n_units : n_zeros[b] == 0);
      if (fits)
        return encodings[e].message;
    }
  return NULL;
}

const char *
sl_csv_find_other_format (const char *data, gsize n)
{
  for (gsize i = 0; i < G_N_ELEMENTS (starts); i++)
    if (n >= starts[i].n && memcmp (data, starts[i].start, starts[i].n) == 0)
      return starts[i].message;
  return find_wide_encoding (data, n);
}

static gboolean
input_error (GError **error, const char *message)
{
  return sl_error_bad_input (error, "%s", message);
}

/* Programs of old Macs, and those that write for them, end lines in a carriage return alone. */
static void
returns_to_newlines (char *text, gsize n)
{
  for (char *c = text, *end = text + n; (c = memchr (c, '\r', (gsize) (end - c))) != NULL;)
    *c = '\n';
}

/* Reads until BLOCK has MOST bytes or the file ends. */
static gboolean
fill (SlCsv *csv, SlCsvBlock *block, gsize most, GError **error)
{
  gsize n;
  sl_csv_block_reserve (block, most);
  if (!sl_source_read (csv->source, block->data + block->n, most - block->n, &n, error))
    return FALSE;
  if (csv->bare_returns)
    returns_to_newlines (block->data + block->n, n);
  block->n += n;
  return TRUE;
}

/* The last record may come without a newline. */
static void
end_last_record (SlCsvBlock *block)
{
  sl_csv_block_reserve (block, block->n + 1);
  if (block->n > 0 && block->data[block->n - 1] != '\n')
    block->data[block->n++] = '\n';
}

/* How often C stands in the line LINE[n], outside of quotes. */
static gsize
count_outside (const char *line, gsize n, char c)
{
  gsize count = 0;
  gboolean quoted = FALSE;
  for (gsize i = 0; i < n && (quoted || line[i] != '\n'); i++)
    {
      quoted ^= line[i] == '"';
      count += !quoted && line[i] == c;
    }
  return count;
}

/* Whether lines end so: there are returns, and no newlines before the end. */
static gboolean
has_bare_returns (const char *text, gsize n)
{
  const char *end = text + n, *newline = memchr (text, '\n', n), *c = text;
  if (newline != NULL && newline + 1 < end)
    return FALSE;
  while ((c = memchr (c, '\r', (gsize) (end - c))) != NULL && c + 1 == newline)
    c++;
  return c != NULL;
}

/* A comma or a tab, whichever the first line has more of. A semicolon or a bar only where there is
 * neither: in other files those stand inside of fields. */
static char
guess_separator (const char *name, const char *line, gsize n)
{
  gsize commas = count_outside (line, n, ','), tabs = count_outside (line, n, '\t');
  if (tabs > commas || (tabs > 0 && g_str_has_suffix (name, ".tsv")))
    return '\t';
  if (commas > 0)
    return ',';
  gsize semicolons = count_outside (line, n, ';'), bars = count_outside (line, n, '|');
  return semicolons + bars == 0 ? ',' : semicolons >= bars ? ';' : '|';
}

static gboolean
check_not_another_format (const SlCsvBlock *block, GError **error)
{
  const char *message = sl_csv_find_other_format (block->data, block->n);
  return message == NULL || input_error (error, message);
}

/* An empty file is mostly what a program left that failed. */
static gboolean
fail_empty (const SlCsv *csv, GError **error)
{
  return input_error (error,
                      csv->source->fd == STDIN_FILENO
                          ? "is empty: did the program before it in the pipe fail?"
                          : "is empty: was it written to its end, and is it the right file?");
}

/* Reads on until the first record is complete; *LENGTH is its own. */
static gboolean
read_first (SlCsv *csv, gsize *length, GError **error)
{
  SlCsvBlock *rest = &csv->rest;
  for (gsize room = BLOCK; room <= MAX_RECORD; room *= 2)
    {
      if (!fill (csv, rest, room, error) || !check_not_another_format (rest, error))
        return FALSE;
      if (rest->n >= 3 && memcmp (rest->data, "\xef\xbb\xbf", 3) == 0)
        memmove (rest->data, rest->data + 3, rest->n -= 3);
      if (!csv->is_made && !csv->bare_returns && has_bare_returns (rest->data, rest->n))
        {
          csv->bare_returns = TRUE;
          returns_to_newlines (rest->data, rest->n);
        }
      if (csv->source->ended)
        end_last_record (rest);
      if (csv->guessed)
        csv->separator = guess_separator (csv->name, rest->data, rest->n);
      *length = sl_csv_first_record (csv->separator, rest->data, rest->n);
      if (*length > 0)
        return TRUE;
      if (csv->source->ended)
        return rest->n == 0 ? fail_empty (csv, error) : sl_error_row (error, 1, SL_CSV_UNCLOSED);
    }
  return sl_error_row (error, 1,
                       "longer than 64 MiB; is it CSV, and is every quotation mark closed?");
}

static gboolean
split_first (SlCsv *csv, gsize length, GError **error)
{
  g_autoptr (GPtrArray) fields = g_ptr_array_new_with_free_func (g_free);
  const char *problem = sl_csv_split_one (csv->separator, csv->rest.data, length, fields);
  if (problem != NULL)
    return sl_error_row (error, 1, "%s", problem);
  if (fields->len > MAX_FIELDS)
    return sl_error_row (error, 1, "over a million fields; is it CSV?");
  csv->n_fields = (int) fields->len;
  g_ptr_array_add (fields, NULL);
  csv->first = (char **) g_ptr_array_steal (fields, NULL);
  return TRUE;
}

SlCsv *
sl_csv_new (SlSource *source, char separator, GError **error)
{
  g_autoptr (SlCsv) csv = g_new0 (SlCsv, 1);
  gsize length;
  csv->source = source;
  csv->name = source->name;
  csv->separator = separator;
  csv->guessed = separator == '\0';
  csv->is_made = source->made != NULL && !source->is_file;
  csv->row = csv->is_made ? 0 : 1;
  csv->block = BLOCK;
  if (read_first (csv, &length, error) && split_first (csv, length, error))
    return g_steal_pointer (&csv);
  /* What is read as CSV and is none, such as JSON, names itself. */
  if (error != NULL && !g_error_matches (*error, SL_ERROR, SL_ERROR_RUNTIME)
      && !g_str_has_prefix ((*error)->message, csv->name))
    g_prefix_error (error, "%s: ", csv->name);
  return NULL;
}

SlCsv *
sl_csv_open (const char *path, GError **error)
{
  SlSource *source = sl_source_open (path, error);
  return source != NULL ? sl_csv_new (source, '\0', error) : NULL;
}

void
sl_csv_free (SlCsv *csv)
{
  sl_source_free (csv->source);
  g_free (csv->rest.data);
  g_strfreev (csv->first);
  g_free (csv);
}

void
sl_csv_skip_first (SlCsv *csv)
{
  SlCsvBlock *rest = &csv->rest;
  csv->has_names = TRUE;
  gsize length = sl_csv_first_record (csv->separator, rest->data, rest->n);
  for (gsize i = 0; i < length; i++)
    csv->row += rest->data[i] == '\n';
  memmove (rest->data, rest->data + length, rest->n -= length);
}

GPtrArray *
sl_csv_peek (SlCsv *csv, GError **error)
{
  SlCsvBlock *rest = &csv->rest;
  g_autoptr (GPtrArray) fields = g_ptr_array_new_with_free_func (g_free);
  for (gsize room = MAX (BLOCK, rest->n); room <= MAX_RECORD; room *= 2)
    {
      if (!fill (csv, rest, room, error))
        return NULL;
      if (csv->source->ended)
        end_last_record (rest);
      gsize length = sl_csv_first_record (csv->separator, rest->data, rest->n);
      /* What is wrong with the record is told where it is read. */
      if (length > 0)
        (void) sl_csv_split_one (csv->separator, rest->data, length, fields);
      if (length > 0 || csv->source->ended)
        break;
    }
  return g_steal_pointer (&fields);
}

gboolean
sl_csv_read_block (SlCsv *csv, SlCsvBlock *block, GError **error)
{
  SlCsvBlock *rest = &csv->rest;
  sl_csv_block_reserve (block, rest->n);
  if (rest->n > 0)
    memcpy (block->data, rest->data, rest->n);
  block->n = rest->n;
  rest->n = 0;
  for (gsize most = MAX (csv->block, block->n); most <= MAX_RECORD; most *= 2)
    {
      if (!fill (csv, block, most, error))
        return FALSE;
      block->taken = csv->source->taken;
      if (csv->source->ended)
        {
          end_last_record (block);
          return TRUE;
        }
      gsize whole = sl_csv_whole_records (csv->separator, block->data, block->n);
      if (whole > 0)
        {
          rest->n = block->n - whole;
          sl_csv_block_reserve (rest, rest->n);
          memcpy (rest->data, block->data + whole, rest->n);
          block->n = whole;
          return TRUE;
        }
    }
  return input_error (error, "longer than 64 MiB: is a quotation mark left open?");
}

/* ---- all of a file, by threads ---- */

/* The threads that read a CSV file. All do the same: read the next block, split and parse it, wait
 * for their turn, hand the piece on. Reading and handing on are one thread's at a time and in
 * order; parsing is everybody's at once. So the outcome, errors included, does not depend on how
 * many they are. */

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
