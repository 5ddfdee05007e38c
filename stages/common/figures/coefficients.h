/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Coefficients of agreement, all of which are functions of sums over items, so that items can be
 * drawn again, or left out, at the price of adding up.
 *
 * Item i has n_ik answers of class k, n_i in all. Items with two answers or more are paired, P of
 * them; I is the number of all. Classes stand for values v_k where they are ordered.
 *
 * Krippendorff (Content Analysis, 2004, section 11.3; Computing Krippendorff's alpha-reliability,
 * 2011): alpha = 1 - D_o / D_e over paired items, with m_k = Σ_i n_ik, M = Σ_k m_k,
 *   D_o = Σ_i Σ_kl n_ik (n_il - [k = l]) δ_kl / (n_i - 1) / M,
 *   D_e = Σ_kl m_k (m_l - [k = l]) δ_kl / (M (M - 1)),
 *   δ_kl: nominal [k ≠ l]; ordinal (Σ_{k <= g <= l} m_g - (m_k + m_l) / 2)²; interval (v_k - v_l)²;
 *   ratio ((v_k - v_l) / (v_k + v_l))²; circular sin² (π (v_k - v_l) / U).
 *
 * Gwet (British Journal of Mathematical and Statistical Psychology 61, 2008; Handbook of
 * Inter-Rater Reliability, 2014), who lets answers be missing: (p_a - p_e) / (1 - p_e), with
 * weights w_kl, 1 on the diagonal, and 1 - |v_k - v_l| / (v_K - v_1) (linear) or 1 - that
 * quotient's square (quadratic),
 *   p_a = Σ_i Σ_kl w_kl n_ik (n_il - [k = l]) / (n_i (n_i - 1)) / P, over paired items,
 *   π_k = Σ_i n_ik / n_i / I, over all,
 *   Fleiss's kappa p_e = Σ_k π_k² (Psychological Bulletin 76, 1971); Bennett's S p_e = 1 / K;
 *   AC1 and AC2 p_e = Σ_kl w_kl Σ_k π_k (1 - π_k) / (K (K - 1)).
 *
 * Intra-class correlations (Shrout & Fleiss, Psychological Bulletin 86, 1979) of values: icc_1 of
 * one way, with n_0 = (N - Σ n_i² / N) / (I - 1) for the number of answers where that differs
 * (Donner, International Statistical Review 54, 1986); icc_2 and icc_3 of two ways, where everybody
 * has answered every item once. */
#pragma once

#include "resampling.h"

typedef enum
{
  SL_ALPHA,
  SL_ALPHA_ORDINAL,
  SL_ALPHA_INTERVAL,
  SL_ALPHA_RATIO,
  SL_ALPHA_CIRCULAR,
  SL_OBSERVED_AGREEMENT,
  SL_EXPECTED_AGREEMENT,
  SL_ITEM_AGREEMENT,
  SL_COHEN_KAPPA, /* of each two annotators, the mean: pair-kappas.h */
  SL_COHEN_KAPPA_LINEAR,
  SL_COHEN_KAPPA_QUADRATIC,
  SL_SCOTT_PI,
  SL_FLEISS_KAPPA,
  SL_AC1,
  SL_AC2_LINEAR,
  SL_AC2_QUADRATIC,
  SL_BENNETT_S,
  SL_ICC_1,
  SL_ICC_2,
  SL_ICC_3,
  SL_CONSISTENCY,
  SL_ANSWER_ENTROPY,
  SL_ACCURACY,
  SL_N_COEFFICIENTS,
} SlCoefficient;

typedef struct
{
  const char *name, *definition;
  SlRange range;
  gboolean ordered; /* only where classes are */
} SlCoefficientRow;

extern const SlCoefficientRow sl_coefficient_rows[SL_N_COEFFICIENTS];

/* What answers are given on. */
typedef struct
{
  gint32 n_classes;
  const double *value; /* [n_classes], rising; NULL: classes are names alone */
  double circle;       /* U, the way round; 0: they do not lie on a circle */
  gint32 n_raters;     /* who have all answered every item once; 0: there are no such */
} SlScale;

/* The sums: [sl_sums_size()]. */
gsize sl_sums_size (const SlScale *scale);

/* What one item adds to the sums: value[j] to sum index[j], 0 <= j < n. INDEX and VALUE have room
 * for sl_terms_room() of them. */
typedef struct
{
  gint32 *index;
  double *value;
  gsize n;
} SlTerms;

gsize sl_terms_room (const SlScale *scale);

/* The terms of an item with VOTES[n_classes] and the gold class GOLD (-1: not known). ANSWER: the
 * answers of the n_raters, by rater; NULL unless there are such. */
void sl_item_terms (const SlScale *scale, const double *votes, gint32 gold, const gint32 *answer,
                    SlTerms *terms);

/* SUMS += TIMES × TERMS. */
void sl_add_terms (const SlTerms *terms, double times, double *sums);

/* value[SL_N_COEFFICIENTS]: NaN where SUMS do not have one, and of Cohen's and Scott's. ROOM:
 * [n_classes]. */
void sl_coefficients (const SlScale *scale, const double *sums, double *room, double *value);

/* Why there is no COEFFICIENT, in words. */
const char *sl_no_coefficient (const SlScale *scale, const double *sums, SlCoefficient coefficient);

/* How many items, or of accuracy answers, are behind COEFFICIENT. */
gint64 sl_coefficient_n (const double *sums, SlCoefficient coefficient);
