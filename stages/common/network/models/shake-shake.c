/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models.h"

/* bn2 (conv2 (relu (bn1 (conv1 (a))))). */
static SlValue
branch (SlDescription *d, SlValue active, const char *name, int channels, int stride)
{
  SlValue y = sl_conv (d, active, sl_name (d, "%s.conv1", name), channels, 3, stride);
  y = sl_norm_relu (d, y, sl_name (d, "%s.bn1", name));
  y = sl_conv (d, y, sl_name (d, "%s.conv2", name), channels, 3, 1);
  return sl_batch_norm (d, y, sl_name (d, "%s.bn2", name));
}

/* Twice the channels, a quarter of the pixels: 1 × 1 convolutions of every second pixel, from the
 * first and from the second one on, beside each other. */
static SlValue
downsample (SlDescription *d, SlValue active, const char *name)
{
  int channels = sl_node (d, active)->channels;
  SlValue a = sl_conv (d, sl_subsample (d, active, 2, 0),
                       sl_name (d, "%s.shortcut.downsample.conv1", name), channels, 1, 1);
  SlValue b = sl_conv (d, sl_subsample (d, active, 2, 1),
                       sl_name (d, "%s.shortcut.downsample.conv2", name), channels, 1, 1);
  return sl_batch_norm (d, sl_concatenate (d, a, b),
                        sl_name (d, "%s.shortcut.downsample.bn", name));
}

/* shortcut + shake (branch 1 (relu (x)), branch 2 (relu (x))). */
static SlValue
shake_block (SlDescription *d, SlValue x, const char *name, int channels, int stride)
{
  SlValue active = sl_relu (d, x);
  SlValue a = branch (d, active, sl_name (d, "%s.residual_path1", name), channels, stride);
  SlValue b = branch (d, active, sl_name (d, "%s.residual_path2", name), channels, stride);
  SlValue shortcut = sl_node (d, x)->channels != channels ? downsample (d, active, name) : x;
  return sl_add (d, shortcut, sl_shake (d, a, b));
}

/* Shake-Shake-26 2 × 64d, mixed anew for each image forward and backward (Gastaldi 2017). Names
 * and beginning as in Hysts' PyTorch code. */
gboolean
sl_describe_shake_shake (SlDescription *d, const char *sizes, GError **error)
{
  d->begin = (SlBeginnings){ SL_BEGIN_KAIMING_OUT, SL_BEGIN_UNIFORM, SL_BEGIN_ZERO, SL_BEGIN_ONE };
  SlValue x = sl_conv (d, sl_describe_input (d), "conv", 64, 3, 1);
  x = sl_norm_relu (d, x, "bn");
  for (int stage = 0; stage < 3; stage++)
    for (int block = 0; block < 4; block++)
      x = shake_block (d, x, sl_name (d, "stage%d.block%d", stage + 1, block + 1), 64 << stage,
                       stage > 0 && block == 0 ? 2 : 1);
  sl_linear (d, sl_global_mean (d, x), "fc", d->n_classes);
  return TRUE;
}
