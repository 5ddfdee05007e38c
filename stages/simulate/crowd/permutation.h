/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numbers 0 .. n-1 in an order that a stream of random numbers tells, without a list of
 * them. */
#pragma once

#include "pipeline/base/random.h"

#define SL_PERMUTATION_ROUNDS 8

typedef struct
{
  guint64 n;
  int half; /* bits */
  guint64 key[SL_PERMUTATION_ROUNDS];
} SlPermutation;

/* 0 < N <= 2^62. */
void sl_permutation_init (SlPermutation *permutation, guint64 n, SlRandom *random);

/* Where I stands, I < n: each has a place of its own below n. */
guint64 sl_permutation_at (const SlPermutation *permutation, guint64 i);
