/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "examples.h"

#include "pipeline/base/parallel.h"

#include <math.h>
#include <string.h>

static gconstpointer
row (const SlExamples *examples, gint32 i)
{
  gsize bytes = examples->size * (examples->pixels ? 1 : sizeof (float));
  const guint8 *block = examples->block[i / examples->block_rows];
  return block + (gsize) (i % examples->block_rows) * bytes;
}

/* Its COUNT numbers from FIRST on. */
static void
get_part (const SlExamples *examples, gint32 i, gsize first, gsize count, float *out)
{
  if (!examples->pixels)
    {
      memcpy (out, (const float *) row (examples, i) + first, count * sizeof *out);
      return;
    }
  const guint8 *from = (const guint8 *) row (examples, i) + first;
  for (gsize j = 0; j < count; j++)
    out[j] = (float) from[j] / 255.0f;
}

void
sl_examples_get (const SlExamples *examples, gint32 i, float *out)
{
  get_part (examples, i, 0, examples->size, out);
}

gboolean
sl_examples_same (const SlExamples *a, gint32 i, const SlExamples *b, gint32 j)
{
  return memcmp (row (a, i), row (b, j), a->size * (a->pixels ? 1 : sizeof (float))) == 0;
}

#define LINE 64         /* bytes of a cache line */
#define MOST_BYTES 8192 /* more would not stay in the cache until it is used */

void
sl_examples_prefetch (const SlExamples *examples, gint32 i)
{
  const char *from = row (examples, i);
  gsize bytes = examples->size * (examples->pixels ? 1 : sizeof (float));
  for (gsize at = 0; at < MIN (bytes, MOST_BYTES); at += LINE)
    __builtin_prefetch (from + at);
}

/* Adds x - base and its square, by channel, of N channels of EACH numbers. */
static void
add_moments (const float *x, const float *base, gsize n, gsize each, double *sum, double *square)
{
  if (each == 1)
    for (gsize c = 0; c < n; c++)
      {
        double apart = (double) x[c] - base[c];
        sum[c] += apart;
        square[c] += apart * apart;
      }
  else
    for (gsize c = 0; c < n; c++)
      for (gsize j = 0; j < each; j++)
        {
          double apart = (double) x[c * each + j] - base[c];
          sum[c] += apart;
          square[c] += apart * apart;
        }
}

/* What one thread sums up: channels from FIRST on, of all examples. */
typedef struct
{
  const SlExamples *examples;
  const gint32 *which;
  gsize n, piece; /* channels a piece */
  float *mean, *std;
} Moments;

static void
one_piece (int i, gpointer data)
{
  const Moments *of = data;
  const SlExamples *examples = of->examples;
  gsize channels = (gsize) examples->channels, each = examples->size / channels;
  gsize first = (gsize) i * of->piece, count = MIN (of->piece, channels - first);
  g_autofree float *x = g_new (float, count *each);
  g_autofree float *base = g_new (float, count);
  g_autofree double *sum = g_new0 (double, 2 * count);
  double *square = sum + count, numbers = (double) of->n * (double) each;
  for (gsize row = 0; row < of->n; row++)
    {
      get_part (examples, of->which[row], first * each, count * each, x);
      /* About the first example, so that numbers far from 0 keep their digits. */
      for (gsize c = 0; row == 0 && c < count; c++)
        base[c] = x[c * each];
      add_moments (x, base, count, each, sum, square);
    }
  for (gsize c = 0; c < count; c++)
    {
      double apart = sum[c] / numbers;
      of->mean[first + c] = (float) (base[c] + apart);
      of->std[first + c] = (float) sqrt (MAX (square[c] / numbers - apart * apart, 0));
      if (!(of->std[first + c] > 0))
        of->std[first + c] = 1;
    }
}

void
sl_examples_statistics (const SlExamples *examples, const gint32 *which, gsize n, int threads,
                        float *mean, float *std)
{
  gsize channels = (gsize) examples->channels;
  gsize piece = (channels + (gsize) threads - 1) / (gsize) threads;
  Moments of = { examples, which, n, piece, mean, std };
  sl_parallel (threads, (int) ((channels + piece - 1) / piece), one_piece, &of);
}

void
sl_mix_into (float *out, const float *other, gsize size, float share)
{
  for (gsize j = 0; j < size; j++)
    out[j] = share * out[j] + (1 - share) * other[j];
}

void
sl_case_get (const SlExamples *examples, const SlTrainCase *at, float *out, float *room)
{
  sl_examples_get (examples, at->first, out);
  if (at->second < 0)
    return;
  sl_examples_get (examples, at->second, room);
  sl_mix_into (out, room, examples->size, at->lambda);
}
