/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pool's drawn row: Collins, Bhatt & Weller, HCOMP 2022, section 5.2; a drawn class: Peterson et
 * al., ICCV 2019, section 6.2. The expectation of either is the mean label, and cross-entropy is
 * linear in the target. */
#include "targets.h"

#include "pipeline/base/parallel.h"
#include "pipeline/base/random.h"
#include "stages/common/labels/smoothing.h"

#include <string.h>
#include <math.h>

/* ---- examples ---- */

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

/* ---- targets ---- */

static gboolean
has_labels (const SlTargets *targets, gint32 pool)
{
  const SlPools *pools = targets->pools;
  return pools != NULL && pool >= 0 && pools->start[pool + 1] > pools->start[pool];
}

gboolean
sl_pools_have_several (const SlPools *pools)
{
  for (gsize p = 0; pools != NULL && p < pools->n; p++)
    if (pools->start[p + 1] - pools->start[p] > 1)
      return TRUE;
  return FALSE;
}

gboolean
sl_target_exists (const SlTargets *targets, gint32 pool, gint32 gold)
{
  switch (targets->kind)
    {
    case SL_TARGET_POOL:
      return has_labels (targets, pool) || (targets->fill && gold >= 0);
    case SL_TARGET_GOLD:
    case SL_TARGET_CATEGORY:
      return gold >= 0;
    case SL_TARGET_UNIFORM:
    case SL_TARGET_RANDOM:
      return TRUE;
    }
  g_assert_not_reached ();
}

/* out[k] <- POOL's mean. */
static void
pool_mean (const SlPools *pools, gint32 pool, float *out)
{
  gsize k = pools->k, from = pools->start[pool], to = pools->start[pool + 1];
  double whole = 0;
  memset (out, 0, k * sizeof *out);
  for (gsize r = from; r < to; r++)
    whole += pools->weight[r];
  for (gsize r = from; r < to; r++)
    {
      float share = (float) (pools->weight[r] / whole);
      if (pools->vote != NULL)
        out[pools->vote[r]] += share;
      else
        for (gsize j = 0; j < k; j++)
          out[j] += share * pools->label[r * k + j];
    }
}

void
sl_pool_row (const SlPools *pools, gsize r, float weight, float *out)
{
  gsize k = pools->k;
  if (pools->vote != NULL)
    memset (out, 0, k * sizeof *out);
  for (gsize j = 0; pools->vote == NULL && j < k; j++)
    out[j] = weight * pools->label[r * k + j];
  if (pools->vote != NULL)
    out[pools->vote[r]] = weight;
}

static void
drawn_row (const SlPools *pools, gint32 pool, SlRandom *random, float *out)
{
  gsize from = pools->start[pool], to = pools->start[pool + 1], r = from;
  double whole = 0;
  for (gsize i = from; i < to; i++)
    whole += pools->weight[i];
  for (double left = sl_random_unit (random) * whole; r + 1 < to; r++)
    {
      left -= pools->weight[r];
      if (left < 0)
        break;
    }
  sl_pool_row (pools, r, 1, out);
}

gint32
sl_target_top (const float *t, gsize k)
{
  gsize top = 0;
  for (gsize j = 1; j < k; j++)
    top = t[j] > t[top] ? j : top;
  return (gint32) top;
}

static void
certain (float *out, gsize k, gsize class)
{
  memset (out, 0, k * sizeof *out);
  out[class] = 1;
}

static gsize
drawn_class (const float *t, gsize k, SlRandom *random)
{
  double whole = 0;
  for (gsize j = 0; j < k; j++)
    whole += t[j];
  double left = sl_random_unit (random) * whole;
  gsize last = 0;
  for (gsize j = 0; j < k; j++)
    if (t[j] > 0)
      {
        last = j;
        left -= t[j];
        if (left < 0)
          break;
      }
  return last;
}

static void
random_numbers (guint64 seed, guint64 key, gsize k, float *out)
{
  SlRandom random = sl_random (seed, sl_random_purpose ("train: random targets"), key, 0, 0);
  double sum = 0;
  for (gsize j = 0; j < k; j++)
    {
      out[j] = (float) sl_random_unit (&random);
      sum += out[j];
    }
  for (gsize j = 0; j < k; j++)
    out[j] = sum > 0 ? (float) (out[j] / sum) : 1.0f / (float) k;
}

void
sl_target_make (const SlTargets *targets, gsize k, gint32 pool, gint32 gold, guint64 key,
                gint64 epoch, float *out)
{
  SlRandom random
      = sl_random (targets->seed, sl_random_purpose ("train: targets"), key, 0, (guint32) epoch);
  switch (targets->kind)
    {
    case SL_TARGET_POOL:
      /* Of the labels of a case that has some, else its gold class. */
      if (!has_labels (targets, pool))
        certain (out, k, (gsize) gold);
      else if (targets->mean)
        pool_mean (targets->pools, pool, out);
      else
        drawn_row (targets->pools, pool, &random, out);
      break;
    case SL_TARGET_GOLD:
      certain (out, k, (gsize) gold);
      break;
    case SL_TARGET_CATEGORY:
      memcpy (out, targets->category + (gsize) gold * k, k * sizeof *out);
      break;
    case SL_TARGET_UNIFORM:
      for (gsize j = 0; j < k; j++)
        out[j] = 1.0f / (float) k;
      break;
    case SL_TARGET_RANDOM:
      random_numbers (targets->seed, key, k, out);
      break;
    }
  if (targets->hard)
    certain (out, k, drawn_class (out, k, &random));
  else if (targets->top)
    certain (out, k, (gsize) sl_target_top (out, k));
  for (gsize j = 0; targets->smoothing > 0 && j < k; j++)
    out[j] = (float) sl_smooth (out[j], targets->smoothing, k);
}

void
sl_target_categories (const SlPools *pools, const gint32 *pool, const gint32 *gold, gsize n,
                      float *category)
{
  gsize k = pools->k;
  g_autofree double *sum = g_new0 (double, k *k);
  g_autofree gsize *count = g_new0 (gsize, k);
  g_autofree float *mean = g_new (float, k);
  for (gsize i = 0; i < n; i++)
    {
      if (gold[i] < 0 || pool[i] < 0 || pools->start[pool[i] + 1] == pools->start[pool[i]])
        continue;
      gsize class = (gsize) gold[i];
      pool_mean (pools, pool[i], mean);
      count[class]++;
      for (gsize j = 0; j < k; j++)
        sum[class * k + j] += mean[j];
    }
  for (gsize class = 0; class < k; class ++)
    if (count[class] == 0)
      certain (category + class * k, k, class);
    else
      for (gsize j = 0; j < k; j++)
        category[class * k + j] = (float) (sum[class * k + j] / (double) count[class]);
}
