/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Examples as a network is given them, in memory as they were read: pixels stay bytes. */
#pragma once

#include <glib.h>

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
