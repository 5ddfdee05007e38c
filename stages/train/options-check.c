/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "options.h"

#include "pipeline/base/error.h"
#include "pipeline/base/number-text.h"
#include "stages/common/network/network.h"

#include <string.h>

gint64 *
sl_train_drops (const SlTrainOptions *options, gsize *n, GError **error)
{
  g_auto (GStrv) words = g_strsplit (options->drops != NULL ? options->drops : "", ",", -1);
  *n = g_strv_length (words);
  gint64 *drops = g_new (gint64, *n + 1);
  for (gsize i = 0; i < *n; i++)
    {
      guint64 epoch;
      if (g_ascii_string_to_unsigned (words[i], 10, 0, 1000000, &epoch, NULL)
          && (i == 0 || (gint64) epoch > drops[i - 1]))
        {
          drops[i] = (gint64) epoch;
          continue;
        }
      g_free (drops);
      (void) sl_error_usage (error, "--drops: '%s' is no list of growing epochs such as 51,56",
                             options->drops);
      return NULL;
    }
  return drops;
}

static gboolean
check_data (const SlTrainOptions *o, GError **error)
{
  if (o->features == NULL)
    return sl_error_usage (error, "--features FILE is needed: the examples, as `softlabel ingest` "
                                  "makes them of images, .npy or embeddings");
  if (o->model == NULL)
    return sl_error_usage (error, "--model NAME is needed; --list-models names all");
  if (sl_model_find (o->model, error) == NULL)
    return FALSE;
  if (o->targets != SL_TRAIN_LABELS && (o->teacher != NULL || o->fill))
    return sl_error_usage (error, "--teacher and --fill go with --targets labels only");
  if (o->hard_sample && o->hard)
    return sl_error_usage (error, "--hard-sample and --hard exclude one another");
  if (o->temperature != 1 && o->loss != SL_TRAIN_CROSS_ENTROPY)
    return sl_error_usage (error, "--temperature goes with --loss cross-entropy only");
  if ((o->validation != NULL) && o->validation_features == NULL)
    return sl_error_usage (error, "--validation needs --validation-features, its examples");
  if (o->validation_share > 0 && o->validation_features != NULL)
    return sl_error_usage (error, "--validation-share and --validation-features exclude one "
                                  "another");
  if (o->validation_share > 0 && o->folds > 1)
    return sl_error_usage (error, "--validation-share and --folds exclude one another: each fold "
                                  "validates with what it leaves out");
  return TRUE;
}

static gboolean
check_loss (const SlTrainOptions *o, GError **error)
{
  static const char *const names[] = { "cross-entropy", "ent-wc", "mix-maxent", "crowd" };
  if (o->mixup < 0 && o->mixup != -1)
    return sl_error_usage (error, "--mixup is 0 or more, or -1");
  if (o->mixup == 0 && (o->loss == SL_TRAIN_ENT_WC || o->loss == SL_TRAIN_MIX_MAXENT))
    return sl_error_usage (error, "--loss %s is of mixed examples: --mixup is above 0 there",
                           names[o->loss]);
  if (o->loss == SL_TRAIN_CROWD
      && (o->targets != SL_TRAIN_LABELS || o->teacher != NULL || o->mixup > 0 || o->augment != NULL
          || o->hard || o->hard_sample || o->label_smoothing > 0 || o->fill))
    return sl_error_usage (error, "--loss crowd learns from annotators' own answers: --targets, "
                                  "--teacher, --mixup, --augment, --hard, --hard-sample, "
                                  "--label-smoothing and --fill do not go with it");
  if (o->crowd == SL_TRAIN_CONAL && o->crowd_input != 0)
    return sl_error_usage (error, "--crowd conal is of the softmax: --crowd-input logits does not "
                                  "go with it");
  return TRUE;
}

/* What of --grid may vary: numbers that need no other network or data. */
static gboolean
check_grid (const SlTrainOptions *options, GError **error)
{
  static const char *const names[]
      = { "lr",     "weight-decay", "momentum",    "mixup",        "label-smoothing",
          "clip",   "dropout",      "temperature", "ent-wc-least", "entropy-weight",
          "epochs", "warm-up",      NULL };
  SlTrainOptions trial = *options;
  for (char **grid = options->grid; grid != NULL && *grid != NULL; grid++)
    {
      g_auto (GStrv) pair = g_strsplit (*grid, "=", 2);
      if (pair[0] == NULL || pair[1] == NULL || pair[1][0] == '\0')
        return sl_error_usage (error, "--grid: '%s' is not of the form lr=0.1,0.01", *grid);
      if (!g_strv_contains (names, pair[0]))
        return sl_error_usage (error,
                               "--grid: '%s' is none of the options that it varies: lr, "
                               "weight-decay, momentum, mixup, label-smoothing, clip, "
                               "dropout, temperature, ent-wc-least, entropy-weight, epochs, "
                               "warm-up",
                               pair[0]);
      for (char **before = options->grid; before < grid; before++)
        if (g_str_has_prefix (*before, pair[0]) && (*before)[strlen (pair[0])] == '=')
          return sl_error_usage (error, "--grid: '%s' is given twice", pair[0]);
      g_auto (GStrv) values = g_strsplit (pair[1], ",", -1);
      for (char **value = values; *value != NULL; value++)
        if (!sl_train_set (&trial, pair[0], *value, error) || !check_loss (&trial, error))
          return FALSE;
    }
  return TRUE;
}

static gboolean
check_runs (const SlTrainOptions *o, GError **error)
{
  gboolean validated = o->validation_features != NULL || o->validation_share > 0 || o->folds > 1;
  if (o->keep == 1 && !validated)
    return sl_error_usage (error, "--keep best needs --validation-features or --validation-share");
  if (o->grid != NULL && !validated)
    return sl_error_usage (error, "--grid needs --validation-features, --validation-share or "
                                  "--folds to choose by");
  if (o->resume && o->checkpoint == NULL)
    return sl_error_usage (error, "--resume needs --checkpoint FILE, where it goes on from");
  if (o->held_out != NULL && o->folds == 1 && o->validation_share == 0)
    return sl_error_usage (error, "--held-out needs --folds or --validation-share: else all items "
                                  "are shown");
  if (o->schedule == 1 && o->drops == NULL)
    return sl_error_usage (error, "--schedule step needs --drops E,E: when the rate drops");
  if (o->nesterov && (o->optimiser != 0 || o->momentum == 0))
    return sl_error_usage (error, "--nesterov goes with sgd and a momentum above 0 only");
  return TRUE;
}

gboolean
sl_train_check (SlOptions *given, GError **error)
{
  const SlTrainOptions *options = given->values;
  if (options->list_models)
    return TRUE;
  if (!sl_train_fill_preset (given, error) || !check_data (options, error)
      || !check_loss (options, error) || !check_runs (options, error)
      || !check_grid (options, error) || !sl_train_check_effect (given, error))
    return FALSE;
  gsize n;
  g_autofree gint64 *drops = sl_train_drops (options, &n, error);
  return drops != NULL;
}
