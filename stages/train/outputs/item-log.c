/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "item-log.h"

#include "schemas/confusion.h"
#include "stages/common/priors/prior-files.h"

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
      const SlCase *at = &data->cases[i];
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
