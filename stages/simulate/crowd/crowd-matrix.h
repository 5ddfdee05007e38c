/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kinds of annotators: theta[n_classes][n_classes], row: the true class, column: the answer; and
 * how an item's ease changes a row. */
#pragma once

#include "pipeline/base/random.h"

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

/* sums[n_classes] <- running sums of exp (ease × (log_theta[l] - max log_theta)); -inf is never
 * answered. */
void sl_crowd_ease_sums (const double *log_theta, gint32 n_classes, double ease, double *sums);
