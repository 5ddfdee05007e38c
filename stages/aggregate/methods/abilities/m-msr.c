/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matrix mean-subsequence-reduced (Ma & Olshevsky, "Adversarial crowdsourcing through robust
 * rank-one matrix completion", NeurIPS 2020). If annotator a is right with probability p_a, and
 * otherwise errs evenly, s_a = (K p_a - 1) / (K - 1) is a's skill, and for two annotators'
 * answers to the same items
 *   C_ab = K/(K-1) × share where both say the same - 1/(K-1)   has mean s_a s_b,
 * so that |C|, as far as it is known, is completed to u vᵀ by turns,
 *   v_b = mean of |C_ab| / u_a over a, without the F largest and smallest (of those beyond v_b),
 *   u_a = mean of |C_ab| / v_b over b, likewise,   F = half the fewest colleagues anyone has - 1
 * until u vᵀ moves by less than 1e-10, at most 10,000 rounds. |s| = u √(|v| / |u|); signs are
 * such that they explain those of C, s_a = sign Σ_b C_ab s_b, from all positive, by turns, and
 * most are positive. s is kept within -1/(K-1) + 1/√N and 1 - 1/√N (N items, 4 at least), and the
 * label is
 *   p_k ∝ exp (Σ_{a said k} log (p_a (K - 1) / (1 - p_a))),
 * the posterior that those p_a make. (As crowd-kit 1.4's MMSR, whose scores are the sums
 * themselves as shares, which may be negative; it takes signs from an eigenvector in which pairs
 * without common items count as opposed, and F may be -1, which leaves one number of each mean.)
 * An annotator who shares no item with another gets the mean |s| of the rest, or 1/2.
 *
 * Time: Σ_i (answers of i)² for C, and its known entries in each round; memory 24 bytes for each of
 * those. They are at most as many as pairs of annotators, and where all meet, as many: beyond 2^26
 * (8,192 annotators of whom any two meet, or more who seldom do) the answers are refused. Settings:
 * iterations, tolerance, and seed for u and v to start from, in [0, 1). */
#include "pipeline/base/error.h"
#include "pipeline/base/parallel.h"
#include "pipeline/base/real-math.h"
#include "stages/aggregate/methods/fits.h"
#include "stages/common/methods/posterior.h"
#include "stages/aggregate/methods/votes/weighted-vote.h"
#include "stages/common/figures/pair-agreement.h"

#include <math.h>
#include <string.h>

enum
{
  ROUNDS = 10000
};

/* Moves the K smallest of x[n] to its front (Hoare's FIND, in the form of Wirth's). */
static void
select_smallest (double *x, gssize n, gssize k)
{
  gssize low = 0, high = n - 1;
  while (low < high)
    {
      gssize i = low, j = high;
      double pivot = x[low + (high - low) / 2];
      while (i <= j)
        {
          while (x[i] < pivot)
            i++;
          while (x[j] > pivot)
            j--;
          if (i > j)
            break;
          double y = x[i];
          x[i++] = x[j];
          x[j--] = y;
        }
      /* x[low .. j] <= pivot <= x[i .. high], and what is between is the pivot. */
      if (k > j && k < i)
        return;
      if (k <= j)
        high = j;
      else
        low = i;
    }
}

/* The mean of x[n] without the F smallest below AT, nor the F largest above it; AT if nothing is
 * left. A single 0 would make the other side's quotients infinite: 1/√N stands for it. */
static double
trimmed_mean (double *x, gsize n, gsize f, double at, double n_items)
{
  gsize below = 0, above = 0;
  for (gsize i = 0; i < n; i++)
    {
      below += x[i] < at;
      above += x[i] > at;
    }
  gsize first = MIN (below, f), end = n - MIN (above, f);
  if (first >= end)
    return at;
  select_smallest (x, (gssize) n, (gssize) first);
  select_smallest (x + first, (gssize) (n - first), (gssize) (end - first));
  double sum = 0;
  for (gsize i = first; i < end; i++)
    sum += x[i];
  return end - first == 1 && sum == 0 ? 1 / sqrt (n_items) : sum / (double) (end - first);
}

typedef struct
{
  const SlAgreement *c;
  const double *from; /* [n] */
  double *to;         /* [n] */
  double *room;       /* [entries] */
  gsize f;
  double n_items;
} Turn;

enum
{
  ROWS = 64 /* a task's */
};

static void
turn_rows (int task, gpointer data)
{
  const Turn *turn = data;
  const SlAgreement *c = turn->c;
  for (gint32 a = task * ROWS; a < MIN (c->n, (task + 1) * ROWS); a++)
    {
      double *x = &turn->room[c->first[a]];
      gsize n = 0;
      for (gint64 e = c->first[a]; e < c->first[a + 1]; e++)
        if (turn->from[c->column[e]] > 0)
          x[n++] = fabs (c->value[e]) / turn->from[c->column[e]];
      turn->to[a] = trimmed_mean (x, n, turn->f, turn->to[a], turn->n_items);
    }
}

static double
dot (const double *x, const double *y, gint32 n)
{
  double sum = 0;
  for (gint32 a = 0; a < n; a++)
    sum += x[a] * y[a];
  return sum;
}

/* |u vᵀ - u' v'ᵀ|, as |(u - u') vᵀ + u' (v - v')ᵀ|: the difference of the squares would be lost in
 * their rounding. u' and v' are lost. */
static double
moved (const double *u, const double *v, double *u_before, double *v_before, gint32 n)
{
  double cross_u = 0, cross_v = 0, du = 0, dv = 0;
  for (gint32 a = 0; a < n; a++)
    {
      cross_u += (u[a] - u_before[a]) * u_before[a];
      cross_v += (v[a] - v_before[a]) * v[a];
      du += (u[a] - u_before[a]) * (u[a] - u_before[a]);
      dv += (v[a] - v_before[a]) * (v[a] - v_before[a]);
    }
  double square = du * dot (v, v, n) + dot (u_before, u_before, n) * dv + 2 * cross_u * cross_v;
  return sqrt (MAX (square, 0));
}

static gsize
trim (const SlAgreement *c)
{
  gint64 fewest = c->n;
  for (gint32 a = 0; a < c->n; a++)
    fewest = MIN (fewest, c->first[a + 1] - c->first[a]);
  return (gsize) MAX (fewest / 2 - 1, 0);
}

/* u of |C| ~ u vᵀ, scaled so that |u| = |v|. */
static void
complete (const SlAgreement *c, const SlMethodSettings *settings, double n_items,
          const SlLearned *learned, double *u)
{
  gsize n = (gsize) c->n;
  g_autofree double *v = g_new (double, n);
  g_autofree double *before = g_new (double, 2 * n);
  g_autofree double *room = g_new (double, (gsize) c->first[n]);
  for (gsize a = 0; a < n; a++)
    {
      SlRandom random
          = sl_random (settings->seed, sl_random_purpose ("aggregate: m-msr"), 0, a + 1, 0);
      u[a] = v[a] = 1 - sl_random_unit (&random); /* never 0 */
    }
  gint64 rounds = sl_rounds (settings, ROUNDS);
  double tolerance = sl_or_own (settings->tolerance, 1e-10);
  Turn to_v = { .c = c, .from = u, .to = v, .room = room, .f = trim (c), .n_items = n_items };
  Turn to_u = { .c = c, .from = v, .to = u, .room = room, .f = trim (c), .n_items = n_items };
  for (gint64 round = 1; round <= rounds; round++)
    {
      memcpy (before, u, n * sizeof *u);
      memcpy (before + n, v, n * sizeof *v);
      sl_parallel (settings->threads, (c->n + ROWS - 1) / ROWS, turn_rows, &to_v);
      sl_parallel (settings->threads, (c->n + ROWS - 1) / ROWS, turn_rows, &to_u);
      double change = moved (u, v, before, before + n, c->n);
      sl_round_over (settings, learned, round, rounds, -change);
      if (change < tolerance)
        break;
    }
  double scale = sqrt (sqrt (dot (v, v, c->n) / dot (u, u, c->n)));
  for (gsize a = 0; a < n; a++)
    u[a] *= scale;
}

/* Gives s[n], none below 0, its signs. */
static void
set_signs (const SlAgreement *c, double *s)
{
  double sum = 0;
  for (int turn = 0, turned = 1; turn < 100 && turned > 0; turn++)
    {
      turned = 0;
      for (gint32 a = 0; a < c->n; a++)
        {
          double pull = 0;
          for (gint64 e = c->first[a]; e < c->first[a + 1]; e++)
            pull += c->value[e] * s[c->column[e]];
          if (pull * s[a] < 0)
            {
              s[a] = -s[a];
              turned++;
            }
        }
    }
  for (gint32 a = 0; a < c->n; a++)
    sum += (s[a] > 0) - (s[a] < 0);
  for (gint32 a = 0; a < c->n && sum < 0; a++)
    s[a] = -s[a];
}

/* Those without colleagues. */
static void
set_lonely (const SlAgreement *c, double *s)
{
  double sum = 0, met = 0;
  for (gint32 a = 0; a < c->n; a++)
    if (c->first[a] < c->first[a + 1])
      {
        sum += fabs (s[a]);
        met++;
      }
  for (gint32 a = 0; a < c->n; a++)
    s[a] = c->first[a] < c->first[a + 1] ? s[a] : met > 0 ? sum / met : 0.5;
}

static gboolean
refuse (const SlByItem *by, GError **error)
{
  g_set_error (
      error, SL_ERROR, SL_ERROR_INPUT,
      "of %d annotators more than %d pairs have an item in common, and m-msr compares "
      "every pair, round by round; one-coin learns one number an annotator from any number "
      "of them",
      by->n_annotators, SL_AGREEMENT_MOST / 2);
  return FALSE;
}

gboolean
sl_fit_m_msr (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
              SlLearned *learned, GError **error)
{
  if (sl_no_answers (items, answers, settings, learned))
    return TRUE;
  double n = items->n_classes, n_items = MAX (items->n_items, 4), bound = 1 / sqrt (n_items);
  g_auto (SlByItem) by;
  sl_by_item_init (&by, items, answers, 0);
  g_auto (SlAgreement) c = { 0 };
  if (!sl_agreement_init (&c, &by))
    return refuse (&by, error);
  g_autofree double *skill = g_new0 (double, (gsize) c.n);
  g_autofree double *weight = g_new0 (double, (gsize) c.n);
  complete (&c, settings, n_items, learned, skill);
  set_signs (&c, skill);
  set_lonely (&c, skill);
  for (gint32 a = 0; a < c.n && n > 1; a++)
    {
      double s = MAX (MIN (skill[a], 1 - bound), bound - 1 / (n - 1)), p = s * (n - 1) / n + 1 / n;
      skill[a] = p;
      weight[a] = sl_log (p * (n - 1) / (1 - p));
    }
  sl_weighted_vote (items, &by, weight, SL_WEIGHTED_LOGS, settings);
  sl_posterior_learn (items, &by, skill, learned);
  return TRUE;
}
