/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an option of train goes with: where it would have no effect it is refused, whether the command line gives it or --grid varies it. */
#include "options.h"

#include "pipeline/base/error.h"

#include <string.h>

static gboolean
is_varied (const SlTrainOptions *o, const char *name)
{
  gsize n = strlen (name);
  for (char **grid = o->grid; grid != NULL && *grid != NULL; grid++)
    if (strncmp (*grid, name, n) == 0 && (*grid)[n] == '=')
      return TRUE;
  return FALSE;
}

static gboolean
is_mlp (const SlTrainOptions *o)
{
  return g_str_has_prefix (o->model, "mlp");
}

static gboolean
is_sgd (const SlTrainOptions *o)
{
  return o->optimiser == 0;
}

static gboolean
is_adam (const SlTrainOptions *o)
{
  return o->optimiser != 0;
}

static gboolean
is_stepwise (const SlTrainOptions *o)
{
  return o->schedule == 1;
}

static gboolean
decays (const SlTrainOptions *o)
{
  return o->weight_decay > 0 || is_varied (o, "weight-decay");
}

static gboolean
is_ent_wc (const SlTrainOptions *o)
{
  return o->loss == SL_TRAIN_ENT_WC;
}

static gboolean
is_mix_maxent (const SlTrainOptions *o)
{
  return o->loss == SL_TRAIN_MIX_MAXENT;
}

static gboolean
mixes (const SlTrainOptions *o)
{
  return o->mixup > 0 || is_ent_wc (o) || is_mix_maxent (o) || is_varied (o, "mixup");
}

static gboolean
is_crowd (const SlTrainOptions *o)
{
  return o->loss == SL_TRAIN_CROWD;
}

static gboolean
is_conal (const SlTrainOptions *o)
{
  return is_crowd (o) && o->crowd == SL_TRAIN_CONAL;
}

static gboolean
has_pools (const SlTrainOptions *o)
{
  return o->targets == SL_TRAIN_LABELS && o->teacher == NULL && !is_crowd (o);
}

static gboolean
is_not_gold (const SlTrainOptions *o)
{
  return o->targets != SL_TRAIN_GOLD;
}

static gboolean
is_not_uniform (const SlTrainOptions *o)
{
  return o->targets != SL_TRAIN_UNIFORM;
}

static gboolean
is_taught (const SlTrainOptions *o)
{
  return o->teacher != NULL;
}

static gboolean
has_item_log (const SlTrainOptions *o)
{
  return o->item_log != NULL;
}

#define SGD "--optimiser sgd only (softmax and mlp have adam unless it is given)"
#define ADAM "--optimiser adam or adamw only"
#define MIXUP "--mixup above 0 only"
#define TARGETS "--targets other than "

static const struct
{
  const char *name;
  gboolean (*has_effect) (const SlTrainOptions *o);
  const char *beside;
} scopes[] = {
  { "pool", has_pools, "--targets labels only, and neither with --teacher nor with --loss crowd" },
  { "hard", is_not_gold, TARGETS "gold only" },
  { "hard-sample", is_not_gold, TARGETS "gold only" },
  { "label-smoothing", is_not_uniform, TARGETS "uniform only" },
  { "temperature", is_taught, "--teacher only" },
  { "mixup-lambda", mixes, MIXUP },
  { "mixup-curves", mixes, MIXUP },
  { "ent-wc-least", is_ent_wc, "--loss ent-wc only" },
  { "ent-wc-gradient", is_ent_wc, "--loss ent-wc only" },
  { "entropy-weight", is_mix_maxent, "--loss mix-maxent only" },
  { "mixed-share", is_mix_maxent, "--loss mix-maxent only" },
  { "pairing", is_mix_maxent, "--loss mix-maxent only" },
  { "crowd", is_crowd, "--loss crowd only" },
  { "crowd-input", is_crowd, "--loss crowd only" },
  { "conal-apart", is_conal, "--loss crowd --crowd conal only" },
  { "confusion", is_crowd, "--loss crowd only" },
  { "worth", has_item_log, "--item-log only" },
  { "dropout", is_mlp, "--model mlp only" },
  { "momentum", is_sgd, SGD },
  { "nesterov", is_sgd, SGD },
  { "beta1", is_adam, ADAM },
  { "beta2", is_adam, ADAM },
  { "decay", decays, "--weight-decay above 0 only" },
  { "drops", is_stepwise, "--schedule step only" },
  { "drop-factor", is_stepwise, "--schedule step only" },
  { "reset-at-drop", is_stepwise, "--schedule step only" },
};

gboolean
sl_train_check_effect (const SlOptions *given, GError **error)
{
  const SlTrainOptions *o = given->values;
  for (gsize i = 0; i < G_N_ELEMENTS (scopes); i++)
    {
      gboolean varied = is_varied (o, scopes[i].name);
      if ((varied || sl_option_given (given, scopes[i].name)) && !scopes[i].has_effect (o))
        return sl_error_usage (error, "--%s%s goes with %s", varied ? "grid: " : "", scopes[i].name,
                               scopes[i].beside);
    }
  return TRUE;
}
