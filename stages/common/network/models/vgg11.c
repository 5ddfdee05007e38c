/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models.h"

#define POOL 0

/* 3 × 3 convolutions with bias, batch normalisation and ReLU, and pools of 2 × 2 between them; one
 * linear layer. Names as in public PyTorch code for CIFAR, where `features` is a Sequential. */
gboolean
sl_describe_vgg11 (SlDescription *d, const char *sizes, GError **error)
{
  static const int layers[]
      = { 64, POOL, 128, POOL, 256, 256, POOL, 512, 512, POOL, 512, 512, POOL };
  SlValue x = sl_describe_input (d);
  for (gsize i = 0, number = 0; i < G_N_ELEMENTS (layers); i++)
    {
      if (layers[i] == POOL)
        {
          x = sl_max_pool (d, x, 2, 2);
          number += 1;
          continue;
        }
      x = sl_convolution (d, x, sl_name (d, "features.%d", (int) number),
                          (SlConvolution){ .out = layers[i], .kernel = 3, .bias = TRUE });
      x = sl_relu (d, sl_batch_norm (d, x, sl_name (d, "features.%d", (int) number + 1)));
      number += 3;
    }
  sl_linear (d, x, "classifier", d->n_classes);
  return TRUE;
}
