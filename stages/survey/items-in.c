/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --items: a folder of images, a table of pixels, or one of texts; and --mixtures of them. */
#include "pipeline/base/shown-text.h"
#include "schemas/features.h"
#include "schemas/mixtures.h"
#include "study.h"
#include "stages/common/files/column-names.h"
#include "stages/common/images/image-paths.h"

#include <string.h>

/* The number of the end NAME among study->ends. */
static gboolean
find_end (SlStudy *study, GHashTable *index, const char *name, gint64 row, gint32 *end,
          GError **error)
{
  gpointer at;
  g_autofree char *shown = sl_shown (name, strlen (name));
  if (!g_hash_table_lookup_extended (index, name, NULL, &at))
    return sl_error_row (error, row, "'%s' is not one of --items", shown);
  *end = GPOINTER_TO_INT (at);
  const SlSurveyItem *item = study->ends->pdata[*end];
  return item->text == NULL || sl_error_row (error, row, "texts cannot be mixed");
}

/* A mixture of which one end's class is not known cannot be asked about. */
static gboolean
add_mixture (SlStudy *study, GHashTable *index, const SlBatch *batch, gint64 i, GError **error)
{
  static const int end_columns[2] = { SL_MIXTURES_FIRST, SL_MIXTURES_SECOND };
  static const int class_columns[2] = { SL_MIXTURES_FIRST_CLASS, SL_MIXTURES_SECOND_CLASS };
  gint64 row = batch->first_row + i + 1;
  gsize n;
  const char *name = sl_text_get (batch->column[SL_MIXTURES_ITEM].text, i, &n);
  SlSurveyItem *item = sl_survey_item_new (name, (gssize) n);
  g_ptr_array_add (study->items, item);
  item->lambda = batch->column[SL_MIXTURES_LAMBDA].real[i];
  for (int e = 0; e < 2; e++)
    {
      gint32 class = batch->column[class_columns[e]].code[i];
      if (class < 0)
        return sl_error_row (error, row,
                             "one of its classes is missing: label the items with one class each "
                             "before they are mixed");
      item->end_class[e] = g_strdup (batch->table->classes[class]);
      item->end_name[e] = sl_text_dup (batch->column[end_columns[e]].text, i);
      if (!find_end (study, index, item->end_name[e], row, &item->end[e], error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
add_batch (SlStudy *study, GHashTable *index, GHashTable *seen, const SlBatch *batch,
           GError **error)
{
  if (!sl_run_claim_array (study->run, (gsize) batch->n_rows, sizeof (SlSurveyItem) + 512,
                           "the mixtures", error))
    return FALSE;
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      /* Of answers about mixtures, each mixture is taken once. */
      g_autofree char *name = sl_text_dup (batch->column[SL_MIXTURES_ITEM].text, i);
      if (g_hash_table_add (seen, g_steal_pointer (&name))
          && !add_mixture (study, index, batch, i, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
sl_study_read_mixtures (SlStudy *study, GError **error)
{
  static const SlKind *const kinds[] = { &sl_mixtures, NULL };
  study->ends = sl_survey_items_new ();
  if (!sl_study_read_items (study, study->ends, error))
    return FALSE;
  g_autoptr (GHashTable) index = g_hash_table_new (g_str_hash, g_str_equal),
                         seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < study->ends->len; i++)
    g_hash_table_insert (index, ((SlSurveyItem *) study->ends->pdata[i])->name,
                         GINT_TO_POINTER ((int) i));
  g_autoptr (SlReader) reader
      = sl_run_open (study->run, "mixtures", study->options->mixtures, kinds, error);
  guint32 wanted = 1u << SL_MIXTURES_FIRST | 1u << SL_MIXTURES_SECOND
                   | 1u << SL_MIXTURES_FIRST_CLASS | 1u << SL_MIXTURES_SECOND_CLASS;
  if (reader == NULL
      || !sl_mixtures_require (sl_reader_table (reader), wanted, study->options->mixtures, error))
    return FALSE;
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_reader_each (reader, &batch, &ok, error))
    ok = add_batch (study, index, seen, batch, error);
  if (ok && study->items->len == 0)
    return sl_error_bad_input (error, "--mixtures: %s: there are no mixtures in it",
                               study->options->mixtures);
  return ok;
}

static int
class_of (const SlStudy *study, const char *name)
{
  for (int c = 0; study->classes[c] != NULL; c++)
    if (strcmp (study->classes[c], name) == 0)
      return c;
  return -1;
}

static char *
name_of (const SlStudy *study, const char *below)
{
  g_autofree char *name = g_path_get_basename (below);
  if (study->options->item_part == SL_SURVEY_PATH)
    return g_strdup (below);
  if (study->options->item_part == SL_SURVEY_STEM)
    *strrchr (name, '.') = '\0';
  return g_steal_pointer (&name);
}

/* The folder that an image lies in is its class, if it is called like one. */
static gboolean
read_folder (SlStudy *study, GPtrArray *items, GError **error)
{
  gsize skip;
  SlOtherFiles others = { 0 };
  g_autoptr (GPtrArray) paths
      = sl_image_paths (study->run, study->options->items, &skip, &others, error);
  g_autofree char *other = others.other;
  if (paths == NULL)
    return FALSE;
  sl_image_paths_tell (study->run, &others);
  if (!sl_run_claim_array (study->run, paths->len, sizeof (SlSurveyItem) + 256, "the items", error))
    return FALSE;
  for (guint i = 0; i < paths->len; i++)
    {
      const char *path = paths->pdata[i];
      g_autofree char *name = name_of (study, path + skip),
                      *folder = g_path_get_dirname (path + skip);
      g_autofree char *class = g_path_get_basename (folder);
      SlSurveyItem *item = sl_survey_item_new (name, -1);
      item->path = g_strdup (path);
      item->gold = class_of (study, class) >= 0 ? g_strdup (class) : NULL;
      g_ptr_array_add (items, item);
    }
  return TRUE;
}

typedef struct
{
  const SlStudy *study;
  GPtrArray *items;
} Texts;

static char *
take_text (char **fields, gpointer data)
{
  Texts *texts = data;
  if (fields[1][0] == '\0')
    return g_strdup ("the text is empty");
  if (!g_utf8_validate (fields[1], -1, NULL))
    return g_strdup ("the text is not UTF-8");
  SlSurveyItem *item = sl_survey_item_new (fields[0], -1);
  item->text = g_strdup (fields[1]);
  item->gold = class_of (texts->study, fields[2]) >= 0 ? g_strdup (fields[2]) : NULL;
  g_ptr_array_add (texts->items, item);
  return NULL;
}

static const SlColumnRole text_roles[]
    = { { "item", SL_NAMES (SL_ITEM_NAMES, "id"), TRUE, NULL },
        { "text", SL_NAMES ("text", "sentence", "content", "body"), TRUE, NULL },
        { "gold", SL_NAMES ("gold", "truth", "true", "label", "class"), FALSE, NULL } };

static gboolean
read_texts (SlStudy *study, GPtrArray *items, GError **error)
{
  Texts texts = { study, items };
  if (!sl_side_csv (study->run, "items", study->options->items, text_roles,
                    G_N_ELEMENTS (text_roles), take_text, &texts, error))
    return FALSE;
  return items->len > 0
         || sl_error_bad_input (error, "--items: %s: there are no items in it",
                                study->options->items);
}

/* Planes become pixels. */
static guint8 *
interleave (const guint8 *planes, gsize n, gsize channels)
{
  guint8 *pixels = g_malloc (n * channels);
  for (gsize i = 0; i < n; i++)
    for (gsize c = 0; c < channels; c++)
      pixels[i * channels + c] = planes[c * n + i];
  return pixels;
}

static gboolean
add_features (SlStudy *study, GPtrArray *items, const SlBatch *batch, GError **error)
{
  SlFeatures view = sl_features_view (batch);
  const SlTensor *tensor = view.tensor;
  gsize plane = (gsize) tensor->dim[1] * (gsize) tensor->dim[2];
  gsize size = plane * (gsize) tensor->dim[0];
  if (!sl_run_claim_array (study->run, (gsize) view.n, size + sizeof (SlSurveyItem) + 128,
                           "the pictures", error))
    return FALSE;
  for (gint64 i = 0; i < view.n; i++)
    {
      gsize n;
      const char *name = sl_text_get (view.item, i, &n);
      SlSurveyItem *item = sl_survey_item_new (name, (gssize) n);
      gint32 gold = view.gold != NULL ? view.gold[i] : -1;
      item->pixels = (SlSurveyPixels){
        (gint32) tensor->dim[2], (gint32) tensor->dim[1], (int) tensor->dim[0],
        interleave (view.pixels + (gsize) i * size, plane, (gsize) tensor->dim[0])
      };
      if (gold >= 0 && class_of (study, batch->table->classes[gold]) >= 0)
        item->gold = g_strdup (batch->table->classes[gold]);
      g_ptr_array_add (items, item);
    }
  return TRUE;
}

static gboolean
check_pictures (const SlStudy *study, const SlBatch *batch, GError **error)
{
  SlFeatures view = sl_features_view (batch);
  const SlTensor *tensor = view.tensor;
  if (view.pixels != NULL && tensor->n_dims == 3 && (tensor->dim[0] == 1 || tensor->dim[0] == 3))
    return TRUE;
  return sl_error_bad_input (
      error, "--items: %s: its examples are no pictures of bytes, with 1 or 3 channels",
      study->options->items);
}

static gboolean
read_features (SlStudy *study, GPtrArray *items, GError **error)
{
  static const SlKind *const kinds[] = { &sl_features, NULL };
  g_autoptr (SlReader) reader
      = sl_run_open (study->run, "items", study->options->items, kinds, error);
  if (reader == NULL)
    return FALSE;
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_reader_each (reader, &batch, &ok, error))
    ok = check_pictures (study, batch, error) && add_features (study, items, batch, error);
  if (ok && items->len == 0)
    return sl_error_bad_input (error, "--items: %s: there are no items in it",
                               study->options->items);
  return ok;
}

gboolean
sl_study_read_items (SlStudy *study, GPtrArray *items, GError **error)
{
  const char *path = study->options->items;
  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    return read_folder (study, items, error);
  return sl_side_is_csv (path) ? read_texts (study, items, error)
                               : read_features (study, items, error);
}
