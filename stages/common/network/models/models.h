/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Networks, each described by a function; models.c has the table of them. */
#pragma once

#include "stages/common/network/description.h"

#define SL_DESCRIBES(name)                                                                         \
  gboolean sl_describe_##name (SlDescription *d, const char *sizes, GError **error)

SL_DESCRIBES (softmax);
SL_DESCRIBES (mlp);
SL_DESCRIBES (mlp_bn);
SL_DESCRIBES (vgg11);
SL_DESCRIBES (resnet34a);
SL_DESCRIBES (resnet50);
SL_DESCRIBES (preact_resnet18);
SL_DESCRIBES (preact_resnet34);
SL_DESCRIBES (vgg15_bn);
SL_DESCRIBES (resnet110);
SL_DESCRIBES (wrn_28_10);
SL_DESCRIBES (preact_resnet164);
SL_DESCRIBES (resnext29);
SL_DESCRIBES (densenet_bc);
SL_DESCRIBES (pyramidnet);
SL_DESCRIBES (shake_shake);

/* What models are made of: a convolution without bias, and a batch normalisation with ReLU. */
static inline SlValue
sl_conv (SlDescription *d, SlValue x, const char *name, int out, int kernel, int stride)
{
  return sl_convolution (d, x, name,
                         (SlConvolution){ .out = out, .kernel = kernel, .stride = stride });
}

static inline SlValue
sl_norm_relu (SlDescription *d, SlValue x, const char *name)
{
  return sl_relu (d, sl_batch_norm (d, x, name));
}
