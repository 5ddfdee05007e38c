/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --mixtures: pairs of the items of --items, which become what is asked about. */
#include "schemas/mixtures.h"
#include "pipeline/base/shown-text.h"
#include "study.h"

#include <math.h>
#include <string.h>

static char *
text_at (SlText text, gint64 row)
{
  gsize n;
  const char *start = sl_text_get (text, row, &n);
  return g_strndup (start, n);
}

/* The number of the end NAME among study->ends. */
static gboolean
find_end (SlStudy *study, GHashTable *index, const char *name, gint64 row, gint32 *end,
          GError **error)
{
  gpointer at;
  g_autofree char *shown = sl_shown (name, strlen (name));
  if (!g_hash_table_lookup_extended (index, name, NULL, &at))
    return sl_error_row (error, row, "'%s' is not one of --items", shown);
  *end = GPOINTER_TO_INT (at);
  const SlSurveyItem *item = study->ends->pdata[*end];
  return item->text == NULL || sl_error_row (error, row, "texts cannot be mixed");
}

/* A mixture of which one end's class is not known cannot be asked about. */
static gboolean
add_mixture (SlStudy *study, GHashTable *index, const SlBatch *batch, gint64 i, GError **error)
{
  static const int end_columns[2] = { SL_MIXTURES_FIRST, SL_MIXTURES_SECOND };
  static const int class_columns[2] = { SL_MIXTURES_FIRST_CLASS, SL_MIXTURES_SECOND_CLASS };
  gint64 row = batch->first_row + i + 1;
  gsize n;
  const char *name = sl_text_get (batch->column[SL_MIXTURES_ITEM].text, i, &n);
  SlSurveyItem *item = sl_survey_item_new (name, (gssize) n);
  g_ptr_array_add (study->items, item);
  item->lambda = batch->column[SL_MIXTURES_LAMBDA].real[i];
  for (int e = 0; e < 2; e++)
    {
      gint32 class = batch->column[class_columns[e]].code[i];
      if (class < 0)
        return sl_error_row (error, row,
                             "one of its classes is missing: label the items with one "
                             "class each before they are mixed");
      item->end_class[e] = g_strdup (batch->table->classes[class]);
      item->end_name[e] = text_at (batch->column[end_columns[e]].text, i);
      if (!find_end (study, index, item->end_name[e], row, &item->end[e], error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
add_batch (SlStudy *study, GHashTable *index, GHashTable *seen, const SlBatch *batch,
           GError **error)
{
  if (!sl_run_claim_array (study->run, (gsize) batch->n_rows, sizeof (SlSurveyItem) + 512,
                           "the mixtures", error))
    return FALSE;
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      /* Of answers about mixtures, each mixture is taken once. */
      g_autofree char *name = text_at (batch->column[SL_MIXTURES_ITEM].text, i);
      if (g_hash_table_add (seen, g_steal_pointer (&name))
          && !add_mixture (study, index, batch, i, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
sl_study_read_mixtures (SlStudy *study, GError **error)
{
  static const SlKind *const kinds[] = { &sl_mixtures, NULL };
  study->ends = sl_survey_items_new ();
  if (!sl_study_read_items (study, study->ends, error))
    return FALSE;
  g_autoptr (GHashTable) index = g_hash_table_new (g_str_hash, g_str_equal),
                         seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < study->ends->len; i++)
    g_hash_table_insert (index, ((SlSurveyItem *) study->ends->pdata[i])->name,
                         GINT_TO_POINTER ((int) i));
  g_autoptr (SlReader) reader
      = sl_run_open (study->run, "mixtures", study->options->mixtures, kinds, error);
  guint32 wanted = 1u << SL_MIXTURES_FIRST | 1u << SL_MIXTURES_SECOND
                   | 1u << SL_MIXTURES_FIRST_CLASS | 1u << SL_MIXTURES_SECOND_CLASS;
  if (reader == NULL
      || !sl_mixtures_require (sl_reader_table (reader), wanted, study->options->mixtures, error))
    return FALSE;
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_reader_each (reader, &batch, &ok, error))
    ok = add_batch (study, index, seen, batch, error);
  if (ok && study->items->len == 0)
    return sl_error_bad_input (error, "--mixtures: %s: there are no mixtures in it",
                               study->options->mixtures);
  return ok;
}
