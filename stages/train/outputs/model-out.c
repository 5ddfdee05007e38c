/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model-out.h"

#include "stages/train/runs/set-up.h"

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
        g_string_append_printf (json, ",\"grid\":\"%s\"", runs->grid.names[result->point]);
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
