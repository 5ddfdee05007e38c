/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models.h"

/* conv3 (relu (bn3 (conv2 (relu (bn2 (conv1 (a))))))) + shortcut, a = relu (bn1 (x)): the first
 * block of a stage takes its shortcut from a, by a 1 × 1 convolution where the size changes, the
 * others from x. */
static SlValue
bottleneck (SlDescription *d, SlValue x, const char *name, int channels, int stride, gboolean first)
{
  SlValue active = sl_norm_relu (d, x, sl_name (d, "%s.bn1", name));
  SlValue y = sl_conv (d, active, sl_name (d, "%s.conv1", name), channels / 4, 1, 1);
  y = sl_norm_relu (d, y, sl_name (d, "%s.bn2", name));
  y = sl_conv (d, y, sl_name (d, "%s.conv2", name), channels / 4, 3, stride);
  y = sl_norm_relu (d, y, sl_name (d, "%s.bn3", name));
  y = sl_conv (d, y, sl_name (d, "%s.conv3", name), channels, 1, 1);
  SlValue shortcut = first ? active : x;
  if (sl_node (d, x)->channels != channels)
    shortcut = sl_conv (d, shortcut, sl_name (d, "%s.shortcut.conv", name), channels, 1, stride);
  return sl_add (d, y, shortcut);
}

/* Three stages of 18 bottlenecks. Channels, names and beginning as in Hysts' PyTorch code, whose
 * first stage has 16 channels and not 64 as in He et al. (2016b). */
gboolean
sl_describe_preact_resnet164 (SlDescription *d, const char *sizes, GError **error)
{
  static const int channels[] = { 16, 128, 256 };
  d->begin = (SlBeginnings){ SL_BEGIN_KAIMING_OUT, SL_BEGIN_UNIFORM, SL_BEGIN_ZERO, SL_BEGIN_ONE };
  SlValue x = sl_conv (d, sl_describe_input (d), "conv", 16, 3, 1);
  for (int stage = 0; stage < 3; stage++)
    for (int block = 0; block < 18; block++)
      x = bottleneck (d, x, sl_name (d, "stage%d.block%d", stage + 1, block + 1), channels[stage],
                      stage > 0 && block == 0 ? 2 : 1, block == 0);
  x = sl_norm_relu (d, x, "bn");
  sl_linear (d, sl_global_mean (d, x), "fc", d->n_classes);
  return TRUE;
}
