/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "filters.h"

#include "pipeline/base/real-math.h"

#include <math.h>
#include <string.h>

#define MOST_TAPS 64

int
sl_edge (int i, int n, SlEdge edge)
{
  if (n == 1 || edge == SL_EDGE_NEAREST)
    return CLAMP (i, 0, n - 1);
  while (i < 0 || i >= n)
    i = edge == SL_EDGE_REFLECT ? (i < 0 ? -1 - i : 2 * n - 1 - i) : (i < 0 ? -i : 2 * n - 2 - i);
  return i;
}

/* Along lines of N pixels that lie STEP apart. */
static void
smooth_line (const double *from, gsize step, int n, const double *weight, int radius, SlEdge edge,
             double *to)
{
  for (int i = 0; i < n; i++)
    {
      double sum = 0;
      for (int j = -radius; j <= radius; j++)
        sum += weight[ABS (j)] * from[(gsize) sl_edge (i + j, n, edge) * step];
      to[(gsize) i * step] = sum;
    }
}

void
sl_gaussian (double *plane, int height, int width, double sigma, double truncate, SlEdge edge,
             double *room)
{
  double weight[MOST_TAPS], sum = 1;
  int radius = MIN ((int) (truncate * sigma + 0.5), MOST_TAPS - 1);
  if (radius == 0)
    return;
  weight[0] = 1;
  for (int j = 1; j <= radius; j++)
    sum += 2 * (weight[j] = sl_exp (-0.5 * j * j / (sigma * sigma)));
  for (int j = 0; j <= radius; j++)
    weight[j] /= sum;
  for (int x = 0; x < width; x++)
    smooth_line (plane + x, (gsize) width, height, weight, radius, edge, room + x);
  for (int y = 0; y < height; y++)
    smooth_line (room + (gsize) y * (gsize) width, 1, width, weight, radius, edge,
                 plane + (gsize) y * (gsize) width);
}

double
sl_bilinear (const double *plane, int height, int width, double y, double x, SlEdge edge)
{
  double y0 = floor (y), x0 = floor (x), dy = y - y0, dx = x - x0;
  gsize w = (gsize) width;
  gsize top = (gsize) sl_edge ((int) y0, height, edge) * w,
        bottom = (gsize) sl_edge ((int) y0 + 1, height, edge) * w;
  gsize left = (gsize) sl_edge ((int) x0, width, edge),
        right = (gsize) sl_edge ((int) x0 + 1, width, edge);
  return (1 - dy) * ((1 - dx) * plane[top + left] + dx * plane[top + right])
         + dy * ((1 - dx) * plane[bottom + left] + dx * plane[bottom + right]);
}

/* Of N pixels those in the middle that become N again: the first, how many, and where in what they
 * become the part begins that is used. */
static void
clip_range (int n, double factor, int *first, int *part, int *whole, int *skip)
{
  *part = (int) ceil (n / factor);
  *first = (n - *part) / 2;
  *whole = (int) rint (*part * factor);
  *skip = (*whole - n) / 2;
}

void
sl_clipped_zoom (const double *plane, int height, int width, double factor, double *to)
{
  int top, rows, all_rows, skip_rows, left, columns, all_columns, skip_columns;
  clip_range (height, factor, &top, &rows, &all_rows, &skip_rows);
  clip_range (width, factor, &left, &columns, &all_columns, &skip_columns);
  double dy = all_rows > 1 ? (double) (rows - 1) / (all_rows - 1) : 0;
  double dx = all_columns > 1 ? (double) (columns - 1) / (all_columns - 1) : 0;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      *to++ = sl_bilinear (plane, height, width, top + (y + skip_rows) * dy,
                           left + (x + skip_columns) * dx, SL_EDGE_NEAREST);
}

/* sin and cos of an angle below three quarters of a turn, by their series: the C library's own
 * differ by processor. */
static void
sine_cosine (double angle, double *sine, double *cosine)
{
  double x = angle * G_PI / 180, term = 1;
  *sine = 0;
  *cosine = 0;
  for (int k = 0; k < 40; k++)
    {
      *(k % 2 == 0 ? cosine : sine) += k % 4 < 2 ? term : -term;
      term *= x / (k + 1);
    }
}

void
sl_motion_blur (double *plane, int height, int width, int radius, double sigma, double angle,
                double *room)
{
  double weight[MOST_TAPS], sum = 0, sine, cosine;
  int n = MIN (2 * radius + 1, MOST_TAPS);
  sine_cosine (angle, &sine, &cosine);
  for (int i = 0; i < n; i++)
    sum += weight[i] = sl_exp (-0.5 * i * i / (sigma * sigma));
  memcpy (room, plane, (gsize) height * (gsize) width * sizeof *room);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      {
        double value = 0;
        for (int i = 0; i < n; i++)
          {
            int from_x = sl_edge (x + (int) ceil (i * cosine - 0.5), width, SL_EDGE_NEAREST);
            int from_y = sl_edge (y + (int) ceil (i * sine - 0.5), height, SL_EDGE_NEAREST);
            value += weight[i] / sum * room[(gsize) from_y * (gsize) width + (gsize) from_x];
          }
        plane[(gsize) y * (gsize) width + (gsize) x] = value;
      }
}
