/* SPDX-License-Identifier: GPL-3.0-or-later */
/* long: CSV or TSV, one row per answer.
 *
 * The order of the classes is known only when all answers have been seen, but stands before the first row of the table. So
 * where --classes does not tell it, regular files are read twice, the first time only for the classes; what comes by a pipe
 * waits in memory, with codes in place of class names. */
#include "ingest.h"
#include "values.h"

#include <math.h>
#include <string.h>

enum
{
  ITEM,
  ANNOTATOR,
  CLASS,
  PERCENT,
  CLASS2,
  PERCENT2,
  IMPOSSIBLE,
  GOLD,
  SECONDS,
  COUNT,
  N_ROLES,
};

#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const SlColumnRole roles[] = {
  [ITEM] = { "item",
             NAMES ("item", "task", "question", "example", "image", "img", "sample", "instance",
                    "document", "doc", "unit", "object", "stimulus"),
             TRUE },
  [ANNOTATOR] = { "annotator",
                  NAMES ("annotator", "worker", "user", "rater", "coder", "labeler", "labeller",
                         "participant", "subject", "performer", "judge", "turker"),
                  FALSE },
  [CLASS] = { "class",
              NAMES ("class", "label", "answer", "response", "category", "vote", "annotation",
                     "choice", "judgment", "judgement", "rating"),
              TRUE },
  [PERCENT] = { "percent", NAMES ("percent"), FALSE },
  [CLASS2] = { "class2", NAMES ("class2"), FALSE },
  [PERCENT2] = { "percent2", NAMES ("percent2"), FALSE },
  [IMPOSSIBLE] = { "impossible", NAMES ("impossible"), FALSE },
  [GOLD] = { "gold", NAMES ("gold", "truth", "truelabel", "trueclass", "goldlabel"), FALSE },
  [SECONDS] = { "seconds", NAMES ("seconds"), FALSE },
  [COUNT] = { "count", NAMES ("count"), FALSE },
  [N_ROLES] = { 0 },
};

typedef struct
{
  SlIngestCsv source;
  char **given;        /* by --column */
  int column[N_ROLES]; /* in the file; -1: not there */
  int place[N_ROLES];  /* among the columns that are read */
  guint32 columns;     /* of the table */
  SlIntern *known;     /* the classes; NULL while they are being found */
  SlIntern *found;     /* meanwhile */
  GPtrArray *waiting;  /* of SlAnswers, with codes of `found` */
} Long;

typedef struct
{
  SlAnswers *answers;
  SlCoder *coder;
  GArray *found; /* of gint32: the code in `found` for each of the coder's own */
} Piece;

static gpointer
piece_new (gpointer data)
{
  const Long *state = data;
  Piece *piece = g_new0 (Piece, 1);
  piece->answers = sl_answers_new (state->columns);
  piece->coder = sl_coder_new (state->known);
  piece->found = g_array_new (FALSE, FALSE, sizeof (gint32));
  return piece;
}

static void
piece_free (gpointer data)
{
  Piece *piece = data;
  sl_answers_free (piece->answers);
  sl_coder_free (piece->coder);
  g_array_unref (piece->found);
  g_free (piece);
}

static gboolean
has (const Long *state, int role)
{
  return state->column[role] >= 0;
}

/* All that can be wrong with the rows but their class names; bad rows are marked. */
static void
read_values (const Long *state, SlCsvRows *rows, SlAnswers *answers)
{
  const int *place = state->place;
  gsize n = answers->n;
  sl_values_check_there (rows, place[ITEM], "item");
  sl_values_check_there (rows, place[CLASS], "class");
  if (has (state, ANNOTATOR))
    sl_values_check_there (rows, place[ANNOTATOR], "annotator");
  if (answers->percent != NULL)
    {
      sl_values_percents (rows, place[PERCENT], "percent", answers->percent + n);
      sl_values_percents (rows, place[PERCENT2], "second percent", answers->percent2 + n);
    }
  if (answers->seconds != NULL)
    sl_values_numbers (rows, place[SECONDS], "time", answers->seconds + n);
  if (answers->count != NULL)
    sl_values_integers (rows, place[COUNT], "count", 1, G_MAXINT64, answers->count + n);
}

static void
read_classes (const Long *state, SlCsvRows *rows, Piece *piece)
{
  const int *place = state->place;
  SlAnswers *answers = piece->answers;
  gsize n = answers->n;
  sl_values_classes (rows, place[CLASS], "class", piece->coder, answers->first + n);
  if (answers->second != NULL)
    sl_values_classes (rows, place[CLASS2], "second class", piece->coder, answers->second + n);
  if (answers->gold != NULL)
    sl_values_classes (rows, place[GOLD], "gold class", piece->coder, answers->gold + n);
  if (answers->impossible_end != NULL)
    sl_values_class_lists (rows, place[IMPOSSIBLE], "impossible class", piece->coder, answers);
}

static void
parse (SlCsvRows *rows, gpointer data, gpointer user)
{
  Piece *piece = data;
  const Long *state = user;
  SlAnswers *answers = piece->answers;
  sl_answers_reserve (answers, rows->n);
  /* A row without the rest must not teach its class: so the classes come last. Values lie at the places of their rows,
   * hence are read again when rows have been dropped. */
  do
    {
      do
        read_values (state, rows, answers);
      while (sl_csv_rows_drop_bad (rows));
      read_classes (state, rows, piece);
    }
  while (sl_csv_rows_drop_bad (rows));
  if (state->source.ingest->rehearsal)
    return;
  sl_texts_append_spans (&answers->item, answers->n, rows->data, rows->start[state->place[ITEM]],
                         rows->end[state->place[ITEM]], rows->n);
  if (has (state, ANNOTATOR))
    sl_texts_append_spans (&answers->annotator, answers->n, rows->data,
                           rows->start[state->place[ANNOTATOR]], rows->end[state->place[ANNOTATOR]],
                           rows->n);
  answers->n += rows->n;
}

/* The coder's own codes become those of all pieces. */
static gboolean
merge_classes (Long *state, Piece *piece, GError **error)
{
  const SlIntern *learned = piece->coder->learned;
  for (gint32 i = (gint32) piece->found->len; i < sl_intern_size (learned); i++)
    {
      gsize length;
      const char *name = sl_intern_get (learned, i, &length);
      gint32 code = sl_intern (state->found, name, length);
      g_array_append_val (piece->found, code);
    }
  sl_answers_recode (piece->answers, (const gint32 *) (gpointer) piece->found->data);
  if (sl_intern_size (state->found) <= SL_INGEST_MAX_CLASSES)
    return TRUE;
  const SlCsv *csv = state->source.csv;
  g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
               "%s: over %d different answers in column '%s': is it the class? --column class=NAME "
               "says which is",
               csv->name, SL_INGEST_MAX_CLASSES, csv->first[state->column[CLASS]]);
  return FALSE;
}

/* The rows wait until the classes are known. */
static gboolean
put_aside (Long *state, Piece *piece, GError **error)
{
  SlIngest *ingest = state->source.ingest;
  SlAnswers *answers = g_steal_pointer (&piece->answers);
  piece->answers = sl_answers_new (state->columns);
  sl_answers_shrink (answers);
  g_ptr_array_add (state->waiting, answers);
  return sl_run_claim (ingest->run, sl_answers_bytes (answers),
                       "the answers that come by a pipe until all their classes are known (none "
                       "need to wait with --classes, or "
                       "from a file)",
                       error);
}

static gboolean
emit (gpointer *data, gpointer user, GError **error)
{
  Piece *piece = *data;
  Long *state = user;
  SlIngest *ingest = state->source.ingest;
  sl_ingest_progress (ingest, (gint64) piece->answers->n);
  if (state->known == NULL)
    return merge_classes (state, piece, error)
           && (ingest->rehearsal || put_aside (state, piece, error));
  gboolean ok = sl_ingest_write (ingest, piece->answers, error);
  sl_answers_clear (piece->answers);
  return ok;
}

static const SlCsvHandler handler = { piece_new, piece_free, parse, sl_ingest_bad, emit };

/* The columns of the table that the roles found make. */
static guint32
table_columns (const Long *state)
{
  static const struct
  {
    int role, column;
  } made[] = {
    { ANNOTATOR, SL_ANNOTATIONS_ANNOTATOR }, { PERCENT, SL_ANNOTATIONS_CHOICES },
    { CLASS2, SL_ANNOTATIONS_CHOICES },      { PERCENT2, SL_ANNOTATIONS_CHOICES },
    { IMPOSSIBLE, SL_ANNOTATIONS_CHOICES },  { IMPOSSIBLE, SL_ANNOTATIONS_IMPOSSIBLE },
    { GOLD, SL_ANNOTATIONS_GOLD },           { SECONDS, SL_ANNOTATIONS_SECONDS },
    { COUNT, SL_ANNOTATIONS_COUNT },
  };
  guint32 columns = 1u << SL_ANNOTATIONS_ITEM;
  for (gsize i = 0; i < G_N_ELEMENTS (made); i++)
    if (has (state, made[i].role))
      columns |= 1u << made[i].column;
  return columns & 1u << SL_ANNOTATIONS_CHOICES ? columns : columns | 1u << SL_ANNOTATIONS_CLASS;
}

/* Finds the columns of the file; they must be those of the files before it. */
static gboolean
find_columns (Long *state, gboolean first, GError **error)
{
  SlCsv *csv = state->source.csv;
  const SlIngestOptions *options = state->source.ingest->options;
  int before[N_ROLES];
  memcpy (before, state->column, sizeof before);
  if (!sl_columns_find (csv, roles, state->given, (SlHeader) options->header, state->column, error))
    return FALSE;
  for (int i = 0; !first && i < N_ROLES; i++)
    if ((before[i] >= 0) != has (state, i))
      {
        g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
                     "%s: it has %s column for the %s, unlike the files before it", csv->name,
                     has (state, i) ? "a" : "no", roles[i].role);
        return FALSE;
      }
  state->columns = table_columns (state);
  return TRUE;
}

static gboolean
read_file (Long *state, const char *path, gboolean first, GError **error)
{
  g_autoptr (SlCsv) csv = sl_csv_open (path, error);
  state->source.csv = csv;
  if (csv == NULL || !find_columns (state, first, error))
    return FALSE;
  int wanted[N_ROLES], n = 0;
  for (int i = 0; i < N_ROLES; i++)
    {
      state->place[i] = has (state, i) ? n : -1;
      if (has (state, i))
        wanted[n++] = state->column[i];
    }
  SlIngest *ingest = state->source.ingest;
  if (state->known != NULL && ingest->table == NULL
      && !sl_ingest_start (ingest, state->columns, error))
    return FALSE;
  return sl_ingest_each (&state->source, wanted, n, &handler, error);
}

static gboolean
read_files (Long *state, GError **error)
{
  SlIngest *ingest = state->source.ingest;
  ingest->bytes_done = 0;
  for (int i = 0; ingest->files[i] != NULL; i++)
    if (!read_file (state, ingest->files[i], i == 0, error))
      return FALSE;
  return TRUE;
}

/* The classes found become the classes of the table. */
static void
settle_classes (Long *state)
{
  SlIngest *ingest = state->source.ingest;
  g_autofree gint32 *place = g_new (gint32, sl_intern_size (state->found));
  ingest->classes = sl_classes_sorted (state->found, place);
  state->known = sl_classes_intern (ingest->classes);
  for (guint i = 0; i < state->waiting->len; i++)
    sl_answers_recode (state->waiting->pdata[i], place);
}

/* The classes are not given. */
static gboolean
find_classes_first (Long *state, GError **error)
{
  SlIngest *ingest = state->source.ingest;
  ingest->rehearsal = TRUE;
  for (int i = 0; ingest->files[i] != NULL; i++)
    ingest->rehearsal = ingest->rehearsal && sl_source_can_reopen (ingest->files[i]);
  if (!read_files (state, error))
    return FALSE;
  gboolean any = sl_intern_size (state->found) > 0;
  settle_classes (state);
  if (!any)
    return TRUE;
  if (ingest->rehearsal)
    {
      ingest->rehearsal = FALSE;
      return read_files (state, error);
    }
  if (!sl_ingest_start (ingest, state->columns, error))
    return FALSE;
  for (guint i = 0; i < state->waiting->len; i++)
    if (!sl_ingest_write (ingest, state->waiting->pdata[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
run (SlIngest *ingest, GError **error)
{
  Long state = { .source = { ingest, NULL } };
  state.given = sl_columns_parse (roles, ingest->options->columns, error);
  state.waiting = g_ptr_array_new_with_free_func ((GDestroyNotify) sl_answers_free);
  state.found = sl_intern_new ();
  state.known = ingest->classes != NULL ? sl_classes_intern (ingest->classes) : NULL;
  gboolean ok
      = state.given != NULL
        && (state.known != NULL ? read_files (&state, error) : find_classes_first (&state, error));
  g_clear_pointer (&state.known, sl_intern_free);
  sl_intern_free (state.found);
  g_ptr_array_unref (state.waiting);
  sl_columns_free (state.given, roles);
  return ok;
}

const SlIngestFormat sl_ingest_long = {
  .name = "long",
  .roles = roles,
  .uses = NAMES ("column", "header"),
  .run = run,
};
