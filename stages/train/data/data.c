/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data.h"

#include "mixture-cases.h"

#include <string.h>

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
                                       options->temperature, error))
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
  data->cases = g_new (SlCase, data->n_cases);
  for (gint32 i = 0; i < examples->n; i++)
    {
      if (examples->gold[i] < 0)
        examples->gold[i] = rows->gold[i];
      data->cases[i] = (SlCase){ i, -1, 1, i, examples->gold[i], examples->key[i] };
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
  SlTargets targets = sl_train_data_targets (data, 0);
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
sl_train_data_targets (const SlTrainData *data, guint64 seed)
{
  const SlTrainOptions *options = data->options;
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

gboolean
sl_train_data_read (SlTrainData *data, SlRun *run, GError **error)
{
  const SlTrainOptions *options = run->options->values;
  *data = (SlTrainData){ .run = run, .options = options };
  g_auto (SlLabelRows) rows = { 0 };
  if (!sl_feature_set_read (&data->features, run, "features", options->features, error))
    return FALSE;
  sl_label_rows_init (&rows, run, data->features.examples.n,
                      options->loss == SL_TRAIN_CROWD
                          || (options->item_log != NULL && options->worth != NULL));
  if (!read_labels (data, &rows, error) || !settle_classes (data, &rows, error))
    return FALSE;
  make_item_cases (data, &rows);
  if (options->augment != NULL && !sl_mixture_cases_read (data, &rows, options->augment, error))
    return FALSE;
  gsize n_pools = 0;
  for (gsize i = 0; i < data->n_cases; i++)
    n_pools = MAX (n_pools, (gsize) (data->cases[i].pool + 1));
  sl_label_rows_pool (&rows, n_pools, &data->pools, &data->annotator);
  data->annotators = g_steal_pointer (&rows.annotators);
  return check_targets (data, &rows, error) && read_validation (data, error);
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
  g_clear_pointer (&data->cases, g_free);
  g_clear_pointer (&data->classes, g_strfreev);
}
