/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "list-models.h"

#include "stages/train/data/feature-set.h"
#include "stages/train/runs/set-up.h"

static void
append_number (GString *line, double n)
{
  const char *unit = n >= 1e9 ? "G" : n >= 1e6 ? "M" : n >= 1e3 ? "k" : "";
  double by = n >= 1e9 ? 1e9 : n >= 1e6 ? 1e6 : n >= 1e3 ? 1e3 : 1;
  g_autofree char *text = g_strdup_printf (n >= 1e3 ? "%.3g%s" : "%.0f%s", n / by, unit);
  g_string_append_printf (line, "  %8s", text);
}

static void
print_model (SlRun *run, const char *name, const char *summary, SlNetworkPlan plan)
{
  g_autoptr (GString) line = g_string_new (NULL);
  g_autoptr (GError) problem = NULL;
  SlNetworkSize size;
  plan.model = name;
  g_string_append_printf (line, "%-22s", name);
  if (!sl_network_size (&plan, &size, &problem))
    g_string_append_printf (line, "  not for this shape: %s", problem->message);
  else
    {
      append_number (line, (double) size.n_parameters);
      append_number (line, size.multiply_adds);
      append_number (line, (double) size.bytes_training);
      append_number (line, (double) size.bytes_prediction);
      g_string_append_printf (line, "  %s", summary);
    }
  sl_run_printf (run, "%s\n", line->str);
}

gboolean
sl_list_models (SlRun *run, const SlTrainOptions *options, GError **error)
{
  g_auto (SlFeatureSet) set = { 0 };
  SlExamples examples = { .channels = 3, .height = 32, .width = 32 };
  gsize k = 10;
  if (options->features != NULL)
    {
      if (!sl_feature_set_read (&set, run, "features", options->features, error))
        return FALSE;
      examples = set.examples;
      k = MAX ((gsize) set.table->n_classes, 2);
    }
  sl_run_printf (run,
                 "inputs %dx%dx%d, %" G_GSIZE_FORMAT " classes, batches of %" G_GINT64_FORMAT "\n"
                 "%-22s  %8s  %8s  %8s  %8s\n",
                 examples.channels, examples.height, examples.width, k, options->batch, "network",
                 "numbers", "mult-adds", "training", "predicting");
  SlNetworkPlan plan
      = sl_network_plan_of (options, &examples, k, (int) options->batch, run->threads);
  if (options->model != NULL)
    {
      print_model (run, options->model, sl_model_find (options->model, NULL)->summary, plan);
      return TRUE;
    }
  for (const SlModelInfo *info = sl_models; info->name != NULL; info++)
    print_model (run, info->name, info->summary, plan);
  return TRUE;
}
