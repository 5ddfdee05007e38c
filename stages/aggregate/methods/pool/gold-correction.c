/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gold-correction.h"

#include "pipeline/base/real-math.h"
#include "stages/aggregate/methods/abilities/conjugate-gradient.h"
#include "stages/common/methods/posterior.h"

#include <math.h>
#include <string.h>

static const double power_spread = 0.6;

static const SlRidges tries[SL_GOLD_TRIES]
    = { { INFINITY, INFINITY }, { 4, INFINITY }, { 4, 100 }, { 4, 30 }, { 4, 10 } };

enum
{
  FOLDS = 5,
  NONE = -1 /* hides no part */
};

typedef struct
{
  const SlItems *items;
  const SlByItem *by;
  gint32 n_known;
  gint32 *known; /* [n_known]: the items whose class is known */
  gint32 *fold;  /* [n_known]: their parts */
  gint32 hidden; /* the part that is not learned from */
  double *logs;  /* [n_known][n_classes]: log p */
  double *p;     /* [n_classes] */
  double *x;     /* [1 + n_classes + n_annotators]: what is tried, 0 beyond the variables */
  SlRidges ridges;
} Regression;

static void
regression_clear (Regression *regression)
{
  g_free (regression->known);
  g_free (regression->fold);
  g_free (regression->logs);
  g_free (regression->p);
  g_free (regression->x);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Regression, regression_clear)

static void
set_logs (const double *p, gint32 n_classes, double *logs)
{
  for (gint32 k = 0; k < n_classes; k++)
    logs[k] = sl_log (MAX (p[k], 1e-12));
}

/* p[n_classes] of item I by X, from LOGS[n_classes] of its label. */
static void
correct (const SlByItem *by, gint32 i, const double *x, const double *logs, double *p)
{
  double power = sl_exp (x[0]);
  const double *shift = x + 1, *worth = shift + by->n_classes;
  for (gint32 k = 0; k < by->n_classes; k++)
    p[k] = power * logs[k] + shift[k];
  for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
    p[by->answer[j]] += sl_by_item_count (by, j) * worth[by->annotator[j]];
  (void) sl_posterior_from_logs (p, by->n_classes);
}

/* log p of the class of known item N by regression->x, which leaves p in regression->p. */
static double
log_known (const Regression *regression, gint32 n)
{
  gint32 i = regression->known[n];
  gsize at = (gsize) n * (gsize) regression->by->n_classes;
  correct (regression->by, i, regression->x, regression->logs + at, regression->p);
  return sl_log (MAX (regression->p[regression->items->gold[i]], 1e-9));
}

/* Moves GRADIENT by what known item N says; correct() has set regression->p. */
static void
add_gradient (const Regression *regression, gint32 n, gsize n_variables, double *gradient)
{
  const SlByItem *by = regression->by;
  gint32 i = regression->known[n];
  gsize n_classes = (gsize) by->n_classes;
  double *off = regression->p, power = sl_exp (regression->x[0]);
  off[regression->items->gold[i]] -= 1;
  for (gsize k = 0; k < n_classes; k++)
    gradient[0] += power * off[k] * regression->logs[(gsize) n * n_classes + k];
  for (gsize k = 0; n_variables > 1 && k < n_classes; k++)
    gradient[1 + k] += off[k];
  for (gint64 j = by->first[i]; n_variables > 1 + n_classes && j < by->first[i + 1]; j++)
    gradient[1 + n_classes + (gsize) by->annotator[j]]
        += sl_by_item_count (by, j) * off[by->answer[j]];
}

static gsize
n_variables (const Regression *regression)
{
  const SlByItem *by = regression->by;
  return 1 + (isfinite (regression->ridges.shift) ? (gsize) by->n_classes : 0)
         + (isfinite (regression->ridges.worth) ? (gsize) by->n_annotators : 0);
}

/* What is made least of log γ, b and w, as far as they are variables, and its gradient. */
static double
objective (const double *x, double *gradient, gpointer data)
{
  const Regression *regression = data;
  gsize n = n_variables (regression);
  double sum = 0;
  memcpy (regression->x, x, n * sizeof *x);
  for (gsize v = 0; v < n; v++)
    {
      double ridge = v == 0                                   ? 1 / (power_spread * power_spread)
                     : v <= (gsize) regression->by->n_classes ? regression->ridges.shift
                                                              : regression->ridges.worth;
      sum += ridge * x[v] * x[v] / 2;
      gradient[v] = ridge * x[v];
    }
  for (gint32 known = 0; known < regression->n_known; known++)
    {
      if (regression->fold[known] == regression->hidden)
        continue;
      sum -= log_known (regression, known);
      add_gradient (regression, known, n, gradient);
    }
  return sum;
}

/* regression->x as the parts that are not HIDDEN have it. */
static void
regress (Regression *regression, SlRidges ridges, gint32 hidden)
{
  const double tolerance = 1e-4;
  const gint64 rounds = 200;
  gsize all = 1 + (gsize) regression->by->n_classes + (gsize) regression->by->n_annotators;
  g_autofree double *x = g_new0 (double, all);
  regression->ridges = ridges;
  regression->hidden = hidden;
  memset (regression->x, 0, all * sizeof *x);
  (void) sl_conjugate_gradient (x, n_variables (regression), objective, regression, tolerance,
                                rounds);
  memcpy (regression->x, x, all * sizeof *x);
}

/* How well the parts predict each other's classes. */
static double
cross_validate (Regression *regression, SlRidges ridges)
{
  double predicted = 0;
  for (gint32 fold = 0; fold < FOLDS; fold++)
    {
      regress (regression, ridges, fold);
      for (gint32 n = 0; n < regression->n_known; n++)
        if (regression->fold[n] == fold)
          predicted += log_known (regression, n);
    }
  return predicted;
}

static void
regression_init (Regression *regression, const SlItems *items, const SlByItem *by, guint64 seed)
{
  guint32 purpose = sl_random_purpose ("aggregate: parts of the gold that correct labels");
  gsize n_classes = (gsize) items->n_classes, n_items = (gsize) items->n_items;
  *regression = (Regression){ .items = items, .by = by };
  regression->known = g_new (gint32, n_items);
  regression->fold = g_new (gint32, n_items);
  for (gint32 i = 0; items->gold != NULL && i < items->n_items; i++)
    if (items->gold[i] >= 0)
      {
        guint64 key = items->key == NULL ? (guint64) i : items->key[i];
        SlRandom random = sl_random (seed, purpose, key, 0, 0);
        regression->known[regression->n_known] = i;
        regression->fold[regression->n_known++] = (gint32) sl_random_below (&random, FOLDS);
      }
  regression->p = g_new (double, n_classes);
  regression->x = g_new (double, 1 + n_classes + (gsize) by->n_annotators);
  regression->logs = g_new (double, (gsize) regression->n_known *n_classes);
  for (gsize n = 0; n < (gsize) regression->n_known; n++)
    set_logs (items->label + (gsize) regression->known[n] * n_classes, items->n_classes,
              regression->logs + n * n_classes);
}

void
sl_gold_correction_learn (SlGoldCorrection *correction, const SlItems *items, const SlByItem *by,
                          guint64 seed)
{
  gsize n = 1 + (gsize) items->n_classes + (gsize) by->n_annotators;
  g_auto (Regression) regression;
  regression_init (&regression, items, by, seed);
  double *weight = correction->weight, most = -INFINITY, sum = 0;
  for (int t = 0; t < SL_GOLD_TRIES; t++)
    {
      weight[t] = cross_validate (&regression, tries[t]);
      most = MAX (most, weight[t]);
    }
  for (int t = 0; t < SL_GOLD_TRIES; t++)
    sum += weight[t] = sl_exp (MAX (weight[t] - most, -500));
  correction->x = g_new0 (double, n);
  for (int t = 0; t < SL_GOLD_TRIES; t++)
    {
      weight[t] /= sum;
      regress (&regression, tries[t], NONE);
      for (gsize v = 0; v < n; v++)
        correction->x[v] += weight[t] * regression.x[v];
    }
}

void
sl_gold_regression (const SlItems *items, const SlByItem *by, SlRidges ridges, double *x)
{
  g_auto (Regression) regression;
  regression_init (&regression, items, by, 0);
  regress (&regression, ridges, NONE);
  memcpy (x, regression.x, (1 + (gsize) items->n_classes + (gsize) by->n_annotators) * sizeof *x);
}

void
sl_gold_correction_apply (const SlGoldCorrection *correction, const SlItems *items,
                          const SlByItem *by)
{
  gsize n_classes = (gsize) items->n_classes;
  g_autofree double *logs = g_new (double, n_classes);
  for (gint32 i = 0; i < items->n_items; i++)
    {
      double *label = &items->label[(gsize) i * n_classes];
      set_logs (label, items->n_classes, logs);
      correct (by, i, correction->x, logs, label);
    }
}

void
sl_gold_correction_clear (SlGoldCorrection *correction)
{
  g_free (correction->x);
}
