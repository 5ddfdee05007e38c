/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data.h"

#include "schemas/features.h"
#include "schemas/mixtures.h"
#include "stages/common/classes/class-map.h"
#include "stages/common/items/annotator-attributes.h"
#include "stages/common/losses/loss.h"

/* ---- mixtures ---- */

/* Mixtures of the items are examples beside them (Collins, MPhil thesis, 2022, chapter 4). */

typedef struct
{
  SlTrainData *data;
  SlLabelRows *rows;
  SlIntern *mixtures;
  GArray *cases;
  const gint32 *map;
} Mixtures;

/* The item that COLUMN of row I names; -1 and ERROR where there is none. */
static gint32
find_item (const Mixtures *mixtures, const SlBatch *batch, int column, gint64 i, GError **error)
{
  gsize length;
  const char *name = sl_text_get (batch->column[column].text, i, &length);
  gint32 item = sl_intern_find (mixtures->data->features.items, name, length);
  if (item < 0)
    (void) sl_error_row (error, batch->first_row + i + 1, "item '%.*s' is not in %s",
                         (int) MIN (length, 1000), name, mixtures->data->options->features);
  return item;
}

static gboolean
take_row (Mixtures *mixtures, const SlBatch *batch, gint64 i, GError **error)
{
  gsize length;
  const char *name = sl_text_get (batch->column[SL_MIXTURES_ITEM].text, i, &length);
  gint32 n_items = mixtures->data->features.examples.n, known = sl_intern_size (mixtures->mixtures);
  gint32 mixture = sl_intern (mixtures->mixtures, name, length);
  gint32 first = find_item (mixtures, batch, SL_MIXTURES_FIRST, i, error);
  gint32 second = first < 0 ? -1 : find_item (mixtures, batch, SL_MIXTURES_SECOND, i, error);
  if (second < 0)
    return FALSE;
  SlTrainCase now = { first,
                      second,
                      (float) batch->column[SL_MIXTURES_LAMBDA].real[i],
                      n_items + mixture,
                      -1,
                      sl_text_hash (name, length) };
  const double *weight = batch->column[SL_MIXTURES_WEIGHT].real;
  gint32 k = batch->table->n_classes;
  if (mixture == known)
    g_array_append_val (mixtures->cases, now);
  const SlTrainCase *is
      = &g_array_index (mixtures->cases, SlTrainCase, (guint) (n_items + mixture));
  if (is->first != first || is->second != second || is->lambda != now.lambda)
    return sl_error_row (error, batch->first_row + i + 1,
                         "mixture '%.*s' was of other items, or of another lambda, before",
                         (int) MIN (length, 1000), name);
  if (weight != NULL && weight[i] == 0)
    return TRUE;
  gint32 nobody = -1;
  if (mixtures->rows->annotator != NULL)
    g_array_append_val (mixtures->rows->annotator, nobody);
  return sl_label_rows_add (mixtures->rows, now.pool,
                            batch->column[SL_MIXTURES_LABEL].real + (gsize) i * (gsize) k,
                            mixtures->map, k, weight != NULL ? weight[i] : 1, error);
}

static gboolean
read_rows (Mixtures *mixtures, SlReader *reader, GError **error)
{
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_reader_each (reader, &batch, &ok, error))
    for (gint64 i = 0; ok && i < batch->n_rows; i++)
      ok = take_row (mixtures, batch, i, error);
  return ok;
}

/* Adds the mixtures of the table PATH to DATA's cases, and their labels to ROWS. A mixture of
 * several rows has one pool. */
static gboolean
read_mixtures (SlTrainData *data, SlLabelRows *rows, const char *path, GError **error)
{
  static const SlKind *const kinds[] = { &sl_mixtures, NULL };
  g_autoptr (SlReader) reader = sl_run_open (data->run, "augment", path, kinds, error);
  guint32 wanted = 1u << SL_MIXTURES_FIRST | 1u << SL_MIXTURES_SECOND | 1u << SL_MIXTURES_LABEL;
  if (reader == NULL
      || !sl_mixtures_require (sl_reader_table (reader), wanted, sl_reader_name (reader), error))
    return FALSE;
  g_autofree gint32 *map
      = sl_label_rows_map (rows, sl_reader_table (reader), sl_reader_name (reader), error);
  g_autoptr (SlIntern) names = sl_intern_new ();
  g_autoptr (GArray) cases = g_array_new (FALSE, FALSE, sizeof (SlTrainCase));
  if (map == NULL)
    return FALSE;
  g_array_append_vals (cases, data->cases, (guint) data->n_cases);
  Mixtures mixtures = { data, rows, names, cases, map };
  if (!read_rows (&mixtures, reader, error))
    return FALSE;
  data->n_cases = cases->len;
  g_free (data->cases);
  data->cases = (SlTrainCase *) (gpointer) g_array_free (g_steal_pointer (&cases), FALSE);
  return TRUE;
}

/* ---- all that is trained on ---- */

void
sl_validation_clear (SlValidation *validation)
{
  g_clear_pointer (&validation->which, g_free);
  g_clear_pointer (&validation->target, g_free);
  g_clear_pointer (&validation->truth, g_free);
}

/* The files that are named, or standard input; with --teacher, or targets without labels, none. */
static gboolean
read_labels (SlTrainData *data, SlLabelRows *rows, GError **error)
{
  const SlTrainOptions *options = data->options;
  char *const *files = data->run->files;
  static char *const standard_input[] = { (char *) "-", NULL };
  gboolean wanted
      = options->teacher == NULL
        && (options->targets == SL_TRAIN_LABELS || options->targets == SL_TRAIN_CATEGORY);
  if (!wanted && files[0] != NULL)
    return sl_error_usage (error, "'%s': with %s no table of labels is read", files[0],
                           options->teacher != NULL ? "--teacher" : "these --targets");
  if (wanted && files[0] == NULL)
    files = standard_input;
  for (int i = 0; wanted && files[i] != NULL; i++)
    if (!sl_label_rows_read (rows, NULL, files[i], data->features.items, error))
      return FALSE;
  for (int i = 0; options->teacher != NULL && options->teacher[i] != NULL; i++)
    {
      g_autofree char *name = i == 0 ? g_strdup ("teacher") : g_strdup_printf ("teacher %d", i + 1);
      if (!sl_label_rows_read_teacher (rows, name, options->teacher[i], data->features.items,
                                       options->of_loss.temperature, error))
        return FALSE;
    }
  return TRUE;
}

/* Classes are those of the labels, or without labels those of the features. */
static gboolean
settle_classes (SlTrainData *data, SlLabelRows *rows, GError **error)
{
  if (rows->classes == NULL && data->features.table->n_classes == 0)
    return sl_error_bad_input (error,
                               "%s: it has no gold classes, and without labels there are no others",
                               data->options->features);
  if (rows->classes == NULL)
    {
      g_autofree gint32 *map
          = sl_label_rows_map (rows, data->features.table, data->options->features, error);
      if (map == NULL)
        return FALSE;
    }
  data->classes = g_strdupv (rows->classes);
  data->k = rows->k;
  sl_feature_set_map_gold (&data->features, data->run, "features", data->classes, data->k);
  return TRUE;
}

static void
make_item_cases (SlTrainData *data, const SlLabelRows *rows)
{
  const SlExamples *examples = &data->features.examples;
  data->n_cases = (gsize) examples->n;
  data->cases = g_new (SlTrainCase, data->n_cases);
  for (gint32 i = 0; i < examples->n; i++)
    {
      if (examples->gold[i] < 0)
        examples->gold[i] = rows->gold[i];
      data->cases[i] = (SlTrainCase){ i, -1, 1, i, examples->gold[i], examples->key[i] };
    }
}

static gboolean
has_gold (const SlTrainData *data)
{
  for (gint32 i = 0; i < data->features.examples.n; i++)
    if (data->features.examples.gold[i] >= 0)
      return TRUE;
  return FALSE;
}

static gboolean
check_targets (const SlTrainData *data, const SlLabelRows *rows, GError **error)
{
  static const char no_label[] = "no item in it has a label: are the tables' items named alike?";
  SlTargets targets = sl_train_data_targets (data, data->options, 0);
  gsize n = 0, n_items = (gsize) data->features.examples.n;
  for (gsize i = 0; i < n_items; i++)
    n += sl_target_exists (&targets, data->cases[i].pool, data->cases[i].gold);
  if (rows->n_strange > 0)
    sl_run_note (data->run,
                 "%" G_GINT64_FORMAT " rows of labels are about items that are not in %s",
                 rows->n_strange, data->options->features);
  if (rows->pool->len == 0 && rows->n_strange > 0)
    return sl_error_bad_input (error, "%s: %s", data->options->features, no_label);
  if (data->options->fill && !has_gold (data))
    return sl_error_bad_input (error, "%s: --fill gold: no item in it has a gold class",
                               data->options->features);
  if (n < n_items)
    sl_run_note (data->run,
                 "%" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " items have no target: left out",
                 n_items - n, n_items);
  if (n > 0)
    return TRUE;
  g_set_error (error, SL_ERROR, SL_ERROR_INPUT, "%s: %s", data->options->features,
               targets.kind == SL_TARGET_GOLD || targets.kind == SL_TARGET_CATEGORY
                   ? "no item in it has a gold class"
                   : no_label);
  return FALSE;
}

SlTargets
sl_train_data_targets (const SlTrainData *data, const SlTrainOptions *options, guint64 seed)
{
  static const SlTargetKind kinds[] = {
    [SL_TRAIN_LABELS] = SL_TARGET_POOL,       [SL_TRAIN_GOLD] = SL_TARGET_GOLD,
    [SL_TRAIN_CATEGORY] = SL_TARGET_CATEGORY, [SL_TRAIN_UNIFORM] = SL_TARGET_UNIFORM,
    [SL_TRAIN_RANDOM] = SL_TARGET_RANDOM,
  };
  return (SlTargets){ .kind = kinds[options->targets],
                      .pools = &data->pools,
                      .mean = options->pool == 1 || options->teacher != NULL,
                      .hard = options->hard_sample,
                      .top = options->hard,
                      .fill = options->fill,
                      .smoothing = options->label_smoothing,
                      .seed = seed };
}

/* Labels are the mean of a pool; smoothing and drawing are for training alone. */
static void
truths (const SlTrainData *data, const SlPools *pools, SlValidation *validation)
{
  gsize k = data->k;
  SlTargets plain = { .kind = SL_TARGET_POOL, .pools = pools, .mean = TRUE, .fill = TRUE };
  gsize n = validation->n;
  validation->target = g_new (float, MAX (n * k, 1));
  validation->truth = g_new (gint32, MAX (n, 1));
  validation->n = 0;
  for (gsize i = 0; i < n; i++)
    {
      gint32 item = validation->which[i], gold = validation->examples->gold[item];
      gsize to = validation->n;
      if (!sl_target_exists (&plain, item, gold))
        continue;
      sl_target_make (&plain, k, item, gold, 0, 0, validation->target + to * k);
      validation->truth[to] = gold >= 0 ? gold : sl_target_top (validation->target + to * k, k);
      validation->which[to] = item;
      validation->n++;
    }
}

void
sl_train_data_hold_out (const SlTrainData *data, gint32 *which, gsize n, SlValidation *validation)
{
  *validation = (SlValidation){ .examples = &data->features.examples, .which = which, .n = n };
  truths (data, &data->pools, validation);
}

static gboolean
check_same_shape (const SlExamples *a, const SlExamples *b, const char *name, GError **error)
{
  if (a->channels == b->channels && a->height == b->height && a->width == b->width
      && a->pixels == b->pixels)
    return TRUE;
  g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
               "%s: its examples are %s of %dx%dx%d, not as in --features", name,
               b->pixels ? "pixels" : "numbers", b->channels, b->height, b->width);
  return FALSE;
}

static gboolean
read_validation (SlTrainData *data, GError **error)
{
  const SlTrainOptions *options = data->options;
  if (options->validation_features == NULL)
    return TRUE;
  if (!sl_feature_set_read (&data->held, data->run, "validation-features",
                            options->validation_features, error)
      || !check_same_shape (&data->features.examples, &data->held.examples,
                            options->validation_features, error))
    return FALSE;
  SlExamples *examples = &data->held.examples;
  sl_feature_set_map_gold (&data->held, data->run, "validation-features", data->classes, data->k);
  g_auto (SlLabelRows) rows;
  sl_label_rows_init (&rows, data->run, examples->n, FALSE);
  rows.classes = g_strdupv (data->classes);
  rows.k = data->k;
  if (options->validation != NULL
      && !sl_label_rows_read (&rows, "validation", options->validation, data->held.items, error))
    return FALSE;
  SlPools pools;
  sl_label_rows_pool (&rows, (gsize) examples->n, &pools, NULL);
  for (gint32 i = 0; i < examples->n; i++)
    if (examples->gold[i] < 0)
      examples->gold[i] = rows.gold[i];
  gint32 *which = g_new (gint32, examples->n);
  for (gint32 i = 0; i < examples->n; i++)
    which[i] = i;
  data->validation
      = (SlValidation){ .examples = examples, .which = which, .n = (gsize) examples->n };
  truths (data, &pools, &data->validation);
  sl_pools_free_arrays (&pools);
  data->validated = TRUE;
  if (data->validation.n > 0)
    return TRUE;
  g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
               "%s: no item in it has a label or a gold class to validate with",
               options->validation_features);
  return FALSE;
}

/* With --held-out an item that chooses, by a grid or the best epoch, must be no item that is
 * predicted: of the same name and numbers. */
static gboolean
check_apart (const SlTrainData *data, GError **error)
{
  const SlTrainOptions *options = data->options;
  const SlExamples *held = &data->held.examples, *shown = &data->features.examples;
  if (options->held_out == NULL || (options->grid == NULL && options->keep == 0))
    return TRUE;
  for (gsize v = 0; v < data->validation.n; v++)
    {
      gsize length;
      const char *name = sl_intern_get (data->held.items, data->validation.which[v], &length);
      gint32 item = sl_intern_find (data->features.items, name, length);
      if (item >= 0 && sl_examples_same (held, data->validation.which[v], shown, item))
        return sl_error_bad_input (error,
                                   "%s: item '%.*s' is in --features, too: what its label helps to "
                                   "choose must not predict it for --held-out",
                                   options->validation_features, (int) MIN (length, 1000), name);
    }
  return TRUE;
}

gboolean
sl_train_data_read (SlTrainData *data, SlRun *run, GError **error)
{
  const SlTrainOptions *options = run->options->values;
  *data = (SlTrainData){ .run = run, .options = options };
  g_auto (SlLabelRows) rows = { 0 };
  if (!sl_feature_set_read (&data->features, run, "features", options->features, error))
    return FALSE;
  gboolean worth = options->item_log != NULL && options->worth != NULL;
  sl_label_rows_init (&rows, run, data->features.examples.n,
                      sl_losses[options->loss].traits & SL_LOSS_ANSWERS || worth);
  rows.votes_alone = worth;
  if (options->annotator_columns != NULL)
    rows.attributes = g_strsplit (options->annotator_columns, ",", -1);
  if (!read_labels (data, &rows, error) || !settle_classes (data, &rows, error))
    return FALSE;
  make_item_cases (data, &rows);
  if (options->augment != NULL && !read_mixtures (data, &rows, options->augment, error))
    return FALSE;
  gsize n_pools = 0;
  for (gsize i = 0; i < data->n_cases; i++)
    n_pools = MAX (n_pools, (gsize) (data->cases[i].pool + 1));
  sl_label_rows_pool (&rows, n_pools, &data->pools, &data->annotator);
  data->annotators = g_steal_pointer (&rows.annotators);
  if (rows.attributes != NULL)
    sl_annotator_attributes_take (&data->attributes, &rows.tags, data->annotators);
  return check_targets (data, &rows, error) && read_validation (data, error)
         && check_apart (data, error);
}

void
sl_train_data_clear (SlTrainData *data)
{
  sl_feature_set_clear (&data->features);
  sl_feature_set_clear (&data->held);
  sl_pools_free_arrays (&data->pools);
  sl_validation_clear (&data->validation);
  g_clear_pointer (&data->annotator, g_free);
  g_clear_pointer (&data->annotators, sl_intern_free);
  sl_annotator_attributes_clear (&data->attributes);
  g_clear_pointer (&data->cases, g_free);
  g_clear_pointer (&data->classes, g_strfreev);
}

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
