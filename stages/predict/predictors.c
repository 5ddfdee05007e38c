/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "predict.h"

#include "pipeline/base/json-value.h"
#include "pipeline/table/tag-columns.h"
#include "schemas/features.h"

#include <string.h>

static void
clear (gpointer data)
{
  SlModelTags *model = data;
  g_free (model->name);
  sl_tags_clear (&model->tags);
}

static GArray *
model_tags_new (void)
{
  GArray *models = g_array_new (FALSE, TRUE, sizeof (SlModelTags));
  g_array_set_clear_func (models, clear);
  return models;
}

static void
model_tags_add (GArray *models, const char *name, const SlTags *tags)
{
  SlModelTags model = { .name = g_strdup (name) };
  sl_tags_copy (&model.tags, tags);
  g_array_append_val (models, model);
}

static SlModelTags *
model_at (const GArray *models, gsize m)
{
  return &g_array_index (models, SlModelTags, m);
}

static gboolean
all_have (const GArray *models, const SlTag *tag)
{
  for (guint m = 0; m < models->len; m++)
    if (g_strcmp0 (sl_tags_get (&model_at (models, m)->tags, tag->key), tag->value) != 0)
      return FALSE;
  return TRUE;
}

/* Hands what all have alike to RUN, and leaves the rest; FALSE where a model and another input have
 * different values of a tag. */
static gboolean
model_tags_settle (GArray *models, SlRun *run, GError **error)
{
  SlTags alike = { 0 };
  gboolean ok = TRUE;
  for (guint m = 0; ok && m < models->len; m++)
    ok = sl_run_check_tags (run, model_at (models, m)->name, &model_at (models, m)->tags, error);
  sl_tags_copy (&alike, &model_at (models, 0)->tags);
  for (int i = alike.n - 1; i >= 0; i--)
    if (!all_have (models, &alike.tag[i]))
      sl_tags_take_off (&alike, i);
  ok = ok && sl_run_add_tags (run, model_at (models, 0)->name, &alike, error);
  for (guint m = 0; m < models->len; m++)
    for (int i = 0; i < alike.n; i++)
      sl_tags_set (&model_at (models, m)->tags, alike.tag[i].key, NULL);
  sl_tags_clear (&alike);
  return ok;
}

gboolean
sl_model_tags_columns (const GArray *models, SlTable *table, GError **error)
{
  for (guint m = 0; m < models->len; m++)
    for (int i = 0; i < model_at (models, m)->tags.n; i++)
      if (!sl_table_add_tag_column (table, model_at (models, m)->tags.tag[i].key, error))
        return FALSE;
  return TRUE;
}

void
sl_model_tags_append (const GArray *models, gsize m, const SlTable *table, SlBuilder *builder)
{
  for (int c = sl_table_first_tag (table); table->spec[c].name != NULL; c++)
    {
      const char *value = sl_tags_get (&model_at (models, m)->tags, sl_tag_column_key (table, c));
      if (value != NULL)
        sl_builder_text (builder, c, value, strlen (value));
      else
        sl_builder_null (builder, c);
    }
}

static gboolean
is_alike (SlPredictors *predictors, const SlModelFile *model, GError **error)
{
  const SlModelHeader *header = &model->header;
  if (header->model == NULL)
    {
      g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
                   "%s: its metadata do not say what network it is; `softlabel train --init` takes "
                   "files of other programs",
                   model->file.path);
      return FALSE;
    }
  if (predictors->classes == NULL)
    {
      predictors->classes = g_strdupv (header->classes);
      predictors->k = (gsize) header->n_classes;
      predictors->channels = header->channels;
      predictors->height = header->height;
      predictors->width = header->width;
      predictors->pixels = header->pixels;
      predictors->size = (gsize) header->channels * (gsize) header->height * (gsize) header->width;
      return TRUE;
    }
  gboolean same = g_strv_equal ((const char *const *) predictors->classes,
                                (const char *const *) header->classes)
                  && predictors->channels == header->channels
                  && predictors->height == header->height && predictors->width == header->width
                  && predictors->pixels == header->pixels;
  if (!same)
    g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
                 "%s: its classes or the shape of its inputs are not those of the model before it",
                 model->file.path);
  return same;
}

/* What the command line could ask for is what a file says here. */
static gboolean
bad_network (const SlModelFile *model, GError **error)
{
  g_prefix_error (error, "%s: its network cannot be made: ", model->file.path);
  if (error != NULL && g_error_matches (*error, SL_ERROR, SL_ERROR_USAGE))
    (*error)->code = SL_ERROR_INPUT;
  return FALSE;
}

/* ---- what they have learned of annotators ---- */

static void
answering_free (gpointer data)
{
  SlAnswering *answering = data;
  sl_objective_clear (&answering->objective);
  g_strfreev (answering->names);
  sl_annotator_attributes_clear (&answering->attributes);
  g_free (answering);
}

static gboolean
bad_answers (const SlModelFile *model, GError **error)
{
  return sl_error_bad_input (error, "%s: its metadata 'softlabel.answers' is not what a model has",
                             model->file.path);
}

/* What the model's loss was, and of whom it has learned. */
static gboolean
read_answers (const SlModelFile *model, SlAnswering *answering, GError **error)
{
  const char *text = model->header.answers;
  g_autoptr (SlJsonParser) parser = sl_json_parser_new ();
  SlJson json;
  gint64 crowd, of_logits;
  if (text == NULL)
    return sl_error_bad_input (error,
                               "%s: it has learned of no annotators; --annotators needs one of "
                               "`softlabel train --loss` crowd, annot-mix, geo-reg-f or union",
                               model->file.path);
  if (sl_json_parse_text (parser, text, &json) != NULL)
    return bad_answers (model, error);
  SlObjectivePlan *plan = &answering->objective.plan;
  const char *name = sl_json_c_str (sl_json_get (json, "loss"));
  for (gsize i = 0; name != NULL && sl_loss_names[i] != NULL; i++)
    if (strcmp (sl_loss_names[i], name) == 0 && sl_loss_traits[i] & SL_LOSS_ANSWERS)
      plan->loss = &sl_losses[i];
  SlJson names = sl_json_get_as (json, "annotators", SL_JSON_ARRAY);
  if (plan->loss == NULL || sl_json_length (names) == 0
      || !sl_json_integer (sl_json_get (json, "crowd"), &crowd) || crowd < 0
      || crowd > SL_CROWD_CONAL || !sl_json_integer (sl_json_get (json, "logits"), &of_logits)
      || of_logits < 0 || of_logits > 1)
    return bad_answers (model, error);
  plan->arguments.crowd = (int) crowd;
  plan->arguments.of_logits = (int) of_logits;
  plan->n_annotators = sl_json_length (names);
  /* No number that a prediction depends on. */
  plan->arguments.eta = 0.5;
  SlJson attributes = sl_json_get_as (json, "attributes", SL_JSON_ARRAY);
  if (!sl_annotator_attributes_from_json (&answering->attributes, attributes, plan->n_annotators))
    return bad_answers (model, error);
  plan->attributes = answering->attributes.n > 0 ? &answering->attributes : NULL;
  g_autofree char *list = sl_json_to_string (names);
  return sl_classes_from_json (list, &answering->names, NULL) || bad_answers (model, error);
}

/* Of run INDEX, whose NETWORK is as PLAN says. */
static gboolean
add_answering (SlPredictors *predictors, SlRun *run, const SlModelFile *model, gsize index,
               SlNetwork *network, const SlNetworkPlan *plan, GError **error)
{
  SlAnswering *answering = g_new0 (SlAnswering, 1);
  gboolean kept;
  g_ptr_array_add (predictors->answering, answering);
  SlObjective *objective = &answering->objective;
  if (!read_answers (model, answering, error))
    return FALSE;
  SlObjectivePlan learned = objective->plan;
  learned.k = predictors->k;
  learned.network = *plan;
  learned.hidden = sl_network_hidden_size (network);
  return sl_objective_init (objective, &learned, error)
         && sl_run_claim (run, sl_objective_bytes (objective), "what is learned of annotators",
                          error)
         && sl_objective_allocate (objective, 0, error)
         && sl_model_fill (model, index, objective->parameter, objective->n_parameters, FALSE,
                           &kept, error);
}

static gboolean
add_run (SlPredictors *predictors, SlRun *run, const SlModelFile *model, gsize index,
         gboolean gradient, gboolean bf16, GError **error)
{
  const SlModelHeader *header = &model->header;
  const SlNetworkPlan plan = { .model = header->model,
                               .n_classes = header->n_classes,
                               .channels = header->channels,
                               .height = header->height,
                               .width = header->width,
                               .batch = predictors->batch,
                               .threads = run->threads,
                               .input_gradient = gradient,
                               .hidden = predictors->answering != NULL,
                               .bf16 = bf16,
                               .mean = header->mean,
                               .std = header->std };
  SlNetwork *network = sl_network_new (&plan, error);
  if (network == NULL)
    return bad_network (model, error);
  g_ptr_array_add (predictors->networks, network);
  int n;
  gboolean kept;
  SlParameter *parameters = sl_network_parameters (network, &n);
  if (!sl_run_claim (run, sl_network_bytes (network), "the networks of all runs", error)
      || !sl_network_allocate (network, error)
      || !sl_model_fill (model, index, parameters, n, FALSE, &kept, error))
    return FALSE;
  sl_network_weights_changed (network);
  if (predictors->answering != NULL
      && !add_answering (predictors, run, model, index, network, &plan, error))
    return FALSE;
  model_tags_add (predictors->tags, model->file.path, &model->tags);
  return TRUE;
}

/* Whether the features of TABLE, read from NAME, are what the models take. */
static gboolean
fits (const SlPredictors *predictors, const SlTable *table, const char *name, GError **error)
{
  const SlTensor *tensor = &table->tensor[SL_FEATURES_X];
  const gint32 wanted[3] = { predictors->channels, predictors->height, predictors->width };
  gint32 dim[3] = { 1, 1, 1 };
  /* A vector is all channels; an image of one channel may lack that dimension. */
  int from = tensor->n_dims == 2 ? 1 : 0;
  for (int i = 0; i < tensor->n_dims && i + from < 3; i++)
    dim[i + from] = tensor->dim[i];
  gboolean same = tensor->n_dims <= 3 && memcmp (dim, wanted, sizeof dim) == 0
                  && (tensor->number == SL_NUMBER_UINT8) == predictors->pixels;
  if (same)
    return TRUE;
  g_autofree char *shown = sl_tensor_text (tensor);
  g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
               "%s: its x are %s; the model was trained on %s of %dx%dx%d", name, shown,
               predictors->pixels ? "uint8" : "float32", wanted[0], wanted[1], wanted[2]);
  return FALSE;
}

gboolean
sl_predictors_init (SlPredictors *predictors, SlRun *run, char *const *paths, int batch,
                    gboolean gradient, gboolean answers, gboolean bf16, GError **error)
{
  *predictors = (SlPredictors){ .batch = batch };
  predictors->answering = answers ? g_ptr_array_new_with_free_func (answering_free) : NULL;
  predictors->networks = g_ptr_array_new_with_free_func ((GDestroyNotify) sl_network_free);
  predictors->tags = model_tags_new ();
  for (int i = 0; paths[i] != NULL; i++)
    {
      g_auto (SlModelFile) model = { 0 };
      g_autofree char *name = i == 0 ? g_strdup ("model") : g_strdup_printf ("model %d", i + 1);
      if (!sl_model_read (&model, run, name, paths[i], error)
          || !is_alike (predictors, &model, error)
          /* Before a network is made for whatever shape a file may say. */
          || (i == 0
              && !fits (predictors, sl_reader_table (run->in), sl_reader_name (run->in), error)))
        return FALSE;
      for (gsize r = 0; r < model.n_runs; r++)
        if (!add_run (predictors, run, &model, r, gradient, bf16, error))
          return FALSE;
    }
  return model_tags_settle (predictors->tags, run, error);
}

gboolean
sl_predictors_logits (const SlPredictors *predictors, const float *x, gsize n, float *logits,
                      GError **error)
{
  gsize k = predictors->k;
  for (gsize r = 0; r < predictors->networks->len; r++)
    {
      SlNetwork *network = g_ptr_array_index (predictors->networks, r);
      sl_network_give (network, x, (int) n);
      const float *z = sl_network_forward (network, (int) n, FALSE, 0, error);
      if (z == NULL)
        return FALSE;
      memcpy (logits + r * n * k, z, n * k * sizeof *z);
    }
  return TRUE;
}

void
sl_predictors_clear (SlPredictors *predictors)
{
  g_clear_pointer (&predictors->answering, g_ptr_array_unref);
  g_clear_pointer (&predictors->networks, g_ptr_array_unref);
  g_clear_pointer (&predictors->tags, g_array_unref);
  g_clear_pointer (&predictors->classes, g_strfreev);
}
