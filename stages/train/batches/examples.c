/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "examples.h"

#include <math.h>
#include <string.h>

static gconstpointer
row (const SlExamples *examples, gint32 i)
{
  gsize bytes = examples->size * (examples->pixels ? 1 : sizeof (float));
  const guint8 *block = examples->block[i / examples->block_rows];
  return block + (gsize) (i % examples->block_rows) * bytes;
}

void
sl_examples_get (const SlExamples *examples, gint32 i, float *out)
{
  const guint8 *from = row (examples, i);
  if (!examples->pixels)
    memcpy (out, from, examples->size * sizeof *out);
  else
    for (gsize j = 0; j < examples->size; j++)
      out[j] = (float) from[j] / 255.0f;
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

void
sl_examples_statistics (const SlExamples *examples, const gint32 *which, gsize n, float *mean,
                        float *std)
{
  gsize channels = (gsize) examples->channels, each = examples->size / channels;
  g_autofree float *x = g_new (float, examples->size);
  g_autofree float *base = g_new (float, channels);
  g_autofree double *sum = g_new0 (double, 2 * channels);
  double *square = sum + channels, count = (double) n * (double) each;
  for (gsize i = 0; i < n; i++)
    {
      sl_examples_get (examples, which[i], x);
      /* About the first example, so that numbers far from 0 keep their digits. */
      for (gsize c = 0; i == 0 && c < channels; c++)
        base[c] = x[c * each];
      add_moments (x, base, channels, each, sum, square);
    }
  for (gsize c = 0; c < channels; c++)
    {
      double apart = sum[c] / count;
      mean[c] = (float) (base[c] + apart);
      std[c] = (float) sqrt (MAX (square[c] / count - apart * apart, 0));
      if (!(std[c] > 0))
        std[c] = 1;
    }
}

void
sl_mix_into (float *out, const float *other, gsize size, float share)
{
  for (gsize j = 0; j < size; j++)
    out[j] = share * out[j] + (1 - share) * other[j];
}

void
sl_case_get (const SlExamples *examples, const SlCase *at, float *out, float *room)
{
  sl_examples_get (examples, at->first, out);
  if (at->second < 0)
    return;
  sl_examples_get (examples, at->second, room);
  sl_mix_into (out, room, examples->size, at->lambda);
}
