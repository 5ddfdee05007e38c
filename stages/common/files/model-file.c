/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model-file.h"

#include "pipeline/table/class-values.h"

#include "pipeline/base/json-value.h"
#include "pipeline/base/json.h"
#include "pipeline/base/number-text.h"

#include <math.h>
#include <string.h>

#define DIGEST "softlabel.digest"
#define MOST_RUNS 1000000
#define MOST_NUMBERS (1 << 30) /* of an example */

void
sl_model_header_clear (SlModelHeader *header)
{
  g_clear_pointer (&header->model, g_free);
  g_clear_pointer (&header->classes, g_strfreev);
  g_clear_pointer (&header->mean, g_free);
  g_clear_pointer (&header->std, g_free);
  g_clear_pointer (&header->runs, g_free);
  g_clear_pointer (&header->answers, g_free);
}

static char *
numbers_json (const float *x, int n)
{
  GString *json = g_string_new ("[");
  for (int i = 0; x != NULL && i < n; i++)
    {
      if (i > 0)
        g_string_append_c (json, ',');
      sl_json_real (json, x[i]);
    }
  return g_string_free (g_string_append_c (json, ']'), FALSE);
}

static char *
classes_json (char *const *classes)
{
  GString *json = g_string_new ("[");
  for (char *const *class = classes; *class != NULL; class ++)
    {
      if (class != classes)
        g_string_append_c (json, ',');
      sl_json_string (json, *class, -1);
    }
  return g_string_free (g_string_append_c (json, ']'), FALSE);
}

static void
add_text (const char **metadata, gsize *n, const char *key, const char *text)
{
  if (text == NULL)
    return;
  metadata[(*n)++] = key;
  metadata[(*n)++] = text;
}

gboolean
sl_model_write (SlRun *run, const SlModelHeader *header, const SlParameter *parameters, int n,
                const float *const *values, gsize n_runs, GError **error)
{
  g_autofree char *classes = classes_json (header->classes);
  g_autofree char *shape
      = g_strdup_printf ("[%d,%d,%d]", header->channels, header->height, header->width);
  g_autofree char *mean = numbers_json (header->mean, header->channels);
  g_autofree char *std = numbers_json (header->std, header->channels);
  g_autofree char *provenance = sl_run_provenance (run);
  g_autofree char *tags = sl_run_tags (run);
  const char *const fixed[] = { "format",
                                "pt",
                                "softlabel.model",
                                header->model,
                                "softlabel.classes",
                                classes,
                                "softlabel.shape",
                                shape,
                                "softlabel.input",
                                header->pixels ? "uint8" : "float32",
                                "softlabel.mean",
                                mean,
                                "softlabel.std",
                                std,
                                "softlabel.runs",
                                header->runs };
  g_autofree double *stands_for = sl_run_class_values (run, header->classes);
  g_autofree char *class_values = sl_values_to_json (stands_for, header->n_classes);
  const char *metadata[G_N_ELEMENTS (fixed) + 11] = { NULL };
  gsize n_texts = G_N_ELEMENTS (fixed);
  memcpy (metadata, fixed, sizeof fixed);
  add_text (metadata, &n_texts, "softlabel.answers", header->answers);
  add_text (metadata, &n_texts, "softlabel.tags", tags);
  add_text (metadata, &n_texts, "softlabel.values", class_values);
  add_text (metadata, &n_texts, "softlabel.provenance", provenance);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autofree SlSavedArray *arrays = g_new0 (SlSavedArray, (gsize) n * n_runs);
  for (gsize r = 0; r < n_runs; r++)
    {
      gsize at = 0;
      for (int i = 0; i < n; at += parameters[i++].size)
        {
          SlSavedArray *array = &arrays[r * (gsize) n + (gsize) i];
          array->name = n_runs == 1
                            ? g_strdup (parameters[i].name)
                            : g_strdup_printf ("%" G_GSIZE_FORMAT ".%s", r, parameters[i].name);
          g_ptr_array_add (names, (gpointer) array->name);
          array->type = SL_SAVED_FLOAT32;
          array->n_dims = parameters[i].n_dims;
          memcpy (array->dim, parameters[i].dim, sizeof parameters[i].dim);
          array->data = values[r] + at;
        }
    }
  g_autofree char *digest = sl_saved_digest (arrays, (gsize) n * n_runs);
  add_text (metadata, &n_texts, DIGEST, digest);
  return sl_safetensors_write (sl_run_output (run), metadata, arrays, (gsize) n * n_runs, error);
}

static gboolean
refuse (const SlModelFile *model, const char *what, GError **error)
{
  return sl_error_bad_input (error, "%s: its metadata '%s' is not what a model has",
                             model->file.path, what);
}

/* The length of the JSON array KEY of the metadata; 0 where there is none. */
static gsize
length_of (const SlModelFile *model, const char *key)
{
  const char *text = sl_safetensors_text (&model->file, key);
  g_autoptr (SlJsonParser) parser = sl_json_parser_new ();
  SlJson array = { NULL, 0 };
  if (text == NULL || sl_json_parse_text (parser, text, &array) != NULL)
    return 0;
  return sl_json_type (array) == SL_JSON_ARRAY ? sl_json_length (array) : 0;
}

static gboolean
read_classes (SlModelFile *model, GError **error)
{
  const char *json = sl_safetensors_text (&model->file, "softlabel.classes");
  if (json == NULL)
    return refuse (model, "softlabel.classes", error);
  if (!sl_classes_from_json (json, &model->header.classes, error))
    {
      g_prefix_error (error, "%s: ", model->file.path);
      return FALSE;
    }
  model->header.n_classes = (int) g_strv_length (model->header.classes);
  return model->header.n_classes >= 2 || refuse (model, "softlabel.classes", error);
}

/* N numbers that single precision holds, whole ones of any size among them. */
static gboolean
read_numbers (const SlModelFile *model, const char *key, guint n, double *out)
{
  const char *text = sl_safetensors_text (&model->file, key);
  gsize length = text != NULL ? strlen (text) : 0;
  if (length < 2 || text[0] != '[' || text[length - 1] != ']')
    return FALSE;
  g_autofree char *inside = g_strndup (text + 1, length - 2);
  g_auto (GStrv) words = g_strsplit (inside, ",", -1);
  if (g_strv_length (words) != n)
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (!sl_parse_real (g_strstrip (words[i]), -1, &out[i]) || !isfinite ((float) out[i]))
      return FALSE;
  return TRUE;
}

static gboolean
read_normalisation (SlModelFile *model, GError **error)
{
  SlModelHeader *header = &model->header;
  if (g_strcmp0 (sl_safetensors_text (&model->file, "softlabel.mean"), "[]") == 0)
    return TRUE;
  guint n = (guint) header->channels;
  g_autofree double *x = g_new (double, n);
  if (!read_numbers (model, "softlabel.mean", n, x))
    return refuse (model, "softlabel.mean", error);
  header->mean = g_new (float, n);
  for (guint i = 0; i < n; i++)
    header->mean[i] = (float) x[i];
  if (!read_numbers (model, "softlabel.std", n, x))
    return refuse (model, "softlabel.std", error);
  header->std = g_new (float, n);
  for (guint i = 0; i < n; i++)
    {
      header->std[i] = (float) x[i];
      if (!(header->std[i] > 0))
        return refuse (model, "softlabel.std", error);
    }
  return TRUE;
}

static gboolean
read_header (SlModelFile *model, GError **error)
{
  SlModelHeader *header = &model->header;
  double shape[3];
  model->n_runs = 1;
  header->model = g_strdup (sl_safetensors_text (&model->file, "softlabel.model"));
  if (header->model == NULL)
    return TRUE;
  if (!read_classes (model, error))
    return FALSE;
  if (!read_numbers (model, "softlabel.shape", 3, shape))
    return refuse (model, "softlabel.shape", error);
  int *dim[] = { &header->channels, &header->height, &header->width };
  for (int i = 0; i < 3; i++)
    {
      if (!(shape[i] >= 1 && shape[i] <= 1 << 24 && shape[i] == floor (shape[i])))
        return refuse (model, "softlabel.shape", error);
      *dim[i] = (int) shape[i];
    }
  const char *input = sl_safetensors_text (&model->file, "softlabel.input");
  header->pixels = g_strcmp0 (input, "uint8") == 0;
  if (shape[0] * shape[1] * shape[2] > MOST_NUMBERS)
    return refuse (model, "softlabel.shape", error);
  if (!header->pixels && g_strcmp0 (input, "float32") != 0)
    return refuse (model, "softlabel.input", error);
  header->answers = g_strdup (sl_safetensors_text (&model->file, "softlabel.answers"));
  gsize n_runs = length_of (model, "softlabel.runs");
  if (n_runs == 0 || n_runs > MOST_RUNS)
    return refuse (model, "softlabel.runs", error);
  model->n_runs = (guint) n_runs;
  return read_normalisation (model, error);
}

static gboolean
read_tags (SlModelFile *model, GError **error)
{
  const char *json = sl_safetensors_text (&model->file, "softlabel.tags");
  g_autoptr (GError) problem = NULL;
  if (json == NULL || sl_tags_from_json (&model->tags, json, &problem))
    return TRUE;
  g_propagate_prefixed_error (error, g_steal_pointer (&problem), "%s: ", model->file.path);
  return FALSE;
}

/* The run's outputs have the order of the model's classes. */
static gboolean
read_class_values (const SlModelFile *model, SlRun *run, GError **error)
{
  const char *json = sl_safetensors_text (&model->file, "softlabel.values");
  const SlModelHeader *header = &model->header;
  if (json == NULL || header->model == NULL)
    return TRUE;
  g_autofree double *values = sl_values_from_json (json, header->n_classes, NULL);
  return values != NULL ? sl_run_add_values (run, model->file.path, header->classes, values, error)
                        : refuse (model, "softlabel.values", error);
}

/* Whether the numbers are those that were written, as far as the model says which they were. */
static gboolean
check_digest (const SlModelFile *model, GError **error)
{
  const char *written = sl_safetensors_text (&model->file, DIGEST);
  if (written == NULL)
    return TRUE;
  g_autofree char *digest = sl_saved_digest (model->file.array, model->file.n);
  return strcmp (digest, written) == 0
         || sl_error_bad_input (error,
                                "%s: its numbers are not those that were written: it is damaged; a "
                                "program that changes them on purpose leaves out '" DIGEST "'",
                                model->file.path);
}

gboolean
sl_model_read (SlModelFile *model, SlRun *run, const char *option, const char *path, GError **error)
{
  *model = (SlModelFile){ 0 };
  if (!sl_safetensors_open (&model->file, path, error)
      || !sl_run_claim (run, model->file.n_bytes, "the model's parameters", error)
      || !sl_safetensors_load (&model->file, error) || !check_digest (model, error)
      || !read_header (model, error) || !read_tags (model, error)
      || !read_class_values (model, run, error))
    return FALSE;
  const char *history = sl_safetensors_text (&model->file, "softlabel.provenance");
  if (history != NULL)
    sl_run_add_history (run, option, model->file.path, history);
  return history != NULL || strcmp (path, "-") == 0
         || sl_run_add_option_file (run, option, path, error);
}

char *
sl_model_network_of (const char *path, GError **error)
{
  SlSafetensors file = { 0 };
  if (!sl_safetensors_open (&file, path, error))
    {
      sl_safetensors_clear (&file);
      return NULL;
    }
  char *network = g_strdup (sl_safetensors_text (&file, "softlabel.model"));
  sl_safetensors_clear (&file);
  if (network == NULL)
    (void) sl_error_usage (error, "--model NAME is needed: %s does not say what network it is",
                           path);
  return network;
}

void
sl_model_file_clear (SlModelFile *model)
{
  sl_safetensors_clear (&model->file);
  sl_model_header_clear (&model->header);
  sl_tags_clear (&model->tags);
}

static gboolean
has_form (const SlSavedArray *array, const SlParameter *parameter)
{
  if (array == NULL || array->n_dims != parameter->n_dims)
    return FALSE;
  for (int i = 0; i < array->n_dims; i++)
    if (array->dim[i] != parameter->dim[i])
      return FALSE;
  return TRUE;
}

/* The last layer: the last weight, and its bias. */
static gboolean
is_head (const SlParameter *parameters, int n, int i)
{
  return i >= n - 2 && g_str_has_suffix (parameters[i].name, i == n - 1 ? ".bias" : ".weight");
}

gboolean
sl_model_fill (const SlModelFile *model, gsize index, SlParameter *parameters, int n, gboolean head,
               gboolean *kept, GError **error)
{
  *kept = TRUE;
  for (int i = 0; i < n; i++)
    {
      g_autofree char *name = model->n_runs == 1 ? g_strdup (parameters[i].name)
                                                 : g_strdup_printf ("%" G_GSIZE_FORMAT ".%s", index,
                                                                    parameters[i].name);
      const SlSavedArray *array = sl_safetensors_find (&model->file, name);
      if (has_form (array, &parameters[i]))
        {
          sl_saved_floats (array, parameters[i].value);
          for (gsize j = 0; j < parameters[i].size; j++)
            if (!isfinite (parameters[i].value[j]))
              return sl_error_bad_input (error,
                                         "%s: its array '%s' has a number that is not finite",
                                         model->file.path, name);
          continue;
        }
      *kept = FALSE;
      if (head && is_head (parameters, n, i))
        continue;
      return array == NULL
                 ? sl_error_bad_input (error, "%s: it has no array '%s', as the network has",
                                       model->file.path, name)
                 : sl_error_bad_input (error,
                                       "%s: its array '%s' is of another shape than the network's",
                                       model->file.path, name);
    }
  return TRUE;
}
