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
  const SlTable *table = sl_reader_table (reader);
  if (sl_predictions_are_changed (table))
    return sl_error_bad_input (error,
                               "%s: it has predictions about attacked or corrupted examples, which "
                               "teach nothing of the examples themselves",
                               sl_reader_name (reader));
  g_autofree gint32 *map = sl_label_rows_map (rows, table, sl_reader_name (reader), error);
  if (map == NULL)
    return FALSE;
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_reader_each (reader, &batch, &ok, error))
    ok = take_batch (rows, batch, items, map, temperature, error);
  return ok;
}

static int
compare_names (const SlLabelRows *rows, gint32 a, gint32 b)
{
  if (a == b || a < 0 || b < 0)
    return (a > b) - (a < b);
  gsize n, m;
  const char *x = sl_intern_get (rows->annotators, a, &n);
  const char *y = sl_intern_get (rows->annotators, b, &m);
  int by = memcmp (x, y, MIN (n, m));
  return by != 0 ? by : (n > m) - (n < m);
}

/* By what rows say, so that what is drawn does not depend on their order. */
static int
compare_rows (gconstpointer a, gconstpointer b, gpointer data)
{
  const SlLabelRows *rows = data;
  gsize r = *(const gsize *) a, s = *(const gsize *) b, k = rows->k;
  double v = g_array_index (rows->weight, double, r), w = g_array_index (rows->weight, double, s);
  const float *label = rows->label != NULL ? (float *) (gpointer) rows->label->data : NULL;
  int by = label != NULL
               ? memcmp (label + r * k, label + s * k, k * sizeof *label)
               : g_array_index (rows->vote, gint32, r) - g_array_index (rows->vote, gint32, s);
  by = by != 0 ? by : (v > w) - (v < w);
  return by != 0 || rows->annotator == NULL
             ? by
             : compare_names (rows, g_array_index (rows->annotator, gint32, r),
                              g_array_index (rows->annotator, gint32, s));
}

/* start[n + 1] <- where each pool begins; returns the rows, pool by pool. */
static gsize *
sort_rows (const SlLabelRows *rows, gsize n, gsize *start)
{
  gsize n_rows = rows->pool->len;
  gsize *order = g_new (gsize, MAX (n_rows, 1));
  g_autofree gsize *next = g_new (gsize, n + 1);
  for (gsize r = 0; r < n_rows; r++)
    start[g_array_index (rows->pool, gint32, r) + 1]++;
  for (gsize p = 0; p < n; p++)
    start[p + 1] += start[p];
  memcpy (next, start, (n + 1) * sizeof *next);
  for (gsize r = 0; r < n_rows; r++)
    order[next[g_array_index (rows->pool, gint32, r)]++] = r;
  for (gsize p = 0; p < n; p++)
    g_qsort_with_data (order + start[p], (int) (start[p + 1] - start[p]), sizeof *order,
                       compare_rows, (gpointer) rows);
  return order;
}

void
sl_label_rows_pool (const SlLabelRows *rows, gsize n, SlPools *pools, gint32 **annotator)
{
  gsize n_rows = rows->pool->len, k = rows->k;
  gsize *start = g_new0 (gsize, n + 1);
  float *label = rows->label != NULL ? g_new (float, MAX (n_rows * k, 1)) : NULL;
  gint32 *vote = rows->label == NULL ? g_new (gint32, MAX (n_rows, 1)) : NULL;
  double *weight = g_new (double, MAX (n_rows, 1));
  gint32 *who = rows->annotator != NULL ? g_new (gint32, MAX (n_rows, 1)) : NULL;
  g_autofree gsize *order = sort_rows (rows, n, start);
  for (gsize to = 0; to < n_rows; to++)
    {
      gsize r = order[to];
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
