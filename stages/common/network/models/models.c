/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models.h"

#include "pipeline/base/error.h"

#include <string.h>

const SlModelInfo sl_models[] = {
  { "softmax", "logistic regression on any numbers", "", FALSE, FALSE, sl_describe_softmax },
  { "mlp", "hidden layers with ReLU and dropout, as in mlp:128,64 (128)", "", FALSE, TRUE,
    sl_describe_mlp },
  { "vgg11", "8 convolutions of 64 to 512 channels, batch normalisation",
    "Simonyan & Zisserman 2015", TRUE, FALSE, sl_describe_vgg11 },
  { "resnet34a", "3 stages of 7 basic blocks, 16 to 64 channels, shortcuts of zeros",
    "He et al. 2016, for CIFAR", TRUE, FALSE, sl_describe_resnet34a },
  { "preact-resnet18", "4 stages of 2 pre-activation blocks, 64 to 512 channels",
    "He et al. 2016b, Zhang et al. 2018", TRUE, FALSE, sl_describe_preact_resnet18 },
  { "preact-resnet34", "4 stages of 3, 4, 6 and 3 such blocks", "He et al. 2016b", TRUE, FALSE,
    sl_describe_preact_resnet34 },
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
      if (colon == NULL || model->takes_sizes)
        return model;
      sl_error_usage (error, "--model %s: %s takes no sizes", name, model->name);
      return NULL;
    }
  sl_error_usage (error, "--model %s: there is no such model (there are %s)", name, known->str);
  return NULL;
}
