/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mixup: CSV or TSV, one row per answer about a mixture of two items; mixtures out.
 *
 * Where --classes does not tell them, the classes are known only in the end: until then all rows wait. */
#include "schemas/mixtures.h"
#include "stages/common/column-names.h"
#include "formats.h"
#include "mixup-rows.h"

/* In the order of the table's columns. */
static const SlColumnRole roles[] = {
  [SL_MIXTURES_ITEM]
  = { "item",
      SL_NAMES ("item", "mixture", "mix", "stimulus", "image", "img", "example", "sample", "trial"),
      TRUE, SL_NAMES (SL_ITEM_FALLBACK) },
  [SL_MIXTURES_ANNOTATOR]
  = { "annotator", SL_NAMES (SL_ANNOTATOR_NAMES), FALSE, SL_NAMES (SL_ANNOTATOR_FALLBACK) },
  [SL_MIXTURES_FIRST]
  = { "first", SL_NAMES ("first", "firstitem", "item1", "itema", "imagea"), FALSE, NULL },
  [SL_MIXTURES_SECOND]
  = { "second", SL_NAMES ("second", "seconditem", "item2", "itemb", "imageb"), FALSE, NULL },
  [SL_MIXTURES_FIRST_CLASS]
  = { "first_class", SL_NAMES ("firstclass", "class1", "classa", "classi", "label1", "labela"),
      TRUE, NULL },
  [SL_MIXTURES_SECOND_CLASS]
  = { "second_class", SL_NAMES ("secondclass", "class2", "classb", "classj", "label2", "labelb"),
      TRUE, NULL },
  [SL_MIXTURES_LAMBDA]
  = { "lambda", SL_NAMES ("lambda", "lambdaf", "lam", "lamf", "mixingcoefficient"), TRUE, NULL },
  [SL_MIXTURES_HUMAN]
  = { "human", SL_NAMES ("human", "lambdah", "lamh", "humanlambda", "inferredlambda", "relabel"),
      TRUE, NULL },
  [SL_MIXTURES_CONFIDENCE]
  = { "confidence", SL_NAMES ("confidence", "omega", "conf"), FALSE, NULL },
  [SL_MIXUP_N_ROLES] = { 0 },
};

static gboolean
find_columns (SlMixupFile *state, gboolean first, GError **error)
{
  SlIngest *ingest = state->source.ingest;
  SlCsv *csv = state->source.csv;
  if (!(first ? sl_columns_find : sl_columns_find_again) (
          csv, roles, ingest->columns, (SlHeader) ingest->options->header, state->column, error))
    return FALSE;
  if (first)
    sl_ingest_tell_columns (ingest, csv, roles, state->column);
  return TRUE;
}

static gboolean
start (SlMixupFile *state, GError **error)
{
  guint32 columns = 0;
  for (int i = 0; i < SL_MIXUP_N_ROLES; i++)
    columns |= state->column[i] >= 0 ? 1u << i : 0;
  return sl_ingest_start (state->source.ingest, &sl_mixtures, columns, error);
}

static gboolean
read_file (SlMixupFile *state, const char *path, gboolean first, GError **error)
{
  g_autoptr (SlCsv) csv = sl_ingest_open (state->source.ingest, path, error);
  state->source.csv = csv;
  if (csv == NULL || !find_columns (state, first, error))
    return FALSE;
  int wanted[SL_MIXUP_N_ROLES], n = 0;
  for (int i = 0; i < SL_MIXUP_N_ROLES; i++)
    {
      state->place[i] = state->column[i] >= 0 ? n : -1;
      if (state->column[i] >= 0)
        wanted[n++] = state->column[i];
    }
  if (state->classes.known != NULL && first && !start (state, error))
    return FALSE;
  return sl_ingest_each (&state->source, wanted, n, &sl_mixup_handler, error);
}

/* The classes found become those of the table, and the rows that have waited for them are written. */
static gboolean
write_waiting (SlMixupFile *state, GError **error)
{
  SlIngest *ingest = state->source.ingest;
  if (sl_intern_size (state->classes.found) == 0)
    return TRUE;
  g_autofree gint32 *place = g_new (gint32, sl_intern_size (state->classes.found));
  ingest->classes = sl_class_search_end (&state->classes, place, ingest->run);
  if (!start (state, error))
    return FALSE;
  for (guint i = 0; i < state->waiting->len; i++)
    {
      sl_mixup_rows_recode (state->waiting->pdata[i], place);
      if (!sl_mixup_rows_write (state->waiting->pdata[i], ingest, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
run (SlIngest *ingest, GError **error)
{
  SlMixupFile state = { .source = { ingest, NULL } };
  state.waiting = g_ptr_array_new_with_free_func ((GDestroyNotify) sl_mixup_rows_free);
  sl_class_search_init (&state.classes, ingest->classes);
  gboolean ok = TRUE;
  for (int i = 0; ok && ingest->files[i] != NULL; i++)
    ok = read_file (&state, ingest->files[i], i == 0, error);
  ok = ok && (state.classes.known != NULL || write_waiting (&state, error));
  sl_class_search_clear (&state.classes);
  g_ptr_array_unref (state.waiting);
  return ok;
}

const SlIngestFormat sl_ingest_mixup = {
  .kind = &sl_mixtures,
  .roles = roles,
  .uses = SL_NAMES ("column", "header", "na", "trim", "rename-class"),
  .run = run,
};
