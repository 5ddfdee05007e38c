/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models.h"

#define BLOCKS 18
#define WIDEN 270

/* bn3 (conv2 (relu (bn2 (conv1 (bn1 (x)))))) + shortcut: x, or its mean over 2 × 2 pixels, with
 * zeros for the new channels. */
static SlValue
pyramid_block (SlDescription *d, SlValue x, const char *name, int channels, int stride)
{
  SlValue y = sl_batch_norm (d, x, sl_name (d, "%s.bn1", name));
  y = sl_conv (d, y, sl_name (d, "%s.conv1", name), channels, 3, stride);
  y = sl_norm_relu (d, y, sl_name (d, "%s.bn2", name));
  y = sl_conv (d, y, sl_name (d, "%s.conv2", name), channels, 3, 1);
  y = sl_batch_norm (d, y, sl_name (d, "%s.bn3", name));
  SlValue shortcut = stride > 1 ? sl_mean_pool (d, x, 2, 2) : x;
  if (sl_node (d, x)->channels != channels)
    shortcut = sl_embed (d, shortcut, 0, channels);
  return sl_add (d, y, shortcut);
}

/* PyramidNet of depth 110 that widens by 270 channels, as many a block (Han et al. 2017, additive).
 * Names and beginning as in Hysts' PyTorch code. */
gboolean
sl_describe_pyramidnet (SlDescription *d, const char *sizes, GError **error)
{
  d->begin = (SlBeginnings){ SL_BEGIN_KAIMING_OUT, SL_BEGIN_UNIFORM, SL_BEGIN_ZERO, SL_BEGIN_ONE };
  SlValue x = sl_conv (d, sl_describe_input (d), "conv", 16, 3, 1);
  x = sl_batch_norm (d, x, "bn1");
  for (int block = 0; block < 3 * BLOCKS; block++)
    {
      int stage = block / BLOCKS, number = block % BLOCKS;
      x = pyramid_block (d, x, sl_name (d, "stage%d.block%d", stage + 1, number + 1),
                         16 + (block + 1) * WIDEN / (3 * BLOCKS), stage > 0 && number == 0 ? 2 : 1);
    }
  x = sl_norm_relu (d, x, "bn2");
  sl_linear (d, sl_global_mean (d, x), "fc", d->n_classes);
  return TRUE;
}
