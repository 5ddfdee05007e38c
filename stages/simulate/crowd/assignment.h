/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who answers about which item: N of the annotators 0 .. n_annotators-1, all different. */
#pragma once

#include "pipeline/base/random.h"

#include <glib.h>

typedef struct
{
  guint64 seed;
  guint32 purpose;
  gint32 n_annotators, n; /* 0 < n <= n_annotators */
  gboolean alike;         /* all are as active */
  guint64 *sums;          /* [n_annotators]: running sums of how active each is */
} SlAssignment;

/* Annotator a is as active as (a + 1)^-ZIPF. */
void sl_assignment_init (SlAssignment *assignment, guint64 seed, gint32 n_annotators, gint32 n,
                         double zipf);
void sl_assignment_clear (SlAssignment *assignment);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlAssignment, sl_assignment_clear)

/* who[n] <- annotators drawn one after the other, each by activity among those left. They follow
 * from the seed and the item's KEY; a larger n begins with the same ones. TAKEN[n] is room to work
 * in. */
void sl_assign (const SlAssignment *assignment, guint64 key, gint32 *who, gint32 *taken);

/* who[n] <- the annotators of the item number INDEX, from 0. Over any first items all annotators
 * come equally often, give or take one. Activity does not count. */
void sl_assign_evenly (const SlAssignment *assignment, gint64 index, gint32 *who);

/* ---- all numbers below n in another order ---- */

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
