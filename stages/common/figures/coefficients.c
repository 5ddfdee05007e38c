/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "coefficients.h"

#include "vote-figures.h"

#include <math.h>
#include <string.h>

/* Sums of single numbers, before those by class. */
enum
{
  ITEMS,
  PAIRED,        /* items with two answers or more, */
  VOTES,         /* and their answers */
  SAME,          /* Σ n_k (n_k - 1) / (n - 1), */
  AGREED,        /* and that over n: pairs that are the same; */
  AGREED_LINEAR, /* with these weights */
  AGREED_QUADRATIC,
  COMMONEST,
  ENTROPY,
  WITH_GOLD, /* items */
  TESTED,    /* their answers */
  RIGHT,
  ALL,        /* answers to all items: n, */
  ALL_SQUARE, /* n², */
  TOTAL,      /* Σ v, */
  SQUARE,     /* Σ v², */
  BETWEEN,    /* (Σ v)² / n */
  N_SINGLE,
};

#define SHARE                                                                                      \
  {                                                                                                \
    0, 1                                                                                           \
  }
#define BELOW_1                                                                                    \
  {                                                                                                \
    -INFINITY, 1                                                                                   \
  }

const SlCoefficientRow sl_coefficient_rows[SL_N_COEFFICIENTS] = {
  [SL_ALPHA] = { "alpha", "Krippendorff's alpha for names: 1 all agree, 0 as by chance", BELOW_1 },
  [SL_ALPHA_ORDINAL]
  = { "alpha_ordinal", "Krippendorff's alpha for ordered classes, by their ranks", BELOW_1, TRUE },
  [SL_ALPHA_INTERVAL]
  = { "alpha_interval", "Krippendorff's alpha for numbers, by squared distances", BELOW_1, TRUE },
  [SL_ALPHA_RATIO]
  = { "alpha_ratio", "Krippendorff's alpha for numbers from 0 on, by squared relative distances",
      BELOW_1, TRUE },
  [SL_ALPHA_CIRCULAR]
  = { "alpha_circular", "Krippendorff's alpha for numbers on a circle (--circle)", BELOW_1, TRUE },
  [SL_OBSERVED_AGREEMENT]
  = { "observed_agreement", "share of pairs of answers that are the same, as alpha counts them",
      SHARE },
  [SL_EXPECTED_AGREEMENT] = { "expected_agreement", "that of pairs drawn from all answers", SHARE },
  [SL_ITEM_AGREEMENT]
  = { "item_agreement", "mean over items of the share of pairs that are the same", SHARE },
  [SL_COHEN_KAPPA]
  = { "cohen_kappa", "Cohen's kappa of each two annotators, the mean over pairs", BELOW_1 },
  [SL_COHEN_KAPPA_LINEAR]
  = { "cohen_kappa_linear", "the same weighted by distance", BELOW_1, TRUE },
  [SL_COHEN_KAPPA_QUADRATIC]
  = { "cohen_kappa_quadratic", "the same weighted by squared distance", BELOW_1, TRUE },
  [SL_SCOTT_PI] = { "scott_pi", "Scott's pi of each two annotators, the mean over pairs", BELOW_1 },
  [SL_FLEISS_KAPPA] = { "fleiss_kappa", "Fleiss's kappa, answers may be missing (Gwet)", BELOW_1 },
  [SL_AC1] = { "ac1", "Gwet's AC1", BELOW_1 },
  [SL_AC2_LINEAR] = { "ac2_linear", "Gwet's AC2 weighted by distance", BELOW_1, TRUE },
  [SL_AC2_QUADRATIC]
  = { "ac2_quadratic", "Gwet's AC2 weighted by squared distance", BELOW_1, TRUE },
  [SL_BENNETT_S]
  = { "bennett_s", "Bennett's S: chance is one in as many as there are classes", BELOW_1 },
  [SL_ICC_1] = { "icc_1", "intra-class correlation of one answer, one way (Shrout & Fleiss 1,1)",
                 BELOW_1, TRUE },
  [SL_ICC_2] = { "icc_2", "the same, two ways, annotators drawn from many (2,1)", BELOW_1, TRUE },
  [SL_ICC_3] = { "icc_3", "the same, two ways, these annotators (3,1)", BELOW_1, TRUE },
  [SL_CONSISTENCY] = { "consistency", "mean share of an item's commonest answer", SHARE },
  [SL_ANSWER_ENTROPY]
  = { "entropy", "mean entropy of an item's answers, in nats", { 0, INFINITY } },
  [SL_ACCURACY] = { "accuracy", "share of answers that are the gold class", SHARE },
};

/* ---- sums ---- */

static gsize
at_marginal (void)
{
  return N_SINGLE;
}

static gsize
at_share (const SlScale *scale)
{
  return N_SINGLE + (gsize) scale->n_classes;
}

/* Classes k < l: Σ_i 2 n_k n_l / (n - 1); only where they have values. */
static gsize
at_two (const SlScale *scale, gint32 k, gint32 l)
{
  gsize n = (gsize) scale->n_classes, i = (gsize) k;
  return N_SINGLE + 2 * n + i * (2 * n - i - 1) / 2 + (gsize) (l - k - 1);
}

static gsize
at_rater (const SlScale *scale)
{
  gsize n = (gsize) scale->n_classes;
  return N_SINGLE + 2 * n + (scale->value != NULL && n > 0 ? n * (n - 1) / 2 : 0);
}

gsize
sl_sums_size (const SlScale *scale)
{
  return at_rater (scale) + (gsize) scale->n_raters;
}

gsize
sl_terms_room (const SlScale *scale)
{
  return sl_sums_size (scale);
}

static void
add (SlTerms *terms, gsize index, double value)
{
  if (value == 0)
    return;
  terms->index[terms->n] = (gint32) index;
  terms->value[terms->n++] = value;
}

/* Values are taken from the middle of the scale on, so that squares keep their digits. */
static double
value_of (const SlScale *scale, gint32 k)
{
  return scale->value[k] - (scale->value[0] + scale->value[scale->n_classes - 1]) / 2;
}

static void
add_values (const SlScale *scale, const double *votes, double n, const gint32 *answer,
            SlTerms *terms)
{
  double sum = 0, square = 0;
  for (gint32 k = 0; k < scale->n_classes; k++)
    {
      double v = value_of (scale, k);
      sum += votes[k] * v;
      square += votes[k] * v * v;
    }
  add (terms, TOTAL, sum);
  add (terms, SQUARE, square);
  add (terms, BETWEEN, sum * sum / n);
  for (gint32 r = 0; r < scale->n_raters; r++)
    add (terms, at_rater (scale) + (gsize) r, value_of (scale, answer[r]));
}

/* The pairs of answers of an item, N of them. */
static void
add_pairs (const SlScale *scale, const double *votes, double n, SlTerms *terms)
{
  double same = 0, linear = 0, quadratic = 0;
  gint32 last = scale->n_classes - 1;
  double width = scale->value != NULL ? scale->value[last] - scale->value[0] : 1;
  for (gint32 k = 0; k <= last; k++)
    {
      if (votes[k] == 0)
        continue;
      add (terms, at_marginal () + (gsize) k, votes[k]);
      same += votes[k] * (votes[k] - 1);
      for (gint32 l = k + 1; scale->value != NULL && l <= last; l++)
        if (votes[l] > 0)
          {
            double two = 2 * votes[k] * votes[l];
            double apart = (scale->value[l] - scale->value[k]) / width;
            add (terms, at_two (scale, k, l), two / (n - 1));
            linear += two * (1 - apart);
            quadratic += two * (1 - apart * apart);
          }
    }
  double all = n * (n - 1);
  add (terms, PAIRED, 1);
  add (terms, VOTES, n);
  add (terms, SAME, same / (n - 1));
  add (terms, AGREED, same / all);
  add (terms, AGREED_LINEAR, (same + linear) / all);
  add (terms, AGREED_QUADRATIC, (same + quadratic) / all);
}

void
sl_item_terms (const SlScale *scale, const double *votes, gint32 gold, const gint32 *answer,
               SlTerms *terms)
{
  double n = 0;
  terms->n = 0;
  for (gint32 k = 0; k < scale->n_classes; k++)
    n += votes[k];
  if (!(n > 0))
    return;
  add (terms, ITEMS, 1);
  add (terms, ALL, n);
  add (terms, ALL_SQUARE, n * n);
  add (terms, COMMONEST, sl_votes_consistency (votes, scale->n_classes));
  add (terms, ENTROPY, sl_shares_entropy (votes, scale->n_classes));
  for (gint32 k = 0; k < scale->n_classes; k++)
    add (terms, at_share (scale) + (gsize) k, votes[k] / n);
  if (gold >= 0)
    {
      add (terms, WITH_GOLD, 1);
      add (terms, TESTED, n);
      add (terms, RIGHT, votes[gold]);
    }
  if (n >= 2)
    add_pairs (scale, votes, n, terms);
  if (scale->value != NULL)
    add_values (scale, votes, n, answer, terms);
}

void
sl_add_terms (const SlTerms *terms, double times, double *sums)
{
  for (gsize j = 0; j < terms->n; j++)
    sums[terms->index[j]] += times * terms->value[j];
}

/* ---- coefficients ---- */

static double
quotient (double part, double whole)
{
  return whole > 0 ? part / whole : (double) NAN;
}

/* 1 - OBSERVED / EXPECTED, where less than all that is expected is rounding's. */
static double
beyond_chance (double observed, double expected, double most)
{
  return expected > 1e-14 * most ? 1 - observed / expected : (double) NAN;
}

static void
find_alpha (const double *s, const double *marginal, gint32 n_classes, double *value)
{
  double votes = s[VOTES], alike = 0;
  for (gint32 k = 0; k < n_classes; k++)
    alike += marginal[k] * (marginal[k] - 1);
  value[SL_OBSERVED_AGREEMENT] = quotient (s[SAME], votes);
  value[SL_EXPECTED_AGREEMENT] = quotient (alike, votes * (votes - 1));
  value[SL_ALPHA]
      = beyond_chance (1 - value[SL_OBSERVED_AGREEMENT], 1 - value[SL_EXPECTED_AGREEMENT], 1);
}

/* sin² (π TURNS), by its series up to an eighth of a turn: the same bits everywhere. */
static double
sine_square (double turns)
{
  double t = turns - floor (turns), half = t > 0.5 ? 1 - t : t;
  double x = G_PI * (half > 0.25 ? 0.5 - half : half), term = x, sine = x;
  for (int n = 2; n <= 20; n += 2)
    {
      term *= -x * x / (n * (n + 1));
      sine += term;
    }
  return half > 0.25 ? 1 - sine * sine : sine * sine;
}

/* δ_kl; MIDDLE are the ranks by which ordinal ones go. */
static void
find_distances (const SlScale *scale, const double *middle, gint32 k, gint32 l, double *distance)
{
  double apart = scale->value[l] - scale->value[k], sum = scale->value[l] + scale->value[k];
  double ranks = middle[l] - middle[k];
  distance[0] = ranks * ranks;
  distance[1] = apart * apart;
  distance[2] = sum != 0 ? apart * apart / (sum * sum) : 0;
  distance[3] = 0;
  if (scale->circle > 0)
    {
      distance[3] = sine_square (apart / scale->circle);
    }
}

static void
find_ordered_alphas (const SlScale *scale, const double *s, double *middle, double *value)
{
  const double *marginal = s + at_marginal ();
  double observed[4] = { 0 }, expected[4] = { 0 }, most[4] = { 0 }, before = 0;
  for (gint32 k = 0; k < scale->n_classes; k++)
    {
      middle[k] = before + marginal[k] / 2;
      before += marginal[k];
    }
  for (gint32 k = 0; k < scale->n_classes; k++)
    for (gint32 l = k + 1; l < scale->n_classes; l++)
      {
        double distance[4], two = s[at_two (scale, k, l)];
        find_distances (scale, middle, k, l, distance);
        for (int d = 0; d < 4; d++)
          {
            observed[d] += two * distance[d];
            expected[d] += 2 * marginal[k] * marginal[l] * distance[d];
            most[d] = MAX (most[d], distance[d]);
          }
      }
  for (int d = 0; d < 4; d++)
    if ((d != 2 || scale->value[0] >= 0) && (d != 3 || scale->circle > 0))
      value[SL_ALPHA_ORDINAL + d] = beyond_chance (
          observed[d] / s[VOTES], expected[d] / (s[VOTES] * (s[VOTES] - 1)), most[d]);
}

/* What lies beyond the expected agreement EXPECTED. */
static double
chance_corrected (double agreed, double expected)
{
  return beyond_chance (1 - agreed, 1 - expected, 1);
}

static void
find_kappas (const SlScale *scale, const double *s, double *value)
{
  const double *share = s + at_share (scale);
  double n = scale->n_classes, squares = 0, spread = 0, linear = n, quadratic = n;
  double agreed = quotient (s[AGREED], s[PAIRED]);
  for (gint32 k = 0; k < scale->n_classes; k++)
    {
      double p = share[k] / s[ITEMS];
      squares += p * p;
      spread += p * (1 - p);
      for (gint32 l = k + 1; scale->value != NULL && l < scale->n_classes; l++)
        {
          double apart = (scale->value[l] - scale->value[k])
                         / (scale->value[scale->n_classes - 1] - scale->value[0]);
          linear += 2 * (1 - apart);
          quadratic += 2 * (1 - apart * apart);
        }
    }
  value[SL_ITEM_AGREEMENT] = agreed;
  value[SL_FLEISS_KAPPA] = chance_corrected (agreed, squares);
  if (scale->n_classes < 2)
    return;
  value[SL_BENNETT_S] = chance_corrected (agreed, 1 / n);
  value[SL_AC1] = chance_corrected (agreed, spread / (n - 1));
  if (scale->value == NULL)
    return;
  value[SL_AC2_LINEAR]
      = chance_corrected (s[AGREED_LINEAR] / s[PAIRED], linear * spread / (n * (n - 1)));
  value[SL_AC2_QUADRATIC]
      = chance_corrected (s[AGREED_QUADRATIC] / s[PAIRED], quadratic * spread / (n * (n - 1)));
}

static void
find_correlations (const SlScale *scale, const double *s, double *value)
{
  double items = s[ITEMS], all = s[ALL], mean = s[TOTAL] * s[TOTAL] / all;
  if (!(items > 1) || !(all > items))
    return;
  double between = (s[BETWEEN] - mean) / (items - 1), within = s[SQUARE] - s[BETWEEN];
  double ms_within = within / (all - items), most = 1e-14 * s[SQUARE] / all;
  double each = (all - s[ALL_SQUARE] / all) / (items - 1);
  double whole = between + (each - 1) * ms_within;
  value[SL_ICC_1] = whole > most ? (between - ms_within) / whole : (double) NAN;
  if (scale->n_raters < 2)
    return;
  double raters = 0, k = scale->n_raters;
  for (gint32 r = 0; r < scale->n_raters; r++)
    raters += s[at_rater (scale) + (gsize) r] * s[at_rater (scale) + (gsize) r] / items;
  double ms_raters = (raters - mean) / (k - 1);
  double error = (within - (raters - mean)) / ((items - 1) * (k - 1));
  double two = between + (k - 1) * error + k * (ms_raters - error) / items;
  double three = between + (k - 1) * error;
  value[SL_ICC_2] = two > most ? (between - error) / two : (double) NAN;
  value[SL_ICC_3] = three > most ? (between - error) / three : (double) NAN;
}

void
sl_coefficients (const SlScale *scale, const double *sums, double *room, double *value)
{
  for (int c = 0; c < SL_N_COEFFICIENTS; c++)
    value[c] = (double) NAN;
  if (!(sums[ITEMS] > 0))
    return;
  value[SL_CONSISTENCY] = sums[COMMONEST] / sums[ITEMS];
  value[SL_ANSWER_ENTROPY] = MAX (sums[ENTROPY], 0) / sums[ITEMS];
  value[SL_ACCURACY] = quotient (sums[RIGHT], sums[TESTED]);
  if (scale->value != NULL)
    find_correlations (scale, sums, value);
  if (!(sums[PAIRED] > 0))
    return;
  find_alpha (sums, sums + at_marginal (), scale->n_classes, value);
  find_kappas (scale, sums, value);
  if (scale->value != NULL)
    find_ordered_alphas (scale, sums, room, value);
}

const char *
sl_no_coefficient (const SlScale *scale, const double *sums, SlCoefficient coefficient)
{
  if (!(sums[ITEMS] > 0))
    return "there are no answers";
  if (scale->value == NULL && sl_coefficient_rows[coefficient].ordered)
    return "classes are names alone";
  if (coefficient == SL_ACCURACY)
    return "no item has a gold class";
  if (!(sums[PAIRED] > 0))
    return "no item has two answers";
  if (coefficient == SL_ALPHA_RATIO && scale->value[0] < 0)
    return "a class stands for less than 0";
  if ((coefficient == SL_ICC_2 || coefficient == SL_ICC_3) && scale->n_raters < 2)
    return "not everybody has answered every item once";
  if (scale->n_classes < 2)
    return "there is one class only";
  return "all answers are of one class";
}

gint64
sl_coefficient_n (const double *sums, SlCoefficient coefficient)
{
  gboolean whole = coefficient == SL_CONSISTENCY || coefficient == SL_ANSWER_ENTROPY
                   || (coefficient >= SL_ICC_1 && coefficient <= SL_ICC_3);
  return (gint64) (sums[coefficient == SL_ACCURACY ? TESTED : whole ? ITEMS : PAIRED] + 0.5);
}
