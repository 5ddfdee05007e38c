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

/* A filter: what a pixel at some distance weighs, in pixels of the larger grid, up to REACH. */
typedef struct
{
  int reach;
  double (*weight) (double distance);
} Filter;

static double
triangle (double distance)
{
  return distance < 1 ? 1 - distance : 0;
}

/* sin (pi x) for 0 <= x <= 3, by its Taylor series where that is short. The C library's differs by
 * version. */
static double
sine_of_pi (double x)
{
  double whole = floor (x + 0.5), rest = (x - whole) * G_PI, square = rest * rest, term = rest;
  double sum = rest;
  for (int i = 2; i <= 20; i += 2)
    {
      term *= -square / (i * (i + 1));
      sum += term;
    }
  return fmod (whole, 2) == 0 ? sum : -sum;
}

/* Lanczos, "Evaluation of noisy data", SIAM J. Numer. Anal. B 1 (1964), with three lobes: sinc (x)
 * sinc (x/3). */
static double
lanczos (double x)
{
  if (x == 0)
    return 1;
  return x < 3 ? 3 * sine_of_pi (x) * sine_of_pi (x / 3) / (G_PI * G_PI * x * x) : 0;
}

static const Filter filters[] = {
  [SL_RESIZE_TRIANGLE] = { 1, triangle },
  [SL_RESIZE_LANCZOS] = { 3, lanczos },
};

/* Target pixel I of M covers (i + 1/2) n/m in the middle, and reaches as far as the filter does:
 * so many source pixels, or so many of its own. */
static void
find_share (Share *share, const Filter *filter, gint32 i, gint32 n, gint32 m, double *real)
{
  double scale = (double) n / m, pixel = MAX (scale, 1), reach = filter->reach * pixel;
  double middle = (i + 0.5) * scale, sum = 0;
  share->first = MAX ((gint32) (middle - reach + 0.5), 0);
  share->n = MIN ((gint32) (middle + reach + 0.5), n) - share->first;
  for (gint32 j = 0; j < share->n; j++)
    {
      real[j] = filter->weight (fabs ((share->first + j - middle + 0.5) / pixel));
      sum += real[j];
    }
  for (gint32 j = 0; j < share->n; j++)
    {
      double weight = real[j] / sum * (1 << WEIGHT_BITS);
      share->weight[j] = (gint32) (weight < 0 ? weight - 0.5 : weight + 0.5);
    }
}

static Share *
find_shares (const Filter *filter, gint32 n, gint32 m)
{
  Share *shares = g_new (Share, m);
  gsize most = 2 * (gsize) filter->reach * (gsize) MAX (n / m + 1, 1) + 2;
  gint32 *weights = g_new (gint32, (gsize) m * most);
  g_autofree double *real = g_new (double, most);
  for (gint32 i = 0; i < m; i++)
    {
      shares[i].weight = weights + (gsize) i * most;
      find_share (&shares[i], filter, i, n, m, real);
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
resize_rows (const Filter *filter, const guint8 *from, gint32 width, gint32 height, int channels,
             guint8 *to, gint32 to_width)
{
  Share *shares = find_shares (filter, width, to_width);
  for (gint32 y = 0; y < height; y++, from += (gsize) width * (gsize) channels)
    for (gint32 x = 0; x < to_width; x++)
      for (int c = 0; c < channels; c++)
        *to++ = weigh (&shares[x], from + c, (gsize) channels);
  free_shares (shares);
}

static void
resize_columns (const Filter *filter, const guint8 *from, gsize row, gint32 height, guint8 *to,
                gint32 to_height)
{
  Share *shares = find_shares (filter, height, to_height);
  for (gint32 y = 0; y < to_height; y++)
    for (gsize x = 0; x < row; x++)
      *to++ = weigh (&shares[y], from + x, row);
  free_shares (shares);
}

void
sl_image_resize (SlResize by, const guint8 *from, gint32 width, gint32 height, int channels,
                 guint8 *work, guint8 *to, gint32 to_width, gint32 to_height)
{
  const Filter *filter = &filters[by];
  resize_rows (filter, from, width, height, channels, work, to_width);
  resize_columns (filter, work, (gsize) to_width * (gsize) channels, height, to, to_height);
}
