/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mixup: CSV or TSV, one row per answer about a mixture of two items; mixtures out.
 *
 * Where --classes does not tell them, the classes are known only in the end: until then all rows wait. */
#include "schemas/mixtures.h"
#include "ingest.h"
#include "mixup-rows.h"

#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* In the order of the table's columns. */
static const SlColumnRole roles[] = {
  [SL_MIXTURES_ITEM]
  = { "item",
      NAMES ("item", "mixture", "mix", "stimulus", "image", "img", "example", "sample", "trial"),
      TRUE },
  [SL_MIXTURES_ANNOTATOR]
  = { "annotator",
      NAMES ("annotator", "worker", "user", "rater", "participant", "subject", "judge"), FALSE },
  [SL_MIXTURES_FIRST]
  = { "first", NAMES ("first", "firstitem", "item1", "itema", "imagea"), FALSE },
  [SL_MIXTURES_SECOND]
  = { "second", NAMES ("second", "seconditem", "item2", "itemb", "imageb"), FALSE },
  [SL_MIXTURES_FIRST_CLASS]
  = { "first_class", NAMES ("firstclass", "class1", "classa", "classi", "label1", "labela"), TRUE },
  [SL_MIXTURES_SECOND_CLASS]
  = { "second_class", NAMES ("secondclass", "class2", "classb", "classj", "label2", "labelb"),
      TRUE },
  [SL_MIXTURES_LAMBDA]
  = { "lambda", NAMES ("lambda", "lambdaf", "lam", "lamf", "mixingcoefficient"), TRUE },
  [SL_MIXTURES_HUMAN]
  = { "human", NAMES ("human", "lambdah", "lamh", "humanlambda", "inferredlambda", "relabel"),
      TRUE },
  [SL_MIXTURES_CONFIDENCE] = { "confidence", NAMES ("confidence", "omega", "conf"), FALSE },
  [SL_MIXUP_N_ROLES] = { 0 },
};

static gboolean
find_columns (SlMixupFile *state, gboolean first, GError **error)
{
  SlIngest *ingest = state->source.ingest;
  SlCsv *csv = state->source.csv;
  if (!(first ? sl_columns_find : sl_columns_find_again) (
          csv, roles, state->given, (SlHeader) ingest->options->header, state->column, error))
    return FALSE;
  if (first)
    {
      g_autofree char *found = sl_columns_tell (csv, roles, state->column);
      sl_run_note (ingest->run, "%s", found);
    }
  return TRUE;
}

static gboolean
start (SlMixupFile *state, GError **error)
{
  guint32 columns = 0;
  for (int i = 0; i < SL_MIXUP_N_ROLES; i++)
    columns |= state->column[i] >= 0 ? 1u << i : 0;
  return sl_ingest_start_as (state->source.ingest, &sl_mixtures, columns, error);
}

static gboolean
read_file (SlMixupFile *state, const char *path, gboolean first, GError **error)
{
  g_autoptr (SlCsv) csv = sl_csv_open (path, error);
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
  if (state->known != NULL && first && !start (state, error))
    return FALSE;
  return sl_ingest_each (&state->source, wanted, n, &sl_mixup_handler, error);
}

/* The classes found become those of the table, and the rows that have waited for them are written. */
static gboolean
write_waiting (SlMixupFile *state, GError **error)
{
  if (sl_intern_size (state->found) == 0)
    return TRUE;
  g_autofree gint32 *place = g_new (gint32, sl_intern_size (state->found));
  state->source.ingest->classes = sl_classes_sorted (state->found, place);
  if (!start (state, error))
    return FALSE;
  for (guint i = 0; i < state->waiting->len; i++)
    {
      sl_mixup_rows_recode (state->waiting->pdata[i], place);
      if (!sl_mixup_rows_write (state->waiting->pdata[i], state->source.ingest, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
run (SlIngest *ingest, GError **error)
{
  SlMixupFile state = { .source = { ingest, NULL } };
  state.given = sl_columns_parse (roles, ingest->options->columns, error);
  state.waiting = g_ptr_array_new_with_free_func ((GDestroyNotify) sl_mixup_rows_free);
  state.found = sl_intern_new ();
  state.known = ingest->classes != NULL ? sl_classes_intern (ingest->classes) : NULL;
  gboolean ok = state.given != NULL;
  for (int i = 0; ok && ingest->files[i] != NULL; i++)
    ok = read_file (&state, ingest->files[i], i == 0, error);
  ok = ok && (state.known != NULL || write_waiting (&state, error));
  g_clear_pointer (&state.known, sl_intern_free);
  sl_intern_free (state.found);
  g_ptr_array_unref (state.waiting);
  sl_columns_free (state.given, roles);
  return ok;
}

const SlIngestFormat sl_ingest_mixup = {
  .roles = roles,
  .uses = NAMES ("column", "header"),
  .run = run,
};
