/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counter-based random numbers: what is drawn is a function of (seed, purpose, item, annotator,
 * draw) alone, so it does not depend on the order of rows, on threads or on machines. */
#pragma once

#include <glib.h>

/* One stream of numbers; it costs nothing to make one, so every draw has its own. */
typedef struct
{
  guint32 key[2];
  guint32 counter[4]; /* of the next block; counter[0] counts this stream's blocks */
  guint32 block[4];
  int used; /* numbers of the block already handed out */
} SlRandom;

/* Keeps apart what is drawn for different ends, in one stage or in several run with the same
 * seed: NAME says which, "aggregate: ties". */
guint32 sl_random_purpose (const char *name);

/* ITEM and ANNOTATOR are sl_text_hash() of their names (0 for none). A stream has 2^34 numbers. */
SlRandom sl_random (guint64 seed, guint32 purpose, guint64 item, guint64 annotator, guint32 draw);

/* Fills the stream's next block. */
void sl_random_fill (SlRandom *random);

/* out[n][4] <- the stream's next N blocks, of which nothing has been handed out: the same numbers
 * that sl_random_u32() gives, faster where there are many. */
void sl_random_blocks (SlRandom *random, gsize n, guint32 *out);

static inline guint32
sl_random_u32 (SlRandom *random)
{
  if (random->used == 4)
    sl_random_fill (random);
  return random->block[random->used++];
}

/* Goes on as if N numbers of 32 bits had been drawn. */
void sl_random_skip (SlRandom *random, guint32 n);

static inline guint64
sl_random_u64 (SlRandom *random)
{
  guint64 low = sl_random_u32 (random);
  return low | (guint64) sl_random_u32 (random) << 32;
}

/* Uniform in [0, 1), 53 bits. */
static inline double
sl_random_unit (SlRandom *random)
{
  return (double) (sl_random_u64 (random) >> 11) * 0x1p-53;
}

/* Uniform in 0 .. N - 1, without bias; N > 0. */
guint64 sl_random_below (SlRandom *random, guint64 n);

/* Puts VALUES[n] in an order drawn from all, each as likely. */
void sl_random_shuffle (SlRandom *random, gint32 *values, gsize n);

/* Drawn from N (0, 1). */
double sl_random_normal (SlRandom *random);

/* The logarithm of what is drawn from Gamma (SHAPE, 1), SHAPE > 0; itself it might underflow. */
double sl_random_log_gamma (SlRandom *random, double shape);

/* Drawn from Beta (ALPHA, BETA) and rounded to 2^-20, so that both it and 1 less it are short and
 * exact. */
double sl_random_beta (SlRandom *random, double alpha, double beta);

/* One block of Philox4x32-10: OUT is the cipher of COUNTER under KEY. */
void sl_philox (const guint32 counter[4], const guint32 key[2], guint32 out[4]);
