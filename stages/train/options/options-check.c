/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "options.h"

#include "pipeline/base/error.h"
#include "pipeline/base/number-text.h"
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
    = { "lr",     "weight-decay", "momentum",    "mixup",        "label-smoothing",
        "clip",   "dropout",      "temperature", "ent-wc-least", "entropy-weight",
        "epochs", "warm-up",      NULL };

static gboolean
in_grid (const SlTrainOptions *options, const char *name)
{
  gsize length = strlen (name);
  for (char **grid = options->grid; grid != NULL && *grid != NULL; grid++)
    if (strncmp (*grid, name, length) == 0 && (*grid)[length] == '=')
      return TRUE;
  return FALSE;
}

/* Whether NAME is said, on the command line or as a part of --grid. */
static gboolean
is_said (const SlOptions *given, const char *name)
{
  return sl_option_given (given, name) || in_grid (given->values, name);
}

static gboolean
check_mixup (const SlTrainOptions *o, GError **error)
{
  gboolean of_mixed = o->loss == SL_TRAIN_ENT_WC || o->loss == SL_TRAIN_MIX_MAXENT;
  if (o->mixup < 0 && o->mixup != -1)
    return sl_error_usage (error, "--mixup is 0 or more, or -1");
  if (o->mixup == 0 && of_mixed)
    return sl_error_usage (error, "--loss %s is of mixed examples: --mixup is above 0 there",
                           o->loss == SL_TRAIN_ENT_WC ? "ent-wc" : "mix-maxent");
  return TRUE;
}

static gboolean
check_loss (const SlTrainOptions *o, GError **error)
{
  if (!check_mixup (o, error))
    return FALSE;
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
        return sl_error_usage (error,
                               "--grid: '%s' is none of the options that it varies: lr, "
                               "weight-decay, momentum, mixup, label-smoothing, clip, "
                               "dropout, temperature, ent-wc-least, entropy-weight, epochs, "
                               "warm-up",
                               pair[0]);
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
  if (o->targets != SL_TRAIN_LABELS && (o->teacher != NULL || o->fill))
    return sl_error_usage (error, "--teacher and --fill go with --targets labels only");
  if (o->hard_sample && o->hard)
    return sl_error_usage (error, "--hard-sample and --hard exclude one another");
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

/* What is said must be of use. Presets and networks settle some of what decides, so these rules are
 * not in the option table. */
static gboolean
check_scopes (const SlOptions *given, GError **error)
{
  const SlTrainOptions *o = given->values;
  gboolean crowd = o->loss == SL_TRAIN_CROWD, maxent = o->loss == SL_TRAIN_MIX_MAXENT;
  gboolean ent_wc = o->loss == SL_TRAIN_ENT_WC, sgd = o->optimiser == 0, step = o->schedule == 1;
  gboolean mixes = o->mixup > 0 || in_grid (o, "mixup") || ent_wc || maxent;
  gboolean labels = o->targets == SL_TRAIN_LABELS;
  gboolean decays = o->weight_decay > 0 || in_grid (o, "weight-decay");
  gboolean soft = labels || o->targets == SL_TRAIN_CATEGORY;
  const struct
  {
    const char *name;
    gboolean applies;
    const char *rule;
  } scopes[] = {
    { "ent-wc-least", ent_wc, "goes with --loss ent-wc only" },
    { "ent-wc-gradient", ent_wc, "goes with --loss ent-wc only" },
    { "entropy-weight", maxent, "goes with --loss mix-maxent only" },
    { "mixed-share", maxent, "goes with --loss mix-maxent only" },
    { "pairing", maxent, "goes with --loss mix-maxent only" },
    { "crowd", crowd, "goes with --loss crowd only" },
    { "crowd-input", crowd, "goes with --loss crowd only" },
    { "conal-apart", crowd && o->crowd == SL_TRAIN_CONAL, "goes with --crowd conal only" },
    { "confusion", crowd, "goes with --loss crowd only" },
    { "mixup-curves", mixes, "goes with --mixup only" },
    { "mixup-lambda", mixes, "goes with --mixup only" },
    { "temperature", o->teacher != NULL, "goes with --teacher only" },
    { "temperature", o->loss == SL_TRAIN_CROSS_ENTROPY, "goes with --loss cross-entropy only" },
    { "pool", labels, "goes with --targets labels only" },
    { "pool", o->teacher == NULL, "does not go with --teacher: of teachers it is the mean" },
    { "pool", !crowd, "does not go with --loss crowd, which learns from every answer" },
    { "hard", soft, "goes with --targets labels and category only" },
    { "hard-sample", soft, "goes with --targets labels and category only" },
    { "label-smoothing", o->targets != SL_TRAIN_UNIFORM,
      "does not go with --targets uniform, which are smooth" },
    { "dropout", g_str_has_prefix (o->model, "mlp"), "goes with --model mlp only" },
    { "momentum", sgd, "goes with --optimiser sgd only" },
    { "nesterov", sgd, "goes with --optimiser sgd only" },
    { "beta1", !sgd, "goes with --optimiser adam and adamw only" },
    { "beta2", !sgd, "goes with --optimiser adam and adamw only" },
    { "decay", decays, "goes with --weight-decay above 0 only" },
    { "drops", step, "goes with --schedule step only" },
    { "drop-factor", step, "goes with --schedule step only" },
    { "reset-at-drop", step, "goes with --schedule step only" },
    { "cosine-by", o->schedule == 2, "goes with --schedule cosine only" },
    { "worth", o->item_log != NULL, "goes with --item-log only" },
    { "item-log", maxent || !mixes,
      "goes neither with --mixup nor with --loss ent-wc: items are seen only mixed with others" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (scopes); i++)
    if (is_said (given, scopes[i].name) && !scopes[i].applies)
      return sl_error_usage (error, "--%s %s", scopes[i].name, scopes[i].rule);
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
  if (o->resume && o->checkpoint == NULL)
    return sl_error_usage (error, "--resume needs --checkpoint FILE, where it goes on from");
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
sl_train_check (SlOptions *given, GError **error)
{
  SlTrainOptions *options = given->values;
  if (options->list_models)
    return options->model == NULL || sl_model_find (options->model, error) != NULL;
  if (!take_model_of_init (options, error) || !sl_train_fill_preset (given, error)
      || !check_data (given, error) || !check_grid (given, error) || !check_scopes (given, error)
      || !check_loss (given->values, error) || !check_runs (given, error))
    return FALSE;
  gsize n;
  g_autofree gint64 *drops = sl_train_drops (options, &n, error);
  return drops != NULL;
}
