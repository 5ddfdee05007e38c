/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "soft-fit.h"

#include <string.h>

const double sl_soft_correlations[SL_SOFT_TRIES]
    = { 0, 0.03, 0.06, 0.1, 0.14, 0.17, 0.2, 0.25, 0.3, 0.4, 0.55, 0.75, 1, 1.4 };
const double sl_soft_shares[SL_SOFT_SHARES] = { 0.2, 0.6, 1 },
             sl_soft_scales[SL_SOFT_SCALES] = { 1, 1.3, 1.6, 2, 3 };

/* Σ_x q[x] log Σ_k P[k] psi[k][x]: how likely the mass of ANSWER is. */
SL_INLINE double
predict (const SlSoftFit *fit, const SlSoftAnswer *answer, const double *p)
{
  gsize stride = fit->stride;
  SlVector sum = sl_vector (0);
  for (gint32 c = 0; c < answer->n; c += 4)
    {
      SlVector likely = sl_vector (1), share = sl_vector (0);
      for (gint32 each = 0; each < MIN (answer->n - c, 4); each++)
        {
          gsize x = (gsize) answer->class[c + each] * stride;
          likely[each] = MAX (sl_soft_dot (p, fit->psi + x, stride), 1e-12);
          share[each] = answer->share[c + each];
        }
      sum += share * sl_vector_log (likely);
    }
  return sl_vector_sum (sum);
}

/* How far the strength of ANSWER's annotator is too small, by what the others say. */
SL_INLINE void
judge_strength (const SlSoftFit *fit, const SlSoftRoom *room, const double *e, SlSoftSums *sums)
{
  const SlSoftAnswer *answer = &room->answer;
  gsize stride = fit->stride;
  double *p = room->p;
  double s = fit->own_strength[answer->annotator];
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

/* What the parts of the mixture say of the answer's first choice, if it is left out of the item's,
 * of which REST are left and make the label P. Returns log of how likely it is by the mixture. */
SL_INLINE double
mix_parts (const SlSoftFit *fit, const SlSoftRoom *room, const double *p, double rest,
           double part[SL_SOFT_MIXED])
{
  const SlSoftAnswer *answer = &room->answer;
  const double *v = fit->mixture;
  memset (part, 0, SL_SOFT_MIXED * sizeof *part);
  for (gint32 c = 0; c < answer->n; c++)
    {
      gint32 x = answer->class[c];
      double f = answer->first[c];
      if (!(f > 0))
        continue;
      part[0] += f * MAX (room->seen[x] - answer->one * answer->share[c], 0);
      part[1] += f * MAX (room->firsts[x] - answer->one * answer->first[c], 0);
      part[2] += f * sl_soft_dot (p, fit->phi + (gsize) x * fit->stride, fit->stride);
      part[3] += f * p[x];
    }
  double said = v[0] * part[0] + v[1] * part[1] + v[2] * part[2] + v[3] * part[3];
  return sl_scalar_log (MAX (said / ((v[0] + v[1]) * rest + v[2] + v[3]), 1e-12));
}

/* Counts for each part of the mixture how much of the answer is its own. */
SL_INLINE double
judge_mixture (const SlSoftFit *fit, const SlSoftRoom *room, double rest, SlSoftSums *sums)
{
  const double weight[SL_SOFT_MIXED] = { rest, rest, 1, 1 }, *v = fit->mixture;
  double part[SL_SOFT_MIXED], worth = sl_soft_worth (fit, &room->answer), said = 0, all = 0;
  double predicted = mix_parts (fit, room, room->others, rest, part);
  for (int m = 0; m < SL_SOFT_MIXED; m++)
    {
      said += v[m] * part[m];
      all += v[m] * weight[m];
    }
  for (int m = 0; m < SL_SOFT_MIXED && said > 0; m++)
    {
      sums->mixture[m] += sl_soft_rounded (worth * v[m] * part[m] / said, fit->coarse);
      sums->mixed[m] += sl_soft_rounded (worth * weight[m] / all, fit->coarse);
    }
  return predicted;
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
  double s = fit->own_strength[answer->annotator];
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
  for (gsize z = 0; z < SL_SOFT_SHARES; z++)
    {
      sl_soft_weigh (fit, answer, sl_soft_shares[z], fit->log_shared + z * fit->k * fit->stride,
                     room->t);
      for (gsize s = 0; s < SL_SOFT_SCALES; s++)
        {
          double scale = sl_soft_scales[s] / fit->found->scale;
          double correlation = sl_soft_correlation (fit->found->correlation, scale);
          sl_soft_label_without (fit, room->shared + z * fit->stride, strength, room->t,
                                 scale * sl_soft_exponent (correlation, rest), room->p);
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
  gboolean people = fit->settings->asked == SL_ASKED_PEOPLE;
  if (people || choose)
    {
      double predicted
          = people ? judge_mixture (fit, room, rest, sums) : predict (fit, answer, room->others);
      sums->predicted += sl_soft_rounded (answer->count * predicted, fit->coarse);
      sums->judged += answer->count;
    }
  if (fit->tell_percents)
    judge_percents (fit, room, sums);
  if (fit->round >= SL_SOFT_STRENGTHS)
    judge_strength (fit, room, e, sums);
  for (int t = 0; fit->choose && choose && !gold && t < SL_SOFT_TRIES; t++)
    {
      sl_soft_label_without (fit, room->sum, s, e, sl_soft_exponent (sl_soft_correlations[t], rest),
                             room->p);
      double part[SL_SOFT_MIXED];
      double predicted
          = people ? mix_parts (fit, room, room->p, rest, part) : predict (fit, answer, room->p);
      sums->tries[t] += sl_soft_rounded (answer->count * predicted, fit->coarse);
    }
  if (fit->choose && choose && fit->own)
    judge_shrinkage (fit, room, sums);
  if (fit->worth && choose && !gold)
    judge_worths (fit, room, rest, sums);
}
