/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Multi-Annotator Competence Estimation (Hovy, Berg-Kirkpatrick, Vaswani & Hovy, "Learning whom to
 * trust with MACE", NAACL 2013): for each answer an annotator either knows the class, or, with
 * probability s_a, spams, that is, draws the answer from a distribution of their own, ξ_a:
 *   P (l | class k) = s_a ξ_al + (1 - s_a) [k = l],   P (class k) = π_k
 * Variational Bayes with s_a ~ Beta (1/2, 1/2), ξ_a ~ Dirichlet (10, ...), π ~ Dirichlet (1, ...):
 *   E  γ_ik ∝ π_k Π_a P (x_ia | k);  an answer l was spam with probability 1 - γ_il q_al, where
 *      q_al = (1 - s_a) / (s_a ξ_al + 1 - s_a)
 *   M  (s_a, 1 - s_a), ξ_a and π are exp (ψ (expected count + prior) - ψ (their sum))
 * and the best, by ELBO, of 10 restarts of 50 rounds. A start draws (s_a, 1 - s_a) and ξ_a from U
 * [1, 2.5), normalised. With a smoothing e it is expectation maximisation instead: all are ∝
 * expected count + e, and the best by log-likelihood + e Σ log of them. Either objective never
 * falls.
 *
 * The paper, and crowd-kit 1.4, have π uniform; otherwise this is the same model. Learning π
 * costs nothing and matters where classes are not equally frequent: a spammer who always says the
 * commoner class is not to be told from one who knows it by a model that takes all classes for as
 * common.
 *
 * A round is one pass over the answers. Of an item's answers l by a, Π s_a ξ_al is common to all
 * classes; only the odds 1 + (1 - s_a) / (s_a ξ_al) belong to class l, so that E multiplies by one
 * number an answer, and M needs only Σ γ_il by annotator and answer. s_a ξ_al and π_k are at least
 * 2^-500: a product of odds that passes 2^500 is brought down, with those of the other classes,
 * before the next answer, and so never overflows. The items' log-likelihood is one logarithm of the
 * product of their sums. Answers that count for more than one, and items with a kept gold class,
 * are added up in the log domain. A confusion to start from replaces the
 * restarts: s_a ξ_al = mean of its entries (k ≠ l, l). Iterations, tolerance (rise of the
 * objective; unless given, all rounds), restarts and seed apply; a kept gold class fixes γ.
 * Reliability is 1 - s_a, confusion what the means of s and ξ say. */
#include "pipeline/base/parallel.h"
#include "pipeline/base/vector-math.h"
#include "stages/aggregate/methods/fits.h"
#include "stages/common/answers/answers-by-item.h"
#include "stages/common/methods/posterior.h"

#include <math.h>
#include <string.h>

/* s_a ξ_al and π_k are at least this. */
#define LEAST 0x1p-500

typedef struct
{
  const SlItems *items;
  const SlByItem *by;
  const SlMethodSettings *settings;
  gsize n_classes, n_annotators;
  gboolean variational;
  double *spam;     /* [n_annotators][2]: s, 1 - s */
  double *strategy; /* [n_annotators][n_classes]: ξ */
  double *odds;     /* [n_annotators][n_classes]: 1 + (1 - s) / (s ξ) */
  double *gain;     /* [n_annotators][n_classes]: their logarithms */
  double *answered; /* [n_annotators][n_classes]: answers */
  double *named;    /* [n_parts][n_annotators][n_classes]: Σ γ_il */
  double *share;    /* [n_parts][n_classes]: Σ γ_ik */
  double *prior;    /* [n_classes]: π */
  double *log_prior;
  double likelihood[SL_MAX_PARTS]; /* [n_parts] */
  double *counts;                  /* [n_classes]: room for one annotator's expected counts */
} Mace;

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
weigh_by_odds (const Mace *mace, gint32 i, double *p, Product *likelihood)
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
        p[k] *= LEAST;
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
weigh_by_logs (const Mace *mace, gint32 i, gint32 gold, double *p)
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
  Mace *mace = data;
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
set_gains (Mace *mace, gsize a)
{
  gsize n = mace->n_classes;
  const double *strategy = &mace->strategy[a * n], *answered = &mace->answered[a * n];
  double common = 0;
  for (gsize l = 0; l < n; l += 4)
    {
      gsize part = MIN (n - l, 4);
      SlVector spam = sl_vector_max (mace->spam[2 * a] * sl_vector_load_part (strategy + l, part),
                                     sl_vector (LEAST));
      SlVector log_spam = sl_vector_log (spam), more = mace->spam[2 * a + 1] / spam;
      sl_vector_store_part (&mace->odds[a * n + l], 1 + more, part);
      sl_vector_store_part (&mace->gain[a * n + l], sl_vector_log1p (more), part);
      for (gsize i = 0; i < part; i++)
        common += answered[l + i] * log_spam[i];
    }
  return common;
}

/* The E step: labels, and named[] and share[] of the first part; returns the log-likelihood. */
static double
weigh (Mace *mace)
{
  double common = 0;
  for (gsize k = 0; k < mace->n_classes; k++)
    {
      mace->prior[k] = MAX (mace->prior[k], LEAST);
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

enum
{
  RESTARTS = 10,
  ROUNDS = 50,
};

static const double spam_prior = 0.5, strategy_prior = 10, class_prior = 1, noise = 1.5;

/* count[n] + PRIOR as the parameters of a Dirichlet: value[n] = exp (E log), or by expectation
 * maximisation, their shares. Returns what it adds to the objective. */
SL_VECTORS static double
set_distribution (const Mace *mace, const double *count, gsize n, double prior, double *value)
{
  double sum = 0, more = 0;
  for (gsize l = 0; l < n; l++)
    sum += count[l] + prior;
  if (!mace->variational)
    {
      for (gsize l = 0; l < n; l++)
        {
          value[l] = sum > 0 ? (count[l] + prior) / sum : 1.0 / (double) n;
          more += prior > 0 ? prior * sl_scalar_log (value[l]) : 0;
        }
      return more;
    }
  /* - KL (Dirichlet (count + prior) || Dirichlet (prior)) */
  double psi = sl_scalar_digamma (sum);
  more = sl_scalar_lgamma (prior * (double) n) - sl_scalar_lgamma (sum)
         - (double) n * sl_scalar_lgamma (prior);
  for (gsize l = 0; l < n; l += 4)
    {
      gsize part = MIN (n - l, 4);
      SlVector counted = sl_vector_load_part (count + l, part);
      SlVector log_value = sl_vector_digamma (counted + prior) - psi;
      SlVector added = sl_vector_lgamma (counted + prior) - counted * log_value;
      sl_vector_store_part (value + l, sl_vector_exp (log_value), part);
      for (gsize i = 0; i < part; i++)
        more += added[i];
    }
  return more;
}

static double
m_step (Mace *mace)
{
  double smoothing = mace->settings->smoothing;
  double more = set_distribution (mace, mace->share, mace->n_classes,
                                  mace->variational ? class_prior : smoothing, mace->prior);
  for (gsize a = 0; a < mace->n_annotators; a++)
    {
      double known[2];
      /* Annotator A's expected answers by knowing and by spam, counts[n_classes], and in all. */
      gsize n = mace->n_classes;
      known[0] = known[1] = 0;
      for (gsize l = 0; l < n; l++)
        {
          double spam = MAX (mace->spam[2 * a] * mace->strategy[a * n + l], LEAST),
                 know = mace->spam[2 * a + 1];
          double knew = mace->named[a * n + l] * know / (spam + know);
          mace->counts[l] = MAX (mace->answered[a * n + l] - knew, 0);
          known[0] += mace->counts[l];
          known[1] += knew;
        }
      more += set_distribution (mace, known, 2, mace->variational ? spam_prior : smoothing,
                                &mace->spam[2 * a]);
      more += set_distribution (mace, mace->counts, mace->n_classes,
                                mace->variational ? strategy_prior : smoothing,
                                &mace->strategy[a * mace->n_classes]);
    }
  return more;
}

static void
draw (Mace *mace, guint32 restart)
{
  static const char purpose[] = "aggregate: mace";
  gsize n = mace->n_classes;
  for (gsize a = 0; a < mace->n_annotators; a++)
    {
      SlRandom random
          = sl_random (mace->settings->seed, sl_random_purpose (purpose), 0, a + 1, restart);
      for (gsize l = 0; l < 2; l++)
        mace->spam[2 * a + l] = 1 + noise * sl_random_unit (&random);
      for (gsize l = 0; l < n; l++)
        mace->strategy[a * n + l] = 1 + noise * sl_random_unit (&random);
      sl_posterior_from_scores (&mace->spam[2 * a], 2);
      sl_posterior_from_scores (&mace->strategy[a * n], (gint32) n);
    }
}

static void
start_from (Mace *mace, const double *confusion)
{
  gsize n = mace->n_classes;
  for (gsize a = 0; a < mace->n_annotators; a++)
    {
      double *strategy = &mace->strategy[a * n], spam = 0;
      for (gsize l = 0; l < n; l++)
        {
          strategy[l] = 0;
          for (gsize k = 0; k < n; k++)
            strategy[l] += k == l ? 0 : confusion[(a * n + k) * n + l] / (double) (n - 1);
          strategy[l] = MAX (strategy[l], 1e-12);
          spam += strategy[l];
        }
      sl_posterior_from_scores (strategy, (gint32) n);
      mace->spam[2 * a] = CLAMP (spam, 1e-9, 1 - 1e-9);
      mace->spam[2 * a + 1] = 1 - mace->spam[2 * a];
    }
}

/* The rounds from one start, numbered as it is told; returns the objective it ends with. */
static double
climb (Mace *mace, const SlMethodSettings *settings, const SlLearned *learned, gint64 *round)
{
  gint64 rounds = sl_rounds (settings, ROUNDS);
  double objective = -INFINITY;
  for (gsize k = 0; k < mace->n_classes; k++)
    mace->prior[k] = 1.0 / (double) mace->n_classes;
  weigh (mace);
  for (*round = 1; *round <= rounds; ++*round)
    {
      double before = objective;
      objective = m_step (mace);
      objective += weigh (mace);
      sl_round_over (settings, learned, *round, rounds, objective);
      if (!isnan (settings->tolerance) && objective - before < settings->tolerance)
        break;
    }
  *round = MIN (*round, rounds);
  sl_rounds_ended (learned, *round, rounds);
  return objective;
}

/* Of the starts the best, by the objective they end with. */
static void
climb_all (Mace *mace, const SlLearned *learned)
{
  SlMethodSettings own = *mace->settings;
  const SlMethodSettings *settings = &own;
  gsize spam_size = mace->n_annotators * 2 * sizeof (double);
  gsize strategy_size = mace->n_annotators * mace->n_classes * sizeof (double);
  g_autofree double *best_spam = g_malloc0 (spam_size);
  g_autofree double *best_strategy = g_malloc0 (strategy_size);
  g_autofree double *best_prior = g_new0 (double, mace->n_classes);
  gint64 restarts = settings->restarts > 0 ? settings->restarts : RESTARTS;
  if (settings->start != NULL)
    restarts = 1;
  SlLearned of_start = *learned;
  if (restarts > 1)
    {
      own.pulse.starts = restarts;
      of_start.round = NULL;
    }
  double best = -INFINITY;
  for (gint64 restart = 0; restart < restarts; restart++)
    {
      if (settings->start != NULL)
        start_from (mace, settings->start);
      else
        draw (mace, (guint32) restart);
      if (restarts > 1)
        own.pulse.start = restart + 1;
      gint64 rounds;
      double objective = climb (mace, settings, &of_start, &rounds);
      gboolean kept = objective > best || restart == 0;
      if (restarts > 1)
        sl_start_ended (learned, restart + 1, rounds, objective, kept);
      if (!kept)
        continue;
      best = objective;
      memcpy (best_spam, mace->spam, spam_size);
      memcpy (best_strategy, mace->strategy, strategy_size);
      memcpy (best_prior, mace->prior, mace->n_classes * sizeof *best_prior);
    }
  memcpy (mace->spam, best_spam, spam_size);
  memcpy (mace->strategy, best_strategy, strategy_size);
  memcpy (mace->prior, best_prior, mace->n_classes * sizeof *best_prior);
  weigh (mace);
}

/* The means of s and ξ, which the variational parameters fall short of, are what is reported. */
static void
learn (Mace *mace, const SlLearned *learned)
{
  gsize n = mace->n_classes;
  g_autofree double *skill = g_new (double, mace->n_annotators);
  m_step (mace);
  for (gsize a = 0; a < mace->n_annotators; a++)
    {
      sl_posterior_from_scores (&mace->spam[2 * a], 2);
      sl_posterior_from_scores (&mace->strategy[a * n], (gint32) n);
      skill[a] = mace->spam[2 * a + 1];
      for (gsize k = 0; k < n && learned->confusion != NULL; k++)
        for (gsize l = 0; l < n; l++)
          learned->confusion[(a * n + k) * n + l]
              = mace->spam[2 * a] * mace->strategy[a * n + l] + (k == l ? skill[a] : 0);
    }
  SlLearned rest = *learned;
  rest.confusion = NULL;
  sl_posterior_learn (mace->items, mace->by, skill, &rest);
}

gboolean
sl_fit_mace (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
             SlLearned *learned, GError **error)
{
  if (sl_no_answers (items, answers, settings, learned))
    return TRUE;
  gsize n_classes = (gsize) items->n_classes, n_annotators = (gsize) answers->n_annotators;
  g_auto (SlByItem) by;
  sl_by_item_init (&by, items, answers, n_classes);
  g_autofree double *spam = g_new0 (double, n_annotators * 2);
  g_autofree double *strategy = g_new0 (double, n_annotators *n_classes);
  g_autofree double *odds = g_new0 (double, n_annotators *n_classes);
  g_autofree double *gain = g_new0 (double, n_annotators *n_classes);
  g_autofree double *answered = g_new0 (double, n_annotators *n_classes);
  g_autofree double *named = sl_by_item_sums (&by, n_annotators * n_classes);
  g_autofree double *share = sl_by_item_sums (&by, n_classes);
  g_autofree double *prior = g_new0 (double, n_classes);
  g_autofree double *log_prior = g_new0 (double, n_classes);
  g_autofree double *counts = g_new0 (double, n_classes);
  Mace mace = {
    .items = items,
    .by = &by,
    .settings = settings,
    .n_classes = n_classes,
    .n_annotators = n_annotators,
    .variational = isnan (settings->smoothing),
    .spam = spam,
    .strategy = strategy,
    .odds = odds,
    .gain = gain,
    .answered = answered,
    .named = named,
    .share = share,
    .prior = prior,
    .log_prior = log_prior,
    .counts = counts,
  };
  for (gint64 j = 0; j < by.n_answers; j++)
    answered[(gsize) by.annotator[j] * n_classes + (gsize) by.answer[j]]
        += sl_by_item_count (&by, j);
  climb_all (&mace, learned);
  learn (&mace, learned);
  return TRUE;
}
