/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blurs. */
#include "corruption.h"

#include "pipeline/base/real-math.h"
#include "filters.h"

#include <math.h>
#include <string.h>

#define TRUNCATE 4 /* deviations at which a Gaussian is cut */

static void
smooth_all (SlPicture *picture, double sigma)
{
  for (int c = 0; c < picture->channels; c++)
    sl_gaussian (picture->x + (gsize) c * sl_picture_plane (picture), picture->height,
                 picture->width, sigma, TRUNCATE, SL_EDGE_NEAREST, picture->room);
}

void
sl_corrupt_gaussian_blur (SlPicture *picture)
{
  static const double sigma[] = { 0.4, 0.6, 0.7, 0.8, 1 };
  smooth_all (picture, sigma[picture->severity - 1]);
}

#define DISK 3 /* pixels that the softened disk reaches, at most */

/* A disk of RADIUS, each of its pixels alike, softened by a Gaussian of SIGMA over 3 x 3 pixels. */
static void
make_disk (double radius, double sigma, double disk[2 * DISK + 1][2 * DISK + 1])
{
  double side = sl_exp (-0.5 / (sigma * sigma)), gauss[3], sum = 0;
  gauss[1] = 1 / (1 + 2 * side);
  gauss[0] = gauss[2] = side * gauss[1];
  memset (disk, 0, sizeof (double[2 * DISK + 1][2 * DISK + 1]));
  for (int y = 1 - DISK; y < DISK; y++)
    for (int x = 1 - DISK; x < DISK; x++)
      if (y * y + x * x <= radius * radius)
        {
          sum++;
          for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
              disk[y + DISK + i - 1][x + DISK + j - 1] += gauss[i] * gauss[j];
        }
  for (int y = 0; y <= 2 * DISK; y++)
    for (int x = 0; x <= 2 * DISK; x++)
      disk[y][x] /= sum;
}

void
sl_corrupt_defocus_blur (SlPicture *picture)
{
  static const double c[][2]
      = { { 0.3, 0.4 }, { 0.4, 0.5 }, { 0.5, 0.6 }, { 1, 0.2 }, { 1.5, 0.1 } };
  double disk[2 * DISK + 1][2 * DISK + 1];
  int height = picture->height, width = picture->width;
  make_disk (c[picture->severity - 1][0], c[picture->severity - 1][1], disk);
  for (int k = 0; k < picture->channels; k++)
    {
      double *plane = picture->x + (gsize) k * sl_picture_plane (picture);
      memcpy (picture->room, plane, sl_picture_plane (picture) * sizeof *plane);
      for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
          {
            double sum = 0;
            for (int i = -DISK; i <= DISK; i++)
              for (int j = -DISK; j <= DISK; j++)
                sum += disk[i + DISK][j + DISK]
                       * picture->room[sl_edge (y + i, height, SL_EDGE_REFLECT101) * width
                                       + sl_edge (x + j, width, SL_EDGE_REFLECT101)];
            *plane++ = sum;
          }
    }
}

/* Pixels, from the last on, become one of their neighbours above and to the left, or stay: in the
 * published program what is meant to swap two pixels copies one, as both are views of one array.
 * Before and after, a Gaussian. */
void
sl_corrupt_glass_blur (SlPicture *picture)
{
  static const struct
  {
    double sigma;
    int most, times;
  } all[] = { { 0.05, 1, 1 }, { 0.25, 1, 1 }, { 0.4, 1, 1 }, { 0.25, 1, 2 }, { 0.4, 1, 2 } };
  int most = all[picture->severity - 1].most, width = picture->width;
  gsize n = sl_picture_size (picture);
  smooth_all (picture, all[picture->severity - 1].sigma);
  for (gsize i = 0; i < n; i++)
    picture->x[i] = floor (picture->x[i] * 255 + 1e-9) / 255;
  for (int time = 0; time < all[picture->severity - 1].times; time++)
    for (int y = picture->height - most; y > most; y--)
      for (int x = width - most; x > most; x--)
        {
          int dx = (int) sl_random_below (&picture->random, (guint64) (2 * most)) - most;
          int dy = (int) sl_random_below (&picture->random, (guint64) (2 * most)) - most;
          for (int c = 0; c < picture->channels; c++)
            {
              double *plane = picture->x + (gsize) c * sl_picture_plane (picture);
              plane[y * width + x] = plane[(y + dy) * width + x + dx];
            }
        }
  smooth_all (picture, all[picture->severity - 1].sigma);
}

void
sl_corrupt_motion_blur (SlPicture *picture)
{
  static const struct
  {
    int radius;
    double sigma;
  } all[] = { { 6, 1 }, { 6, 1.5 }, { 6, 2 }, { 8, 2 }, { 9, 2.5 } };
  double angle = 90 * sl_random_unit (&picture->random) - 45;
  for (int c = 0; c < picture->channels; c++)
    sl_motion_blur (picture->x + (gsize) c * sl_picture_plane (picture), picture->height,
                    picture->width, all[picture->severity - 1].radius,
                    all[picture->severity - 1].sigma, angle, picture->room);
}

/* The mean of the picture and of it 1, 1.01, 1.02 ... times as large, by NumPy's arange (1, 1.06,
 * 0.01), arange (1, 1.11, 0.01) ...: its factors, and how many they are, are those of doubles that
 * lie (1 + 0.01) - 1 apart, so that the 26th is 1.2500000000000002: 26 columns become 33 by it. */
void
sl_corrupt_zoom_blur (SlPicture *picture)
{
  static const int n_factors[] = { 7, 12, 16, 21, 26 };
  int n = n_factors[picture->severity - 1];
  double step = (1 + 0.01) - 1;
  gsize size = sl_picture_plane (picture);
  double *zoomed = picture->room, *sum = picture->room + size;
  for (int c = 0; c < picture->channels; c++)
    {
      double *plane = picture->x + (gsize) c * size;
      memcpy (sum, plane, size * sizeof *sum);
      for (int f = 0; f < n; f++)
        {
          sl_clipped_zoom (plane, picture->height, picture->width, 1 + step * f, zoomed);
          for (gsize i = 0; i < size; i++)
            sum[i] += zoomed[i];
        }
      for (gsize i = 0; i < size; i++)
        plane[i] = sum[i] / (n + 1);
    }
}
