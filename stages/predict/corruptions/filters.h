/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What several corruptions do to planes of pixels. */
#pragma once

#include "pipeline/base/random.h"

/* Where pixel I of N lies that would lie beyond the edge. */
typedef enum
{
  SL_EDGE_NEAREST,    /* a a | a b c | c c */
  SL_EDGE_REFLECT,    /* b a | a b c | c b */
  SL_EDGE_REFLECT101, /* c b | a b c | b a */
} SlEdge;

int sl_edge (int i, int n, SlEdge edge);

/* plane[height][width], smoothed by a Gaussian of SIGMA pixels, cut at TRUNCATE times that; ROOM is
 * as large. SIGMA 0 leaves it as it is. */
void sl_gaussian (double *plane, int height, int width, double sigma, double truncate, SlEdge edge,
                  double *room);

/* The middle of plane[height][width], FACTOR >= 1 times as large, by bilinear interpolation with
 * the corners staying corners, into to[height][width]. */
void sl_clipped_zoom (const double *plane, int height, int width, double factor, double *to);

/* ImageMagick's motion blur: at each pixel the mean of those along a line of 2 RADIUS + 1 pixels
 * that begins there, by half a Gaussian of SIGMA. ANGLE is in degrees. ROOM is as large as the
 * plane. */
void sl_motion_blur (double *plane, int height, int width, int radius, double sigma, double angle,
                     double *room);

/* plane at (y, x), bilinear. */
double sl_bilinear (const double *plane, int height, int width, double y, double x, SlEdge edge);
