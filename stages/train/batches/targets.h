/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cases, as a batch takes them: the numbers of examples, and targets, which are what a network is
 * to say. A target is made anew each time that its case enters a batch; what is drawn depends on
 * seed, epoch and case alone. */
#pragma once

#include <glib.h>

/* ---- targets ---- */

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

/* Whether a pool has several rows. */
gboolean sl_pools_have_several (const SlPools *pools);

/* Whether there is a target for a case with POOL (or -1) and GOLD (or -1). */
gboolean sl_target_exists (const SlTargets *targets, gint32 pool, gint32 gold);

/* out[k] <- the target of a case with KEY in EPOCH; K classes. */
void sl_target_make (const SlTargets *targets, gsize k, gint32 pool, gint32 gold, guint64 key,
                     gint64 epoch, float *out);

/* out[k] <- WEIGHT times what row R of POOLS says. */
void sl_pool_row (const SlPools *pools, gsize r, float weight, float *out);

/* The largest of t[k], the first of them. */
gint32 sl_target_top (const float *t, gsize k);

/* category[k][k] <- for each gold class the mean of the means of the cases' pools (Peterson et al.,
 * ICCV 2019, section 6.2); the class itself where there is none. pool[n], gold[n]. */
void sl_target_categories (const SlPools *pools, const gint32 *pool, const gint32 *gold, gsize n,
                           float *category);

/* ---- examples ---- */

/* In memory as they were read: pixels stay bytes. */
typedef struct
{
  gint32 n;
  int channels, height, width; /* of each; a vector has its length, 1 and 1 */
  gsize size;                  /* their product */
  gboolean pixels;             /* bytes, 0 to 255; otherwise single precision */
  gconstpointer *block;        /* example i is row i % block_rows of block i / block_rows */
  gint32 block_rows;
  guint64 *key; /* [n]: of the item's name, for random numbers */
  gint32 *gold; /* [n]: -1 where it is not known */
} SlExamples;

/* out[size] <- example I, pixels as numbers from 0 to 1. */
void sl_examples_get (const SlExamples *examples, gint32 i, float *out);

/* Whether example I of A and J of B, of the same shape, have the same numbers. */
gboolean sl_examples_same (const SlExamples *a, gint32 i, const SlExamples *b, gint32 j);

/* Asks for example I's memory, which will be needed soon. */
void sl_examples_prefetch (const SlExamples *examples, gint32 i);

/* mean[channels] and std[channels] of the examples which[n]; a channel that is constant has
 * std 1. The same for any number of THREADS. */
void sl_examples_statistics (const SlExamples *examples, const gint32 *which, gsize n, int threads,
                             float *mean, float *std);

/* What a network is trained on in one step of an epoch: an example, or a mixture of two. */
typedef struct
{
  gint32 first, second; /* SECOND -1: FIRST alone */
  float lambda;         /* the share of FIRST */
  gint32 pool;          /* its pool of labels; -1: none */
  gint32 gold;          /* -1: not known */
  guint64 key;
} SlTrainCase;

/* out[size] <- the case's numbers; room[size]. */
void sl_case_get (const SlExamples *examples, const SlTrainCase *at, float *out, float *room);

/* out[size] <- SHARE out + (1 - SHARE) other[size]. */
void sl_mix_into (float *out, const float *other, gsize size, float share);
