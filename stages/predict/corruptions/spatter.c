/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drops of water, or of mud. Where water lies, its edges are found (Canny 1986), and it is the
 * brighter the further from them: a chain of filters on bytes, each as OpenCV has it. */
#include "corruption.h"

#include "filters.h"

#include <math.h>
#include <string.h>

typedef struct
{
  double mean, deviation, sigma, least, strength;
  gboolean mud;
} Spatter;

/* Bytes in doubles; all maps have the picture's height and width. */
typedef struct
{
  int height, width;
  double *liquid, *gradient_x, *gradient_y, *edge, *distance, *work;
} Maps;

static inline double
pixel_at (const Maps *maps, const double *map, int y, int x, SlEdge edge)
{
  return map[sl_edge (y, maps->height, edge) * maps->width + sl_edge (x, maps->width, edge)];
}

/* TO = the sum of FROM's neighbours times WEIGHT. */
static void
filter (const Maps *maps, const double *from, const double weight[3][3], SlEdge edge, double *to)
{
  for (int y = 0; y < maps->height; y++)
    for (int x = 0; x < maps->width; x++)
      {
        double sum = 0;
        for (int i = 0; i < 3; i++)
          for (int j = 0; j < 3; j++)
            sum += weight[i][j] * pixel_at (maps, from, y + i - 1, x + j - 1, edge);
        *to++ = sum;
      }
}

/* |dx| + |dy|; 0 beyond the edge. */
static double
strength (const Maps *maps, int y, int x)
{
  if (y < 0 || x < 0 || y >= maps->height || x >= maps->width)
    return 0;
  int i = y * maps->width + x;
  return fabs (maps->gradient_x[i]) + fabs (maps->gradient_y[i]);
}

/* Whether a pixel is the strongest across the edge, by the direction of the gradient in eighths of
 * a turn. */
static gboolean
is_crest (const Maps *maps, int y, int x)
{
  int i = y * maps->width + x;
  double dx = maps->gradient_x[i], dy = maps->gradient_y[i], m = strength (maps, y, x);
  if (fabs (dy) < 0.41421356237309505 * fabs (dx))
    return m > strength (maps, y, x - 1) && m >= strength (maps, y, x + 1);
  if (fabs (dy) > 2.41421356237309505 * fabs (dx))
    return m > strength (maps, y - 1, x) && m >= strength (maps, y + 1, x);
  int side = (dx < 0) != (dy < 0) ? -1 : 1;
  return m > strength (maps, y - 1, x - side) && m > strength (maps, y + 1, x + side);
}

/* Crests above 150, and those above 50 that touch one; 1 on an edge, else 0. */
static void
find_edges (const Maps *maps)
{
  static const double across[3][3] = { { -1, 0, 1 }, { -2, 0, 2 }, { -1, 0, 1 } },
                      down[3][3] = { { -1, -2, -1 }, { 0, 0, 0 }, { 1, 2, 1 } };
  filter (maps, maps->liquid, across, SL_EDGE_NEAREST, maps->gradient_x);
  filter (maps, maps->liquid, down, SL_EDGE_NEAREST, maps->gradient_y);
  int n = maps->height * maps->width;
  for (int i = 0; i < n; i++)
    {
      double m = strength (maps, i / maps->width, i % maps->width);
      gboolean crest = m > 50 && is_crest (maps, i / maps->width, i % maps->width);
      maps->edge[i] = !crest ? 0 : m > 150 ? 1 : 0.5;
    }
  for (gboolean more = TRUE; more;)
    {
      more = FALSE;
      for (int i = 0; i < n; i++)
        for (int k = 0; maps->edge[i] == 0.5 && k < 9; k++)
          {
            int y = i / maps->width + k / 3 - 1, x = i % maps->width + k % 3 - 1;
            if (y >= 0 && x >= 0 && y < maps->height && x < maps->width
                && maps->edge[y * maps->width + x] == 1)
              {
                maps->edge[i] = 1;
                more = TRUE;
              }
          }
    }
}

#define FARTHEST 20

/* One pass over the map, forwards or backwards, of steps of 1, 1.4 and 2.1969 (a knight's move). */
static void
spread_distance (const Maps *maps, int sign)
{
  static const struct
  {
    int y, x;
    double length;
  } steps[] = { { -2, -1, 2.1969 }, { -2, 1, 2.1969 }, { -1, -2, 2.1969 }, { -1, -1, 1.4 },
                { -1, 0, 1 },       { -1, 1, 1.4 },    { -1, 2, 2.1969 },  { 0, -1, 1 } };
  int n = maps->height * maps->width;
  for (int k = 0; k < n; k++)
    {
      int i = sign > 0 ? k : n - 1 - k, y = i / maps->width, x = i % maps->width;
      for (gsize s = 0; s < G_N_ELEMENTS (steps); s++)
        {
          int from_y = y + sign * steps[s].y, from_x = x + sign * steps[s].x;
          if (from_y < 0 || from_x < 0 || from_y >= maps->height || from_x >= maps->width)
            continue;
          double to = maps->distance[from_y * maps->width + from_x] + steps[s].length;
          maps->distance[i] = MIN (maps->distance[i], to);
        }
    }
}

/* Levels spread over all of 0 to 255 by their ranks. */
static void
equalise (const Maps *maps, double *map)
{
  int n = maps->height * maps->width, count[256] = { 0 }, first = 0, sum = 0;
  double level[256] = { 0 };
  for (int i = 0; i < n; i++)
    count[(int) map[i]]++;
  while (count[first] == 0)
    first++;
  if (count[first] == n)
    return;
  for (int l = first + 1; l < 256; l++)
    {
      sum += count[l];
      level[l] = rint (sum * 255.0 / (n - count[first]));
    }
  for (int i = 0; i < n; i++)
    map[i] = level[(int) map[i]];
}

/* How bright water is: liquid times what becomes of the distance from its edges; over its maximum.
 */
static void
make_water (const Maps *maps)
{
  static const double mean[3][3] = { { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 } },
                      relief[3][3] = { { -2, -1, 0 }, { -1, 1, 1 }, { 0, 1, 2 } };
  int n = maps->height * maps->width;
  double most = 0;
  for (int i = 0; i < n; i++)
    maps->liquid[i] = floor (maps->liquid[i] * 255);
  find_edges (maps);
  for (int i = 0; i < n; i++)
    maps->distance[i] = maps->edge[i] == 1 ? 0 : FARTHEST;
  spread_distance (maps, 1);
  spread_distance (maps, -1);
  filter (maps, maps->distance, mean, SL_EDGE_REFLECT101, maps->work);
  for (int i = 0; i < n; i++)
    maps->work[i] = floor (maps->work[i] / 9 + 1e-9);
  equalise (maps, maps->work);
  filter (maps, maps->work, relief, SL_EDGE_REFLECT101, maps->distance);
  for (int i = 0; i < n; i++)
    maps->distance[i] = CLAMP (maps->distance[i], 0, 255);
  filter (maps, maps->distance, mean, SL_EDGE_REFLECT101, maps->work);
  for (int i = 0; i < n; i++)
    {
      maps->liquid[i] *= rint (maps->work[i] / 9);
      most = MAX (most, maps->liquid[i]);
    }
  for (int i = 0; most > 0 && i < n; i++)
    maps->liquid[i] /= most;
}

/* 1 within a drop, softened; nothing where that is below 0.8. */
static void
make_mud (const Maps *maps, const Spatter *spatter)
{
  int n = maps->height * maps->width;
  for (int i = 0; i < n; i++)
    maps->liquid[i] = maps->liquid[i] > spatter->least;
  sl_gaussian (maps->liquid, maps->height, maps->width, spatter->strength, 4, SL_EDGE_NEAREST,
               maps->work);
  for (int i = 0; i < n; i++)
    maps->liquid[i] = maps->liquid[i] < 0.8 ? 0 : maps->liquid[i];
}

void
sl_corrupt_spatter (SlPicture *picture)
{
  static const Spatter all[] = { { 0.62, 0.1, 0.7, 0.7, 0.5, FALSE },
                                 { 0.65, 0.1, 0.8, 0.7, 0.5, FALSE },
                                 { 0.65, 0.3, 1, 0.69, 0.5, FALSE },
                                 { 0.65, 0.1, 0.7, 0.69, 0.6, TRUE },
                                 { 0.65, 0.1, 0.5, 0.68, 0.6, TRUE } };
  static const double water[3] = { 175.0 / 255, 238.0 / 255, 238.0 / 255 },
                      mud[3] = { 63.0 / 255, 42.0 / 255, 20.0 / 255 };
  const Spatter *spatter = &all[picture->severity - 1];
  gsize n = sl_picture_plane (picture);
  double *room = picture->room;
  Maps maps = { picture->height, picture->width, room,         room + n,
                room + 2 * n,    room + 3 * n,   room + 4 * n, room + 5 * n };
  for (gsize i = 0; i < n; i++)
    maps.liquid[i] = spatter->mean + spatter->deviation * sl_random_normal (&picture->random);
  sl_gaussian (maps.liquid, maps.height, maps.width, spatter->sigma, 4, SL_EDGE_NEAREST, maps.work);
  for (gsize i = 0; i < n; i++)
    maps.liquid[i] = maps.liquid[i] < spatter->least ? 0 : MIN (maps.liquid[i], 1);
  if (spatter->mud)
    make_mud (&maps, spatter);
  else
    make_water (&maps);
  for (gsize i = 0; i < 3 * n; i++)
    {
      double m = maps.liquid[i % n], *x = &picture->x[i];
      *x = spatter->mud ? *x * (1 - m) + mud[i / n] * m : *x + spatter->strength * m * water[i / n];
    }
}
