/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "soft-fit.h"

#include "pipeline/base/real-math.h"

#include <string.h>

const double sl_soft_correlations[SL_SOFT_TRIES]
    = { 0, 0.02, 0.05, 0.08, 0.11, 0.14, 0.17, 0.20, 0.25, 0.3, 0.4, 0.55, 0.75, 1 };
const double sl_soft_shares[SL_SOFT_SHARES] = { 0.2, 0.6, 1 },
             sl_soft_scales[SL_SOFT_SCALES] = { 1, 2, 3 };

/* Log Σ_k P[k] phi[k][f]: how likely ANSWER's first choice is. */
SL_INLINE double
predict (const SlSoftFit *fit, const SlSoftAnswer *answer, const double *p)
{
  gsize stride = fit->stride;
  double sum = 0;
  for (gint32 c = 0; c < answer->n; c++)
    if (answer->first[c] > 0)
      sum += answer->first[c]
             * sl_soft_dot (p, fit->phi + (gsize) answer->class[c] * stride, stride);
  return sl_scalar_log (MAX (sum, 1e-12));
}

/* How far the strength of ANSWER's annotator is too small, by what the others say. */
SL_INLINE void
judge_strength (const SlSoftFit *fit, const SlSoftRoom *room, const double *e, SlSoftSums *sums)
{
  const SlSoftAnswer *answer = &room->answer;
  gsize stride = fit->stride;
  double *p = room->p;
  double s = sl_scalar_exp (fit->log_strength[answer->annotator]);
  for (gsize k = 0; k < stride; k += 4)
    sl_vector_store (p + k, sl_vector_load (fit->log_prior + k) + s * sl_vector_load (e + k));
  sl_soft_normalise (p, stride, p);
  double mean = sl_soft_dot (p, e, stride), square = 0;
  for (gsize k = 0; k < fit->k; k++)
    square += p[k] * e[k] * e[k];
  sums->slope[answer->annotator] += sl_soft_rounded (
      answer->count * s * (sl_soft_dot (room->others, e, stride) - mean), fit->coarse);
  sums->bend[answer->annotator]
      += sl_soft_rounded (answer->count * s * s * MAX (square - mean * mean, 0), fit->coarse);
}

/* What the parts of the mixture say of the answer, if it is left out of the item's, of which REST
 * are left. */
SL_INLINE void
judge_mixture (const SlSoftFit *fit, const SlSoftRoom *room, double rest, SlSoftSums *sums)
{
  const SlSoftAnswer *answer = &room->answer;
  double part[SL_SOFT_MIXED] = { 0 }, weight[SL_SOFT_MIXED] = { rest, rest, 1, 1 };
  double all = 0, said = 0;
  for (gint32 c = 0; c < answer->n; c++)
    {
      gint32 x = answer->class[c];
      double f = answer->first[c];
      if (!(f > 0))
        continue;
      part[0] += f * MAX (room->seen[x] - answer->one * answer->share[c], 0);
      part[1] += f * MAX (room->firsts[x] - answer->one * answer->first[c], 0);
      part[2] += f * sl_soft_dot (room->others, fit->phi + (gsize) x * fit->stride, fit->stride);
      part[3] += f * room->others[x];
    }
  for (int m = 0; m < SL_SOFT_MIXED; m++)
    {
      all += fit->mixture[m] * weight[m];
      said += fit->mixture[m] * part[m];
    }
  for (int m = 0; m < SL_SOFT_MIXED && said > 0; m++)
    {
      sums->mixture[m]
          += sl_soft_rounded (answer->count * fit->mixture[m] * part[m] / said, fit->grain);
      sums->mixed[m] += sl_soft_rounded (answer->count * weight[m] / all, fit->coarse);
    }
}

/* How right the percent of the first choice is, by what the others say. */
static inline void
judge_percents (const SlSoftFit *fit, const SlSoftRoom *room, SlSoftSums *sums)
{
  const SlSoftAnswer *answer = &room->answer;
  double given = 0, right = 0, *to = sums->percents + (gsize) answer->annotator * SL_SOFT_PERCENTS;
  for (gint32 c = 0; c < answer->n; c++)
    {
      given += answer->first[c] * answer->share[c];
      right += answer->first[c] * room->others[answer->class[c]];
    }
  const double add[] = { 1, given, right, given * given, given * right };
  for (int p = 0; p < SL_SOFT_PERCENTS; p++)
    to[p] += sl_soft_rounded (answer->count * add[p], fit->grain);
}

/* Σ OTHERS[k] log softmax (LOGS)[k], of four softmaxes at a time. */
SL_INLINE SlVector
tell_others (const double *logs, const double *others, gsize n)
{
  SlVector most = sl_vector_load (logs), sum = sl_vector (0), told = sl_vector (0);
  for (gsize k = 1; k < n; k++)
    most = sl_vector_max (most, sl_vector_load (logs + 4 * k));
  for (gsize k = 0; k < n; k++)
    {
      SlVector below = sl_vector_load (logs + 4 * k) - most;
      sum += sl_vector_exp (below);
      told += others[k] * below;
    }
  return told - sl_vector_log (sum);
}

/* How well the answer tells what the item's others say, with each shrinkage of its annotator's
 * confusion, which has not seen it. */
SL_INLINE void
judge_shrinkage (const SlSoftFit *fit, const SlSoftRoom *room, SlSoftSums *sums)
{
  const SlSoftAnswer *answer = &room->answer;
  const double *t = room->t, *others = room->others;
  gsize a = (gsize) answer->annotator, stride = fit->stride;
  const double *cells = fit->cells + a * fit->k * stride, *rows = fit->rows + a * stride;
  const SlVector low = { 4, 8, 16, 32 }, high = low * 16;
  double *try = room->try, *try_high = try + 4 * fit->k;
  double s = sl_scalar_exp (fit->log_strength[answer->annotator]);
  for (gsize k = 0; k < fit->k; k++)
    {
      double all = MAX (rows[k] - answer->one * t[k], 0), sure = fit->shut[k];
      SlVector e_low = -sl_vector_log (all + low), e_high = -sl_vector_log (all + high);
      for (gint32 c = 0; c < answer->n; c++)
        {
          gsize cell = (gsize) answer->class[c] * stride + k;
          double g = sl_soft_mass (answer, c, fit->found->first_share);
          double rest = MAX (cells[cell] - answer->one * g * t[k], 0);
          e_low += g * sl_vector_log (rest + low * fit->crowd[cell]);
          e_high += g * sl_vector_log (rest + high * fit->crowd[cell]);
          sure += fit->open[cell];
        }
      sl_vector_store (try + 4 * k, fit->log_prior[k] + s * (e_low + sure));
      sl_vector_store (try_high + 4 * k, fit->log_prior[k] + s * (e_high + sure));
    }
  SlVector told_low = tell_others (try, others, fit->k);
  SlVector told_high = tell_others (try_high, others, fit->k);
  for (int m = 0; m < SL_SOFT_SHRINKAGES; m++)
    sums->shrinkages[m]
        += sl_soft_rounded (answer->count * (m < 4 ? told_low[m] : told_high[m - 4]), fit->coarse);
}

/* How well the answer is told by the item's others, of which REST are left, with each z and S and
 * the crowd's confusion. */
SL_INLINE void
judge_worths (const SlSoftFit *fit, SlSoftRoom *room, double rest, SlSoftSums *sums)
{
  const SlSoftAnswer *answer = &room->answer;
  double strength = answer->one * fit->strength[answer->annotator];
  double exponent = sl_soft_exponent (fit->found->correlation, rest) / fit->found->scale;
  for (gsize z = 0; z < SL_SOFT_SHARES; z++)
    {
      sl_soft_weigh (fit, answer, sl_soft_shares[z], fit->log_shared + z * fit->k * fit->stride,
                     room->t);
      for (gsize s = 0; s < SL_SOFT_SCALES; s++)
        {
          sl_soft_label_without (fit, room->shared + z * fit->stride, strength, room->t,
                                 exponent * sl_soft_scales[s], room->p);
          sums->worths[z * SL_SOFT_SCALES + s]
              += sl_soft_rounded (answer->count * predict (fit, answer, room->p), fit->coarse);
        }
    }
}

SL_VECTORS void
sl_soft_judge (const SlSoftFit *fit, SlSoftRoom *room, const double *e, double n, gboolean gold,
               gboolean choose, SlSoftSums *sums)
{
  const SlSoftAnswer *answer = &room->answer;
  double s = answer->one * fit->strength[answer->annotator], rest = n - answer->one;
  if (gold)
    memcpy (room->others, room->label, fit->stride * sizeof *room->others);
  else
    sl_soft_label_without (fit, room->sum, s, e, sl_soft_exponent (fit->found->correlation, rest),
                           room->others);
  double predicted = answer->count * predict (fit, answer, room->others);
  sums->predicted += sl_soft_rounded (predicted, fit->coarse);
  sums->judged += answer->count;
  if (fit->tell_percents)
    judge_percents (fit, room, sums);
  if (fit->round >= SL_SOFT_STRENGTHS)
    judge_strength (fit, room, e, sums);
  if (fit->settings->asked == SL_ASKED_PEOPLE)
    judge_mixture (fit, room, rest, sums);
  for (int t = 0; fit->choose && choose && !gold && t < SL_SOFT_TRIES; t++)
    {
      sl_soft_label_without (fit, room->sum, s, e, sl_soft_exponent (sl_soft_correlations[t], rest),
                             room->p);
      sums->tries[t]
          += sl_soft_rounded (answer->count * predict (fit, answer, room->p), fit->coarse);
    }
  if (fit->choose && choose && fit->own)
    judge_shrinkage (fit, room, sums);
  if (fit->worth && choose && !gold)
    judge_worths (fit, room, rest, sums);
}
