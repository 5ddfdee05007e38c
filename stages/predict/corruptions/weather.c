/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fog and snow, made by themselves. Frost is laid over from photographs, and is not here. */
#include "corruption.h"

#include "filters.h"

#include <math.h>

/* A square map of SIDE x SIDE that wraps around, every STEP-th point of which is known. */
typedef struct
{
  double *at;
  int side, step;
  double wobble;
  SlRandom *random;
} Plasma;

static inline double *
point (const Plasma *plasma, int y, int x)
{
  int mask = plasma->side - 1;
  return &plasma->at[(y & mask) * plasma->side + (x & mask)];
}

/* The mean of four points, and what is drawn: w U(-w, w), as the published program has it. */
static double
near_mean (const Plasma *plasma, double sum)
{
  double w = plasma->wobble;
  return sum / 4 + w * w * (2 * sl_random_unit (plasma->random) - 1);
}

/* Points in the middle of four that lie at the corners of a square. */
static void
fill_squares (const Plasma *plasma)
{
  int step = plasma->step, half = step / 2;
  for (int y = 0; y < plasma->side; y += step)
    for (int x = 0; x < plasma->side; x += step)
      *point (plasma, y + half, x + half) = near_mean (
          plasma, *point (plasma, y, x) + *point (plasma, y + step, x)
                      + *point (plasma, y, x + step) + *point (plasma, y + step, x + step));
}

/* Points in the middle of four that lie above, below, left and right. */
static void
fill_diamonds (const Plasma *plasma)
{
  int step = plasma->step, half = step / 2;
  for (int way = 0; way < 2; way++)
    for (int y = 0; y < plasma->side; y += step)
      for (int x = 0; x < plasma->side; x += step)
        {
          int py = y + (way == 1 ? half : 0), px = x + (way == 0 ? half : 0);
          *point (plasma, py, px) = near_mean (
              plasma, *point (plasma, py - half, px) + *point (plasma, py + half, px)
                          + *point (plasma, py, px - half) + *point (plasma, py, px + half));
        }
}

/* A plasma fractal by diamonds and squares, from 0 to 1. */
static int
make_plasma (SlPicture *picture, double decay)
{
  Plasma plasma = { picture->room, 1, 0, 100, &picture->random };
  while (plasma.side < MAX (picture->height, picture->width))
    plasma.side *= 2;
  plasma.at[0] = 0;
  for (plasma.step = plasma.side; plasma.step >= 2; plasma.step /= 2, plasma.wobble /= decay)
    {
      fill_squares (&plasma);
      fill_diamonds (&plasma);
    }
  int n = plasma.side * plasma.side;
  double least = plasma.at[0], most = plasma.at[0];
  for (int i = 1; i < n; i++)
    {
      least = MIN (least, plasma.at[i]);
      most = MAX (most, plasma.at[i]);
    }
  for (int i = 0; i < n; i++)
    plasma.at[i] = most > least ? (plasma.at[i] - least) / (most - least) : 0;
  return plasma.side;
}

/* (x + c plasma) m / (m + c), m being the largest number of x. */
void
sl_corrupt_fog (SlPicture *picture)
{
  static const double c[][2] = { { 0.2, 3 }, { 0.5, 3 }, { 0.75, 2.5 }, { 1, 2 }, { 1.5, 1.75 } };
  double thick = c[picture->severity - 1][0], most = 0;
  int side = make_plasma (picture, c[picture->severity - 1][1]), width = picture->width;
  gsize n = sl_picture_size (picture), plane = sl_picture_plane (picture);
  for (gsize i = 0; i < n; i++)
    most = MAX (most, picture->x[i]);
  for (gsize i = 0; i < n; i++)
    {
      int at = (int) (i % plane);
      double fog = picture->room[at / width * side + at % width];
      picture->x[i] = (picture->x[i] + thick * fog) * most / (most + thick);
    }
}

typedef struct
{
  double mean, deviation, zoom, least;
  int radius;
  double sigma, clear;
} Snow;

/* Flakes: what of noise is above a bound, larger, and drawn out. */
static const double *
make_flakes (SlPicture *picture, const Snow *snow)
{
  gsize n = sl_picture_plane (picture);
  double *noise = picture->room, *flakes = picture->room + n;
  for (gsize i = 0; i < n; i++)
    noise[i] = snow->mean + snow->deviation * sl_random_normal (&picture->random);
  sl_clipped_zoom (noise, picture->height, picture->width, snow->zoom, flakes);
  for (gsize i = 0; i < n; i++)
    flakes[i] = flakes[i] < snow->least ? 0 : floor (MIN (flakes[i], 1) * 255) / 255;
  sl_motion_blur (flakes, picture->height, picture->width, snow->radius, snow->sigma,
                  90 * sl_random_unit (&picture->random) - 135, noise);
  for (gsize i = 0; i < n; i++)
    flakes[i] = rint (flakes[i] * 255) / 255;
  return flakes;
}

/* c x + (1 - c) max (x, 1.5 grey + 0.5), the flakes, and the flakes turned by half a turn. */
void
sl_corrupt_snow (SlPicture *picture)
{
  static const Snow all[] = { { 0.1, 0.2, 1, 0.6, 8, 3, 0.95 },
                              { 0.1, 0.2, 1, 0.5, 10, 4, 0.9 },
                              { 0.15, 0.3, 1.75, 0.55, 10, 4, 0.9 },
                              { 0.25, 0.3, 2.25, 0.6, 12, 6, 0.85 },
                              { 0.3, 0.3, 1.25, 0.65, 14, 12, 0.8 } };
  static const double share[3] = { 0.299, 0.587, 0.114 };
  const Snow *snow = &all[picture->severity - 1];
  const double *flakes = make_flakes (picture, snow);
  gsize n = sl_picture_plane (picture);
  for (gsize i = 0; i < n; i++)
    {
      double grey = picture->channels == 3 ? 0 : picture->x[i];
      for (int c = 0; picture->channels == 3 && c < 3; c++)
        grey += share[c] * picture->x[(gsize) c * n + i];
      for (int c = 0; c < picture->channels; c++)
        {
          double *x = &picture->x[(gsize) c * n + i];
          *x = snow->clear * *x + (1 - snow->clear) * MAX (*x, 1.5 * grey + 0.5) + flakes[i]
               + flakes[n - 1 - i];
        }
    }
}
