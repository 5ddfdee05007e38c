/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws of four streams side by side. What they have in common, logarithms above all, is computed
 * for the four at once; what is drawn again, or not drawn at all, is each stream's own matter. So
 * every stream gives the numbers, to the last bit, that it gives alone (random.c). */
#include "random.h"

#include "real-math.h"
#include "vector-math.h"

#include <math.h>

enum
{
  LANES = 4,
};

SL_INLINE SlVector
square_roots (SlVector x)
{
  return (SlVector){ sqrt (x[0]), sqrt (x[1]), sqrt (x[2]), sqrt (x[3]) };
}

/* As sl_random_normal(), of those streams that are WANTED. */
SL_INLINE SlVector
draw_normals (SlRandom *const *random, const gboolean *wanted)
{
  double y[LANES] = { 0 }, square[LANES] = { 1, 1, 1, 1 };
  for (int i = 0; i < LANES; i++)
    for (gboolean inside = !wanted[i]; !inside;)
      {
        double x = 2 * sl_random_unit (random[i]) - 1;
        y[i] = 2 * sl_random_unit (random[i]) - 1;
        square[i] = x * x + y[i] * y[i];
        inside = square[i] > 0 && square[i] <= 1;
      }
  SlVector squares = sl_vector_load (square);
  return sl_vector_load (y) * square_roots (-2.0 * sl_vector_log_scaled (squares, 0) / squares);
}

/* As sl_random_log_gamma(). */
SL_INLINE SlVector
draw_log_gammas (SlRandom *const *random, SlVector shape)
{
  SlLanes small = shape < 1.0;
  double first[LANES], v[LANES] = { 1, 1, 1, 1 };
  for (int i = 0; i < LANES; i++)
    first[i] = small[i] ? 1 - sl_random_unit (random[i]) : 1;
  SlVector less = sl_vector_log_scaled (sl_vector_load (first), 0) / shape;
  shape = sl_vector_select (small, shape + 1.0, shape);
  SlVector d = shape - 1.0 / 3, c = 1.0 / (3.0 * square_roots (d));
  gboolean pending[LANES] = { TRUE, TRUE, TRUE, TRUE };
  for (int left = LANES; left > 0;)
    {
      SlVector x = draw_normals (random, pending), base = 1.0 + c * x;
      SlVector cube = base * base * base, square = x * x, sure = 1.0 - 0.0331 * square * square;
      for (int i = 0; i < LANES; i++)
        {
          if (!pending[i] || base[i] <= 0)
            continue;
          double u = 1 - sl_random_unit (random[i]);
          if (u >= sure[i]
              && sl_log (u) >= 0.5 * square[i] + d[i] * (1 - cube[i] + sl_log (cube[i])))
            continue;
          v[i] = cube[i];
          pending[i] = FALSE;
          left--;
        }
    }
  return less + sl_vector_log_scaled (d * sl_vector_load (v), 0);
}

SL_INLINE SlVector
exponentials (SlVector x)
{
  for (int i = 0; i < LANES; i++)
    if (!(fabs (x[i]) <= 700))
      return (SlVector){ sl_exp (x[0]), sl_exp (x[1]), sl_exp (x[2]), sl_exp (x[3]) };
  return sl_vector_exp (x);
}

SL_VECTORS static void
draw_betas (SlRandom *const *random, const double *alpha, const double *beta, double *out)
{
  SlVector x = draw_log_gammas (random, sl_vector_load (alpha));
  SlVector y = draw_log_gammas (random, sl_vector_load (beta));
  SlVector share = 1.0 / (1.0 + exponentials (y - x));
  for (int i = 0; i < LANES; i++)
    out[i] = rint (share[i] * 0x1p20) * 0x1p-20;
}

void
sl_random_betas (SlRandom *const *random, const double *alpha, const double *beta, gsize n,
                 double *out)
{
  gsize i = 0;
  for (; i + LANES <= n; i += LANES)
    draw_betas (random + i, alpha + i, beta + i, out + i);
  for (; i < n; i++)
    out[i] = sl_random_beta (random[i], alpha[i], beta[i]);
}
