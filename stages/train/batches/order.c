/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fisher and Yates's shuffle, as Durstenfeld 1964 has it. */
#include "order.h"

#include "pipeline/base/random.h"

void
sl_shuffle (gint32 *order, gsize n, guint64 seed, const char *purpose, guint32 round)
{
  SlRandom random = sl_random (seed, sl_random_purpose (purpose), 0, 0, round);
  for (gsize i = 0; i < n; i++)
    order[i] = (gint32) i;
  for (gsize i = n; i > 1; i--)
    {
      gsize j = (gsize) sl_random_below (&random, i);
      gint32 other = order[j];
      order[j] = order[i - 1];
      order[i - 1] = other;
    }
}

void
sl_fold_all (gint32 *fold, gsize n, gsize folds, guint64 seed)
{
  g_autofree gint32 *order = g_new (gint32, MAX (n, 1));
  sl_shuffle (order, n, seed, "train: folds", 0);
  for (gsize i = 0; i < n; i++)
    fold[order[i]] = (gint32) (i * folds / n);
}
