/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "image-resize.h"

#include <math.h>

#define WEIGHT_BITS 22 /* 32 less the 8 of a pixel, a sign, and one for sums that overshoot */

/* The pixels that one target pixel is made of, and how much each weighs. */
typedef struct
{
  gint32 first, n;
  gint32 *weight; /* [n], of 1 << WEIGHT_BITS in all */
} Share;

/* Target pixel I of M covers (i + 1/2) n/m in the middle, and reaches as far as the filter does:
 * one source pixel, or one of its own. */
static void
find_share (Share *share, gint32 i, gint32 n, gint32 m, double *real)
{
  double scale = (double) n / m, reach = MAX (scale, 1), middle = (i + 0.5) * scale, sum = 0;
  share->first = MAX ((gint32) (middle - reach + 0.5), 0);
  share->n = MIN ((gint32) (middle + reach + 0.5), n) - share->first;
  for (gint32 j = 0; j < share->n; j++)
    {
      double distance = fabs ((share->first + j - middle + 0.5) / reach);
      real[j] = distance < 1 ? 1 - distance : 0;
      sum += real[j];
    }
  for (gint32 j = 0; j < share->n; j++)
    share->weight[j] = (gint32) (0.5 + real[j] / sum * (1 << WEIGHT_BITS));
}

static Share *
find_shares (gint32 n, gint32 m)
{
  Share *shares = g_new (Share, m);
  gsize most = 2 * (gsize) MAX (n / m + 1, 1) + 2;
  gint32 *weights = g_new (gint32, (gsize) m * most);
  g_autofree double *real = g_new (double, most);
  for (gint32 i = 0; i < m; i++)
    {
      shares[i].weight = weights + (gsize) i * most;
      find_share (&shares[i], i, n, m, real);
    }
  return shares;
}

static void
free_shares (Share *shares)
{
  g_free (shares[0].weight);
  g_free (shares);
}

/* One target pixel's channel, of source pixels that lie STEP apart. */
static inline guint8
weigh (const Share *share, const guint8 *from, gsize step)
{
  gint32 sum = 1 << (WEIGHT_BITS - 1);
  for (gint32 j = 0; j < share->n; j++)
    sum += share->weight[j] * from[(gsize) (share->first + j) * step];
  return (guint8) CLAMP (sum >> WEIGHT_BITS, 0, 255);
}

static void
resize_rows (const guint8 *from, gint32 width, gint32 height, int channels, guint8 *to,
             gint32 to_width)
{
  Share *shares = find_shares (width, to_width);
  for (gint32 y = 0; y < height; y++, from += (gsize) width * (gsize) channels)
    for (gint32 x = 0; x < to_width; x++)
      for (int c = 0; c < channels; c++)
        *to++ = weigh (&shares[x], from + c, (gsize) channels);
  free_shares (shares);
}

static void
resize_columns (const guint8 *from, gsize row, gint32 height, guint8 *to, gint32 to_height)
{
  Share *shares = find_shares (height, to_height);
  for (gint32 y = 0; y < to_height; y++)
    for (gsize x = 0; x < row; x++)
      *to++ = weigh (&shares[y], from + x, row);
  free_shares (shares);
}

void
sl_image_resize (const guint8 *from, gint32 width, gint32 height, int channels, guint8 *work,
                 guint8 *to, gint32 to_width, gint32 to_height)
{
  resize_rows (from, width, height, channels, work, to_width);
  resize_columns (work, (gsize) to_width * (gsize) channels, height, to, to_height);
}
