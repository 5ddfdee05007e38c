/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What scores are made of, and the one table of metrics (metrics.c). A metric is a function of what
 * is known of each item, weighted, so that the same function serves the items as they are and the
 * resamples of the bootstrap. */
#pragma once

#include "stages/common/figures/resampling.h"
#include "class-bins.h"
#include "item-figures.h"

typedef enum
{
  SL_EDGE_LEFT,  /* bins [lo, hi); 1 is in the last */
  SL_EDGE_RIGHT, /* bins (lo, hi]; 0 is in the first */
} SlBinEdge;

typedef struct
{
  gint64 bin_size;        /* of adaptive bins */
  gboolean skip_last_bin; /* as published code does */
  gint32 bins;            /* of equal width */
  SlBinEdge edge;
  gboolean own_bin_of_one;   /* confidence 1 has a bin of its own */
  const double *class_value; /* [n_classes]: the numbers that classes are; NULL: they are none */
  const double *value;       /* [n_classes]: what ordered ones stand for; NULL: they are not */
  double scale;              /* what distances between those are divided by */
} SlMetricSettings;

/* Items that are scored together: those of one run, in their order. */
typedef struct
{
  gint64 n;
  gint32 n_classes;
  const double *column[SL_N_FIGURES]; /* [n]; NULL: only its sum is known */
  double sum[SL_N_FIGURES];           /* over the items that have the figure, */
  gint64 count[SL_N_FIGURES];         /* of which there are so many, */
  gint64 infinite[SL_N_FIGURES];      /* those among them that are infinite */
  const gint32 *class_order; /* [n_classes][n]: items from the least p of a class on; or NULL */
  const gint32 *value_order, *target_order; /* [n]: from the least Σ p v, Σ t v on; or NULL */
  const gint32 *order;         /* [n]: items from the least sure to the surest; or NULL */
  const SlClassBins *bins;     /* of all items; or NULL */
  const double *prob, *target; /* [n][n_classes]; NULL where nothing is to be drawn */
  /* [n]: the item, of n_distinct, that a row is of; NULL: each is of its own. */
  const gint32 *distinct;
  gint32 n_distinct;
} SlScoredItems;

typedef struct
{
  double value;       /* NaN: there is none, for REASON */
  double n;           /* items behind it */
  const char *reason; /* or why it has no interval; or NULL */
} SlMetricValue;

/* How far confidence is from accuracy, over bins. */
typedef struct
{
  double items; /* in all */
  double l1, squares, most;
  double gaps, bins; /* sum over the bins that are not empty, and how many those are */
} SlGaps;

/* Of a class: items, right ones, those said to be it; the sum of their -log p_y. */
typedef struct
{
  double n, right, named, loss;
} SlClassSums;

/* What several metrics look at, made for the first of them: of one set of items, weighed in one
 * way. Begins as zeros. */
typedef struct
{
  gboolean has_adaptive, has_fixed, has_classes, has_bins;
  SlGaps adaptive, fixed; /* bins of as many items each, and of equal width */
  SlClassSums *classes;   /* [n_classes] */
  double class_items;     /* in all of those */
  SlClassBins bins;       /* of weighed items */
} SlShared;

/* Before other items or weights. */
void sl_shared_reset (SlShared *shared);
void sl_shared_clear (SlShared *shared);

typedef enum
{
  SL_METRIC_DEFAULT = 1 << 0,    /* is made unless others are asked for */
  SL_METRIC_TARGET = 1 << 1,     /* needs targets (--against) */
  SL_METRIC_SOFT = 1 << 2,       /* needs targets that are distributions */
  SL_METRIC_CLASS = 1 << 3,      /* needs classes: gold, or the largest of the targets */
  SL_METRIC_COST = 1 << 4,       /* needs --cost */
  SL_METRIC_LOSS = 1 << 5,       /* needs a column 'loss' */
  SL_METRIC_ORDER = 1 << 6,      /* looks at items from the least sure to the surest */
  SL_METRIC_BINS = 1 << 7,       /* looks at all classes' bins */
  SL_METRIC_TABLE = 1 << 8,      /* is about a table by itself */
  SL_METRIC_BETWEEN = 1 << 9,    /* is made of two tables that `compare` sets beside each other */
  SL_METRIC_ANSWERS = 1 << 10,   /* compares single annotators' answers */
  SL_METRIC_SAID = 1 << 11,      /* is about what annotators said: of a table of annotations */
  SL_METRIC_LINE = 1 << 12,      /* takes the order of classes for a line that they stand on */
  SL_METRIC_QUESTIONS = 1 << 14, /* needs items of several questions */
  SL_METRIC_SHARE = 1 << 15,     /* is at most 1 */
  SL_METRIC_SIGNED = 1 << 16,    /* may be below 0 */
  SL_METRIC_ORDERED = 1 << 17,   /* needs ordered classes */
  SL_METRIC_RANKED = 1 << 18,    /* looks at items in the order of each class's p */
  SL_METRIC_BY_CLASS = 1 << 19,  /* several rows: one for each class, `of_class` */
  /* Several rows: how many items have `figure` in each bin of width `factor`; no VALUE. */
  SL_METRIC_HISTOGRAM = 1 << 13,
} SlMetricFlags;

typedef struct _SlMetric SlMetric;

/* An interval by a formula. */
typedef struct
{
  const char *name;
  /* LOWER and UPPER, which hold what ITEMS were drawn from with probability LEVEL. FALSE: there is
   * none. */
  gboolean (*find) (const SlMetric *metric, const SlScoredItems *items,
                    const SlMetricSettings *settings, SlShared *shared, double level, double *lower,
                    double *upper);
} SlFormula;

struct _SlMetric
{
  const char *name;
  const char *definition; /* a sentence, for help, the manual and the table of scores */
  SlMetricFlags flags;
  guint64 figures; /* whose columns VALUE looks at; of a mean, the one that it is of */
  /* WEIGHT[n]: how often each item counts; NULL: once each, and sums may stand for columns. SHARED
   * is of these items and weights. */
  SlMetricValue (*value) (const SlMetric *metric, const SlScoredItems *items, const double *weight,
                          const SlMetricSettings *settings, SlShared *shared);
  SlFigure figure;          /* of means */
  double factor;            /* of means: what they are multiplied by; 0: 1 */
  const SlFormula *formula; /* of its interval; NULL: the bootstrap */
  const char *no_interval;  /* why neither covers what it is about; or NULL */
  gint32 of_class;          /* of SL_METRIC_BY_CLASS, in a copy of the table's row */
};

extern const SlMetric sl_metrics[];
extern const int sl_n_metrics;
extern const char *const sl_metric_names[];       /* in the same order; ends with NULL */
extern const char *const sl_metric_definitions[]; /* likewise */

int sl_metric_find (const char *name); /* -1: there is none */

SlRange sl_metric_range (const SlMetric *metric);

/* ---- families, for metrics.c ---- */

extern const SlFormula sl_formula_wilson;         /* of the share of a figure that is 0 or 1 */
extern const SlFormula sl_formula_mean_of_shares; /* of balanced_accuracy */
extern const SlFormula sl_formula_debiased;       /* of ece_rms_debiased */

#define SL_METRIC_FUNCTION(name)                                                                   \
  SlMetricValue name (const SlMetric *metric, const SlScoredItems *items, const double *weight,    \
                      const SlMetricSettings *settings, SlShared *shared)

SL_METRIC_FUNCTION (sl_metric_mean); /* factor × the mean of a figure */

SL_METRIC_FUNCTION (sl_metric_mean_by_class); /* factor × the mean of a figure / K */
SL_METRIC_FUNCTION (sl_metric_mean_by_log);   /* the mean of a figure / log K */
SL_METRIC_FUNCTION (sl_metric_rounded_mean);  /* rounded to 5 decimals */
SL_METRIC_FUNCTION (sl_metric_greatest);

SL_METRIC_FUNCTION (sl_metric_adaptive_rms);
SL_METRIC_FUNCTION (sl_metric_adaptive_l1);
SL_METRIC_FUNCTION (sl_metric_adaptive_max);
SL_METRIC_FUNCTION (sl_metric_ece);
SL_METRIC_FUNCTION (sl_metric_ece_rms);
SL_METRIC_FUNCTION (sl_metric_mce);
SL_METRIC_FUNCTION (sl_metric_ace);
SL_METRIC_FUNCTION (sl_metric_ece_rms_debiased);

SL_METRIC_FUNCTION (sl_metric_class_ece);
SL_METRIC_FUNCTION (sl_metric_reliability);
SL_METRIC_FUNCTION (sl_metric_resolution);
SL_METRIC_FUNCTION (sl_metric_uncertainty);

SL_METRIC_FUNCTION (sl_metric_aurc);
SL_METRIC_FUNCTION (sl_metric_confidence_correct);
SL_METRIC_FUNCTION (sl_metric_confidence_incorrect);

SL_METRIC_FUNCTION (sl_metric_entropy_correlation);

SL_METRIC_FUNCTION (sl_metric_rounded_by_item); /* of the items that SL_FIGURE_ITEM tells */
SL_METRIC_FUNCTION (sl_metric_exact_match);
SL_METRIC_FUNCTION (sl_metric_error_rate);
SL_METRIC_FUNCTION (sl_metric_absolute_distance);

SL_METRIC_FUNCTION (sl_metric_rmse);
SL_METRIC_FUNCTION (sl_metric_spearman);
SL_METRIC_FUNCTION (sl_metric_quadratic_kappa);

SL_METRIC_FUNCTION (sl_metric_auroc); /* with SL_METRIC_BY_CLASS of one class, else of all */
SL_METRIC_FUNCTION (sl_metric_average_precision);

SL_METRIC_FUNCTION (sl_metric_kappa);
SL_METRIC_FUNCTION (sl_metric_mcc);
SL_METRIC_FUNCTION (sl_metric_precision);
SL_METRIC_FUNCTION (sl_metric_recall);
SL_METRIC_FUNCTION (sl_metric_f1);
SL_METRIC_FUNCTION (sl_metric_balanced_accuracy);
SL_METRIC_FUNCTION (sl_metric_macro_f1);
SL_METRIC_FUNCTION (sl_metric_worst_class_accuracy);
SL_METRIC_FUNCTION (sl_metric_worst_class_cross_entropy);

/* Whether METRIC is the mean of a figure, times or over something. */
gboolean sl_metric_is_mean (const SlMetric *metric);
