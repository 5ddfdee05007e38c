/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models.h"

/* conv2 (relu (bn2 (conv1 (a)))) + shortcut, a = relu (bn1 (x)); the shortcut is a 1 × 1
 * convolution of a where the block changes the number of channels, else x. */
static SlValue
wide_block (SlDescription *d, SlValue x, const char *name, int channels, int stride)
{
  SlValue active = sl_norm_relu (d, x, sl_name (d, "%s.bn1", name));
  SlValue y = sl_conv (d, active, sl_name (d, "%s.conv1", name), channels, 3, stride);
  y = sl_norm_relu (d, y, sl_name (d, "%s.bn2", name));
  y = sl_conv (d, y, sl_name (d, "%s.conv2", name), channels, 3, 1);
  SlValue shortcut = x;
  if (sl_node (d, x)->channels != channels)
    shortcut = sl_conv (d, active, sl_name (d, "%s.shortcut.conv", name), channels, 1, stride);
  return sl_add (d, y, shortcut);
}

/* Wide residual network of depth 28 and width 10 (Zagoruyko & Komodakis 2016), without dropout.
 * Names and beginning as in Hysts' PyTorch code. */
gboolean
sl_describe_wrn_28_10 (SlDescription *d, const char *sizes, GError **error)
{
  d->begin = (SlBeginnings){ SL_BEGIN_KAIMING_IN, SL_BEGIN_UNIFORM, SL_BEGIN_ZERO, SL_BEGIN_UNIT };
  SlValue x = sl_conv (d, sl_describe_input (d), "conv", 16, 3, 1);
  for (int stage = 0; stage < 3; stage++)
    for (int block = 0; block < 4; block++)
      x = wide_block (d, x, sl_name (d, "stage%d.block%d", stage + 1, block + 1), 160 << stage,
                      stage > 0 && block == 0 ? 2 : 1);
  x = sl_norm_relu (d, x, "bn");
  sl_linear (d, sl_global_mean (d, x), "fc", d->n_classes);
  return TRUE;
}
