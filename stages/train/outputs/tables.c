/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tables.h"

#include "schemas/dynamics.h"
#include "schemas/log.h"
#include "schemas/predictions.h"
#include "stages/common/network/softmax.h"

#include <math.h>
#include <string.h>

static void
log_row (SlBuilder *builder, const SlLogRow *row, const SlRunGrid *grid, gboolean validation)
{
  const SlEpochFigures *f = &row->figures;
  const char *split = validation ? "validation" : "training";
  sl_builder_int (builder, SL_LOG_RUN, (gint64) (row->point * sl_run_grid_runs (grid) + row->run));
  sl_builder_int (builder, SL_LOG_EPOCH, f->epoch + 1);
  sl_builder_text (builder, SL_LOG_SPLIT, split, strlen (split));
  sl_builder_real (builder, SL_LOG_LOSS, validation ? f->validation_loss : f->loss);
  sl_builder_real (builder, SL_LOG_ACCURACY, validation ? f->validation_accuracy : f->accuracy);
  sl_builder_real (builder, SL_LOG_RATE, validation ? NAN : f->rate);
  sl_builder_real (builder, SL_LOG_SECONDS, validation ? NAN : f->seconds);
  if (grid->n_points > 1)
    sl_builder_text (builder, SL_LOG_GRID, grid->names[row->point],
                     strlen (grid->names[row->point]));
}

gboolean
sl_write_log (SlRun *run, const char *path, const SlResults *results, const SlRunGrid *grid,
              GError **error)
{
  g_autoptr (SlTable) table = sl_table_new (&sl_training_log, NULL);
  sl_table_add (table, SL_LOG_RATE);
  sl_table_add (table, SL_LOG_SECONDS);
  if (grid->n_points > 1)
    sl_table_add (table, SL_LOG_GRID);
  SlWriter *writer = sl_run_side_table (run, path, table, error);
  if (writer == NULL)
    return FALSE;
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  for (guint i = 0; i < results->log->len; i++)
    {
      const SlLogRow *row = &g_array_index (results->log, SlLogRow, i);
      log_row (builder, row, grid, FALSE);
      if (!isnan (row->figures.validation_loss))
        log_row (builder, row, grid, TRUE);
      if (!sl_writer_write_built (writer, builder, FALSE, error))
        return FALSE;
    }
  return sl_writer_write_built (writer, builder, TRUE, error);
}

static void
dynamics_row (SlBuilder *builder, const SlTrainData *data, const SlItemFigures *items, gint32 i)
{
  gsize length;
  const char *name = sl_intern_get (data->features.items, i, &length);
  double n = (double) items->seen[i], mean = items->confidence[i] / n;
  sl_builder_text (builder, SL_DYNAMICS_ITEM, name, length);
  sl_builder_class (builder, SL_DYNAMICS_CLASS, items->class[i]);
  sl_builder_int (builder, SL_DYNAMICS_SEEN, items->seen[i]);
  sl_builder_real (builder, SL_DYNAMICS_CONFIDENCE, mean);
  sl_builder_real (builder, SL_DYNAMICS_VARIABILITY,
                   sqrt (MAX (items->square[i] / n - mean * mean, 0)));
  sl_builder_real (builder, SL_DYNAMICS_MARGIN, items->margin[i] / n);
  if (items->answers == NULL)
    return;
  gboolean answered = items->answers->start[i + 1] > items->answers->start[i];
  sl_builder_real (builder, SL_DYNAMICS_WAUM, answered ? items->waum[i] / n : NAN);
}

gboolean
sl_write_dynamics (SlRun *run, const char *path, const SlTrainData *data,
                   const SlItemFigures *items, GError **error)
{
  g_autoptr (SlTable) table = sl_table_new (&sl_dynamics, (const char *const *) data->classes);
  if (items->answers != NULL)
    sl_table_add (table, SL_DYNAMICS_WAUM);
  SlWriter *writer = sl_run_side_table (run, path, table, error);
  if (writer == NULL)
    return FALSE;
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  for (gint32 i = 0; i < data->features.examples.n; i++)
    {
      if (items->seen[i] == 0)
        continue;
      dynamics_row (builder, data, items, i);
      if (!sl_writer_write_built (writer, builder, FALSE, error))
        return FALSE;
    }
  return sl_writer_write_built (writer, builder, TRUE, error);
}

static gboolean
held_row (SlBuilder *builder, const SlTrainData *data, const SlRunResult *result, gsize i,
          GError **error)
{
  gsize length, k = data->k;
  const char *name = sl_intern_get (data->features.items, result->held_item[i], &length);
  const float *z = result->held + i * k;
  sl_builder_text (builder, SL_PREDICTIONS_ITEM, name, length);
  sl_builder_int (builder, SL_PREDICTIONS_RUN, (gint64) result->run);
  if (!sl_softmax_sound (z, k, sl_builder_labels (builder, SL_PREDICTIONS_PROB, 1)))
    return sl_error_bad_input (
        error, "item '%.*s': what the network says of it is no number: its x are too large",
        (int) MIN (length, 1000), name);
  double *logit = sl_builder_labels (builder, SL_PREDICTIONS_LOGIT, 1);
  for (gsize j = 0; j < k; j++)
    logit[j] = z[j];
  sl_builder_class (builder, SL_PREDICTIONS_GOLD,
                    data->features.examples.gold[result->held_item[i]]);
  return TRUE;
}

gboolean
sl_write_held_out (SlRun *run, const char *path, const SlTrainData *data, const SlResults *results,
                   GError **error)
{
  g_autoptr (SlTable) table = sl_table_new (&sl_predictions, (const char *const *) data->classes);
  sl_table_add (table, SL_PREDICTIONS_LOGIT);
  sl_table_add (table, SL_PREDICTIONS_GOLD);
  SlWriter *writer = sl_run_side_table (run, path, table, error);
  if (writer == NULL)
    return FALSE;
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  for (guint r = 0; r < results->done->len; r++)
    {
      const SlRunResult *result = g_ptr_array_index (results->done, r);
      for (gsize i = 0; i < result->n_held; i++)
        {
          if (!held_row (builder, data, result, i, error)
              || !sl_writer_write_built (writer, builder, FALSE, error))
            return FALSE;
        }
    }
  return sl_writer_write_built (writer, builder, TRUE, error);
}
