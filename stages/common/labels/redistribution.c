/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collins, Bhatt & Weller, "Eliciting and Learning with Soft Labels from Every Annotator", HCOMP
 * 2022, sections 4 and 5; semantic likeness: Collins, MPhil thesis, Cambridge 2022, appendix B.4.
 *
 * With p_k = percent / 100 on the named classes, s = sum p, Z = {k: p_k = 0}, and the receivers
 * S = Z (uniform) or S = Z without the classes ruled out (clamp):
 *   s < 1:  p_k <- p_k + (1 - s) / |S|                   for k in S
 *   s >= 1: p <- p / s, and with clamp, if S has any class,
 *           p <- (1 - gamma) p,  p_k <- gamma / |S|      for k in S
 *   last:   p <- p / sum p
 *
 * Neighbours, for ordered classes: S as for clamp, and in place of 1 / |S| each k in S has a share
 * in proportion to Σ_j p_j exp (-|k - j| / width) over the named classes j, a kernel over ranks
 * (after the ordinal labels of Diaz & Marathe, CVPR 2019). A plain vote is p = 1 of its class.
 *
 * The released code agrees but for two things, which `compat` reproduces: a class named twice takes
 * the later percent (else the earlier), and clamp divides by the number of classes not ruled out
 * less that of classes with mass, in place of |S|. The two differ where a named class is ruled out:
 * then too much is handed out, and the last step shrinks everything.
 *
 * Every step is one IEEE operation in the released code's order, so that equal records give equal
 * bits. */
#include "redistribution.h"

#include "smoothing.h"
#include "pipeline/base/vector-math.h"

#include <math.h>
#include <string.h>

#define NEAR_CLASSES 64 /* up to this many, a row's work space is on the stack */

/* NumPy adds up to 128 values in eight lanes joined as a tree, longer runs by halves. */
static inline double
sum_block (const double *a, gint64 n)
{
  if (n < 8)
    {
      double all = 0;
      for (gint64 i = 0; i < n; i++)
        all += a[i];
      return all;
    }
  double lane[8];
  memcpy (lane, a, sizeof lane);
  gint64 i = 8;
  for (; i + 8 <= n; i += 8)
    for (int j = 0; j < 8; j++)
      lane[j] += a[i + j];
  double all
      = ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
  for (; i < n; i++)
    all += a[i];
  return all;
}

static inline double
sum (const double *a, gint64 n)
{
  return n <= 128 ? sum_block (a, n) : sl_sum (a, n);
}

double
sl_sum (const double *a, gint64 n)
{
  if (n <= 128)
    return sum_block (a, n);
  gint64 half = n / 2 - n / 2 % 8;
  return sl_sum (a, half) + sl_sum (a + half, n - half);
}

/* A class that an answer names. */
typedef struct
{
  gint32 class;
  double mass;
  double possible; /* 0 if it is also ruled out, else 1 */
} Named;

/* Whether classes that are ruled out receive nothing. */
static inline gboolean
is_clamped (const SlRedistribution *how)
{
  return how->spread == SL_SPREAD_CLAMP || how->spread == SL_SPREAD_NEIGHBOURS
         || (how->spread == SL_SPREAD_SEMANTIC && how->clamped);
}

/* p[k] <- 0 for the classes that answer I rules out, 1 for others; returns how many are 1, or
 * -1. */
static inline gint32
mark_possible (const SlRecords *answers, gint64 i, gint32 n_classes, double *p)
{
  gint32 n = n_classes;
  for (gint32 j = answers->impossible_start[i]; j < answers->impossible_start[i + 1]; j++)
    {
      gint32 class = answers->impossible[j];
      if ((guint32) class >= (guint32) n_classes)
        return -1;
      n -= p[class] != 0; /* a class may be listed twice */
      p[class] = 0;
    }
  return n;
}

/* Fills NAMED, which has room for n_classes, with what answer I names, percent / 100 each. Their
 * p[class] becomes -1, -2, ..., so that a class named again is found at once. */
static inline SlAnswerProblem
take_choices (const SlRedistribution *how, const SlRecords *answers, gint64 i, gint32 n_classes,
              double *p, Named *named, gint32 *n_named, SlAnswerCounts *counts)
{
  gint32 first = answers->start[i];
  gint32 end = answers->start[i + 1];
  if (first >= end)
    return SL_ANSWER_EMPTY;
  if (end - first > how->top)
    {
      for (gint32 j = first + how->top; j < end; j++)
        counts->beyond += !isnan (answers->percent[j]);
      end = first + how->top;
    }
  gint32 n = 0;
  for (gint32 j = first; j < end; j++)
    {
      gint32 class = answers->choice[j];
      double percent = answers->percent[j];
      if ((guint32) class >= (guint32) n_classes)
        return class == -1 ? SL_ANSWER_EMPTY : SL_ANSWER_CLASS;
      if (isnan (percent))
        {
          counts->assumed += j == first;
          counts->ignored += j != first;
          if (j != first)
            continue;
          percent = 100;
        }
      if (!(percent >= 0 && percent <= 100))
        return SL_ANSWER_PERCENT;
      if (p[class] < 0)
        {
          counts->renamed++;
          if (how->compat)
            named[(gint32) -p[class] - 1].mass = percent / 100;
          continue;
        }
      named[n] = (Named){ class, percent / 100, p[class] };
      p[class] = -++n;
    }
  *n_named = n;
  return SL_ANSWER_OK;
}

/* Turns p[k], 1 for receivers and 0 for others, into weights by likeness to class FIRST that sum to
 * 1. Where no receiver is like it at all they share evenly. There is at least one receiver. */
static void
weigh_by_likeness (const SlRedistribution *how, gint32 first, gint32 n_classes, double *p)
{
  const double *likeness = how->likeness + (gsize) first * (gsize) n_classes;
  double total = 0, most = -INFINITY;
  for (gint32 k = 0; k < n_classes; k++)
    if (p[k] != 0)
      most = fmax (most, likeness[k]);
  for (gint32 k = 0; k < n_classes; k++)
    if (p[k] != 0)
      {
        if (how->softmax) /* less the largest, so that exp cannot overflow and the sum is >= 1 */
          p[k] = sl_scalar_exp ((likeness[k] - most) / how->temperature);
        else if (most > 0)
          p[k] = fmax (likeness[k], 0);
        total += p[k];
      }
  for (gint32 k = 0; k < n_classes; k++)
    p[k] /= total;
}

/* The same by nearness to NAMED, each by its mass; by what is named first, where none has any. */
static void
weigh_by_nearness (const SlRedistribution *how, const Named *named, gint32 n_named,
                   gint32 n_classes, double *p)
{
  double total = 0, mass = 0;
  for (gint32 j = 0; j < n_named; j++)
    mass += named[j].mass;
  for (gint32 k = 0; k < n_classes; k++)
    {
      double near = 0;
      for (gint32 j = 0; j < n_named; j++)
        near += (mass > 0 ? named[j].mass : j == 0)
                * how->likeness[(gsize) named[j].class * (gsize) n_classes + (gsize) k];
      p[k] *= near;
      total += p[k];
    }
  for (gint32 k = 0; k < n_classes; k++)
    p[k] /= total;
}

typedef struct
{
  gboolean any; /* receivers, of what the named classes do not get */
  double spare; /* that, in all */
  double parts; /* what it is divided by */
  double keep;  /* what is left to a named class of its mass, as a factor */
} Split;

/* p[k] <- 1 for the receivers, 0 for others; MASS is that of all named classes before it was scaled
 * to 1. */
static inline SlAnswerProblem
find_receivers (const SlRedistribution *how, double mass, const Named *named, gint32 n_named,
                gint32 n_possible, double *p, Split *split)
{
  gboolean full = !(mass < 1);
  gint32 with_mass = 0;
  gint32 receivers = n_possible;
  for (gint32 j = 0; j < n_named; j++)
    {
      gboolean massless = !(named[j].mass > 0);
      p[named[j].class] = massless ? named[j].possible : 0;
      with_mass += !massless;
      receivers -= !massless && named[j].possible != 0;
    }
  gint32 parts = how->compat && is_clamped (how) ? n_possible - with_mass : receivers;
  if (parts < 0 && receivers > 0)
    return SL_ANSWER_IMPOSSIBLE;
  gboolean spreads = parts != 0
                     && (how->spread == SL_SPREAD_CLAMP || how->spread == SL_SPREAD_NEIGHBOURS
                         || (!full && how->spread != SL_SPREAD_NONE));
  *split = (Split){ .parts = parts, .keep = 1, .any = spreads && receivers > 0 };
  if (spreads)
    {
      split->spare = full ? how->gamma : 1 - mass;
      split->keep = full ? 1 - how->gamma : 1;
    }
  return SL_ANSWER_OK;
}

static inline SlAnswerProblem
redistribute_one (const SlRedistribution *how, const SlRecords *answers, gint64 i, gint32 n_classes,
                  double *p, Named *named, SlAnswerCounts *counts)
{
  gint32 n_named;
  for (gint32 k = 0; k < n_classes; k++)
    p[k] = 1;
  gint32 n_possible = is_clamped (how) ? mark_possible (answers, i, n_classes, p) : n_classes;
  if (n_possible < 0)
    return SL_ANSWER_CLASS;
  SlAnswerProblem problem = take_choices (how, answers, i, n_classes, p, named, &n_named, counts);
  if (problem != SL_ANSWER_OK)
    return problem;

  /* With two, as in the released code, the order of a sum does not matter. */
  double mass = 0;
  for (gint32 j = 0; j < n_named; j++)
    mass += named[j].mass;
  if (!(mass < 1))
    for (gint32 j = 0; j < n_named; j++)
      named[j].mass /= mass;

  Split split;
  problem = find_receivers (how, mass, named, n_named, n_possible, p, &split);
  if (problem != SL_ANSWER_OK)
    return problem;
  double share = split.any ? split.spare / split.parts : 0;
  if (split.any && how->spread == SL_SPREAD_SEMANTIC)
    {
      weigh_by_likeness (how, answers->choice[answers->start[i]], n_classes, p);
      share = split.spare;
    }
  else if (split.any && how->spread == SL_SPREAD_NEIGHBOURS)
    {
      weigh_by_nearness (how, named, n_named, n_classes, p);
      share = split.spare;
    }
  for (gint32 k = 0; k < n_classes; k++)
    p[k] *= share;
  for (gint32 j = 0; j < n_named; j++)
    if (named[j].mass > 0)
      p[named[j].class] = named[j].mass * split.keep;

  double total = sum (p, n_classes);
  if (G_UNLIKELY (!(total > 0)))
    {
      counts->flat++;
      for (gint32 k = 0; k < n_classes; k++)
        p[k] = 1.0 / n_classes;
      return SL_ANSWER_OK;
    }
  for (gint32 k = 0; k < n_classes; k++)
    p[k] /= total;
  return SL_ANSWER_OK;
}

gint64
sl_redistribute (const SlRedistribution *how, const SlRecords *answers, gint64 first, gint64 end,
                 gint32 n_classes, double *label, SlAnswerCounts *counts, SlAnswerProblem *problem)
{
  Named near[NEAR_CLASSES];
  g_autofree Named *far = n_classes > NEAR_CLASSES ? g_new (Named, n_classes) : NULL;
  *problem = SL_ANSWER_OK;
  for (gint64 i = first; i < end; i++)
    {
      double *p = label + (gsize) i * (gsize) n_classes;
      *problem = redistribute_one (how, answers, i, n_classes, p, far != NULL ? far : near, counts);
      if (*problem != SL_ANSWER_OK)
        return i;
    }
  return end;
}

gint64
sl_select_choices (gint32 top, const SlRecords *answers, gint64 first, gint64 end, gint32 n_classes,
                   double *label, SlAnswerCounts *counts, SlAnswerProblem *problem)
{
  for (gint64 i = first; i < end; i++)
    {
      double *p = label + (gsize) i * (gsize) n_classes;
      gint32 from = answers->start[i];
      gint32 to = answers->start[i + 1];
      gint32 stop = to - from > top ? from + top : to;
      double distinct = 0;
      *problem = from < to ? SL_ANSWER_OK : SL_ANSWER_EMPTY;
      memset (p, 0, (gsize) n_classes * sizeof *p);
      for (gint32 j = from; j < stop && *problem == SL_ANSWER_OK; j++)
        {
          gint32 class = answers->choice[j];
          if ((guint32) class >= (guint32) n_classes)
            *problem = class == -1 ? SL_ANSWER_EMPTY : SL_ANSWER_CLASS;
          else
            {
              counts->renamed += p[class] != 0;
              distinct += p[class] == 0;
              p[class] = 1;
            }
        }
      if (*problem != SL_ANSWER_OK)
        return i;
      for (gint32 k = 0; k < n_classes; k++)
        p[k] /= distinct;
    }
  *problem = SL_ANSWER_OK;
  return end;
}

void
sl_smooth_labels (double beta, gint64 n, gint32 n_classes, double *label)
{
  for (gsize i = 0; i < (gsize) n * (gsize) n_classes; i++)
    label[i] = sl_smooth (label[i], beta, (gsize) n_classes);
}
