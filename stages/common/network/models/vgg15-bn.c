/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models.h"

/* Stages of 2, 2, 3, 3 and 3 convolutions with bias, batch normalisation and ReLU, each ending with
 * a pool of 2 × 2; one linear layer. Names and beginning as in Hysts' PyTorch code. */
gboolean
sl_describe_vgg15_bn (SlDescription *d, const char *sizes, GError **error)
{
  static const int blocks[] = { 2, 2, 3, 3, 3 }, channels[] = { 64, 128, 256, 512, 512 };
  d->begin = (SlBeginnings){ SL_BEGIN_KAIMING_OUT, SL_BEGIN_UNIFORM, SL_BEGIN_ZERO, SL_BEGIN_UNIT };
  SlValue x = sl_describe_input (d);
  for (int stage = 0; stage < 5; stage++)
    {
      for (int block = 0; block < blocks[stage]; block++)
        {
          x = sl_convolution (d, x, sl_name (d, "stage%d.conv%d", stage + 1, block),
                              (SlConvolution){ .out = channels[stage], .kernel = 3, .bias = TRUE });
          x = sl_norm_relu (d, x, sl_name (d, "stage%d.bn%d", stage + 1, block));
        }
      x = sl_max_pool (d, x, 2, 2);
    }
  sl_linear (d, x, "fc", d->n_classes);
  return TRUE;
}
