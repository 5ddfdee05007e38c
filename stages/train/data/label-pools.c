/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "label-pools.h"

#include "schemas/predictions.h"
#include "stages/train/losses/losses.h"

#include <string.h>

/* What teacher row I says at TEMPERATURE, in label[k], of its table's classes. */
static gboolean
teacher_label (const SlBatch *batch, gint64 i, double temperature, double *label, GError **error)
{
  gsize k = (gsize) batch->table->n_classes;
  const double *prob = batch->column[SL_PREDICTIONS_PROB].real + (gsize) i * k;
  const double *logit = batch->column[SL_PREDICTIONS_LOGIT].real;
  memcpy (label, prob, k * sizeof *label);
  if (temperature == 1)
    return TRUE;
  if (logit == NULL)
    return sl_error_row (error, batch->first_row + i + 1,
                         "its table has no logits, which --temperature needs: `softlabel predict "
                         "--logits`");
  memset (label, 0, k * sizeof *label);
  sl_teacher_add (logit + (gsize) i * k, k, temperature, 1, label);
  return TRUE;
}

static gboolean
take_batch (SlLabelRows *rows, const SlBatch *batch, const SlIntern *items, const gint32 *map,
            double temperature, GError **error)
{
  gint32 n_classes = batch->table->n_classes;
  g_autofree double *label = g_new (double, n_classes);
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      gsize length;
      const char *name = sl_text_get (batch->column[SL_PREDICTIONS_ITEM].text, i, &length);
      gint32 item = sl_intern_find (items, name, length);
      if (item < 0)
        rows->n_strange++;
      else if (!teacher_label (batch, i, temperature, label, error)
               || !sl_label_rows_add (rows, item, label, map, n_classes, 1, error))
        return FALSE;
    }
  return sl_run_claim_up_to (rows->run, &rows->claimed,
                             (gsize) rows->pool->len * (rows->k * sizeof (float) + 24) * 5 / 2,
                             "the teachers' predictions", error);
}

gboolean
sl_label_rows_read_teacher (SlLabelRows *rows, const char *option, const char *path,
                            const SlIntern *items, double temperature, GError **error)
{
  static const SlKind *const kinds[] = { &sl_predictions, NULL };
  g_autoptr (SlReader) reader = sl_run_open (rows->run, option, path, kinds, error);
  if (reader == NULL)
    return FALSE;
  g_autofree gint32 *map
      = sl_label_rows_map (rows, sl_reader_table (reader), sl_reader_name (reader), error);
  if (map == NULL)
    return FALSE;
  for (;;)
    {
      g_autoptr (SlBatch) batch = NULL;
      if (!sl_reader_next (reader, &batch, error))
        return FALSE;
      if (batch == NULL)
        return TRUE;
      if (!take_batch (rows, batch, items, map, temperature, error))
        {
          sl_reader_name_rows (reader, error);
          return FALSE;
        }
    }
}

/* Stable: a pool's rows stay in the order of reading. */
void
sl_label_rows_pool (const SlLabelRows *rows, gsize n, SlPools *pools, gint32 **annotator)
{
  gsize n_rows = rows->pool->len, k = rows->k;
  gsize *start = g_new0 (gsize, n + 2);
  float *label = rows->label != NULL ? g_new (float, MAX (n_rows * k, 1)) : NULL;
  gint32 *vote = rows->label == NULL ? g_new (gint32, MAX (n_rows, 1)) : NULL;
  double *weight = g_new (double, MAX (n_rows, 1));
  gint32 *who = rows->annotator != NULL ? g_new (gint32, MAX (n_rows, 1)) : NULL;
  for (gsize r = 0; r < n_rows; r++)
    start[g_array_index (rows->pool, gint32, r) + 2]++;
  for (gsize p = 0; p < n; p++)
    start[p + 2] += start[p + 1];
  for (gsize r = 0; r < n_rows; r++)
    {
      gsize to = start[g_array_index (rows->pool, gint32, r) + 1]++;
      weight[to] = g_array_index (rows->weight, double, r);
      if (who != NULL)
        who[to] = g_array_index (rows->annotator, gint32, r);
      if (label != NULL)
        memcpy (label + to * k, (float *) (gpointer) rows->label->data + r * k, k * sizeof *label);
      else
        vote[to] = g_array_index (rows->vote, gint32, r);
    }
  *pools = (SlPools){ n, k, start, label, vote, weight };
  if (annotator != NULL)
    *annotator = g_steal_pointer (&who);
  g_free (who);
}

void
sl_pools_free_arrays (SlPools *pools)
{
  g_free (pools->start);
  g_free ((gpointer) pools->label);
  g_free ((gpointer) pools->vote);
  g_free ((gpointer) pools->weight);
  *pools = (SlPools){ 0 };
}
