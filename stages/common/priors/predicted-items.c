/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "predicted-items.h"

#include "pipeline/base/shown-text.h"
#include "prior-files.h"
#include "schemas/labels.h"
#include "schemas/predictions.h"
#include "stages/common/classes/class-map.h"

SlReader *
sl_predictions_open (SlRun *run, const char *path, GError **error)
{
  static const SlKind *const kinds[] = { &sl_predictions, &sl_labels, NULL };
  g_autoptr (SlReader) reader = sl_run_open (run, "predictions", path, kinds, error);
  return reader != NULL
                 && sl_predictions_of_items (sl_reader_table (reader), sl_reader_name (reader),
                                             error)
             ? g_steal_pointer (&reader)
             : NULL;
}

void
sl_predicted_items_clear (SlPredictedItems *predicted)
{
  g_clear_pointer (&predicted->sum, g_array_unref);
  g_clear_pointer (&predicted->rows, g_array_unref);
}

static gboolean
make_room (SlPredictedItems *predicted, GError **error)
{
  guint n = (guint) sl_intern_size (predicted->items);
  if (!sl_run_claim_up_to (predicted->run, &predicted->claimed,
                           n * ((gsize) g_array_get_element_size (predicted->sum) + 4),
                           "a prediction for every item and class", error))
    return FALSE;
  g_array_set_size (predicted->sum, n);
  g_array_set_size (predicted->rows, n);
  return TRUE;
}

static gboolean
add_row (SlPredictedItems *predicted, const SlBatch *batch, int column, gint64 i, GError **error)
{
  gsize length;
  const char *name = sl_text_get (batch->column[0].text, i, &length);
  gint32 item = predicted->meet ? sl_intern (predicted->items, name, length)
                                : sl_intern_find (predicted->items, name, length);
  if (item < 0)
    {
      predicted->n_strange++;
      return TRUE;
    }
  if ((guint) item >= predicted->rows->len && !make_room (predicted, error))
    return FALSE;
  gint32 k = batch->table->n_classes;
  const double *from = batch->column[column].real + i * k;
  double *to
      = (double *) (gpointer) predicted->sum->data + (gsize) item * (gsize) predicted->n_classes;
  for (gint32 j = 0; j < k; j++)
    to[predicted->map[j]] += from[j];
  g_array_index (predicted->rows, guint32, item)++;
  return TRUE;
}

gboolean
sl_predicted_items_read (SlPredictedItems *predicted, SlReader *reader, GError **error)
{
  /* Both kinds begin with the item. */
  gboolean own = sl_reader_table (reader)->kind == &sl_predictions;
  int column = own ? (int) SL_PREDICTIONS_PROB : (int) SL_LABELS_LABEL;
  predicted->sum
      = g_array_new (FALSE, TRUE, (guint) MAX (predicted->n_classes, 1) * sizeof (double));
  predicted->rows = g_array_new (FALSE, TRUE, sizeof (guint32));
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = make_room (predicted, error);
  while (sl_reader_each (reader, &batch, &ok, error))
    for (gint64 i = 0; ok && i < batch->n_rows; i++)
      ok = add_row (predicted, batch, column, i, error);
  return ok;
}

static gboolean
find_missing (const SlPredictedItems *predicted, SlReader *reader, GError **error)
{
  for (gint32 i = 0; i < sl_intern_size (predicted->items); i++)
    if (g_array_index (predicted->rows, guint32, i) == 0)
      {
        g_autofree char *shown = sl_intern_shown (predicted->items, i);
        return !sl_error_bad_input (error, "%s: it has no prediction for item '%s'",
                                    sl_reader_name (reader), shown);
      }
  return FALSE;
}

/* The means, [items][n_classes], which are taken out; NULL and ERROR where an item has none. */
static double *
take_items (SlPredictedItems *predicted, SlReader *reader, GError **error)
{
  if (find_missing (predicted, reader, error))
    return NULL;
  gsize k = (gsize) predicted->n_classes;
  double *p = (double *) (gpointer) predicted->sum->data;
  for (guint i = 0; i < predicted->rows->len; i++, p += k)
    {
      guint32 rows = g_array_index (predicted->rows, guint32, i);
      for (gsize j = 0; j < k && rows > 1; j++)
        p[j] /= rows;
    }
  g_array_set_size (predicted->sum, MAX (predicted->sum->len, 1));
  return (double *) (gpointer) g_array_free (g_steal_pointer (&predicted->sum), FALSE);
}

double *
sl_priors_read_predictions (SlPriors *priors, SlIntern *items, gboolean meet, GError **error)
{
  SlReader *reader = priors->predictions;
  SlTable *table = sl_reader_table (reader);
  g_autofree gint32 *map = sl_class_map_alike (table, priors->classes, priors->n_classes);
  for (gint32 k = 0; k < table->n_classes; k++)
    if (map[k] < 0)
      {
        sl_error_bad_input (error, "%s: class '%s' is none of the classes of the answers",
                            sl_reader_name (reader), table->classes[k]);
        return NULL;
      }
  g_auto (SlPredictedItems) predicted = {
    .run = priors->run, .items = items, .n_classes = priors->n_classes, .map = map, .meet = meet
  };
  return sl_predicted_items_read (&predicted, reader, error)
             ? take_items (&predicted, reader, error)
             : NULL;
}
