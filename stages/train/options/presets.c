/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Protocols of papers, as what the options would be. Where a paper and its code differ, as the
 * code. */
#include "options.h"

#include "pipeline/base/error.h"
#include "pipeline/command/options/option-scope.h"
#include "stages/common/network/network.h"
#include "stages/train/optimisers/optimiser.h"

#include <string.h>

#define CIFAR "crop=4 flip=yes normalise=cifar10 "
#define P19 "peterson2019"
#define STEP "schedule=step drop-factor=0.1 "

/* By the names of sl_train_presets. */
static const char *const presets[] = {
  "",
  /* Uma et al., HCOMP 2020. Like the next code, theirs crops and mirrors each image once, before
   * training. 50, 5 and 10 epochs, each with a new optimiser. */
  "model=resnet34a lr=0.1 batch=32 clip=1 reduction=sum epochs=65 drops=50,55 reset-at-drop=yes "
  "keep=best draw=once " STEP CIFAR,
  "model=mlp:128 normalise=none dropout=0.5 optimiser=adam lr=0.001 weight-decay=0 batch=64 "
  "epochs=20 schedule=constant keep=best",
  /* Collins, Bhatt & Weller, HCOMP 2022: the code sets the rate at the end of epochs 50 and 55. */
  "model=resnet34a lr=0.1 batch=32 clip=1 epochs=65 drops=51,56 keep=last draw=once " STEP CIFAR,
  /* Collins, MPhil thesis, Cambridge 2022, chapters 4 and 5. */
  "model=preact-resnet18 lr=0.1 batch=128 epochs=200 drops=100,150 keep=last pool=sample "
  "normalise=cifar10 " STEP,
  "model=preact-resnet34 lr=0.1 batch=128 epochs=200 drops=100,150 keep=last "
  "normalise=cifar10 " STEP,
  /* Peterson et al., ICCV 2019; the rest by the network. */
  "nesterov=yes folds=10 " CIFAR,
  "nesterov=yes folds=10 " CIFAR,
};

/* What presets whose names begin with PRESET say of one network, or of all: Collins et al. 2022,
 * section 5.1; the code that Peterson et al. name. Later ones overrule. */
static const struct
{
  const char *preset, *model, *options;
} networks[] = {
  { "collins2022", "resnet50", "lr=0.4" },
  { P19, "vgg15-bn", "lr=0.1 weight-decay=1e-4 batch=128 epochs=160 drops=80,120 " STEP },
  { P19, "resnet110", "lr=0.1 weight-decay=1e-4 batch=128 epochs=160 drops=80,120 " STEP },
  { P19, "preact-resnet164", "lr=0.1 weight-decay=1e-4 batch=128 epochs=160 drops=80,120 " STEP },
  { P19, "wrn-28-10",
    "lr=0.1 weight-decay=5e-4 batch=128 epochs=200 drops=60,120,160 schedule=step "
    "drop-factor=0.2" },
  { P19, "densenet-bc-100-12",
    "lr=0.05 weight-decay=1e-4 batch=32 epochs=300 drops=150,225 " STEP },
  { P19, "resnext29-8x64d", "lr=0.05 weight-decay=5e-4 batch=64 epochs=300 drops=150,225 " STEP },
  { P19, "pyramidnet-110-270",
    "lr=0.1 weight-decay=1e-4 batch=128 epochs=300 drops=150,225 " STEP },
  { P19, "shake-shake-26-2x64d",
    "lr=0.1 weight-decay=1e-4 batch=64 epochs=300 schedule=cosine cutout=16" },
  { P19 "-finetune", NULL, "lr=0.01 epochs=150 schedule=constant" },
};

gboolean
sl_train_set (SlTrainOptions *options, const char *name, const char *text, GError **error)
{
  const SlOption *option = sl_option_find (sl_train_option_table, name);
  return sl_option_set (option, sl_option_field (option, options), text, error);
}

/* Sets what "name=value name=value" says and the command line does not, nor --init of the
 * network. */
static gboolean
fill_in (SlOptions *given, const char *text, GError **error)
{
  const SlTrainOptions *options = given->values;
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  for (char **word = words; *word != NULL; word++)
    {
      g_auto (GStrv) pair = g_strsplit (*word, "=", 2);
      gboolean settled = options->model != NULL && g_strcmp0 (pair[0], "model") == 0;
      if (pair[0] != NULL && !settled && !sl_option_given (given, pair[0])
          && !sl_train_set (given->values, pair[0], pair[1], error))
        return FALSE;
    }
  return TRUE;
}

void
sl_train_mark_given (SlOptions *options, const char *name)
{
  options->given[sl_option_find (options->table, name) - options->table] = TRUE;
}

/* Defaults: with images as the option table says, with vectors what does well without a search. */
static gboolean
fill_defaults (SlOptions *given, GError **error)
{
  SlTrainOptions *options = given->values;
  const SlModelInfo *model = options->model != NULL ? sl_model_find (options->model, error) : NULL;
  if (model == NULL)
    return options->model == NULL;
  gboolean sgd = options->optimiser == SL_OPTIMISER_SGD
                 && (model->images || sl_option_given (given, "optimiser"));
  const char *of_images = sgd ? "" : "lr=0.001";
  const char *of_vectors
      = sgd ? "clip=0 warm-up=0" : "optimiser=adam lr=0.01 weight-decay=0 clip=0 warm-up=0";
  return fill_in (given, model->images ? of_images : of_vectors, error);
}

/* What papers do not do unless their presets say so. */
#define PLAIN "schedule=constant clip=0 warm-up=0"

static gboolean
fill_preset (SlOptions *given, GError **error)
{
  SlTrainOptions *options = given->values;
  const char *name = sl_train_presets[options->preset];
  guint32 traits = sl_losses[options->loss].traits;
  gboolean known = !g_str_has_prefix (name, P19) || sl_option_given (given, "epochs");
  if (!fill_in (given, PLAIN, error) || !fill_in (given, presets[options->preset], error))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (networks); i++)
    {
      const char *model = networks[i].model;
      if (!g_str_has_prefix (name, networks[i].preset)
          || (model != NULL && g_strcmp0 (options->model, model) != 0))
        continue;
      known = known || model != NULL;
      if (!fill_in (given, networks[i].options, error))
        return FALSE;
    }
  if (!known && options->model != NULL)
    return sl_error_usage (error,
                           "--preset %s says nothing of %s: it is of vgg15-bn, resnet110, "
                           "preact-resnet164, wrn-28-10, densenet-bc-100-12, resnext29-8x64d, "
                           "pyramidnet-110-270 and shake-shake-26-2x64d; others need --epochs",
                           name, options->model);
  /* Chapter 5 of the thesis mixes every batch; plain mixup by its authors' default. */
  if (strcmp (name, "thesis-mixup") == 0 && (traits & SL_LOSS_TARGETS) && !(traits & SL_LOSS_MIXED)
      && !sl_option_given (given, "mixup"))
    {
      options->mixup = 1;
      sl_train_mark_given (given, "mixup");
    }
  return TRUE;
}

/* Of a preset, what does not go with what the command line says is as if it were not said. */
static void
forget_out_of_scope (SlOptions *given)
{
  for (const SlOption *option = given->table; option->name != NULL; option++)
    {
      if (option->of == 0 || sl_option_given (given, option->name))
        continue;
      const SlOption *deciding = sl_option_find (given->table, option->with);
      if (sl_option_goes_with (option, deciding,
                               *(int *) sl_option_field (deciding, given->values)))
        continue;
      gpointer field = sl_option_field (option, given->values);
      gconstpointer initial = sl_option_field (option, &sl_train_defaults);
      if (option->kind == SL_OPTION_TEXT)
        g_clear_pointer ((char **) field, g_free);
      else if (option->kind == SL_OPTION_CHOICE)
        *(int *) field = *(const int *) initial;
      else if (option->kind == SL_OPTION_REAL)
        *(double *) field = *(const double *) initial;
    }
}

gboolean
sl_train_fill_preset (SlOptions *given, GError **error)
{
  SlTrainOptions *options = given->values;
  if (!(options->preset != 0 ? fill_preset : fill_defaults) (given, error))
    return FALSE;
  if (sl_losses[options->loss].traits & SL_LOSS_PAIRS && !sl_option_given (given, "mixup-lambda"))
    options->mixup_lambda = 1;
  if (sl_option_given (given, "drops") && !sl_option_given (given, "schedule"))
    options->schedule = SL_SCHEDULE_STEP;
  forget_out_of_scope (given);
  return TRUE;
}
