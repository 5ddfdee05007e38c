/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exp, log, log (1 + x), digamma and log-gamma of four doubles at a time, made of additions,
 * multiplications and divisions alone: the bits of a result depend neither on the C library nor on
 * how wide the processor's vectors are. Errors are below 1 unit in the last place for exp and log,
 * 1.5 for log (1 + x), below 2e-15 (digamma) and 1e-14 (log-gamma) × max (1, |result|)
 * (tests/unit/test-vector-math.c). For single numbers of any size see real-math.h.
 *
 * A function marked SL_VECTORS is compiled for several vector widths, and the widest that the
 * processor has is called. */
#pragma once

#include <glib.h>

#include <float.h>
#include <string.h>

#if defined __x86_64__ && defined __gnu_linux__ && !defined __clang__                              \
    && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
#define SL_VECTORS __attribute__ ((target_clones ("avx512f", "avx2", "default")))
#else
#define SL_VECTORS
#endif
#define SL_INLINE static inline __attribute__ ((always_inline))

/* All that takes or returns vectors is inlined, so that there is no calling convention to warn
 * of. */
#pragma GCC diagnostic ignored "-Wpsabi"

typedef double SlVector __attribute__ ((vector_size (32), may_alias));
typedef gint64 SlLanes __attribute__ ((vector_size (32), may_alias));
/* Shifts to the right bring in zeros. */
typedef guint64 SlBits __attribute__ ((vector_size (32), may_alias));

SL_INLINE SlVector
sl_vector (double x)
{
  return (SlVector){ x, x, x, x };
}

SL_INLINE SlVector
sl_vector_load (const double *p)
{
  SlVector x;
  memcpy (&x, p, sizeof x);
  return x;
}

SL_INLINE void
sl_vector_store (double *p, SlVector x)
{
  memcpy (p, &x, sizeof x);
}

/* a where MASK is all ones, b where it is 0. */
SL_INLINE SlVector
sl_vector_select (SlLanes mask, SlVector a, SlVector b)
{
  return (SlVector) (((SlLanes) a & mask) | ((SlLanes) b & ~mask));
}

SL_INLINE SlVector
sl_vector_max (SlVector a, SlVector b)
{
  return sl_vector_select (a > b, a, b);
}

SL_INLINE double
sl_vector_sum (SlVector x)
{
  return (x[0] + x[2]) + (x[1] + x[3]);
}

SL_INLINE double
sl_vector_highest (SlVector x)
{
  double a = x[0] > x[2] ? x[0] : x[2], b = x[1] > x[3] ? x[1] : x[3];
  return a > b ? a : b;
}

/* The first N of four numbers at P, 0 < N <= 4, and 1 for the rest. By cases, so that they go
 * from register to register: a vector read from where single numbers were just written waits for
 * them. */
SL_INLINE SlVector
sl_vector_load_part (const double *p, gsize n)
{
  if (n >= 4)
    return sl_vector_load (p);
  return n == 1   ? (SlVector){ p[0], 1, 1, 1 }
         : n == 2 ? (SlVector){ p[0], p[1], 1, 1 }
                  : (SlVector){ p[0], p[1], p[2], 1 };
}

SL_INLINE void
sl_vector_store_part (double *p, SlVector x, gsize n)
{
  if (n >= 4)
    {
      sl_vector_store (p, x);
      return;
    }
  p[0] = x[0];
  if (n > 1)
    p[1] = x[1];
  if (n > 2)
    p[2] = x[2];
}

#define SL_LOG_2 0.693147180559945309417

/* Takes the exponents, with 1023 added, out of a running product of normal numbers, so that one
 * logarithm will do for many. */
SL_INLINE SlVector
sl_vector_take_exponents (SlVector product, SlBits *exponents)
{
  const SlBits mantissa = { 0xfffffffffffff, 0xfffffffffffff, 0xfffffffffffff, 0xfffffffffffff };
  *exponents += (SlBits) product >> 52;
  return (SlVector) (((SlBits) product & mantissa) | (SlBits) sl_vector (1));
}

/* exp (x) = Y × 2^n for |x| <= 746, 0.7 < Y < 1.5; n is in the low bits of *SHIFTED. After
 * fdlibm's e_exp.c (Sun Microsystems): x = n ln 2 + r, |r| <= ln 2 / 2; exp (r) = 1 + 2 r / (R -
 * r), R = 2 + r²/6 - ..., by a polynomial that is best for that range. */
SL_INLINE SlVector
sl_vector_exp_reduced (SlVector x, SlVector *shifted)
{
  /* Adding it leaves the nearest whole number in the lowest bits. */
  const SlVector round = sl_vector (0x1.8p52);
  *shifted = x * 1.44269504088896338700e+00 + round;
  SlVector n = *shifted - round;
  SlVector high = x - n * 6.93147180369123816490e-01, low = n * 1.90821492927058770002e-10;
  SlVector r = high - low, t = r * r;
  SlVector c = t * 4.13813679705723846039e-08 + -1.65339022054652515390e-06;
  c = t * c + 6.61375632143793436117e-05;
  c = t * c + -2.77777777770155933842e-03;
  c = t * c + 1.66666666666666019037e-01;
  c = r - t * c;
  return 1.0 - ((low - r * c / (2.0 - c)) - high);
}

/* exp (x) for x <= 700; 0 below -708, where it would leave the normal numbers. */
SL_INLINE SlVector
sl_vector_exp (SlVector x)
{
  SlLanes tiny = x < -708.0;
  x = sl_vector_select (tiny, sl_vector (-708), x);
  SlVector shifted, y = sl_vector_exp_reduced (x, &shifted);
  y = (SlVector) ((SlLanes) y + ((SlLanes) shifted << 52));
  return sl_vector_select (tiny, sl_vector (0), y);
}

/* log (x / 2^SCALE) for finite normal x. After fdlibm's e_log.c: x = 2^k (1 + f), sqrt (1/2) <=
 * 1 + f < sqrt (2); log (1 + f) = 2 artanh (f / (2 + f)). */
SL_INLINE SlVector
sl_vector_log_scaled (SlVector x, double scale)
{
  const SlBits one = (SlBits) sl_vector (1),
               half = (SlBits) sl_vector (0x1.6a09e667f3bcdp-1); /* sqrt (1/2) */
  const SlBits big = (SlBits) sl_vector (0x1p52);
  SlBits exponent = ((SlBits) x + (one - half)) >> 52; /* k + 1023 */
  SlVector k = (SlVector) (exponent | big) - (0x1p52 + 1023 + scale);
  SlVector f = (SlVector) ((SlBits) x + one - (exponent << 52)) - 1.0;
  SlVector s = f / (2.0 + f), z = s * s, w = z * z;
  SlVector even = w
                  * (3.999999999940941908e-01
                     + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
  SlVector odd = z
                 * (6.666666666666735130e-01
                    + w
                          * (2.857142874366239149e-01
                             + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
  SlVector square = 0.5 * f * f;
  return k * 6.93147180369123816490e-01
         - ((square - (s * (square + (even + odd)) + k * 1.90821492927058770002e-10)) - f);
}

/* log (x) for finite x; what is below the least normal number is taken for that, so the result
 * is never below -709. */
SL_INLINE SlVector
sl_vector_log (SlVector x)
{
  return sl_vector_log_scaled (sl_vector_max (x, sl_vector (DBL_MIN)), 0);
}

/* log (1 + x) for -1 < x < 1e308: of u = 1 + x, rounded, and of what the rounding lost. */
SL_INLINE SlVector
sl_vector_log1p (SlVector x)
{
  SlVector u = 1.0 + x;
  SlVector lost = sl_vector_select (x < 1.0, x - (u - 1.0), 1.0 - (u - x));
  return sl_vector_log (u) + lost / u;
}

/* digamma (x), x > 0. Above 8 by its asymptotic series (Abramowitz & Stegun 6.3.18); below, by
 * digamma (x + 8) - sum 1 / (x + j), 0 <= j < 8. With u = x² + 7 x, 1 / (x + j) + 1 / (x + 7 -
 * j) = (2 x + 7) / (u + j (7 - j)): positive terms over one denominator. */
SL_INLINE SlVector
sl_vector_digamma (SlVector x)
{
  x = sl_vector_max (x, sl_vector (1e-30));
  SlLanes small = x < 8.0;
  SlVector v = sl_vector_select (small, x, sl_vector (1)), u = v * v + 7.0 * v;
  SlVector a = u * (u + 6.0), b = (u + 10.0) * (u + 12.0);
  SlVector sum = (2.0 * v + 7.0) * ((2.0 * u + 6.0) * b + (2.0 * u + 22.0) * a) / (a * b);
  SlVector y = sl_vector_select (small, x + 8.0, x), w = 1.0 / y, z = w * w;
  SlVector series = z * (1.0 / 12 - z * (3617.0 / 8160));
  series = z * (691.0 / 32760 - series);
  series = z * (1.0 / 132 - series);
  series = z * (1.0 / 240 - series);
  series = z * (1.0 / 252 - series);
  series = z * (1.0 / 120 - series);
  series = z * (1.0 / 12 - series);
  SlVector psi = sl_vector_log (y) - 0.5 * w - series;
  return sl_vector_select (small, psi - sum, psi);
}

/* log Gamma (x), x > 0: Stirling's series above 8 (Abramowitz & Stegun 6.1.41); below, less log
 * (x (x + 1) ... (x + 7)). */
SL_INLINE SlVector
sl_vector_lgamma (SlVector x)
{
  x = sl_vector_max (x, sl_vector (1e-30));
  SlLanes small = x < 8.0;
  SlVector v = sl_vector_select (small, x, sl_vector (1)), u = v * v + 7.0 * v;
  SlVector product = u * (u + 6.0) * ((u + 10.0) * (u + 12.0));
  SlVector y = sl_vector_select (small, x + 8.0, x), w = 1.0 / y, z = w * w;
  SlVector series = z * (1.0 / 156 - z * (3617.0 / 122400));
  series = z * (691.0 / 360360 - series);
  series = z * (1.0 / 1188 - series);
  series = z * (1.0 / 1680 - series);
  series = z * (1.0 / 1260 - series);
  series = z * (1.0 / 360 - series);
  series = w * (1.0 / 12 - series);
  SlVector stirling = (y - 0.5) * sl_vector_log (y) - y + 0.91893853320467274178 + series;
  return sl_vector_select (small, stirling - sl_vector_log (product), stirling);
}

SL_INLINE double
sl_scalar_log (double x)
{
  return sl_vector_log (sl_vector (x))[0];
}

SL_INLINE double
sl_scalar_digamma (double x)
{
  return sl_vector_digamma (sl_vector (x))[0];
}

SL_INLINE double
sl_scalar_lgamma (double x)
{
  return sl_vector_lgamma (sl_vector (x))[0];
}

SL_INLINE double
sl_scalar_exp (double x)
{
  return sl_vector_exp (sl_vector (x))[0];
}

/* x[n] <- exp (x[n]), as sl_vector_exp: to be called from a function marked SL_VECTORS. */
SL_INLINE void
sl_exp_row (double *x, gsize n)
{
  for (gsize i = 0; i < n; i += 4)
    {
      gsize part = MIN (n - i, 4);
      sl_vector_store_part (x + i, sl_vector_exp (sl_vector_load_part (x + i, part)), part);
    }
}

/* to[n] <- log (x[n]), as sl_vector_log: the same. */
SL_INLINE void
sl_log_row (const double *x, gsize n, double *to)
{
  for (gsize i = 0; i < n; i += 4)
    {
      gsize part = MIN (n - i, 4);
      sl_vector_store_part (to + i, sl_vector_log (sl_vector_load_part (x + i, part)), part);
    }
}
