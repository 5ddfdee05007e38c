/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models.h"

/* conv2 (relu (bn2 (conv1 (relu (bn1 (x)))))) + shortcut; where the block changes the size the
 * shortcut is a 1 × 1 convolution of relu (bn1 (x)), else x. */
static SlValue
preact_block (SlDescription *d, SlValue x, const char *name, int channels, int stride)
{
  gboolean changes = stride != 1 || sl_node (d, x)->channels != channels;
  SlValue active = sl_norm_relu (d, x, sl_name (d, "%s.bn1", name));
  SlValue shortcut = x;
  if (changes)
    shortcut = sl_conv (d, active, sl_name (d, "%s.shortcut.0", name), channels, 1, stride);
  SlValue y = sl_conv (d, active, sl_name (d, "%s.conv1", name), channels, 3, stride);
  y = sl_norm_relu (d, y, sl_name (d, "%s.bn2", name));
  y = sl_conv (d, y, sl_name (d, "%s.conv2", name), channels, 3, 1);
  return sl_add (d, y, shortcut);
}

/* Pre-activation networks (He et al. 2016b) for CIFAR as in K. Liu's code, which mixup's (Zhang et
 * al. 2018) took over: no batch normalisation behind the last block. */
static void
preact_resnet (SlDescription *d, const int *blocks)
{
  SlValue x = sl_conv (d, sl_describe_input (d), "conv1", 64, 3, 1);
  for (int stage = 0; stage < 4; stage++)
    for (int block = 0; block < blocks[stage]; block++)
      x = preact_block (d, x, sl_name (d, "layer%d.%d", stage + 1, block), 64 << stage,
                        stage > 0 && block == 0 ? 2 : 1);
  sl_linear (d, sl_global_mean (d, x), "linear", d->n_classes);
}

gboolean
sl_describe_preact_resnet18 (SlDescription *d, const char *sizes, GError **error)
{
  preact_resnet (d, (const int[]){ 2, 2, 2, 2 });
  return TRUE;
}

gboolean
sl_describe_preact_resnet34 (SlDescription *d, const char *sizes, GError **error)
{
  preact_resnet (d, (const int[]){ 3, 4, 6, 3 });
  return TRUE;
}
