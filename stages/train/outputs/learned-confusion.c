/* SPDX-License-Identifier: GPL-3.0-or-later */
/* confusion_r[k][c] = Σ_i p_i[k] a_ri[c] / Σ_i p_i[k], over the items trained on: p the network's
 * classes of item i, a_r what annotator r answers about it. */
#include "outputs.h"

#include "schemas/confusion.h"
#include "stages/common/tables/confusion-rows.h"
#include "stages/common/network/softmax.h"

typedef struct
{
  SlTraining *training;
  gsize k, n_annotators;
  double *sum;   /* [annotators][k][k] */
  double *whole; /* [k] */
  double *p, *answer;
} Sums;

static void
add_batch (gpointer data, gsize from, gsize n, const float *logits, const float *difficulty)
{
  (void) from;
  Sums *sums = data;
  gsize k = sums->k;
  for (gsize i = 0; i < n; i++)
    {
      const float *z = logits + i * k;
      sl_softmax_row (z, k, sl_log_sum_exp (z, k), sums->p);
      for (gsize j = 0; j < k; j++)
        sums->whole[j] += sums->p[j];
      for (gsize r = 0; r < sums->n_annotators; r++)
        {
          double *own = sums->sum + r * k * k;
          SlObjective *objective = &sums->training->objective;
          objective->plan.loss->answer (
              objective, z, difficulty != NULL ? difficulty + i * objective->embedding : NULL, r,
              sums->answer);
          for (gsize j = 0; j < k; j++)
            for (gsize c = 0; c < k; c++)
              own[j * k + c] += sums->p[j] * sums->answer[c];
        }
    }
}

gboolean
sl_learned_confusion (SlTraining *training, SlRunResult *result, GError **error)
{
  const SlTrainPlan *plan = training->plan;
  gsize k = result->k, n_annotators = (gsize) sl_intern_size (plan->data->annotators);
  gsize n = n_annotators * k * k;
  if (!sl_run_claim (training->run, n * (sizeof (double) + sizeof (float)),
                     "what is learned of annotators", error))
    return FALSE;
  g_autofree double *sum = g_new0 (double, n);
  g_autofree double *row = g_new0 (double, 3 * k);
  Sums sums = { training, k, n_annotators, sum, row, row + k, row + 2 * k };
  g_autofree gint32 *item = g_new (gint32, plan->n);
  for (gsize i = 0; i < plan->n; i++)
    item[i] = plan->data->cases[plan->member[i]].first;
  if (!sl_training_predict (training, &plan->data->features.examples, item, plan->n, add_batch,
                            &sums, error))
    return FALSE;
  result->n_confusion = n;
  result->confusion = g_new (float, n);
  for (gsize i = 0; i < n; i++)
    {
      double whole = sums.whole[i / k % k];
      result->confusion[i] = (float) (whole > 0 ? sum[i] / whole : 1 / (double) k);
    }
  return TRUE;
}

/* The mean over runs of annotator R's row of class TRUE; it sums to 1. */
static void
mean_row (const SlResults *results, gsize r, gsize true_class, gsize k, double *row)
{
  double sum = 0;
  for (gsize c = 0; c < k; c++)
    {
      row[c] = 0;
      for (guint i = 0; i < results->done->len; i++)
        {
          const SlRunResult *result = g_ptr_array_index (results->done, i);
          row[c] += result->confusion[(r * k + true_class) * k + c];
        }
      sum += row[c];
    }
  for (gsize c = 0; c < k; c++)
    row[c] /= sum;
}

gboolean
sl_learned_confusion_write (SlRun *run, const char *path, const SlTrainData *data,
                            const SlResults *results, GError **error)
{
  gsize k = data->k;
  g_autoptr (SlTable) table = sl_table_new (&sl_confusion, (const char *const *) data->classes);
  SlWriter *writer = sl_run_side_table (run, path, table, error);
  if (writer == NULL)
    return FALSE;
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  g_autofree double *row = g_new (double, k);
  for (gint32 r = 0; r < sl_intern_size (data->annotators); r++)
    for (gsize j = 0; j < k; j++)
      {
        gsize length;
        const char *name = sl_intern_get (data->annotators, r, &length);
        mean_row (results, (gsize) r, j, k, row);
        for (gsize c = 0; c < k; c++)
          {
            const SlConfusionCell cell
                = { (gint32) j, (gint32) c, row[c], SL_NO_COLUMN, SL_NO_COLUMN };
            if (!sl_confusion_write (writer, builder, name, length, &cell, error))
              return FALSE;
          }
      }
  return sl_writer_write_built (writer, builder, TRUE, error);
}
