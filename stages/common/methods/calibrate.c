/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibrate.h"

#include "pipeline/base/parallel.h"
#include "pipeline/base/real-math.h"
#include "pipeline/base/vector-math.h"
#include "held-out.h"
#include "posterior.h"

#include <float.h>
#include <math.h>

static const double usual_correlation = 0.27, spread = 0.5, power_spread = 1, discount = 10;
static const double blindness = 2; /* see the header */

enum
{
  FOLDS = 2 /* of the answers */
};

/* What is tried of ρ for posteriors, and of γ for shares. */
static const double correlations[] = { 0, 0.02, 0.05, 0.08, 0.12, 0.17, 0.25, 0.35, 0.5, 0.7, 1 };
static const double powers[] = { 1, 1.4, 2, 2.8, 4, 6, 8.5, 12 };

enum
{
  TRIES = G_N_ELEMENTS (correlations) /* at most */
};

static gsize
n_tries (SlCalibrate kind)
{
  return kind == SL_CALIBRATE_SHARES ? G_N_ELEMENTS (powers) : G_N_ELEMENTS (correlations);
}

static double
exponent (double power, double correlation, double n_answers)
{
  return power / (1 + correlation * MAX (n_answers - 1, 0));
}

static double
try_exponent (SlCalibrate kind, gsize t, double n_answers)
{
  return kind == SL_CALIBRATE_SHARES ? powers[t] : exponent (1, correlations[t], n_answers);
}

/* The same, of the logarithms of p[n]. */
static void
temper_logs (const double *logs, gint32 n, double beta, double *to)
{
  for (gint32 k = 0; k < n; k++)
    to[k] = beta * logs[k];
  sl_posterior_from_logs (to, n);
}

/* to[n] = log p[n]. A p below the least normal double counts as that. */
SL_VECTORS static void
set_logs (const double *p, gint32 n, double *to)
{
  sl_log_row (p, (gsize) n, to);
}

/* to[n] = p[n]^BETA, normalised. */
static void
temper (const double *p, gint32 n, double beta, double *to)
{
  set_logs (p, n, to);
  temper_logs (to, n, beta, to);
}

typedef struct
{
  const SlHeldOut *held_out;
  const SlByItem *kept;
  const SlCrowd *crowd;
  const double *label; /* [n_items][n_classes]: by the answers seen */
  SlCalibrate kind;
  double *sums; /* [n_parts][TRIES]: log-probability of the answers kept back */
  double *room; /* [n_parts][1 + TRIES][n_classes] */
} Try;

/* Adds the log-probability of answer J, kept back, by each exponent's label p[][n_classes]. */
SL_VECTORS static void
add_predictions (const Try *try, gint64 j, const double *p, double *sums)
{
  const SlByItem *kept = try->kept;
  gsize n = n_tries (try->kind);
  double logs[TRIES], count = sl_by_item_count (kept, j);
  for (gsize t = 0; t < n; t++)
    logs[t] = sl_crowd_predict (try->crowd, kept->annotator[j], kept->answer[j],
                                &p[t * (gsize) kept->n_classes]);
  sl_log_row (logs, n, logs);
  for (gsize t = 0; t < n; t++)
    sums[t] += count * logs[t];
}

static void
try_part (int part, gpointer data)
{
  const Try *try = data;
  const SlByItem *kept = try->kept;
  gsize n = (gsize) kept->n_classes;
  double *logs = &try->room[(gsize) part * (1 + TRIES) * n], *p = logs + n;
  for (gint32 i = kept->part[part]; i < kept->part[part + 1]; i++)
    {
      if (kept->first[i] == kept->first[i + 1])
        continue;
      set_logs (&try->label[(gsize) i * n], (gint32) n, logs);
      for (gsize t = 0; t < n_tries (try->kind); t++)
        temper_logs (logs, (gint32) n, try_exponent (try->kind, t, try->held_out->n_seen[i]),
                     &p[t * n]);
      for (gint64 j = kept->first[i]; j < kept->first[i + 1]; j++)
        add_predictions (try, j, p, &try->sums[(gsize) part * TRIES]);
    }
}

/* Adds the log-probability of the answers kept back to sums[TRIES]. */
static void
try_all (SlCalibrate kind, const SlItems *items, const SlHeldOut *held_out, const double *label,
         int threads, double *sums)
{
  gsize n = (gsize) items->n_classes, size = (gsize) items->n_items * n;
  g_auto (SlByItem) kept;
  sl_by_item_init (&kept, items, &held_out->kept, 0);
  g_autofree double *usual = g_memdup2 (label, size * sizeof *label);
  for (gint32 i = 0; i < items->n_items && kind == SL_CALIBRATE_POSTERIORS; i++)
    temper (&label[(gsize) i * n], (gint32) n, exponent (1, usual_correlation, held_out->n_seen[i]),
            &usual[(gsize) i * n]);
  g_auto (SlCrowd) crowd;
  sl_crowd_init (&crowd, usual, &held_out->seen, items->n_classes);
  g_autofree double *part_sums = sl_by_item_sums (&kept, TRIES);
  g_autofree double *room = sl_by_item_sums (&kept, (1 + TRIES) * n);
  Try try = {
    .held_out = held_out,
    .kept = &kept,
    .crowd = &crowd,
    .label = label,
    .kind = kind,
    .sums = part_sums,
    .room = room,
  };
  sl_parallel (threads, kept.n_parts, try_part, &try);
  sl_by_item_fold (&kept, part_sums, TRIES);
  for (gsize t = 0; t < n_tries (kind); t++)
    sums[t] += part_sums[t];
}

/* Labels by FIT of the answers that it may see. */
static gboolean
fit_seen (SlMethodFit fit, const SlItems *items, const SlAnswers *seen,
          const SlMethodSettings *settings, double *label, const double *n_seen, GError **error)
{
  SlItems part = *items;
  SlLearned nothing = { 0 };
  part.label = label;
  part.weight = n_seen;
  return fit (&part, seen, settings, &nothing, error);
}

static gboolean
predict_answers (SlMethodFit fit, SlCalibrate kind, const SlItems *items, const SlAnswers *answers,
                 const SlMethodSettings *settings, double *sums, gint64 *n, GError **error)
{
  for (guint32 fold = 0; fold < FOLDS; fold++)
    {
      g_auto (SlHeldOut) held_out;
      sl_held_out_init (&held_out, items, answers, settings->seed, fold);
      *n += held_out.kept.n_answers;
      if (held_out.kept.n_answers == 0)
        continue;
      if (!fit_seen (fit, items, &held_out.seen, settings, held_out.votes, held_out.n_seen, error))
        return FALSE;
      try_all (kind, items, &held_out, held_out.votes, settings->threads, sums);
    }
  return TRUE;
}

/* Value X of the curve y[n] over x[n], which rises; straight between, and level beyond its ends. */
static double
interpolate (const double *x, const double *y, gsize n, double at)
{
  if (at <= x[0])
    return y[0];
  for (gsize i = 1; i < n; i++)
    if (at <= x[i])
      return y[i - 1] + (y[i] - y[i - 1]) * (at - x[i - 1]) / (x[i] - x[i - 1]);
  return y[n - 1];
}

/* The ρ, or γ, that the log-probabilities sums[] speak for, and the USUAL one. */
static void
choose (SlCalibrate kind, const double *sums, gboolean gold, double usual,
        SlCalibration *calibration)
{
  enum
  {
    STEPS = 100
  };
  gboolean shares = kind == SL_CALIBRATE_SHARES;
  double low = sl_log (shares ? 1 : 0.02), high = sl_log (shares ? 12 : 1.2), best = -INFINITY;
  double doubt = gold ? 1 : discount, blind = gold ? 1 : blindness;
  for (int step = 0; step <= STEPS; step++)
    {
      double log_value = low + (high - low) * step / STEPS, value = sl_exp (log_value);
      double off = (log_value - sl_log (usual)) / (shares ? power_spread : spread);
      double sum = interpolate (shares ? powers : correlations, sums, n_tries (kind),
                                shares ? value : value / blind)
                       / doubt
                   - off * off / 2;
      if (sum <= best)
        continue;
      best = sum;
      calibration->power = shares ? MAX (value / blind, 1) : 1;
      calibration->seen_power = shares ? value : 1;
      calibration->correlation = shares ? 0 : value;
    }
}

/* Adds Σ log p_i,gold over the gold classes, with each exponent, by labels that have not seen
 * them. Returns how many there are in *N_GOLD. */
static gboolean
predict_gold (SlMethodFit fit, SlCalibrate kind, const SlItems *items, const SlAnswers *answers,
              const SlMethodSettings *settings, double *sums, gint64 *n_gold, GError **error)
{
  gsize n = (gsize) items->n_classes, size = (gsize) items->n_items * n;
  g_autofree double *label = g_memdup2 (items->label, size * sizeof *label);
  g_autofree double *p = g_new (double, n);
  SlMethodSettings blind = *settings;
  blind.fix_gold = FALSE;
  if (!fit_seen (fit, items, answers, &blind, label, items->weight, error))
    return FALSE;
  for (gint32 i = 0; i < items->n_items; i++)
    {
      if (items->gold[i] < 0)
        continue;
      *n_gold += 1;
      for (gsize t = 0; t < n_tries (kind); t++)
        {
          temper (&label[(gsize) i * n], (gint32) n, try_exponent (kind, t, items->weight[i]), p);
          sums[t] += sl_log (MAX (p[items->gold[i]], 1e-9));
        }
    }
  return TRUE;
}

gboolean
sl_calibration_find (SlMethodFit fit, SlCalibrate kind, const SlItems *items,
                     const SlAnswers *answers, const SlMethodSettings *settings,
                     SlCalibration *calibration, GError **error)
{
  double sums[TRIES] = { 0 };
  gint64 n = 0;
  gboolean gold = settings->fix_gold && items->gold != NULL;
  if (gold && !predict_gold (fit, kind, items, answers, settings, sums, &n, error))
    return FALSE;
  gold = gold && n > 0;
  if (!gold && answers->answer != NULL
      && !predict_answers (fit, kind, items, answers, settings, sums, &n, error))
    return FALSE;
  *calibration = (SlCalibration){ .n_predicted = n };
  choose (kind, sums, gold, kind == SL_CALIBRATE_SHARES ? 1 : usual_correlation, calibration);
  calibration->predicted = -INFINITY;
  for (gsize t = 0; t < n_tries (kind); t++)
    calibration->predicted = MAX (calibration->predicted, sums[t] / (double) MAX (n, 1));
  return TRUE;
}

void
sl_calibration_apply (const SlCalibration *calibration, const SlItems *items,
                      const SlMethodSettings *settings)
{
  gint32 n = items->n_classes;
  for (gint32 i = 0; i < items->n_items; i++)
    {
      double *p = &items->label[(gsize) i * (gsize) n];
      if (sl_posterior_gold (items, settings, i) < 0)
        temper (p, n, exponent (calibration->power, calibration->correlation, items->weight[i]), p);
    }
}
