/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mace.h"

#include "pipeline/base/parallel.h"
#include "pipeline/base/vector-math.h"
#include "stages/common/methods/posterior.h"

#include <string.h>

/* mantissa × 2^exponent, 1 <= mantissa < 2. */
typedef struct
{
  double mantissa;
  gint64 exponent;
} Product;

/* FACTOR is a normal number above 0. */
static void
multiply (Product *product, double factor)
{
  const guint64 mantissa = G_GUINT64_CONSTANT (0xfffffffffffff);
  const guint64 one = G_GUINT64_CONSTANT (1023) << 52;
  guint64 bits;
  memcpy (&bits, &factor, sizeof bits);
  product->exponent += (gint64) (bits >> 52) - 1023;
  bits = (bits & mantissa) | one;
  memcpy (&factor, &bits, sizeof bits);
  product->mantissa *= factor;
  gboolean above = product->mantissa >= 2;
  product->mantissa *= above ? 0.5 : 1;
  product->exponent += above;
}

/* p[n_classes] <- γ of item I; LIKELIHOOD becomes a product with its sum. */
static void
weigh_by_odds (const SlMace *mace, gint32 i, double *p, Product *likelihood)
{
  const SlByItem *by = mace->by;
  gsize n = mace->n_classes;
  double sum = 0;
  memcpy (p, mace->prior, n * sizeof *p);
  for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
    {
      gsize l = (gsize) by->answer[j];
      p[l] *= mace->odds[(gsize) by->annotator[j] * n + l];
      if (p[l] <= 0x1p500)
        continue;
      for (gsize k = 0; k < n; k++)
        p[k] *= SL_MACE_LEAST;
      likelihood->exponent += 500;
    }
  for (gsize k = 0; k < n; k++)
    sum += p[k];
  for (gsize k = 0; k < n; k++)
    p[k] /= sum;
  multiply (likelihood, sum);
}

/* The same with logarithms; returns that of the item's likelihood. */
static double
weigh_by_logs (const SlMace *mace, gint32 i, gint32 gold, double *p)
{
  const SlByItem *by = mace->by;
  gsize n = mace->n_classes;
  memcpy (p, mace->log_prior, n * sizeof *p);
  for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
    {
      gsize of = (gsize) by->annotator[j] * n + (gsize) by->answer[j];
      p[by->answer[j]] += mace->gain[of] * sl_by_item_count (by, j);
    }
  double of_gold = gold < 0 ? 0 : p[gold], sum = sl_posterior_from_logs (p, (gint32) n);
  if (gold >= 0)
    sl_posterior_set (p, (gint32) n, gold);
  return gold < 0 ? sum : of_gold;
}

static void
e_part (int part, gpointer data)
{
  SlMace *mace = data;
  const SlByItem *by = mace->by;
  gsize n = mace->n_classes, size = mace->n_annotators * n;
  double *named = &mace->named[(gsize) part * size], *share = &mace->share[(gsize) part * n];
  double by_logs = 0;
  Product by_odds = { .mantissa = 1 };
  memset (named, 0, size * sizeof *named);
  memset (share, 0, n * sizeof *share);
  for (gint32 i = by->part[part]; i < by->part[part + 1]; i++)
    {
      double *p = &mace->items->label[(gsize) i * n];
      gint32 gold = sl_posterior_gold (mace->items, mace->settings, i);
      if (gold < 0 && by->count == NULL)
        weigh_by_odds (mace, i, p, &by_odds);
      else
        by_logs += weigh_by_logs (mace, i, gold, p);
      for (gsize k = 0; k < n; k++)
        share[k] += p[k];
      for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
        named[(gsize) by->annotator[j] * n + (gsize) by->answer[j]]
            += p[by->answer[j]] * sl_by_item_count (by, j);
    }
  mace->likelihood[part]
      = by_logs + sl_scalar_log (by_odds.mantissa) + (double) by_odds.exponent * SL_LOG_2;
}

/* odds[n_classes] and gain[n_classes] of annotator A; returns Σ log (s ξ) of their answers. */
SL_VECTORS static double
set_gains (SlMace *mace, gsize a)
{
  gsize n = mace->n_classes;
  const double *strategy = &mace->strategy[a * n], *answered = &mace->answered[a * n];
  double common = 0;
  for (gsize l = 0; l < n; l += 4)
    {
      gsize part = MIN (n - l, 4);
      SlVector spam = sl_vector_max (mace->spam[2 * a] * sl_vector_load_part (strategy + l, part),
                                     sl_vector (SL_MACE_LEAST));
      SlVector log_spam = sl_vector_log (spam), more = mace->spam[2 * a + 1] / spam;
      sl_vector_store_part (&mace->odds[a * n + l], 1 + more, part);
      sl_vector_store_part (&mace->gain[a * n + l], sl_vector_log1p (more), part);
      for (gsize i = 0; i < part; i++)
        common += answered[l + i] * log_spam[i];
    }
  return common;
}

double
sl_mace_weigh (SlMace *mace)
{
  double common = 0;
  for (gsize k = 0; k < mace->n_classes; k++)
    {
      mace->prior[k] = MAX (mace->prior[k], SL_MACE_LEAST);
      mace->log_prior[k] = sl_scalar_log (mace->prior[k]);
    }
  for (gsize a = 0; a < mace->n_annotators; a++)
    common += set_gains (mace, a);
  sl_parallel (mace->settings->threads, mace->by->n_parts, e_part, mace);
  sl_by_item_fold (mace->by, mace->named, mace->n_annotators * mace->n_classes);
  sl_by_item_fold (mace->by, mace->share, mace->n_classes);
  for (int p = 0; p < mace->by->n_parts; p++)
    common += mace->likelihood[p];
  return common;
}
