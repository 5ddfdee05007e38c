/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A Feistel network (M. Luby, C. Rackoff, "How to construct pseudorandom permutations from
 * pseudorandom functions", SIAM Journal on Computing 17, 1988) permutes the numbers of 2h bits,
 * 2^2h >= n: with halves (l, r), a round is
 *   (l, r) -> (r, l xor f_key (r)).
 * A place that is not below n is itself sent on until one is (cycle walking: J. Black, P. Rogaway,
 * "Ciphers with arbitrary finite domains", CT-RSA 2002), fewer than 4 times on average, as 2^2h < 4
 * n where n > 1. */
#include "permutation.h"

void
sl_permutation_init (SlPermutation *permutation, guint64 n, SlRandom *random)
{
  g_assert (n > 0 && n <= G_GUINT64_CONSTANT (1) << 62);
  permutation->n = n;
  permutation->half = 1;
  while (G_GUINT64_CONSTANT (1) << (2 * permutation->half) < n)
    permutation->half++;
  for (int round = 0; round < SL_PERMUTATION_ROUNDS; round++)
    permutation->key[round] = sl_random_u64 (random);
}

/* The upper bits of a product depend on all bits below them. */
static inline guint64
scatter (guint64 r, guint64 key)
{
  guint64 x = (r ^ key) * 0x9E3779B97F4A7C15u;
  return (x ^ (x >> 32)) * 0xD6E8FEB86659FD93u;
}

guint64
sl_permutation_at (const SlPermutation *permutation, guint64 i)
{
  guint64 mask = (G_GUINT64_CONSTANT (1) << permutation->half) - 1;
  do
    {
      guint64 l = i >> permutation->half, r = i & mask;
      for (int round = 0; round < SL_PERMUTATION_ROUNDS; round++)
        {
          guint64 next = l ^ (scatter (r, permutation->key[round]) >> (64 - permutation->half));
          l = r;
          r = next;
        }
      i = l << permutation->half | r;
    }
  while (i >= permutation->n);
  return i;
}
