/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "row-format.h"

#include "pipeline/table/tag-columns.h"

#include <string.h>

#define PAIRS_AHEAD 16 /* that are asked for before they are looked at */

static gpointer
piece_new (gpointer data)
{
  const SlRowReading *reading = data;
  const SlClassTexts *texts
      = reading->format->classes == NULL ? &reading->source.ingest->class_texts : NULL;
  SlRowPiece *piece = g_new0 (SlRowPiece, 1);
  piece->rows = sl_builder_new (reading->shape);
  piece->coder = sl_coder_new (reading->classes.known, texts);
  piece->gold_coder = sl_coder_new (reading->classes.known, texts);
  piece->pairs = g_array_new (FALSE, FALSE, sizeof (SlSeenPair));
  piece->marked = g_byte_array_new ();
  piece->found = g_array_new (FALSE, FALSE, sizeof (gint32));
  piece->gold_found = g_array_new (FALSE, FALSE, sizeof (gint32));
  piece->lists.codes = g_array_new (FALSE, FALSE, sizeof (gint32));
  piece->choices.codes = g_array_new (FALSE, FALSE, sizeof (gint32));
  piece->choice_percents = g_array_new (FALSE, FALSE, sizeof (double));
  return piece;
}

static void
piece_free (gpointer data)
{
  SlRowPiece *piece = data;
  g_clear_pointer (&piece->rows, sl_builder_free);
  g_array_unref (piece->pairs);
  g_byte_array_unref (piece->marked);
  g_clear_pointer (&piece->repeat, g_byte_array_unref);
  sl_coder_free (piece->coder);
  sl_coder_free (piece->gold_coder);
  g_array_unref (piece->found);
  g_array_unref (piece->gold_found);
  g_free (piece->reals);
  g_free (piece->integers);
  g_free (piece->codes);
  g_free (piece->numbers);
  g_array_unref (piece->lists.codes);
  g_free (piece->lists.end);
  g_array_unref (piece->choices.codes);
  g_free (piece->choices.end);
  g_array_unref (piece->choice_percents);
  g_free (piece);
}

static void
make_room (SlRowPiece *piece, gsize n_roles, gsize n_more, guint32 n)
{
  if (n <= piece->room)
    return;
  piece->room = n;
  piece->reals = g_renew (double, piece->reals, n_roles *n);
  piece->integers = g_renew (gint64, piece->integers, n);
  piece->codes = g_renew (gint32, piece->codes, n_roles * n);
  piece->numbers = g_renew (float, piece->numbers, n_more *n);
  piece->lists.end = g_renew (guint32, piece->lists.end, n);
  piece->choices.end = g_renew (guint32, piece->choices.end, n);
}

static void
add_attributes (const SlRowReading *reading, const SlCsvRows *records, SlRowPiece *piece)
{
  const SlIngest *ingest = reading->source.ingest;
  for (int a = 0; a < ingest->n_attributes; a++)
    {
      const int c = reading->place[reading->format->n_roles + a];
      const int column = sl_table_tag_column (reading->shape, ingest->attribute[a].key);
      for (guint32 r = 0; r < records->n; r++)
        {
          SlCell value;
          value.text = sl_csv_field (records, c, r, &value.n);
          sl_attribute_put (ingest, piece->rows, column, value);
        }
    }
}

static void
parse (SlCsvRows *records, gpointer data, gpointer user)
{
  SlRowPiece *piece = data;
  const SlRowReading *reading = user;
  const SlRowFormat *format = reading->format;
  SlPercentCounts before = piece->percents;
  records->decimal_comma = reading->source.ingest->options->decimal_comma;
  make_room (piece, (gsize) format->n_roles, reading->more->len, records->n);
  /* Values lie at the places of their records, so all are read again when records have been
   * dropped. */
  do
    {
      do
        {
          piece->percents = before;
          format->check (reading, records, piece);
        }
      while (sl_csv_rows_drop_bad (records));
      format->code (reading, records, piece);
    }
  while (sl_csv_rows_drop_bad (records));
  if (!reading->source.ingest->rehearsal)
    {
      format->add (reading, records, piece);
      add_attributes (reading, records, piece);
    }
  if (!reading->source.ingest->rehearsal && reading->seen != NULL)
    sl_seen_pairs_note (reading->seen, records, reading->place[format->item_role],
                        reading->place[format->annotator_role], piece->pairs);
  piece->n_records += records->n;
  piece->n_left_out = records->n_left_out;
}

void
sl_row_add_texts (const SlRowReading *reading, const SlCsvRows *records, int role, int column,
                  SlRowPiece *piece)
{
  int c = reading->place[role];
  if (c >= 0)
    sl_builder_spans (piece->rows, column, records->data, records->start[c], records->end[c],
                      records->n);
}

/* Recodes ROWS: codes of answers by CODE, those of gold classes by GOLD. */
static void
recode (const SlRowReading *reading, SlBuilder *rows, const gint32 *code, const gint32 *gold)
{
  const SlRowFormat *format = reading->format;
  for (const int *column = format->class_columns; *column >= 0; column++)
    if (sl_table_has (reading->shape, *column))
      sl_builder_recode (rows, *column, code);
  if (format->gold_column >= 0 && sl_table_has (reading->shape, format->gold_column))
    sl_builder_recode (rows, format->gold_column, gold);
}

/* The coders' own codes become those of all pieces. */
static gboolean
merge_classes (SlRowReading *reading, SlRowPiece *piece, GError **error)
{
  SlClassSearch *classes = &reading->classes;
  const SlRowFormat *format = reading->format;
  gboolean few = sl_class_search_add (classes, piece->coder, piece->found, TRUE)
                 && sl_class_search_add (classes, piece->gold_coder, piece->gold_found, FALSE);
  recode (reading, piece->rows, (const gint32 *) (gpointer) piece->found->data,
          (const gint32 *) (gpointer) piece->gold_found->data);
  if (few)
    return TRUE;
  const char *role = format->roles[format->class_role].role;
  return sl_error_bad_input (error,
                             "%s: over %d different answers in column %d: is it the %s? (--column "
                             "%s=NAME says which column is)",
                             reading->source.csv->name, SL_MAX_CLASSES,
                             reading->column[format->class_role] + 1, role, role);
}

/* Row I of PIECE, the trial of a session; AGAIN: it was there before. */
static gboolean
count_trial (SlRowReading *reading, const SlRowPiece *piece, guint i, gboolean again,
             GError **error)
{
  const SlSeenPair session = { g_array_index (piece->pairs, SlSeenPair, i).item, 0 };
  gboolean before;
  if (!sl_seen_pairs_add (reading->sessions, session, &before, error))
    return FALSE;
  reading->n_sessions += !before;
  reading->n_answers += !again;
  reading->n_marked += !again && piece->marked->data[i];
  return TRUE;
}

/* Rows whose annotator has answered the item before are marked, or to be left out. */
static gboolean
find_repeats (SlRowReading *reading, SlRowPiece *piece, GError **error)
{
  const SlSeenPair *pairs = (const SlSeenPair *) (gpointer) piece->pairs->data;
  guint n = piece->pairs->len;
  for (guint i = 0; i < n; i++)
    {
      gboolean before;
      sl_seen_pairs_expect (reading->seen, pairs[MIN (i + PAIRS_AHEAD, n - 1)]);
      if (!sl_seen_pairs_add (reading->seen, pairs[i], &before, error))
        return FALSE;
      if (reading->sessions != NULL && !count_trial (reading, piece, i, before, error))
        return FALSE;
      if (reading->repeats == SL_REPEATS_MARK)
        sl_builder_bool (piece->rows, reading->format->repeat_column, before);
      if (reading->repeats == SL_REPEATS_DROP)
        g_byte_array_append (piece->repeat, &(guint8){ before != FALSE }, 1);
    }
  g_array_set_size (piece->pairs, 0);
  g_byte_array_set_size (piece->marked, 0);
  return TRUE;
}

static void
waiting_free (gpointer data)
{
  SlRowPiece *piece = data;
  sl_builder_free (piece->rows);
  g_clear_pointer (&piece->repeat, g_byte_array_unref);
  g_free (piece);
}

/* The rows wait until the classes are known. */
static gboolean
put_aside (SlRowReading *reading, SlRowPiece *piece, GError **error)
{
  sl_builder_shrink (piece->rows);
  gsize bytes = sl_builder_bytes (piece->rows);
  SlRowPiece *waiting = g_new0 (SlRowPiece, 1);
  waiting->rows = piece->rows;
  waiting->repeat = g_steal_pointer (&piece->repeat);
  g_ptr_array_add (reading->waiting, waiting);
  piece->rows = sl_builder_new (reading->shape);
  return sl_run_claim (reading->source.ingest->run, bytes,
                       "the answers of a pipe until all their classes are known (with --classes, "
                       "or from a file, none need to wait)",
                       error);
}

static gboolean
put (SlRowReading *reading, SlRowPiece *piece, GError **error)
{
  const guint8 *left_out = piece->repeat != NULL ? piece->repeat->data : NULL;
  gboolean ok = reading->format->put != NULL
                    ? reading->format->put (reading, piece->rows, left_out, error)
                    : sl_ingest_put (reading->source.ingest, piece->rows, left_out, error);
  g_clear_pointer (&piece->repeat, g_byte_array_unref);
  return ok;
}

static gboolean
emit (gpointer *data, gpointer user, GError **error)
{
  SlRowPiece *piece = *data;
  SlRowReading *reading = user;
  SlIngest *ingest = reading->source.ingest;
  sl_ingest_progress (ingest, piece->n_records);
  sl_percent_counts_add (&ingest->percents, &piece->percents);
  piece->percents = (SlPercentCounts){ 0 };
  piece->n_records = 0;
  reading->n_left_out += ingest->rehearsal ? 0 : piece->n_left_out;
  piece->n_left_out = 0;
  if (reading->repeats == SL_REPEATS_DROP)
    piece->repeat = g_byte_array_new ();
  if (reading->seen != NULL && !find_repeats (reading, piece, error))
    return FALSE;
  if (reading->classes.known == NULL)
    return merge_classes (reading, piece, error)
           && (ingest->rehearsal || put_aside (reading, piece, error));
  return put (reading, piece, error);
}

static const SlCsvHandler handler = { piece_new, piece_free, parse, sl_ingest_bad, emit };

/* A file that says itself which answers are repeats is believed. */
static void
watch_repeats (SlRowReading *reading)
{
  const SlRowFormat *format = reading->format;
  SlIngest *ingest = reading->source.ingest;
  if (format->of_sessions && reading->column[format->item_role] >= 0
      && reading->column[format->annotator_role] >= 0)
    {
      reading->repeats = SL_REPEATS_DROP;
      reading->seen = sl_seen_pairs_new (ingest->run);
      reading->sessions = sl_seen_pairs_new (ingest->run);
      return;
    }
  if (format->repeat_column == 0 || reading->column[format->annotator_role] < 0
      || sl_table_has (reading->shape, format->repeat_column))
    return;
  reading->repeats = (SlRepeats) MAX (ingest->options->repeats, (int) SL_REPEATS_KEEP);
  reading->seen = sl_seen_pairs_new (ingest->run);
  if (reading->repeats == SL_REPEATS_KEEP)
    sl_seen_pairs_sample (reading->seen);
  if (reading->repeats == SL_REPEATS_MARK)
    sl_table_add (reading->shape, format->repeat_column);
}

/* Finds the columns of the file; they must be those of the files before it. */
static gboolean
find_columns (SlRowReading *reading, gboolean first, GError **error)
{
  const SlRowFormat *format = reading->format;
  SlIngest *ingest = reading->source.ingest;
  SlCsv *csv = reading->source.csv;
  SlHeader header = format->named ? SL_HEADER_YES : (SlHeader) ingest->options->header;
  if (!(first || format->apart ? sl_columns_find : sl_columns_find_again) (
          csv, reading->roles, reading->n_given > 0 ? reading->given : NULL, header,
          reading->column, error))
    return FALSE;
  if (format->settle != NULL)
    format->settle (ingest, csv, reading->column);
  int class = reading->column[format->class_role];
  gboolean choices = format->takes_choices && class >= 0 && csv->has_names
                     && strcmp (csv->first[class], "choices") == 0;
  if (reading->shape != NULL && choices != reading->has_choices)
    return sl_error_bad_input (error, "%s: it has %s column of choices, unlike the files before it",
                               csv->name, choices ? "a" : "no");
  reading->has_choices = choices;
  if (reading->shape == NULL)
    {
      if (!format->named)
        sl_ingest_tell_columns (ingest, csv, reading->roles, reading->column);
      reading->shape = sl_table_new (format->kind, NULL);
      reading->shape->columns |= format->columns (reading->column);
      if (choices)
        reading->shape->columns = (reading->shape->columns & ~(1u << format->class_columns[0]))
                                  | 1u << format->class_columns[1];
      watch_repeats (reading);
      if (!sl_attributes_add (ingest, reading->shape, error))
        return FALSE;
    }
  return format->find_more == NULL || format->find_more (reading, first, error);
}

static gboolean
start (SlRowReading *reading, GError **error)
{
  return reading->format->start != NULL
             ? reading->format->start (reading, error)
             : sl_ingest_start_as (reading->source.ingest, reading->shape, error);
}

void
sl_row_set_classes (SlRowReading *reading, char **classes)
{
  SlIngest *ingest = reading->source.ingest;
  if (ingest->classes != NULL)
    return;
  ingest->classes = g_strdupv (classes);
  reading->classes.known = sl_classes_intern (ingest->classes);
  ingest->bytes_whole /= ingest->rehearsal ? 2 : 1;
  ingest->rehearsal = FALSE;
}

void
sl_row_no_classes (SlRowReading *reading)
{
  char *none[] = { NULL };
  sl_row_set_classes (reading, none);
}

static gboolean
read_file (SlRowReading *reading, const char *path, gboolean first, GError **error)
{
  SlIngest *ingest = reading->source.ingest;
  g_autoptr (SlCsv) csv = sl_ingest_open (ingest, path, error);
  reading->source.csv = csv;
  if (csv == NULL || !find_columns (reading, first, error))
    return FALSE;
  g_autofree int *wanted = g_new (int, SL_ROW_ROLES + reading->more->len);
  int n = 0;
  for (int i = 0; reading->roles[i].role != NULL; i++)
    {
      reading->place[i] = sl_row_has (reading, i) ? n : -1;
      if (sl_row_has (reading, i))
        wanted[n++] = reading->column[i];
    }
  reading->first_more = n;
  for (guint i = 0; i < reading->more->len; i++)
    wanted[n++] = g_array_index (reading->more, int, i);
  if (reading->classes.known != NULL && ingest->table == NULL && !start (reading, error))
    return FALSE;
  return sl_ingest_each (&reading->source, wanted, n, &handler, error);
}

static gboolean
read_files (SlRowReading *reading, GError **error)
{
  const char *const *files = reading->source.ingest->files;
  for (int i = 0; files[i] != NULL; i++)
    if (!read_file (reading, files[i], i == 0, error))
      return FALSE;
  return TRUE;
}

/* The classes found become the classes of the table. */
static void
settle_classes (SlRowReading *reading)
{
  SlIngest *ingest = reading->source.ingest;
  g_autofree gint32 *place = g_new (gint32, sl_intern_size (reading->classes.found));
  ingest->classes = sl_class_search_end (&reading->classes, place, ingest->run);
  for (guint i = 0; i < reading->waiting->len; i++)
    recode (reading, ((SlRowPiece *) reading->waiting->pdata[i])->rows, place, place);
}

static gboolean
find_classes_first (SlRowReading *reading, GError **error)
{
  SlIngest *ingest = reading->source.ingest;
  ingest->rehearsal = TRUE;
  for (int i = 0; ingest->files[i] != NULL; i++)
    ingest->rehearsal = ingest->rehearsal && sl_source_can_reopen (ingest->files[i]);
  if (ingest->rehearsal)
    ingest->bytes_whole *= 2;
  if (!read_files (reading, error))
    return FALSE;
  if (reading->classes.known != NULL) /* there turned out to be none to look for */
    return TRUE;
  gboolean any = sl_intern_size (reading->classes.found) > 0, again = ingest->rehearsal;
  ingest->rehearsal = FALSE;
  ingest->again = again;
  if (!sl_ingest_check_percents (ingest, error))
    return FALSE;
  if (any)
    settle_classes (reading);
  if (again && (any || ingest->rejected.path != NULL))
    return read_files (reading, error);
  if (!any)
    return TRUE;
  if (!start (reading, error))
    return FALSE;
  for (guint i = 0; i < reading->waiting->len; i++)
    if (!put (reading, reading->waiting->pdata[i], error))
      return FALSE;
  return TRUE;
}

/* A table of Parquet or Arrow may name its classes: its own, or those of the column of the class.
 */
static gboolean
find_classes_told (const SlRowFormat *format, SlIngest *ingest, GError **error)
{
  const SlColumnRole *role = &format->roles[format->class_role];
  const char *given = ingest->columns != NULL ? ingest->columns[format->class_role] : NULL;
  const char *const only[] = { given, NULL };
  return sl_ingest_find_classes (ingest, given != NULL ? only : role->names, error);
}

static void
tell_sessions (const SlRowReading *reading)
{
  SlRun *run = reading->source.ingest->run;
  gint64 again = sl_seen_pairs_again (reading->seen);
  sl_run_note (
      run, "%" G_GINT64_FORMAT " sessions, %" G_GINT64_FORMAT " answers, %" G_GINT64_FORMAT " odd",
      reading->n_sessions, reading->n_answers, reading->n_marked);
  if (again > 0)
    sl_run_warn (run,
                 "%" G_GINT64_FORMAT " answer%s stored twice, as of a session that was downloaded "
                 "or sent again, and count%s once",
                 again, again == 1 ? " was" : "s were", again == 1 ? "s" : "");
}

gboolean
sl_row_format_run (const SlRowFormat *format, SlIngest *ingest, GError **error)
{
  SlRowReading reading = { .source = { ingest, NULL }, .format = format };
  reading.more = g_array_new (FALSE, FALSE, sizeof (int));
  reading.n_given = (ingest->columns != NULL ? format->n_roles : 0) + ingest->n_attributes;
  for (int i = 0; i < format->n_roles; i++)
    {
      reading.roles[i] = format->roles[i];
      reading.given[i] = ingest->columns != NULL ? ingest->columns[i] : NULL;
    }
  for (int a = 0; a < ingest->n_attributes; a++)
    {
      reading.roles[format->n_roles + a] = (SlColumnRole){ .role = ingest->attribute[a].key };
      reading.given[format->n_roles + a] = ingest->attribute[a].column;
    }
  if (ingest->classes == NULL && format->classes != NULL)
    ingest->classes = g_strdupv ((char **) format->classes);
  if (!find_classes_told (format, ingest, error))
    return FALSE;
  reading.waiting = g_ptr_array_new_with_free_func (waiting_free);
  sl_class_search_init (&reading.classes, ingest->classes, ingest->options->ignore_case);
  gboolean ok = ingest->classes != NULL
                    ? read_files (&reading, error) && sl_ingest_check_percents (ingest, error)
                    : find_classes_first (&reading, error);
  if (ok && reading.n_left_out > 0)
    sl_run_warn (ingest->run, "left out: without an answer %" G_GINT64_FORMAT, reading.n_left_out);
  if (ok && reading.sessions != NULL)
    tell_sessions (&reading);
  else if (ok && reading.seen != NULL)
    sl_seen_pairs_tell (reading.seen, reading.repeats);
  g_clear_pointer (&reading.seen, sl_seen_pairs_free);
  g_clear_pointer (&reading.sessions, sl_seen_pairs_free);
  sl_class_search_clear (&reading.classes);
  g_clear_pointer (&reading.shape, sl_table_unref);
  g_ptr_array_unref (reading.waiting);
  g_array_unref (reading.more);
  return ok;
}
