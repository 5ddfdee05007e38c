/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models.h"

#define GROWTH 12
#define BLOCKS 16

/* x, and beside it conv2 (relu (bn2 (conv1 (relu (bn1 (x)))))) of GROWTH channels. */
static SlValue
dense_block (SlDescription *d, SlValue x, const char *name)
{
  SlValue y = sl_norm_relu (d, x, sl_name (d, "%s.bn1", name));
  y = sl_conv (d, y, sl_name (d, "%s.conv1", name), 4 * GROWTH, 1, 1);
  y = sl_norm_relu (d, y, sl_name (d, "%s.bn2", name));
  y = sl_conv (d, y, sl_name (d, "%s.conv2", name), GROWTH, 3, 1);
  return sl_concatenate (d, x, y);
}

/* Half of the channels, a quarter of the pixels. */
static SlValue
transition (SlDescription *d, SlValue x, const char *name)
{
  int half = sl_node (d, x)->channels / 2;
  SlValue y = sl_norm_relu (d, x, sl_name (d, "%s.bn", name));
  return sl_mean_pool (d, sl_conv (d, y, sl_name (d, "%s.conv", name), half, 1, 1), 2, 2);
}

/* DenseNet-BC of depth 100 and growth 12 (Huang et al. 2017). Names and beginning as in Hysts'
 * PyTorch code. */
gboolean
sl_describe_densenet_bc (SlDescription *d, const char *sizes, GError **error)
{
  d->begin = (SlBeginnings){ SL_BEGIN_KAIMING_OUT, SL_BEGIN_UNIFORM, SL_BEGIN_ZERO, SL_BEGIN_ONE };
  SlValue x = sl_conv (d, sl_describe_input (d), "conv", 2 * GROWTH, 3, 1);
  for (int stage = 0; stage < 3; stage++)
    {
      for (int block = 0; block < BLOCKS; block++)
        x = dense_block (d, x, sl_name (d, "stage%d.block%d", stage + 1, block + 1));
      if (stage < 2)
        x = transition (d, x, sl_name (d, "stage%d.transition", stage + 1));
    }
  x = sl_norm_relu (d, x, "bn");
  sl_linear (d, sl_global_mean (d, x), "fc", d->n_classes);
  return TRUE;
}
