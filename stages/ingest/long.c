/* SPDX-License-Identifier: GPL-3.0-or-later */
/* long: CSV or TSV, one row per answer.
 *
 * The order of the classes is known only when all answers have been seen, but stands before the first row of the table. So
 * where --classes does not tell it, regular files are read twice, the first time only for the classes; what comes by a pipe
 * waits in memory, with codes in place of class names. */
#include "schemas/annotations.h"
#include "stages/common/column-names.h"
#include "formats.h"
#include "long.h"

#include <string.h>

static const SlColumnRole roles[] = {
  [SL_LONG_ITEM] = { "item", SL_NAMES (SL_ITEM_NAMES), TRUE, SL_NAMES (SL_ITEM_FALLBACK) },
  [SL_LONG_ANNOTATOR]
  = { "annotator", SL_NAMES (SL_ANNOTATOR_NAMES), FALSE, SL_NAMES (SL_ANNOTATOR_FALLBACK) },
  [SL_LONG_CLASS] = { "class",
                      SL_NAMES ("class", "label", "answer", "response", "category", "vote",
                                "annotation", "choice", "judgment", "judgement", "rating"),
                      TRUE, NULL },
  [SL_LONG_PERCENT] = { "percent", SL_NAMES ("percent"), FALSE, NULL },
  [SL_LONG_CLASS2] = { "class2", SL_NAMES ("class2"), FALSE, NULL },
  [SL_LONG_PERCENT2] = { "percent2", SL_NAMES ("percent2"), FALSE, NULL },
  [SL_LONG_IMPOSSIBLE] = { "impossible", SL_NAMES ("impossible"), FALSE, NULL },
  [SL_LONG_GOLD]
  = { "gold", SL_NAMES ("gold", "truth", "truelabel", "trueclass", "goldlabel"), FALSE, NULL },
  [SL_LONG_SECONDS] = { "seconds", SL_NAMES ("seconds"), FALSE, NULL },
  [SL_LONG_COUNT] = { "count", SL_NAMES ("count"), FALSE, NULL },
  [SL_LONG_N_ROLES] = { 0 },
};

/* The columns of the table that the roles found make. */
static guint32
table_columns (const SlLong *state)
{
  static const struct
  {
    int role, column;
  } made[] = {
    { SL_LONG_ANNOTATOR, SL_ANNOTATIONS_ANNOTATOR },
    { SL_LONG_PERCENT, SL_ANNOTATIONS_CHOICES },
    { SL_LONG_CLASS2, SL_ANNOTATIONS_CHOICES },
    { SL_LONG_PERCENT2, SL_ANNOTATIONS_CHOICES },
    { SL_LONG_IMPOSSIBLE, SL_ANNOTATIONS_CHOICES },
    { SL_LONG_IMPOSSIBLE, SL_ANNOTATIONS_IMPOSSIBLE },
    { SL_LONG_GOLD, SL_ANNOTATIONS_GOLD },
    { SL_LONG_SECONDS, SL_ANNOTATIONS_SECONDS },
    { SL_LONG_COUNT, SL_ANNOTATIONS_COUNT },
  };
  guint32 columns = 1u << SL_ANNOTATIONS_ITEM;
  for (gsize i = 0; i < G_N_ELEMENTS (made); i++)
    if (sl_long_has (state, made[i].role))
      columns |= 1u << made[i].column;
  return columns & 1u << SL_ANNOTATIONS_CHOICES ? columns : columns | 1u << SL_ANNOTATIONS_CLASS;
}

/* Finds the columns of the file; they must be those of the files before it. */
static gboolean
find_columns (SlLong *state, gboolean first, GError **error)
{
  SlCsv *csv = state->source.csv;
  SlIngest *ingest = state->source.ingest;
  if (!(first ? sl_columns_find : sl_columns_find_again) (
          csv, roles, ingest->columns, (SlHeader) ingest->options->header, state->column, error))
    return FALSE;
  if (state->columns == 0)
    sl_ingest_tell_columns (ingest, csv, roles, state->column);
  state->columns = table_columns (state);
  return TRUE;
}

static gboolean
read_file (SlLong *state, const char *path, gboolean first, GError **error)
{
  SlIngest *ingest = state->source.ingest;
  g_autoptr (SlCsv) csv = sl_ingest_open (ingest, path, error);
  state->source.csv = csv;
  if (csv == NULL || !find_columns (state, first, error))
    return FALSE;
  int wanted[SL_LONG_N_ROLES], n = 0;
  for (int i = 0; i < SL_LONG_N_ROLES; i++)
    {
      state->place[i] = sl_long_has (state, i) ? n : -1;
      if (sl_long_has (state, i))
        wanted[n++] = state->column[i];
    }
  if (state->classes.known != NULL && ingest->table == NULL
      && !sl_ingest_start (ingest, &sl_annotations, state->columns, error))
    return FALSE;
  return sl_ingest_each (&state->source, wanted, n, &sl_long_handler, error);
}

static gboolean
read_files (SlLong *state, GError **error)
{
  const char *const *files = state->source.ingest->files;
  for (int i = 0; files[i] != NULL; i++)
    if (!read_file (state, files[i], i == 0, error))
      return FALSE;
  return TRUE;
}

/* The classes found become the classes of the table. */
static void
settle_classes (SlLong *state)
{
  SlIngest *ingest = state->source.ingest;
  g_autofree gint32 *place = g_new (gint32, sl_intern_size (state->classes.found));
  ingest->classes = sl_class_search_end (&state->classes, place, ingest->run);
  for (guint i = 0; i < state->waiting->len; i++)
    sl_ingest_answers_recode (state->waiting->pdata[i], place, place);
}

/* The classes are not given. */
static gboolean
find_classes_first (SlLong *state, GError **error)
{
  SlIngest *ingest = state->source.ingest;
  ingest->rehearsal = TRUE;
  for (int i = 0; ingest->files[i] != NULL; i++)
    ingest->rehearsal = ingest->rehearsal && sl_source_can_reopen (ingest->files[i]);
  if (ingest->rehearsal)
    ingest->bytes_whole *= 2;
  if (!read_files (state, error))
    return FALSE;
  gboolean any = sl_intern_size (state->classes.found) > 0, again = ingest->rehearsal;
  ingest->rehearsal = FALSE;
  ingest->again = again;
  if (!sl_ingest_check_percents (ingest, error))
    return FALSE;
  if (any)
    settle_classes (state);
  if (again && (any || ingest->rejects.path != NULL))
    return read_files (state, error);
  if (!any)
    return TRUE;
  if (!sl_ingest_start (ingest, &sl_annotations, state->columns, error))
    return FALSE;
  for (guint i = 0; i < state->waiting->len; i++)
    if (!sl_ingest_write (ingest, state->waiting->pdata[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
run (SlIngest *ingest, GError **error)
{
  SlLong state = { .source = { ingest, NULL } };
  state.waiting = g_ptr_array_new_with_free_func ((GDestroyNotify) sl_ingest_answers_free);
  sl_class_search_init (&state.classes, ingest->classes);
  gboolean ok = ingest->classes != NULL
                    ? read_files (&state, error) && sl_ingest_check_percents (ingest, error)
                    : find_classes_first (&state, error);
  sl_class_search_clear (&state.classes);
  g_ptr_array_unref (state.waiting);
  return ok;
}

const SlIngestFormat sl_ingest_long = {
  .kind = &sl_annotations,
  .roles = roles,
  .uses = SL_NAMES ("column", "header", "na", "trim", "rename-class", "percent-scale"),
  .run = run,
};
