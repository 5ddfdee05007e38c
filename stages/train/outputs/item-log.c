/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "outputs.h"

#include "schemas/confusion.h"
#include "schemas/dynamics.h"
#include "stages/common/priors/prior-files.h"

#include <math.h>

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
