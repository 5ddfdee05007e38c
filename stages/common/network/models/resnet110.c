/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models.h"

/* relu (bn2 (conv2 (relu (bn1 (conv1 (x))))) + shortcut), a 1 × 1 convolution with batch
 * normalisation where the block changes the size. */
static SlValue
basic_block (SlDescription *d, SlValue x, const char *name, int channels, int stride)
{
  SlValue shortcut = x;
  SlValue y = sl_conv (d, x, sl_name (d, "%s.conv1", name), channels, 3, stride);
  y = sl_norm_relu (d, y, sl_name (d, "%s.bn1", name));
  y = sl_conv (d, y, sl_name (d, "%s.conv2", name), channels, 3, 1);
  y = sl_batch_norm (d, y, sl_name (d, "%s.bn2", name));
  if (sl_node (d, x)->channels != channels)
    {
      shortcut = sl_conv (d, x, sl_name (d, "%s.shortcut.conv", name), channels, 1, stride);
      shortcut = sl_batch_norm (d, shortcut, sl_name (d, "%s.shortcut.bn", name));
    }
  return sl_relu (d, sl_add (d, y, shortcut));
}

/* Three stages of 18 blocks with 16, 32 and 64 channels. Names and beginning as in Hysts' PyTorch
 * code. */
gboolean
sl_describe_resnet110 (SlDescription *d, const char *sizes, GError **error)
{
  d->begin = (SlBeginnings){ SL_BEGIN_KAIMING_OUT, SL_BEGIN_UNIFORM, SL_BEGIN_ZERO, SL_BEGIN_ONE };
  SlValue x = sl_conv (d, sl_describe_input (d), "conv", 16, 3, 1);
  x = sl_norm_relu (d, x, "bn");
  for (int stage = 0; stage < 3; stage++)
    for (int block = 0; block < 18; block++)
      x = basic_block (d, x, sl_name (d, "stage%d.block%d", stage + 1, block + 1), 16 << stage,
                       stage > 0 && block == 0 ? 2 : 1);
  sl_linear (d, sl_global_mean (d, x), "fc", d->n_classes);
  return TRUE;
}
