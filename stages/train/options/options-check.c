/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "options.h"

#include "pipeline/base/error.h"
#include "stages/common/files/model-file.h"

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

/* The options that --grid may vary: numbers that need no other network or data. */
static const char *const grid_names[]
    = { "lr",      "weight-decay", "momentum",       "mixup",  "label-smoothing", "clip",
        "dropout", "ent-wc-least", "entropy-weight", "epochs", "warm-up",         NULL };

static gboolean
in_grid (const SlTrainOptions *options, const char *name)
{
  g_autofree char *first = g_strdup_printf ("%s=", name);
  for (char **grid = options->grid; grid != NULL && *grid != NULL; grid++)
    if (g_str_has_prefix (*grid, first))
      return TRUE;
  return FALSE;
}

static gboolean
check_loss (const SlTrainOptions *o, GError **error)
{
  if (o->mixup < 0 && o->mixup != -1)
    return sl_error_usage (error, "--mixup is 0 or more, or -1");
  if (o->mixup == 0 && sl_losses[o->loss].traits & SL_LOSS_MIXED)
    return sl_error_usage (error, "--loss %s is of mixed examples: --mixup is above 0 there",
                           sl_loss_names[o->loss]);
  return TRUE;
}

static gboolean
check_grid_values (const SlTrainOptions *options, const char *name, const char *text,
                   GError **error)
{
  g_auto (GStrv) values = g_strsplit (text, ",", -1);
  SlTrainOptions trial = *options;
  for (char **value = values; *value != NULL; value++)
    {
      if (!sl_train_set (&trial, name, *value, error) || !check_loss (&trial, error))
        return FALSE;
      for (char **before = values; before < value; before++)
        if (g_ascii_strtod (*before, NULL) == g_ascii_strtod (*value, NULL))
          return sl_error_usage (error, "--grid: %s=%s is there twice", name, *value);
    }
  return TRUE;
}

static gboolean
check_grid (const SlOptions *given, GError **error)
{
  const SlTrainOptions *options = given->values;
  for (char **grid = options->grid; grid != NULL && *grid != NULL; grid++)
    {
      g_auto (GStrv) pair = g_strsplit (*grid, "=", 2);
      if (pair[0] == NULL || pair[1] == NULL || pair[1][0] == '\0')
        return sl_error_usage (error, "--grid: '%s' is not of the form lr=0.1,0.01", *grid);
      if (!g_strv_contains (grid_names, pair[0]))
        {
          g_autofree char *all = g_strjoinv (", ", (char **) grid_names);
          return sl_error_usage (error, "--grid: '%s' is none of the options that it varies: %s",
                                 pair[0], all);
        }
      g_autofree char *first = g_strdup_printf ("%s=", pair[0]);
      for (char **before = options->grid; before < grid; before++)
        if (g_str_has_prefix (*before, first))
          return sl_error_usage (error, "--grid %s is given twice: all its values go into one",
                                 pair[0]);
      if (sl_option_given (given, pair[0]))
        return sl_error_usage (error, "--%s and --grid %s exclude one another", pair[0], pair[0]);
      if (!check_grid_values (options, pair[0], pair[1], error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
check_data (const SlOptions *given, GError **error)
{
  const SlTrainOptions *o = given->values;
  if (o->features == NULL)
    return sl_error_usage (error, "--features FILE is needed: the examples, as `softlabel ingest` "
                                  "makes them of images, .npy or embeddings");
  if (o->model == NULL)
    return sl_error_usage (error, "--model NAME is needed; --list-models names all");
  if (sl_model_find (o->model, error) == NULL)
    return FALSE;
  if (o->validation_share > 0 && o->validation_features != NULL)
    return sl_error_usage (error, "--validation-share and --validation-features exclude one "
                                  "another");
  if (o->validation_share > 0 && o->folds > 1)
    return sl_error_usage (error, "--validation-share and --folds exclude one another: each fold "
                                  "validates with what it leaves out");
  return TRUE;
}

/* What would do nothing beside the others, or would not do, and is not said in the option table. */
static gboolean
check_use (const SlOptions *given, GError **error)
{
  const SlTrainOptions *o = given->values;
  guint32 traits = sl_losses[o->loss].traits;
  gboolean mixes
      = o->mixup > 0 || in_grid (o, "mixup") || (o->mixup < 0 && sl_losses[o->loss].alpha > 0);
  gboolean decays = o->weight_decay > 0 || in_grid (o, "weight-decay");
  const struct
  {
    const char *name;
    gboolean applies;
    const char *rule;
  } rules[] = {
    { "temperature", (traits & SL_LOSS_TEMPERED) != 0, "goes with --loss cross-entropy only" },
    { "pool", o->teacher == NULL, "does not go with --teacher: of teachers it is the mean" },
    { "hard", !o->hard_sample, "and --hard-sample exclude one another" },
    { "dropout", g_str_has_prefix (o->model, "mlp"), "goes with --model mlp only" },
    { "draw", o->crop > 0 || o->flip || o->cutout > 0,
      "goes with --crop, --flip or --cutout only" },
    { "decay", decays, "goes with --weight-decay above 0 only" },
    { "item-log", traits & SL_LOSS_BESIDE || !mixes,
      "goes neither with --mixup nor with --loss ent-wc, and with annot-mix only beside --mixup 0: "
      "items are seen only mixed with others" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rules); i++)
    if (sl_option_given (given, rules[i].name) && !rules[i].applies)
      return sl_error_usage (error, "--%s %s", rules[i].name, rules[i].rule);
  return TRUE;
}

static gboolean
check_runs (const SlOptions *given, GError **error)
{
  const SlTrainOptions *o = given->values;
  gboolean validated = o->validation_features != NULL || o->validation_share > 0 || o->folds > 1;
  if (o->keep == 1 && !validated)
    return sl_error_usage (error,
                           "--keep best%s%s needs --validation-features or "
                           "--validation-share",
                           sl_option_given (given, "keep") ? "" : " of --preset ",
                           sl_option_given (given, "keep") ? "" : sl_train_presets[o->preset]);
  if (o->keep == 1 && o->held_out != NULL && o->validation_features == NULL)
    return sl_error_usage (error, "--held-out: with --keep best the epoch is chosen by the items "
                                  "that are held out, so what it says of them is too good; "
                                  "--keep last, or --validation-features, does without them");
  if (o->grid != NULL && !validated)
    return sl_error_usage (error, "--grid needs --validation-features, --validation-share or "
                                  "--folds to choose by");
  if (o->held_out != NULL && o->folds == 1 && o->validation_share == 0)
    return sl_error_usage (error, "--held-out needs --folds or --validation-share: else all items "
                                  "are shown");
  if (o->schedule == 1 && o->drops == NULL)
    return sl_error_usage (error, "--schedule step needs --drops E,E: when the rate drops");
  if (o->nesterov && o->momentum == 0)
    return sl_error_usage (error, "--nesterov goes with a momentum above 0 only");
  return TRUE;
}

/* Without --model the network is that of --init: what is settled by the network asks for it. */
static gboolean
take_model_of_init (SlTrainOptions *options, GError **error)
{
  if (options->model != NULL || options->init == NULL || strcmp (options->init, "-") == 0)
    return TRUE;
  options->model = sl_model_network_of (options->init, error);
  return options->model != NULL;
}

gboolean
sl_train_settle (SlOptions *given, GError **error)
{
  SlTrainOptions *options = given->values;
  if (options->list_models)
    return TRUE;
  if (!take_model_of_init (options, error) || !check_grid (given, error))
    return FALSE;
  for (char **grid = options->grid; grid != NULL && *grid != NULL; grid++)
    {
      g_autofree char *name = g_strndup (*grid, strcspn (*grid, "="));
      sl_train_mark_given (given, name);
    }
  return sl_train_fill_preset (given, error);
}

gboolean
sl_train_check (SlOptions *given, GError **error)
{
  SlTrainOptions *options = given->values;
  if (options->list_models)
    return options->model == NULL || sl_model_find (options->model, error) != NULL;
  if (!check_data (given, error) || !check_loss (options, error) || !check_use (given, error)
      || !check_runs (given, error))
    return FALSE;
  gsize n;
  g_autofree gint64 *drops = sl_train_drops (options, &n, error);
  return drops != NULL;
}
