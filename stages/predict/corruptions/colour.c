/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Light and colours. */
#include "corruption.h"

/* Each channel nearer to its mean: (x - m) c + m. */
void
sl_corrupt_contrast (SlPicture *picture)
{
  static const double c[] = { 0.75, 0.5, 0.4, 0.3, 0.15 };
  gsize n = sl_picture_plane (picture);
  for (int k = 0; k < picture->channels; k++)
    {
      double *plane = picture->x + (gsize) k * n, mean = 0;
      for (gsize i = 0; i < n; i++)
        mean += plane[i] / (double) n;
      for (gsize i = 0; i < n; i++)
        plane[i] = (plane[i] - mean) * c[picture->severity - 1] + mean;
    }
}

/* One pixel whose value (the largest of its channels) and saturation (1 - least / largest) change,
 * and whose hue stays: with d = v s, a channel that lies a share t of the way from the least to the
 * largest is v - d (1 - t). */
static void
recolour (double *x, gsize n, int channels, gsize i, double scale, double shift, double light)
{
  double most = x[i], least = x[i];
  for (int k = 1; k < channels; k++)
    {
      most = MAX (most, x[(gsize) k * n + i]);
      least = MIN (least, x[(gsize) k * n + i]);
    }
  double s = most > 0 ? 1 - least / most : 0, v = CLAMP (most + light, 0, 1);
  s = CLAMP (s * scale + shift, 0, 1);
  for (int k = 0; k < channels; k++)
    {
      double *channel = &x[(gsize) k * n + i];
      /* Grey has the hue of red. */
      double t = most > least ? (*channel - least) / (most - least) : k == 0 ? 1 : 0;
      *channel = v - v * s * (1 - t);
    }
}

/* The value of HSV is c more. */
void
sl_corrupt_brightness (SlPicture *picture)
{
  static const double c[] = { 0.05, 0.1, 0.15, 0.2, 0.3 };
  gsize n = sl_picture_plane (picture);
  for (gsize i = 0; i < n; i++)
    recolour (picture->x, n, picture->channels, i, 1, 0, c[picture->severity - 1]);
}

/* The saturation of HSV becomes a s + b. */
void
sl_corrupt_saturate (SlPicture *picture)
{
  static const double c[][2] = { { 0.3, 0 }, { 0.1, 0 }, { 1.5, 0 }, { 2, 0.1 }, { 2.5, 0.2 } };
  gsize n = sl_picture_plane (picture);
  for (gsize i = 0; i < n; i++)
    recolour (picture->x, n, picture->channels, i, c[picture->severity - 1][0],
              c[picture->severity - 1][1], 0);
}
