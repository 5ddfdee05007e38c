/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assignment.h"

#include "pipeline/base/vector-math.h"

#include <math.h>

/* The numbers 0 .. n-1 in an order that a stream of random numbers tells, without a list of
 * them: a Feistel network (M. Luby, C. Rackoff, "How to construct pseudorandom permutations from
 * pseudorandom functions", SIAM Journal on Computing 17, 1988) permutes the numbers of 2h bits,
 * 2^2h >= n: with halves (l, r), a round is
 *   (l, r) -> (r, l xor f_key (r)).
 * A place that is not below n is itself sent on until one is (cycle walking: J. Black, P. Rogaway,
 * "Ciphers with arbitrary finite domains", CT-RSA 2002), fewer than 4 times on average, as 2^2h < 4
 * n where n > 1. */

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

/* The weight of the most active. Whole numbers, so that what is left after some are taken is exact;
 * of 2^31 annotators their sum is below 2^63. */
#define WHOLE_BITS 32

void
sl_assignment_init (SlAssignment *assignment, guint64 seed, gint32 n_annotators, gint32 n,
                    double zipf)
{
  g_assert (n > 0 && n <= n_annotators);
  *assignment = (SlAssignment){ .seed = seed,
                                .purpose = sl_random_purpose ("simulate crowd: who answers"),
                                .n_annotators = n_annotators,
                                .n = n,
                                .alike = zipf == 0,
                                .sums = g_new (guint64, n_annotators) };
  guint64 sum = 0;
  for (gint32 a = 0; a < n_annotators; a++)
    {
      sum += (guint64) MAX (
          1, rint (ldexp (sl_scalar_exp (-zipf * sl_scalar_log (a + 1.0)), WHOLE_BITS)));
      assignment->sums[a] = sum;
    }
}

void
sl_assignment_clear (SlAssignment *assignment)
{
  g_clear_pointer (&assignment->sums, g_free);
}

/* The first a with sums[a] > U. */
static gint32
find_drawn (const guint64 *sums, gint32 n, guint64 u)
{
  gint32 low = 0;
  for (gint32 left = n, half; left > 1; left -= half)
    {
      half = left / 2;
      low += sums[low + half - 1] <= u ? half : 0; /* no branch to be guessed */
    }
  return low;
}

/* Finds the annotator at U, which is below the sum of the weights that are left: those TAKEN, in
 * ascending order, are stepped over. */
void
sl_assign (const SlAssignment *assignment, guint64 key, gint32 *who, gint32 *taken)
{
  const guint64 *sums = assignment->sums;
  SlRandom random = sl_random (assignment->seed, assignment->purpose, key, 0, 0);
  guint64 left = sums[assignment->n_annotators - 1];
  for (gint32 j = 0; j < assignment->n; j++)
    {
      guint64 u = sl_random_below (&random, left);
      gint32 at = 0;
      for (; at < j; at++)
        {
          guint64 before = taken[at] > 0 ? sums[taken[at] - 1] : 0;
          if (u < before)
            break;
          u += sums[taken[at]] - before;
        }
      gint32 a = assignment->alike ? (gint32) (u >> WHOLE_BITS)
                                   : find_drawn (sums, assignment->n_annotators, u);
      for (gint32 i = j; i > at; i--)
        taken[i] = taken[i - 1];
      taken[at] = a;
      who[j] = a;
      left -= sums[a] - (a > 0 ? sums[a - 1] : 0);
    }
}

static gint32
common_divisor (gint32 a, gint32 b)
{
  while (b != 0)
    {
      gint32 rest = a % b;
      a = b;
      b = rest;
    }
  return a;
}

/* Goes round and round through all annotators. Their order is drawn anew wherever a turn ends with
 * an item's last answer. So any n in a row are different, and a turn takes each once. */
void
sl_assign_evenly (const SlAssignment *assignment, gint64 index, gint32 *who)
{
  gint32 n_annotators = assignment->n_annotators;
  gint64 block = n_annotators / common_divisor (n_annotators, assignment->n); /* items */
  SlRandom random
      = sl_random (assignment->seed, assignment->purpose, (guint64) (index / block), 1, 0);
  SlPermutation permutation;
  sl_permutation_init (&permutation, (guint64) n_annotators, &random);
  gint64 place = index % block * assignment->n;
  for (gint32 j = 0; j < assignment->n; j++)
    who[j] = (gint32) sl_permutation_at (&permutation, (guint64) ((place + j) % n_annotators));
}
