/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What can be said of four items at a time, an item a lane: x[n] is a class's value of each of the
 * four. Sums go over the classes in their order, so an item's figures do not depend on who is
 * beside it. To be called from functions marked SL_VECTORS. */
#pragma once

#include "pipeline/base/vector-math.h"

#include <math.h>

#define SL_LANES 4

SL_INLINE SlVector
sl_lanes_abs (SlVector x)
{
  const SlLanes sign = { G_MAXINT64, G_MAXINT64, G_MAXINT64, G_MAXINT64 };
  return (SlVector) ((SlLanes) x & sign);
}

/* 1 where MASK is all ones, else 0. */
SL_INLINE SlVector
sl_lanes_whether (SlLanes mask)
{
  return sl_vector_select (mask, sl_vector (1), sl_vector (0));
}

SL_INLINE SlVector
sl_lanes_clamp (SlVector x, double least, double most)
{
  SlVector low = sl_vector (least), high = sl_vector (most);
  return sl_vector_select (x > high, high, sl_vector_select (x < low, low, x));
}

/* As NumPy rounds to 5 decimals: x is below 2^34. */
SL_INLINE SlVector
sl_lanes_round_5 (SlVector x)
{
  const SlVector whole = sl_vector (0x1.8p52);
  return ((x * 1e5 + whole) - whole) / 1e5;
}

/* to[n] <- x[.][n] of four rows, which begin at ROW. */
SL_INLINE void
sl_lanes_gather (const double *const *row, gint32 n, SlVector *to)
{
  for (gint32 k = 0; k < n; k++)
    to[k] = (SlVector){ row[0][k], row[1][k], row[2][k], row[3][k] };
}

/* to[n] <- log softmax of Z: z - log Σ exp z, which has no least value. */
SL_INLINE void
sl_lanes_log_softmax (const SlVector *z, gint32 n, SlVector *to)
{
  SlVector most = z[0], sum = sl_vector (0), part[4];
  for (gint32 k = 1; k < n; k++)
    most = sl_vector_select (z[k] > most, z[k], most);
  for (gint32 k = 0; k < n; k += 4)
    {
      for (gint32 j = 0; j < 4; j++)
        part[j] = k + j < n ? sl_vector_exp (to[k + j] = z[k + j] - most) : sl_vector (0);
      sum += (part[0] + part[2]) + (part[1] + part[3]);
    }
  SlVector log_sum = sl_vector_log (sum);
  for (gint32 k = 0; k < n; k++)
    to[k] -= log_sum;
}

/* -Σ p log p */
SL_INLINE SlVector
sl_lanes_entropy (const SlVector *p, const SlVector *log_p, gint32 n)
{
  SlVector sum = sl_vector (0);
  for (gint32 k = 0; k < n; k++)
    sum -= sl_vector_select (p[k] > 0.0, p[k] * log_p[k], sl_vector (0));
  return sum;
}

/* Σ t (log_t - log_p), or with LOG_T NULL -Σ t log_p; infinite where ZEROS, unless it is NULL, is 0
 * and t is not. */
SL_INLINE SlVector
sl_lanes_divergence (const SlVector *t, const SlVector *log_t, const SlVector *zeros,
                     const SlVector *log_p, gint32 n)
{
  SlVector sum = sl_vector (0);
  SlLanes infinite = { 0 };
  for (gint32 k = 0; k < n; k++)
    {
      SlLanes there = t[k] > 0.0;
      SlVector gap = (log_t != NULL ? log_t[k] : sl_vector (0)) - log_p[k];
      sum = sl_vector_select (there, sum + t[k] * gap, sum);
      infinite |= zeros != NULL ? there & ~(zeros[k] > 0.0) : there & 0;
    }
  return sl_vector_select (infinite, sl_vector (INFINITY), sum);
}

/* H ((p + t) / 2) - H (p) / 2 - H (t) / 2 */
SL_INLINE SlVector
sl_lanes_js (const SlVector *p, const SlVector *log_p, const SlVector *t, const SlVector *log_t,
             gint32 n)
{
  const SlVector zero = sl_vector (0);
  SlVector sum = zero;
  for (gint32 k = 0; k < n; k++)
    {
      SlVector m = 0.5 * (p[k] + t[k]);
      sum -= sl_vector_select (m > 0.0, m * sl_vector_log (m), zero);
      sum += sl_vector_select (p[k] > 0.0, 0.5 * p[k] * log_p[k], zero);
      sum += sl_vector_select (t[k] > 0.0, 0.5 * t[k] * log_t[k], zero);
    }
  return sl_vector_max (sum, zero);
}

/* Σ |p - t|, and Σ (p - t)² */
SL_INLINE SlVector
sl_lanes_l1 (const SlVector *p, const SlVector *t, gint32 n, SlVector *squares)
{
  SlVector sum = sl_vector (0);
  *squares = sum;
  for (gint32 k = 0; k < n; k++)
    {
      SlVector gap = p[k] - t[k];
      sum += sl_lanes_abs (gap);
      *squares += gap * gap;
    }
  return sum;
}

/* Σ |cumulated p - cumulated t| */
SL_INLINE SlVector
sl_lanes_w_line (const SlVector *p, const SlVector *t, gint32 n)
{
  SlVector sum = sl_vector (0), ahead = sum;
  for (gint32 k = 0; k < n; k++)
    {
      ahead += p[k] - t[k];
      sum += sl_lanes_abs (ahead);
    }
  return sum;
}

/* Each lane's x[n] in rising order, by Batcher's merge exchange (Knuth, The Art of Computer
 * Programming 5.2.2, algorithm M): the same exchanges whatever the values. */
SL_INLINE void
sl_lanes_sort (SlVector *x, gint32 n)
{
  gint32 top = 1;
  while (top < n - top)
    top *= 2;
  for (gint32 p = top; p > 0; p /= 2)
    for (gint32 q = top, r = 0, d = p;; d = q - p, q /= 2, r = p)
      {
        for (gint32 i = 0; i < n - d; i++)
          if ((i & p) == r)
            {
              SlVector a = x[i], b = x[i + d];
              SlLanes turned = a > b;
              x[i] = sl_vector_select (turned, b, a);
              x[i + d] = sl_vector_select (turned, a, b);
            }
        if (q == p)
          break;
      }
}

/* Σ |sorted p - sorted t| / K: the 1-Wasserstein distance of the K values taken as a sample; which
 * class has them does not matter. ROOM[2][n]. */
SL_INLINE SlVector
sl_lanes_w_values (const SlVector *p, const SlVector *t, gint32 n, SlVector *room)
{
  SlVector *a = room, *b = room + n, sum = sl_vector (0);
  memcpy (a, p, (gsize) n * sizeof *a);
  memcpy (b, t, (gsize) n * sizeof *b);
  sl_lanes_sort (a, n);
  sl_lanes_sort (b, n);
  for (gint32 k = 0; k < n; k++)
    sum += sl_lanes_abs (a[k] - b[k]);
  return sum / n;
}

/* Of the shared task of 2023: probabilities are clipped, not made to sum to 1 again, and 1e-9 is
 * added. */
SL_INLINE SlVector
sl_lanes_shared_cross_entropy (const SlVector *p, const SlVector *t, gint32 n)
{
  SlVector sum = sl_vector (0);
  for (gint32 k = 0; k < n; k++)
    sum -= t[k] * sl_vector_log (sl_lanes_clamp (p[k], 1e-12, 1 - 1e-12) + 1e-9);
  return sum;
}

/* Where a lane's two largest values are, and they themselves; of equal ones the first. */
typedef struct
{
  SlVector first, second; /* SECOND is -1 of one class */
  SlVector most, next;
} SlTwoLargest;

SL_INLINE SlTwoLargest
sl_lanes_two_largest (const SlVector *x, gint32 n)
{
  SlTwoLargest two = { sl_vector (0), sl_vector (-1), x[0], sl_vector (-INFINITY) };
  for (gint32 k = 1; k < n; k++)
    {
      SlVector here = sl_vector (k);
      SlLanes first = x[k] > two.most, second = x[k] > two.next;
      two.second = sl_vector_select (first, two.first, sl_vector_select (second, here, two.second));
      two.next = sl_vector_select (first, two.most, sl_vector_select (second, x[k], two.next));
      two.first = sl_vector_select (first, here, two.first);
      two.most = sl_vector_select (first, x[k], two.most);
    }
  return two;
}

/* How many of x[n] are equal to VALUE. */
SL_INLINE SlVector
sl_lanes_count (const SlVector *x, gint32 n, SlVector value)
{
  SlVector sum = sl_vector (0);
  for (gint32 k = 0; k < n; k++)
    sum += sl_lanes_whether (x[k] == value);
  return sum;
}
