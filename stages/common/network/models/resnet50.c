/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models.h"

/* relu (bn3 (conv3 (relu (bn2 (conv2 (relu (bn1 (conv1 (x)))))))) + shortcut): convolutions of
 * 1 × 1, 3 × 3 and 1 × 1, the last of four times the channels. */
static SlValue
bottleneck (SlDescription *d, SlValue x, const char *name, int channels, int stride)
{
  SlValue shortcut = x;
  SlValue y = sl_conv (d, x, sl_name (d, "%s.conv1", name), channels, 1, 1);
  y = sl_norm_relu (d, y, sl_name (d, "%s.bn1", name));
  y = sl_conv (d, y, sl_name (d, "%s.conv2", name), channels, 3, stride);
  y = sl_norm_relu (d, y, sl_name (d, "%s.bn2", name));
  y = sl_conv (d, y, sl_name (d, "%s.conv3", name), 4 * channels, 1, 1);
  y = sl_batch_norm (d, y, sl_name (d, "%s.bn3", name));
  if (stride != 1 || sl_node (d, x)->channels != 4 * channels)
    {
      shortcut = sl_conv (d, x, sl_name (d, "%s.shortcut.0", name), 4 * channels, 1, stride);
      shortcut = sl_batch_norm (d, shortcut, sl_name (d, "%s.shortcut.1", name));
    }
  return sl_relu (d, sl_add (d, y, shortcut));
}

/* For CIFAR: a 3 × 3 convolution first, no pool. Names as in K. Liu's code. */
gboolean
sl_describe_resnet50 (SlDescription *d, const char *sizes, GError **error)
{
  static const int blocks[] = { 3, 4, 6, 3 };
  SlValue x = sl_conv (d, sl_describe_input (d), "conv1", 64, 3, 1);
  x = sl_norm_relu (d, x, "bn1");
  for (int stage = 0; stage < 4; stage++)
    for (int block = 0; block < blocks[stage]; block++)
      x = bottleneck (d, x, sl_name (d, "layer%d.%d", stage + 1, block), 64 << stage,
                      stage > 0 && block == 0 ? 2 : 1);
  sl_linear (d, sl_global_mean (d, x), "linear", d->n_classes);
  return TRUE;
}
