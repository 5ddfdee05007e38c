/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draw.h"

/* The answers that are left form a Fenwick tree (P. Fenwick, "A new data structure for
 * cumulative frequency tables", Software: Practice and Experience 24, 1994): tree[i], 1 <= i <=
 * n, holds the sum over the last (i & -i) members up to i. Each choice is the r-th of the
 * answers left, r being uniform, found and taken away in log n steps: what one gets is
 * hypergeometric. */
void
sl_draw_without_replacement (SlRandom *random, const gint64 *have, gint64 n, gint64 m, gint64 *take,
                             gint64 *tree)
{
  gint64 left = 0, top = 1;
  for (gint64 i = 0; i < n; i++)
    {
      tree[i] = have[i];
      left += have[i];
      take[i] = 0;
    }
  for (gint64 i = 0; left <= m && i < n; i++)
    take[i] = have[i];
  if (left <= m)
    return;
  for (gint64 i = 1; i <= n; i++)
    if (i + (i & -i) <= n)
      tree[i + (i & -i) - 1] += tree[i - 1];
  while (2 * top <= n)
    top *= 2;
  for (; m > 0; m--, left--)
    {
      gint64 r = (gint64) sl_random_below (random, (guint64) left), at = 0;
      for (gint64 step = top; step > 0; step /= 2)
        if (at + step <= n && tree[at + step - 1] <= r)
          {
            at += step;
            r -= tree[at - 1];
          }
      take[at]++;
      for (gint64 i = at + 1; i <= n; i += i & -i)
        tree[i - 1]--;
    }
}

void
sl_draw_sums (const double *weight, gint64 n, double *sums)
{
  double sum = 0;
  for (gint64 i = 0; i < n; i++)
    {
      sum += weight[i];
      sums[i] = sum;
    }
}

gint64
sl_draw_by_weight (SlRandom *random, const double *sums, gint64 n)
{
  /* The first sum above u. A member of weight 0 repeats the sum before it, so it is never the
   * first. u is below the total, unless the product was rounded up to it. */
  double u = sl_random_unit (random) * sums[n - 1];
  gint64 low = 0;
  for (gint64 left = n, half; left > 1; left -= half)
    {
      half = left / 2;
      low += sums[low + half - 1] <= u ? half : 0; /* no branch to be guessed */
    }
  while (low > 0 && sums[low] == sums[low - 1])
    low--;
  return low;
}
