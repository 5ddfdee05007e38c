/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Targets: what a network is to say of a case, made anew each time that the case enters a batch.
 * What is drawn depends on seed, epoch and case alone. */
#pragma once

#include <glib.h>

/* Pools of labels: pool p has the rows start[p] <= r < start[p + 1], of which each is a
 * distribution or a class. */
typedef struct
{
  gsize n, k;
  gsize *start;         /* [n + 1] */
  const float *label;   /* [rows][k]; NULL: classes */
  const gint32 *vote;   /* [rows]; NULL: distributions */
  const double *weight; /* [rows], each above 0 */
} SlPools;

typedef enum
{
  SL_TARGET_POOL,     /* of the case's labels */
  SL_TARGET_GOLD,     /* the gold class */
  SL_TARGET_CATEGORY, /* what cases of that gold class have */
  SL_TARGET_UNIFORM,  /* controls: of Collins, Bhatt & Weller, HCOMP 2022 */
  SL_TARGET_RANDOM,   /* numbers drawn from [0, 1) over their sum, once for a case */
} SlTargetKind;

typedef struct
{
  SlTargetKind kind;
  const SlPools *pools;  /* or NULL */
  gboolean mean;         /* the pool's mean; otherwise one row, drawn by weight */
  gboolean hard;         /* a class drawn from that */
  gboolean top;          /* that one's largest class */
  gboolean fill;         /* cases without labels have their gold class */
  const float *category; /* [k gold][k], for that kind */
  double smoothing;      /* (1 - smoothing) t + smoothing / k */
  guint64 seed;
} SlTargets;

/* Whether there is a target for a case with POOL (or -1) and GOLD (or -1). */
gboolean sl_target_exists (const SlTargets *targets, gint32 pool, gint32 gold);

/* out[k] <- the target of a case with KEY in EPOCH; K classes. */
void sl_target_make (const SlTargets *targets, gsize k, gint32 pool, gint32 gold, guint64 key,
                     gint64 epoch, float *out);

/* The largest of t[k], the first of them. */
gint32 sl_target_top (const float *t, gsize k);

/* category[k][k] <- for each gold class the mean of the means of the cases' pools (Peterson et al.,
 * ICCV 2019, section 6.2); the class itself where there is none. pool[n], gold[n]. */
void sl_target_categories (const SlPools *pools, const gint32 *pool, const gint32 *gold, gsize n,
                           float *category);
