/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models.h"

#include "pipeline/base/error.h"
#include "pipeline/base/nearest.h"

#include <string.h>

const SlModelInfo sl_models[] = {
  { "softmax", "logistic regression on any numbers", "", FALSE, FALSE, sl_describe_softmax },
  { "mlp", "hidden layers with ReLU and dropout, as in mlp:128,64 (128)", "", FALSE, TRUE,
    sl_describe_mlp },
  { "mlp-bn", "the same with batch normalisation before each ReLU", "", FALSE, TRUE,
    sl_describe_mlp_bn },
  { "vgg11", "8 convolutions of 64 to 512 channels, batch normalisation",
    "Simonyan & Zisserman 2015", TRUE, FALSE, sl_describe_vgg11 },
  { "resnet34a", "3 stages of 7 basic blocks, 16 to 64 channels, shortcuts of zeros",
    "He et al. 2016, for CIFAR", TRUE, FALSE, sl_describe_resnet34a },
  { "resnet50", "4 stages of 3, 4, 6 and 3 bottlenecks, 256 to 2048 channels",
    "He et al. 2016, for CIFAR", TRUE, FALSE, sl_describe_resnet50 },
  { "preact-resnet18", "4 stages of 2 pre-activation blocks, 64 to 512 channels",
    "He et al. 2016b, Zhang et al. 2018", TRUE, FALSE, sl_describe_preact_resnet18 },
  { "preact-resnet34", "4 stages of 3, 4, 6 and 3 such blocks", "He et al. 2016b", TRUE, FALSE,
    sl_describe_preact_resnet34 },
  { "vgg15-bn", "13 convolutions of 64 to 512 channels, batch normalisation",
    "Peterson et al. 2019", TRUE, FALSE, sl_describe_vgg15_bn },
  { "resnet110", "3 stages of 18 basic blocks, 16 to 64 channels", "Peterson et al. 2019", TRUE,
    FALSE, sl_describe_resnet110 },
  { "wrn-28-10", "3 stages of 4 pre-activation blocks, 160 to 640 channels",
    "Zagoruyko & Komodakis 2016; Peterson et al. 2019", TRUE, FALSE, sl_describe_wrn_28_10 },
  { "preact-resnet164", "3 stages of 18 pre-activation bottlenecks", "Peterson et al. 2019", TRUE,
    FALSE, sl_describe_preact_resnet164 },
  { "resnext29-8x64d", "3 stages of 3 bottlenecks in 8 groups, 256 to 1024 channels",
    "Xie et al. 2017; Peterson et al. 2019", TRUE, FALSE, sl_describe_resnext29 },
  { "densenet-bc-100-12", "3 stages of 16 blocks that add 12 channels each",
    "Huang et al. 2017; Peterson et al. 2019", TRUE, FALSE, sl_describe_densenet_bc },
  { "pyramidnet-110-270", "54 blocks that widen from 16 to 286 channels",
    "Han et al. 2017; Peterson et al. 2019", TRUE, FALSE, sl_describe_pyramidnet },
  { "shake-shake-26-2x64d", "3 stages of 4 blocks of two branches, mixed at random in training",
    "Gastaldi 2017; Peterson et al. 2019", TRUE, FALSE, sl_describe_shake_shake },
  { NULL },
};

const SlModelInfo *
sl_model_find (const char *name, GError **error)
{
  const char *colon = strchr (name, ':');
  gsize length = colon != NULL ? (gsize) (colon - name) : strlen (name);
  g_autoptr (GString) known = g_string_new (NULL);
  for (const SlModelInfo *model = sl_models; model->name != NULL; model++)
    {
      g_string_append_printf (known, "%s%s", known->len > 0 ? ", " : "", model->name);
      if (strlen (model->name) != length || strncmp (model->name, name, length) != 0)
        continue;
      if (colon == NULL || (model->takes_sizes && colon[1] != '\0'))
        return model;
      sl_error_usage (error, "--model %s: %s", name,
                      model->takes_sizes ? "the sizes are missing, as in mlp:128,64"
                                         : "this network takes no sizes");
      return NULL;
    }
  g_auto (GStrv) all = g_strsplit (known->str, ", ", -1);
  g_autofree char *word = g_strndup (name, length);
  g_autofree char *hint = sl_nearest_hint (word, (const char *const *) all, "");
  sl_error_usage (error, "--model %s: there is no such model (there are %s)%s", name, known->str,
                  hint);
  return NULL;
}
