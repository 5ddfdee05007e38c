/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Protocols of papers, as what the options would be. Where a paper and its code differ, as the
 * code. */
#include "options.h"

#include "pipeline/base/error.h"

#include <math.h>
#include <string.h>

#define CIFAR "crop=4 flip=yes normalise=cifar10 "
#define STEP "schedule=step drop-factor=0.1 "

/* By the names of sl_train_presets. */
static const char *const presets[] = {
  "",
  /* Uma et al., HCOMP 2020: 50, 5 and 10 epochs, each with a new optimiser. */
  "model=resnet34a lr=0.1 batch=32 clip=1 reduction=sum epochs=65 drops=50,55 reset-at-drop=yes "
  "keep=best " STEP CIFAR,
  "model=mlp:128 normalise=none dropout=0.5 optimiser=adam lr=0.001 weight-decay=0 batch=64 "
  "epochs=20 "
  "schedule=constant keep=best",
  /* Collins, Bhatt & Weller, HCOMP 2022: the code sets the rate at the end of epochs 50 and 55. */
  "model=resnet34a lr=0.1 batch=32 clip=1 epochs=65 drops=51,56 keep=last " STEP CIFAR,
  /* Collins, MPhil thesis, Cambridge 2022, chapters 4 and 5. */
  "model=preact-resnet18 lr=0.1 batch=128 epochs=200 drops=100,150 keep=last pool=sample "
  "normalise=cifar10 " STEP,
  "model=preact-resnet34 lr=0.1 batch=128 epochs=200 drops=100,150 keep=last "
  "normalise=cifar10 " STEP,
  /* Peterson et al., ICCV 2019; the rest by the network. */
  "nesterov=yes folds=10 " CIFAR,
  "nesterov=yes folds=10 lr=0.01 epochs=150 schedule=constant " CIFAR,
};

/* Training of each network in the code that Peterson et al. name. */
static const struct
{
  const char *model, *options;
} networks[] = {
  { "vgg15-bn", "lr=0.1 weight-decay=1e-4 batch=128 epochs=160 drops=80,120 " STEP },
  { "resnet110", "lr=0.1 weight-decay=1e-4 batch=128 epochs=160 drops=80,120 " STEP },
  { "preact-resnet164", "lr=0.1 weight-decay=1e-4 batch=128 epochs=160 drops=80,120 " STEP },
  { "wrn-28-10", "lr=0.1 weight-decay=5e-4 batch=128 epochs=200 drops=60,120,160 schedule=step "
                 "drop-factor=0.2" },
  { "densenet-bc-100-12", "lr=0.05 weight-decay=1e-4 batch=32 epochs=300 drops=150,225 " STEP },
  { "resnext29-8x64d", "lr=0.05 weight-decay=5e-4 batch=64 epochs=300 drops=150,225 " STEP },
  { "pyramidnet-110-270", "lr=0.1 weight-decay=1e-4 batch=128 epochs=300 drops=150,225 " STEP },
  { "shake-shake-26-2x64d",
    "lr=0.1 weight-decay=1e-4 batch=64 epochs=300 schedule=cosine cutout=16" },
};

static gboolean
bad_value (const char *name, const char *text, GError **error)
{
  return sl_error_usage (error, "--%s: '%s' is no value for it", name, text);
}

static gboolean
set_choice (const SlOption *option, int *field, const char *text, GError **error)
{
  for (int i = 0; option->choices[i] != NULL; i++)
    if (strcmp (option->choices[i], text) == 0)
      {
        *field = i;
        return TRUE;
      }
  return bad_value (option->name, text, error);
}

static const SlOption *
find (const char *name)
{
  for (const SlOption *option = sl_train_option_table; option->name != NULL; option++)
    if (strcmp (option->name, name) == 0)
      return option;
  return NULL;
}

gboolean
sl_train_set (SlTrainOptions *options, const char *name, const char *text, GError **error)
{
  const SlOption *option = find (name);
  char *end = NULL;
  double value = g_ascii_strtod (text, &end);
  gboolean number = option != NULL && end != text && *end == '\0' && value >= option->min
                    && value <= option->max;
  if (option == NULL)
    return sl_error_usage (error, "--%s is none of the options of train", name);
  gpointer field = sl_option_field (option, options);
  if (option->kind == SL_OPTION_CHOICE)
    return set_choice (option, field, text, error);
  if (option->kind == SL_OPTION_TEXT)
    {
      g_free (*(char **) field);
      *(char **) field = g_strdup (text);
      return TRUE;
    }
  if (!number || (option->kind == SL_OPTION_INTEGER && value != floor (value)))
    return bad_value (name, text, error);
  if (option->kind == SL_OPTION_INTEGER)
    *(gint64 *) field = (gint64) value;
  else
    *(double *) field = value;
  return TRUE;
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

gboolean
sl_train_fill_preset (SlOptions *given, GError **error)
{
  SlTrainOptions *options = given->values;
  const char *name = sl_train_presets[options->preset];
  gboolean by_network = g_str_has_prefix (name, "peterson2019");
  gboolean known = FALSE;
  for (gsize i = 0; by_network && i < G_N_ELEMENTS (networks); i++)
    if (g_strcmp0 (options->model, networks[i].model) == 0)
      {
        known = TRUE;
        if (!fill_in (given, networks[i].options, error))
          return FALSE;
      }
  if (by_network && !known && options->model != NULL && !sl_option_given (given, "epochs"))
    return sl_error_usage (error,
                           "--preset %s says nothing of %s: it is of vgg15-bn, resnet110, "
                           "preact-resnet164, wrn-28-10, densenet-bc-100-12, resnext29-8x64d, "
                           "pyramidnet-110-270 and shake-shake-26-2x64d; others need --epochs",
                           name, options->model);
  /* Chapter 5 of the thesis mixes every batch; plain mixup by its authors' default. */
  if (strcmp (name, "thesis-mixup") == 0 && options->loss == SL_TRAIN_CROSS_ENTROPY
      && !sl_option_given (given, "mixup"))
    options->mixup = 1;
  if (!fill_in (given, presets[options->preset], error))
    return FALSE;
  if (sl_option_given (given, "drops") && !sl_option_given (given, "schedule"))
    options->schedule = 1;
  /* What does well on vectors without a search. */
  gboolean vectors = g_strcmp0 (options->model, "softmax") == 0
                     || (options->model != NULL && g_str_has_prefix (options->model, "mlp"));
  gboolean sgd = sl_option_given (given, "optimiser") && options->optimiser == 0;
  return options->preset != 0 || !vectors || sgd
         || fill_in (given,
                     options->drops != NULL
                         ? "optimiser=adam lr=0.01 weight-decay=0"
                         : "optimiser=adam lr=0.01 weight-decay=0 schedule=cosine",
                     error);
}
