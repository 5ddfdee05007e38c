/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Philox4x32-10: Salmon, Moraes, Dror & Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC
 * 2011. */
#include "random.h"

#include <gsl/gsl_randist.h>
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

static void
gsl_set (void *state, unsigned long seed)
{
  *(SlRandom *) state = sl_random (seed, 0, 0, 0, 0);
}

static unsigned long
gsl_get (void *state)
{
  return sl_random_u32 (state);
}

static double
gsl_get_double (void *state)
{
  return sl_random_unit (state);
}

gsl_rng
sl_random_gsl (SlRandom *random)
{
  static const gsl_rng_type type
      = { "philox4x32-10", G_MAXUINT32, 0, sizeof (SlRandom), gsl_set, gsl_get, gsl_get_double };
  return (gsl_rng){ &type, random };
}

double
sl_random_beta (SlRandom *random, double alpha, double beta)
{
  gsl_rng rng = sl_random_gsl (random);
  return rint (gsl_ran_beta (&rng, alpha, beta) * 0x1p20) * 0x1p-20;
}
