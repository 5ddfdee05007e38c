/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How raters place items on a scale of ordered classes, 0 to K - 1 (a graded response model:
 * Samejima, Psychometrika monograph 17, 1969; with raters' own bias and scale as in many-facet
 * models: Linacre, Many-Facet Rasch Measurement, 1989). Item i has a place θ ~ N (0, 1), and rater
 * a answers class l or a lower one with probability
 *
 *     F (b_a + e^(s_a) τ_l - d_a θ),   F (u) = 1 / (1 + e^-u),   τ_0 < … < τ_(K-2)
 *
 * b: how severe (answers are low where it is large), s: how far the classes are apart for the rater
 * (where it is large, answers crowd in the middle), d: how well the rater tells items apart; 0 is
 * one who answers at random. They lean on the crowd:
 *     b ~ N (0, σ_b²), s ~ N (0, σ_s²), d ~ N (μ, σ_d²).
 * θ goes by a grid, so that sums stand for integrals. */
#pragma once

#include <glib.h>

enum
{
  SL_RATING_GRID = 41, /* from -4 to 4 */
  SL_RATER_PARTS = 3,
};

#define SL_RATING_STEP 0.2

static inline double
sl_rating_place (int g)
{
  return SL_RATING_STEP * (g - SL_RATING_GRID / 2);
}

typedef struct
{
  double x[SL_RATER_PARTS];        /* b, s, d */
  double variance[SL_RATER_PARTS]; /* of each, given the answers */
} SlRater;

typedef struct
{
  gint32 n_classes;
  double *threshold;                                     /* τ[n_classes - 1] */
  double mean[SL_RATER_PARTS], variance[SL_RATER_PARTS]; /* of raters */
} SlRatingScale;

/* P[n_classes][grid] of RATER's answers; SLOPE[n_classes - 1][grid] (or NULL): F' at thresholds. */
void sl_rating_probabilities (const SlRatingScale *scale, const SlRater *rater, double *p,
                              double *slope);

/* RATER moves to where COUNT[n_classes][grid], the answers that are expected, are likelier, by
 * Fisher's scoring. ROOM: [3 n_classes × grid]. */
void sl_rater_improve (const SlRatingScale *scale, const double *count, SlRater *rater,
                       double *room);

/* What RATER's answers say of the thresholds: adds to SCORE[n_classes - 1] and to the information,
 * DIAGONAL[n_classes - 1] and BESIDE[n_classes - 1], where BESIDE[l] is that of l - 1 and l. */
void sl_rater_add_thresholds (const SlRatingScale *scale, const SlRater *rater, const double *count,
                              double *score, double *diagonal, double *beside, double *room);

/* The thresholds move by these sums, and stay in order. */
void sl_rating_move_thresholds (SlRatingScale *scale, const double *score, const double *diagonal,
                                const double *beside);

/* Takes from RATER[n] what they have in common and gives it to the thresholds, which changes no
 * probability: τ may be stretched by what all s have, and moved by what all b have of it. */
void sl_rating_centre (SlRatingScale *scale, SlRater *rater, gint32 n);

/* BOUNDARY[n_classes - 1]: where raters draw the lines between classes, (b + e^s τ_l) / d, each
 * weighed by d² × WEIGHT[n], as those who tell nothing apart draw none. */
void sl_rating_boundaries (const SlRatingScale *scale, const SlRater *rater, const double *weight,
                           gint32 n, double *boundary);

/* SHARE[n_classes][grid]: which part of a cell of the grid lies between a class's boundaries. */
void sl_rating_regions (const double *boundary, gint32 n_classes, double *share);
