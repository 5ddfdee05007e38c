/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "outputs.h"

#include "schemas/log.h"
#include "schemas/predictions.h"
#include "stages/common/network/softmax.h"
#include "stages/train/runs/set-up.h"

#include <math.h>
#include <string.h>

/* JSON: of each kept run its seed, fold, epoch and point of the grid. */
static char *
describe_runs (const SlTrainRuns *runs)
{
  GString *json = g_string_new ("[");
  for (gsize r = 0; r < sl_run_grid_runs (&runs->grid); r++)
    {
      const SlRunResult *result = sl_results_find (&runs->results, r);
      g_string_append_printf (json, "%s{\"seed\":%" G_GUINT64_FORMAT, r > 0 ? "," : "",
                              runs->common.seed + r / runs->grid.n_folds);
      if (runs->grid.n_folds > 1)
        g_string_append_printf (json, ",\"fold\":%" G_GSIZE_FORMAT, r % runs->grid.n_folds);
      g_string_append_printf (json, ",\"epoch\":%" G_GINT64_FORMAT, result->epoch + 1);
      if (runs->grid.n_points > 1)
        g_string_append_printf (json, ",\"grid\":\"%s\"", runs->grid.names[result->step.point]);
      g_string_append_c (json, '}');
    }
  return g_string_free (g_string_append_c (json, ']'), FALSE);
}

/* What a checkpoint has of runs that were done was not seen beside a network. */
static gboolean
check_results (const SlTrainRuns *runs, gsize size, GError **error)
{
  for (gsize r = 0; r < sl_run_grid_runs (&runs->grid); r++)
    {
      const SlRunResult *result = sl_results_find (&runs->results, r);
      if (result == NULL || result->size != size)
        return sl_error_bad_input (error, "%s: it is damaged: it lacks run %" G_GSIZE_FORMAT,
                                   runs->common.options.checkpoint, r + 1);
    }
  return TRUE;
}

gboolean
sl_write_model (const SlTrainRuns *runs, GError **error)
{
  const SlTrainData *data = runs->common.data;
  const SlTrainOptions *options = &runs->common.options;
  const SlExamples *examples = &data->features.examples;
  gsize n_runs = sl_run_grid_runs (&runs->grid);
  SlNetworkPlan plan = sl_network_plan_of (options, examples, data->k, 1, 1);
  plan.training = FALSE;
  g_autoptr (SlNetwork) network = sl_network_new (&plan, error);
  if (network == NULL)
    return FALSE;
  int n;
  gsize size = 0;
  const SlParameter *parameters = sl_network_parameters (network, &n);
  for (int i = 0; i < n; i++)
    size += parameters[i].size;
  if (!check_results (runs, size, error))
    return FALSE;
  g_autofree char *described = describe_runs (runs);
  const SlModelHeader header = {
    .model = options->model,
    .classes = data->classes,
    .n_classes = (int) data->k,
    .channels = examples->channels,
    .height = examples->height,
    .width = examples->width,
    .pixels = examples->pixels,
    .mean = runs->common.mean,
    .std = runs->common.std,
    .runs = described,
  };
  g_autofree const float **values = g_new (const float *, n_runs);
  for (gsize r = 0; r < n_runs; r++)
    values[r] = sl_results_find (&runs->results, r)->values;
  return sl_model_write (runs->run, &header, parameters, n, values, n_runs, error);
}

static void
log_row (SlBuilder *builder, const SlLogRow *row, const SlRunGrid *grid, gboolean validation)
{
  const SlEpochFigures *f = &row->figures;
  const char *split = validation ? "validation" : "training";
  sl_builder_int (builder, SL_LOG_RUN, (gint64) row->at);
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

static gboolean
held_row (SlBuilder *builder, const SlTrainData *data, const SlRunResult *result, gsize i,
          GError **error)
{
  gsize length, k = data->k;
  const char *name = sl_intern_get (data->features.items, result->held_item[i], &length);
  const float *z = result->held + i * k;
  sl_builder_text (builder, SL_PREDICTIONS_ITEM, name, length);
  sl_builder_int (builder, SL_PREDICTIONS_RUN, (gint64) result->step.run);
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
  sl_table_add (table, SL_PREDICTIONS_RUN);
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
