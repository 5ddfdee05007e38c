/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a crowd is made of, from the text of options; and how its kinds of annotators answer. */
#pragma once

#include "pipeline/base/random.h"

/* Parses TYPE=SHARE[:P[:S]],... into an array of SlCrowdPart, whose shares sum to 1. */
GArray *sl_crowd_mix_parse (const char *text, GError **error);

/* counts[mix->len] of N annotators: each part's share, rounded so that the sum is N (largest
 * remainders). */
void sl_crowd_mix_counts (const GArray *mix, gint64 n, gint64 *counts);

/* The group of each class, group[n_classes]. TEXT is a|b,c|d|e, by the names of CLASSES; a class
 * that is not named is in a group of its own. NULL: neighbours in class order are pairs, and an odd
 * last one joins the last pair. */
gboolean sl_crowd_groups_parse (const char *text, char *const *classes, gint32 *group,
                                GError **error);

/* share[n_classes]: numbers with commas that sum to 1. */
gboolean sl_crowd_priors_parse (const char *text, gint32 n_classes, double *share, GError **error);

/* share[k] falls geometrically from the first class to the last, 1 / RATIO of the first's. */
void sl_crowd_long_tail (double ratio, gint32 n_classes, double *share);

typedef enum
{
  SL_CROWD_RELIABLE,
  SL_CROWD_HAMMER,
  SL_CROWD_SPAMMER,
  SL_CROWD_ONE_CLASS,
  SL_CROWD_ADVERSARY,
  SL_CROWD_PAIR_FLIPPER,
  SL_CROWD_TEACHER,
  SL_CROWD_STUDENT,
  SL_CROWD_INDEPENDENT,
  SL_N_CROWD_TYPES,
} SlCrowdType;

typedef struct
{
  const char *name;
  int n_values;      /* it takes: none, p, or p and s */
  double p, s;       /* by default */
  gboolean is_drawn; /* for each annotator anew */
} SlCrowdTypeInfo;

extern const SlCrowdTypeInfo sl_crowd_types[SL_N_CROWD_TYPES];

/* For options: how a type is written, and what it does; the first ends with NULL. */
extern const char *const sl_crowd_type_texts[], *const sl_crowd_type_meanings[];

typedef struct
{
  SlCrowdType type;
  double share; /* of the annotators */
  double p;     /* [0, 1] */
  double s;     /* > 0 */
} SlCrowdPart;

/* GROUP[n_classes]: students take classes of one group for one another. RANDOM is drawn from only
 * where the type is drawn. n_classes > 1. */
void sl_crowd_matrix (const SlCrowdPart *part, gint32 n_classes, const gint32 *group,
                      SlRandom *random, double *theta);

/* How easy an item is, log-normal around 1. */
double sl_crowd_ease (double sigma, SlRandom *random);

/* sums[n_classes] <- running sums of exp (ease × (log_theta[l] - max)); -inf is never answered. */
void sl_crowd_ease_sums (const double *log_theta, gint32 n_classes, double ease, double *sums);
