/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mixtures of the items as examples beside them: Collins, MPhil thesis, Cambridge 2022, chapter
 * 4. */
#include "mixture-cases.h"

#include "schemas/mixtures.h"

#include <math.h>

typedef struct
{
  SlTrainData *data;
  SlLabelRows *rows;
  SlIntern *mixtures;
  GArray *cases;
  const gint32 *map;
} Mixtures;

/* The item that COLUMN of row I names; -1 and ERROR where there is none. */
static gint32
find_item (const Mixtures *mixtures, const SlBatch *batch, int column, gint64 i, GError **error)
{
  gsize length;
  const char *name = sl_text_get (batch->column[column].text, i, &length);
  gint32 item = sl_intern_find (mixtures->data->features.items, name, length);
  if (item < 0)
    (void) sl_error_row (error, batch->first_row + i + 1, "item '%.*s' is not in %s",
                         (int) MIN (length, 1000), name, mixtures->data->options->features);
  return item;
}

static gboolean
take_row (Mixtures *mixtures, const SlBatch *batch, gint64 i, GError **error)
{
  gsize length;
  const char *name = sl_text_get (batch->column[SL_MIXTURES_ITEM].text, i, &length);
  gint32 n_items = mixtures->data->features.examples.n, known = sl_intern_size (mixtures->mixtures);
  gint32 mixture = sl_intern (mixtures->mixtures, name, length);
  gint32 first = find_item (mixtures, batch, SL_MIXTURES_FIRST, i, error);
  gint32 second = first < 0 ? -1 : find_item (mixtures, batch, SL_MIXTURES_SECOND, i, error);
  if (second < 0)
    return FALSE;
  SlCase now = { first,
                 second,
                 (float) batch->column[SL_MIXTURES_LAMBDA].real[i],
                 n_items + mixture,
                 -1,
                 sl_text_hash (name, length) };
  const double *weight = batch->column[SL_MIXTURES_WEIGHT].real;
  gint32 k = batch->table->n_classes;
  if (mixture == known)
    g_array_append_val (mixtures->cases, now);
  const SlCase *is = &g_array_index (mixtures->cases, SlCase, (guint) (n_items + mixture));
  if (is->first != first || is->second != second || is->lambda != now.lambda)
    return sl_error_row (error, batch->first_row + i + 1,
                         "mixture '%.*s' was of other items, or of another lambda, before",
                         (int) MIN (length, 1000), name);
  if (weight != NULL && weight[i] == 0)
    return TRUE;
  gint32 nobody = -1;
  if (mixtures->rows->annotator != NULL)
    g_array_append_val (mixtures->rows->annotator, nobody);
  return sl_label_rows_add (mixtures->rows, now.pool,
                            batch->column[SL_MIXTURES_LABEL].real + (gsize) i * (gsize) k,
                            mixtures->map, k, weight != NULL ? weight[i] : 1, error);
}

static gboolean
read_rows (Mixtures *mixtures, SlReader *reader, GError **error)
{
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_reader_each (reader, &batch, &ok, error))
    for (gint64 i = 0; ok && i < batch->n_rows; i++)
      ok = take_row (mixtures, batch, i, error);
  return ok;
}

gboolean
sl_mixture_cases_read (SlTrainData *data, SlLabelRows *rows, const char *path, GError **error)
{
  static const SlKind *const kinds[] = { &sl_mixtures, NULL };
  g_autoptr (SlReader) reader = sl_run_open (data->run, "augment", path, kinds, error);
  guint32 wanted = 1u << SL_MIXTURES_FIRST | 1u << SL_MIXTURES_SECOND | 1u << SL_MIXTURES_LABEL;
  if (reader == NULL
      || !sl_mixtures_require (sl_reader_table (reader), wanted, sl_reader_name (reader), error))
    return FALSE;
  g_autofree gint32 *map
      = sl_label_rows_map (rows, sl_reader_table (reader), sl_reader_name (reader), error);
  g_autoptr (SlIntern) names = sl_intern_new ();
  g_autoptr (GArray) cases = g_array_new (FALSE, FALSE, sizeof (SlCase));
  if (map == NULL)
    return FALSE;
  g_array_append_vals (cases, data->cases, (guint) data->n_cases);
  Mixtures mixtures = { data, rows, names, cases, map };
  if (!read_rows (&mixtures, reader, error))
    return FALSE;
  data->n_cases = cases->len;
  g_free (data->cases);
  data->cases = (SlCase *) (gpointer) g_array_free (g_steal_pointer (&cases), FALSE);
  return TRUE;
}
