/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "predictors.h"

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
                    gboolean gradient, gboolean bf16, GError **error)
{
  *predictors = (SlPredictors){ .batch = batch };
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
  g_clear_pointer (&predictors->networks, g_ptr_array_unref);
  g_clear_pointer (&predictors->tags, g_array_unref);
  g_clear_pointer (&predictors->classes, g_strfreev);
}
