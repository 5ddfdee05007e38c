/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models.h"

#include "pipeline/base/error.h"

#define LARGEST 65536

/* Hidden layers of the given sizes, each with ReLU and dropout, and a linear one behind them: in
 * PyTorch a Sequential of (Linear, ReLU, Dropout) each, then Linear, so weights are 0, 3, 6, ...;
 * with NORMALISED of (Linear, BatchNorm1d, ReLU, Dropout), so they are 0, 4, 8, ... */
static gboolean
describe (SlDescription *d, const char *sizes, gboolean normalised, GError **error)
{
  SlValue x = sl_describe_input (d);
  g_auto (GStrv) each = g_strsplit (sizes != NULL ? sizes : "128", ",", -1);
  int number = 0;
  for (int i = 0; each[i] != NULL; i++, number += normalised ? 4 : 3)
    {
      guint64 size;
      if (!g_ascii_string_to_unsigned (each[i], 10, 1, LARGEST, &size, NULL))
        return sl_error_usage (error,
                               "--model mlp%s:%s: sizes of hidden layers are whole numbers from 1 "
                               "to %d with commas between them, as in mlp:128,64",
                               normalised ? "-bn" : "", sizes, LARGEST);
      x = sl_linear (d, x, sl_name (d, "%d", number), (int) size);
      if (normalised)
        x = sl_batch_norm (d, x, sl_name (d, "%d", number + 1));
      x = sl_dropout (d, sl_relu (d, x), d->dropout);
    }
  sl_linear (d, x, sl_name (d, "%d", number), d->n_classes);
  return TRUE;
}

gboolean
sl_describe_mlp (SlDescription *d, const char *sizes, GError **error)
{
  return describe (d, sizes, FALSE, error);
}

gboolean
sl_describe_mlp_bn (SlDescription *d, const char *sizes, GError **error)
{
  return describe (d, sizes, TRUE, error);
}
