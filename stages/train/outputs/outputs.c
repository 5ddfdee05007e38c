/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "outputs.h"

#include "pipeline/base/json.h"
#include "schemas/predictions.h"
#include "stages/common/network/softmax.h"
#include "stages/common/priors/prior-files.h"
#include "stages/common/tables/confusion-rows.h"
#include "stages/train/runs/set-up.h"

#include <math.h>
#include <string.h>

/* confusion_r[k][c] = Σ_i p_i[k] a_ri[c] / Σ_i p_i[k], over the items trained on: p the network's
 * classes of item i, a_r what annotator r answers about it. */

typedef struct
{
  SlTraining *training;
  gsize k, n_annotators;
  double *sum;    /* [annotators][k][k] */
  double *whole;  /* [k] */
  double *p;      /* [batch][k] */
  double *answer; /* likewise */
} Sums;

static gboolean
add_batch (gpointer data, gsize from, const SlLossBatch *batch, GError **error)
{
  Sums *sums = data;
  gsize k = sums->k;
  SlObjective *objective = &sums->training->objective;
  for (gsize i = 0; i < batch->n; i++)
    {
      const float *z = batch->logits + i * k;
      sl_softmax_row (z, k, sl_log_sum_exp (z, k), sums->p + i * k);
      for (gsize j = 0; j < k; j++)
        sums->whole[j] += sums->p[i * k + j];
    }
  if (!sl_objective_see (objective, batch, error))
    return FALSE;
  for (gsize r = 0; r < sums->n_annotators; r++)
    {
      double *own = sums->sum + r * k * k;
      if (!sl_objective_answer (objective, batch, r, sums->answer, error))
        return FALSE;
      for (gsize i = 0; i < batch->n; i++)
        for (gsize j = 0; j < k; j++)
          for (gsize c = 0; c < k; c++)
            own[j * k + c] += sums->p[i * k + j] * sums->answer[i * k + c];
    }
  return TRUE;
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
  gsize most = MIN (training->batches.batch, plan->n);
  g_autofree double *room = g_new0 (double, k + 2 * most * k);
  Sums sums = { training, k, n_annotators, sum, room, room + k, room + k + most * k };
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

/* What every annotator is worth for items of each class: how often they name it. */
static gboolean
read_worth (SlItemFigures *items, SlTrainData *data, double **found, GError **error)
{
  static const SlKind *const kinds[] = { &sl_confusion, NULL };
  gsize k = data->k, n = (gsize) sl_intern_size (data->annotators);
  g_autoptr (SlReader) reader
      = sl_run_open (data->run, "worth", data->options->worth, kinds, error);
  if (reader == NULL)
    return FALSE;
  SlPriors priors = { .run = data->run, .classes = data->classes, .n_classes = (gint32) k };
  g_autofree double *prior = g_new (double, k);
  g_autofree double *confusion
      = sl_priors_read_confusion (&priors, reader, data->annotators, prior, error);
  if (confusion == NULL)
    return FALSE;
  double *worth = g_new (double, MAX (n * k, 1));
  for (gsize i = 0; i < n * k; i++)
    worth[i] = confusion[i * k + i % k];
  items->worth = *found = worth;
  return TRUE;
}

/* Every item is looked at as its label's largest class; answers, where they are votes, by
 * themselves. */
gboolean
sl_item_log_begin (SlItemFigures *items, SlTrainData *data, double **worth, GError **error)
{
  const SlTrainOptions *options = data->options;
  gsize n = (gsize) data->features.examples.n;
  if (options->item_log == NULL)
    return TRUE;
  if (!sl_run_claim (data->run, n * 48, "the items' log", error))
    return FALSE;
  sl_item_figures_init (items, n, data->k);
  g_autofree float *t = g_new (float, data->k);
  SlTargets plain = { .kind = SL_TARGET_POOL, .pools = &data->pools, .mean = TRUE, .fill = TRUE };
  if (options->targets == SL_TRAIN_GOLD)
    plain.kind = SL_TARGET_GOLD;
  for (gsize i = 0; i < n; i++)
    {
      const SlTrainCase *at = &data->cases[i];
      items->class[i] = -1;
      if (!sl_target_exists (&plain, at->pool, at->gold))
        continue;
      sl_target_make (&plain, data->k, at->pool, at->gold, 0, 0, t);
      items->class[i] = sl_target_top (t, data->k);
    }
  if (data->pools.vote != NULL && data->pools.start[data->pools.n] > 0)
    items->answers = &data->pools;
  if (options->worth == NULL)
    return TRUE;
  items->annotator = data->annotator;
  return read_worth (items, data, worth, error);
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
sl_item_log_write (SlRun *run, const char *path, const SlTrainData *data,
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

/* JSON: the loss of annotators' answers, with what tells its parameters, and their names; NULL of
 * other losses. */
static char *
describe_answers (const SlTrainData *data, const SlTrainOptions *options)
{
  const SlLoss *loss = &sl_losses[options->loss];
  if (!(loss->traits & SL_LOSS_ANSWERS))
    return NULL;
  GString *json = g_string_new (NULL);
  g_string_append_printf (json, "{\"loss\":\"%s\",\"crowd\":%d,\"logits\":%d,\"annotators\":[",
                          loss->name, options->of_loss.crowd, options->of_loss.of_logits);
  for (gint32 r = 0; r < sl_intern_size (data->annotators); r++)
    {
      gsize length;
      const char *name = sl_intern_get (data->annotators, r, &length);
      if (r > 0)
        g_string_append_c (json, ',');
      sl_json_string (json, name, (gssize) length);
    }
  g_string_append_c (json, ']');
  sl_annotator_attributes_to_json (&data->attributes, json);
  return g_string_free (g_string_append_c (json, '}'), FALSE);
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
  g_autofree char *answers = describe_answers (data, options);
  SlNetworkPlan plan = sl_network_plan_of (options, examples, data->k, 1, 1);
  plan.training = FALSE;
  g_autoptr (SlNetwork) network = sl_network_new (&plan, error);
  if (network == NULL)
    return FALSE;
  g_auto (SlObjective) objective = { 0 };
  SlObjectivePlan learned
      = sl_objective_plan_of (options, data, &plan, sl_network_hidden_size (network));
  if (!sl_objective_init (&objective, &learned, error)
      || !sl_objective_allocate (&objective, 0, error))
    return FALSE;
  int n;
  g_autofree SlParameter *parameters = sl_all_parameters (network, &objective, &n, NULL);
  gsize size = 0;
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
    .answers = answers,
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
