/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Philox4x32-10: Salmon, Moraes, Dror & Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC
 * 2011. */
#include "random.h"

#include "real-math.h"
#include "vector-math.h"

#include <math.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <string.h>

void
sl_philox (const guint32 counter[4], const guint32 key[2], guint32 out[4])
{
  guint32 c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
  guint32 k0 = key[0], k1 = key[1];
  for (int round = 0; round < 10; round++)
    {
      guint64 a = (guint64) 0xD2511F53 * c0, b = (guint64) 0xCD9E8D57 * c2;
      c0 = (guint32) (b >> 32) ^ c1 ^ k0;
      c1 = (guint32) b;
      c2 = (guint32) (a >> 32) ^ c3 ^ k1;
      c3 = (guint32) a;
      k0 += 0x9E3779B9;
      k1 += 0xBB67AE85;
    }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
}

guint32
sl_random_purpose (const char *name)
{
  return (guint32) XXH3_64bits (name, strlen (name));
}

/* A one-to-one map of the 64-bit numbers that leaves 0 where it is and scatters all others (the
 * finaliser of MurmurHash3, A. Appleby, public domain). */
static inline guint64
scatter (guint64 x)
{
  x = (x ^ (x >> 33)) * 0xFF51AFD7ED558CCDu;
  x = (x ^ (x >> 33)) * 0xC4CEB9FE1A85EC53u;
  return x ^ (x >> 33);
}

SlRandom
sl_random (guint64 seed, guint32 purpose, guint64 item, guint64 annotator, guint32 draw)
{
  /* Two streams with the same key have the same counter only if they have the same draw and, in
   * 64 bits, the same item and annotator. Seeds people choose are small numbers, so no two
   * (seed, purpose) share a key. */
  guint64 key = seed ^ scatter (purpose), who = item ^ scatter (annotator);
  return (SlRandom){
    .key = { (guint32) key, (guint32) (key >> 32) },
    .counter = { 0, draw, (guint32) who, (guint32) (who >> 32) },
    .used = 4,
  };
}

void
sl_random_fill (SlRandom *random)
{
  sl_philox (random->counter, random->key, random->block);
  random->counter[0]++;
  random->used = 0;
}

/* So many blocks side by side, a lane each. */
#define WIDE 16

SL_VECTORS static void
fill_wide (const guint32 counter[4], const guint32 key[2], guint32 *out)
{
  guint32 c0[WIDE], c1[WIDE], c2[WIDE], c3[WIDE], k0 = key[0], k1 = key[1];
  for (guint32 j = 0; j < WIDE; j++)
    {
      c0[j] = counter[0] + j;
      c1[j] = counter[1];
      c2[j] = counter[2];
      c3[j] = counter[3];
    }
  for (int round = 0; round < 10; round++)
    {
      for (guint32 j = 0; j < WIDE; j++)
        {
          guint64 a = (guint64) 0xD2511F53 * c0[j], b = (guint64) 0xCD9E8D57 * c2[j];
          c0[j] = (guint32) (b >> 32) ^ c1[j] ^ k0;
          c1[j] = (guint32) b;
          c2[j] = (guint32) (a >> 32) ^ c3[j] ^ k1;
          c3[j] = (guint32) a;
        }
      k0 += 0x9E3779B9;
      k1 += 0xBB67AE85;
    }
  for (guint32 j = 0; j < WIDE; j++)
    {
      out[4 * j] = c0[j];
      out[4 * j + 1] = c1[j];
      out[4 * j + 2] = c2[j];
      out[4 * j + 3] = c3[j];
    }
}

void
sl_random_blocks (SlRandom *random, gsize n, guint32 *out)
{
  g_assert (random->used == 4);
  for (; n >= WIDE; n -= WIDE, out += 4 * WIDE)
    {
      fill_wide (random->counter, random->key, out);
      random->counter[0] += WIDE;
    }
  for (; n > 0; n--, out += 4)
    {
      sl_philox (random->counter, random->key, out);
      random->counter[0]++;
    }
}

void
sl_random_skip (SlRandom *random, guint32 n)
{
  guint32 left = 4 - (guint32) random->used;
  if (n <= left)
    {
      random->used += (int) n;
      return;
    }
  random->counter[0] += (n - left) / 4;
  random->used = 4;
  if ((n - left) % 4 > 0)
    {
      sl_random_fill (random);
      random->used = (int) ((n - left) % 4);
    }
}

/* Lemire, "Fast random integer generation in an interval", ACM TOMACS 29 (2019): the upper word
 * of r × n is the number; those r whose lower word is below 2^64 mod n are drawn again, so that
 * each number has as many r. */
guint64
sl_random_below (SlRandom *random, guint64 n)
{
  g_assert (n > 0);
  __uint128_t product = (__uint128_t) sl_random_u64 (random) * n;
  if ((guint64) product < n)
    for (guint64 least = -n % n; (guint64) product < least;)
      product = (__uint128_t) sl_random_u64 (random) * n;
  return (guint64) (product >> 64);
}

/* Fisher and Yates's shuffle from the end, as Durstenfeld 1964 has it. */
void
sl_random_shuffle (SlRandom *random, gint32 *values, gsize n)
{
  for (gsize i = n; i > 1; i--)
    {
      gsize j = (gsize) sl_random_below (random, i);
      gint32 value = values[i - 1];
      values[i - 1] = values[j];
      values[j] = value;
    }
}

/* Marsaglia's polar method (Marsaglia & Bray, SIAM Review 6, 1964): a point of the unit disc, its
 * second coordinate. */
double
sl_random_normal (SlRandom *random)
{
  for (;;)
    {
      double x = 2 * sl_random_unit (random) - 1, y = 2 * sl_random_unit (random) - 1;
      double square = x * x + y * y;
      if (square > 0 && square <= 1)
        return y * sqrt (-2 * sl_log (square) / square);
    }
}

/* Marsaglia & Tsang, "A simple method for generating gamma variables", ACM TOMS 26 (2000). For
 * SHAPE < 1 by Gamma (SHAPE) ~ Gamma (SHAPE + 1) × U^(1 / SHAPE). */
double
sl_random_log_gamma (SlRandom *random, double shape)
{
  double less = 0;
  if (shape < 1)
    {
      less = sl_log (1 - sl_random_unit (random)) / shape;
      shape++;
    }
  double d = shape - 1.0 / 3, c = 1 / (3 * sqrt (d));
  for (;;)
    {
      double x = sl_random_normal (random), v = 1 + c * x;
      if (v <= 0)
        continue;
      v = v * v * v;
      double u = 1 - sl_random_unit (random), square = x * x;
      if (u < 1 - 0.0331 * square * square || sl_log (u) < 0.5 * square + d * (1 - v + sl_log (v)))
        return less + sl_log (d * v);
    }
}

/* X / (X + Y), X ~ Gamma (ALPHA), Y ~ Gamma (BETA). */
double
sl_random_beta (SlRandom *random, double alpha, double beta)
{
  double x = sl_random_log_gamma (random, alpha), y = sl_random_log_gamma (random, beta);
  return rint (1 / (1 + sl_exp (y - x)) * 0x1p20) * 0x1p-20;
}
