/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models.h"

/* Multinomial logistic regression: logits = W x + b, x flattened. */
gboolean
sl_describe_softmax (SlDescription *d, const char *sizes, GError **error)
{
  sl_linear (d, sl_describe_input (d), "linear", d->n_classes);
  return TRUE;
}
