/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "feature-set.h"

#include "schemas/features.h"
#include "stages/common/classes/class-map.h"

/* A vector is of as many channels as it has numbers, an image of one channel may lack that
 * dimension. */
static gboolean
set_shape (SlExamples *examples, const SlTensor *tensor, const char *name, GError **error)
{
  examples->size = (gsize) tensor->size;
  examples->pixels = tensor->number == SL_NUMBER_UINT8;
  examples->channels = examples->height = examples->width = 1;
  if (tensor->n_dims == 1)
    examples->channels = tensor->dim[0];
  else if (tensor->n_dims == 2)
    {
      examples->height = tensor->dim[0];
      examples->width = tensor->dim[1];
    }
  else if (tensor->n_dims == 3)
    {
      examples->channels = tensor->dim[0];
      examples->height = tensor->dim[1];
      examples->width = tensor->dim[2];
    }
  else
    {
      g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
                   "%s: its x have %d dimensions; a network takes vectors, and images of one or "
                   "several channels",
                   name, tensor->n_dims);
      return FALSE;
    }
  return TRUE;
}

static gboolean
add_batch (SlFeatureSet *set, SlRun *run, SlBatch *batch, GError **error)
{
  SlFeatures view = sl_features_view (batch);
  SlExamples *examples = &set->examples;
  if (examples->n + view.n > G_MAXINT32)
    return sl_error_row (error, examples->n, "over 2^31 items are too many");
  if (!sl_run_claim (run, sl_batch_bytes (batch) + (gsize) view.n * 64, "the examples", error))
    return FALSE;
  gsize n = (gsize) examples->n + (gsize) view.n;
  examples->key = g_renew (guint64, examples->key, MAX (n, 1));
  examples->gold = g_renew (gint32, examples->gold, MAX (n, 1));
  for (gint64 i = 0; i < view.n; i++)
    {
      gsize length;
      const char *name = sl_text_get (view.item, i, &length);
      if (sl_intern (set->items, name, length) != examples->n)
        return sl_error_row (error, batch->first_row + i + 1, "item '%.*s' is there twice",
                             (int) MIN (length, 1000), name);
      examples->gold[examples->n] = view.gold != NULL ? view.gold[i] : -1;
      examples->key[examples->n++] = sl_text_hash (name, length);
    }
  g_ptr_array_add (set->blocks, sl_batch_ref (batch));
  return TRUE;
}

static gboolean
read_batches (SlFeatureSet *set, SlRun *run, SlReader *reader, GError **error)
{
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_reader_each (reader, &batch, &ok, error))
    ok = add_batch (set, run, batch, error);
  return ok;
}

gboolean
sl_feature_set_read (SlFeatureSet *set, SlRun *run, const char *option, const char *path,
                     GError **error)
{
  static const SlKind *const kinds[] = { &sl_features, NULL };
  *set = (SlFeatureSet){ .items = sl_intern_new () };
  set->blocks = g_ptr_array_new_with_free_func ((GDestroyNotify) sl_batch_unref);
  g_autoptr (SlReader) reader = sl_run_open (run, option, path, kinds, error);
  if (reader == NULL || !read_batches (set, run, reader, error))
    return FALSE;
  set->table = sl_table_ref (sl_reader_table (reader));
  if (set->examples.n == 0)
    {
      g_set_error (error, SL_ERROR, SL_ERROR_INPUT, "%s: there are no examples in it",
                   sl_reader_name (reader));
      return FALSE;
    }
  if (!set_shape (&set->examples, &set->table->tensor[SL_FEATURES_X], sl_reader_name (reader),
                  error))
    return FALSE;
  SlExamples *examples = &set->examples;
  examples->block = g_new (gconstpointer, set->blocks->len + 1);
  for (guint b = 0; b < set->blocks->len; b++)
    {
      SlFeatures view = sl_features_view (g_ptr_array_index (set->blocks, b));
      if (b == 0)
        examples->block_rows = (gint32) view.n;
      examples->block[b]
          = examples->pixels ? (gconstpointer) view.pixels : (gconstpointer) view.numbers;
    }
  return TRUE;
}

void
sl_feature_set_map_gold (SlFeatureSet *set, SlRun *run, const char *option, char *const *classes,
                         gsize k)
{
  g_autofree gint32 *map = sl_class_map_alike (set->table, classes, (gint32) k);
  gint32 n_lost = 0, lost = -1;
  for (gint32 i = 0; i < set->examples.n; i++)
    {
      gint32 *gold = &set->examples.gold[i];
      if (*gold < 0)
        continue;
      if (map[*gold] < 0 && n_lost++ == 0)
        lost = *gold;
      *gold = map[*gold];
    }
  if (n_lost > 0)
    sl_run_warn (run,
                 "--%s: the gold class of %d items, '%s' first, is none of the labels' classes: "
                 "they count as without one",
                 option, n_lost, set->table->classes[lost]);
}

void
sl_feature_set_clear (SlFeatureSet *set)
{
  g_clear_pointer (&set->items, sl_intern_free);
  g_clear_pointer (&set->table, sl_table_unref);
  g_clear_pointer (&set->blocks, g_ptr_array_unref);
  g_clear_pointer (&set->examples.block, g_free);
  g_clear_pointer (&set->examples.key, g_free);
  g_clear_pointer (&set->examples.gold, g_free);
}
