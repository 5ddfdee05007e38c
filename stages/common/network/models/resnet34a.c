/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models.h"

/* relu (bn2 (conv2 (relu (bn1 (conv1 (x))))) + shortcut): where the block changes the size, every
 * second pixel of x, with a quarter of the new channels as zeros on either side (option A of He et
 * al. 2016). */
static SlValue
basic_block (SlDescription *d, SlValue x, const char *name, int channels, int stride)
{
  SlValue shortcut = x;
  SlValue y = sl_conv (d, x, sl_name (d, "%s.conv1", name), channels, 3, stride);
  y = sl_norm_relu (d, y, sl_name (d, "%s.bn1", name));
  y = sl_conv (d, y, sl_name (d, "%s.conv2", name), channels, 3, 1);
  y = sl_batch_norm (d, y, sl_name (d, "%s.bn2", name));
  if (stride != 1)
    shortcut = sl_embed (d, sl_subsample (d, x, stride, 0), channels / 4, channels);
  return sl_relu (d, sl_add (d, y, shortcut));
}

/* Three stages of seven blocks with 16, 32 and 64 channels. Names and beginning (Kaiming's, by fan
 * in) as in Y. Idelbayev's resnet44 for CIFAR-10. */
gboolean
sl_describe_resnet34a (SlDescription *d, const char *sizes, GError **error)
{
  d->begin.convolutions = d->begin.linears = SL_BEGIN_KAIMING_IN;
  SlValue x = sl_conv (d, sl_describe_input (d), "conv1", 16, 3, 1);
  x = sl_norm_relu (d, x, "bn1");
  for (int stage = 0; stage < 3; stage++)
    for (int block = 0; block < 7; block++)
      x = basic_block (d, x, sl_name (d, "layer%d.%d", stage + 1, block), 16 << stage,
                       stage > 0 && block == 0 ? 2 : 1);
  sl_linear (d, sl_global_mean (d, x), "linear", d->n_classes);
  return TRUE;
}
