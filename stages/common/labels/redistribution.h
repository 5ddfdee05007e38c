/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From what one person said to one distribution over the classes: arrays in, arrays out. */
#pragma once

#include "schemas/records.h"

/* Where the mass goes that the percents leave over. */
typedef enum
{
  SL_SPREAD_UNIFORM,    /* evenly over the classes without mass */
  SL_SPREAD_CLAMP,      /* evenly over those of them that are not ruled out */
  SL_SPREAD_SEMANTIC,   /* over either, in proportion to likeness to the first choice */
  SL_SPREAD_NONE,       /* nowhere */
  SL_SPREAD_NEIGHBOURS, /* as clamp, but in proportion to nearness to the named classes */
} SlSpread;

typedef struct
{
  SlSpread spread;
  gint32 top;      /* choices that count, from the best */
  double gamma;    /* clamp: what possible classes get where the percents leave nothing over */
  gboolean compat; /* the arithmetic of the code released with CIFAR-10S */
  /* For the semantic spread: likeness[n_classes][n_classes] of the first choice and each receiver;
   * the weight is max (likeness, 0), or exp (likeness / temperature) with softmax; with clamped,
   * classes that are ruled out get nothing. For neighbours: nearness, 0 or more, of each named
   * class and each receiver; the weight is their sum by the named classes' mass. */
  const double *likeness;
  gboolean softmax, clamped;
  double temperature;
} SlRedistribution;

typedef enum
{
  SL_ANSWER_OK,
  SL_ANSWER_EMPTY,      /* names no class */
  SL_ANSWER_CLASS,      /* a class outside 0 .. n_classes - 1 */
  SL_ANSWER_PERCENT,    /* a percent outside [0, 100] */
  SL_ANSWER_IMPOSSIBLE, /* compat: the released arithmetic would give negative probabilities */
} SlAnswerProblem;

/* What was met on the way; counts are added to. */
typedef struct
{
  gint64 assumed; /* first choices without a percent, taken as 100 */
  gint64 ignored; /* later choices without a percent */
  gint64 renamed; /* later choices of a class named before */
  gint64 flat;    /* answers without any mass, not even left over: 1/n_classes each */
  gint64 beyond;  /* percents of choices behind those that count */
} SlAnswerCounts;

/* Fills label[i][n_classes], FIRST <= i < END, each row summing to 1. Returns END, or the first
 * answer that cannot be used, with its PROBLEM. */
gint64 sl_redistribute (const SlRedistribution *how, const SlRecords *answers, gint64 first,
                        gint64 end, gint32 n_classes, double *label, SlAnswerCounts *counts,
                        SlAnswerProblem *problem);

/* The same from the choices alone: 1/m on each of the m distinct classes among the first TOP
 * choices; with TOP 1 it is the hard label. */
gint64 sl_select_choices (gint32 top, const SlRecords *answers, gint64 first, gint64 end,
                          gint32 n_classes, double *label, SlAnswerCounts *counts,
                          SlAnswerProblem *problem);

/* label <- (1 - beta) label + beta / n_classes, for label[n][n_classes]. */
void sl_smooth_labels (double beta, gint64 n, gint32 n_classes, double *label);

/* a[n] summed in the order of NumPy's add.reduce, in which the released labels were computed. */
double sl_sum (const double *a, gint64 n);
