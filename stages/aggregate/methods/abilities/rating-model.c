/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rating-model.h"

#include "pipeline/base/vector-math.h"

#include <math.h>
#include <string.h>

#define GRID SL_RATING_GRID
#define LEAST 1e-9 /* probability: no answer is impossible */
#define LEAST_GAP 1e-3

enum
{
  BIAS,
  SPREAD,
  SLOPE,
};

SL_VECTORS void
sl_rating_probabilities (const SlRatingScale *scale, const SlRater *rater, double *p, double *slope)
{
  gsize n = (gsize) scale->n_classes;
  double stretch = sl_scalar_exp (CLAMP (rater->x[SPREAD], -5, 5)), below[GRID] = { 0 };
  for (gsize l = 0; l < n; l++)
    {
      double *own = p + l * GRID;
      if (l + 1 == n)
        {
          for (int g = 0; g < GRID; g++)
            own[g] = MAX (1 - below[g], LEAST);
          break;
        }
      for (int g = 0; g < GRID; g++)
        own[g] = CLAMP (-(rater->x[BIAS] + stretch * scale->threshold[l]
                          - rater->x[SLOPE] * sl_rating_place (g)),
                        -30, 30);
      sl_exp_row (own, GRID);
      for (int g = 0; g < GRID; g++)
        {
          double f = 1 / (1 + own[g]);
          if (slope != NULL)
            slope[l * GRID + (gsize) g] = f * (1 - f);
          own[g] = MAX (f - below[g], LEAST);
          below[g] = f;
        }
    }
}

/* Σ COUNT log P, and what RATER's parts are expected to be. */
static double
objective (const SlRatingScale *scale, const double *count, const SlRater *rater, const double *p,
           double *logs)
{
  gsize size = (gsize) scale->n_classes * GRID;
  double sum = 0;
  sl_log_row (p, size, logs);
  for (gsize i = 0; i < size; i++)
    sum += count[i] * logs[i];
  for (int part = 0; part < SL_RATER_PARTS; part++)
    {
      double off = rater->x[part] - scale->mean[part];
      sum -= off * off / (2 * scale->variance[part]);
    }
  return sum;
}

/* Solves A x = b for a positive definite A; A's inverse's diagonal goes to VARIANCE. */
static void
solve (double a[3][3], const double b[3], double x[3], double variance[3])
{
  double inverse[3][3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      {
        int r0 = (i + 1) % 3, r1 = (i + 2) % 3, c0 = (j + 1) % 3, c1 = (j + 2) % 3;
        inverse[j][i] = a[r0][c0] * a[r1][c1] - a[r0][c1] * a[r1][c0];
      }
  double determinant = a[0][0] * inverse[0][0] + a[0][1] * inverse[1][0] + a[0][2] * inverse[2][0];
  for (int i = 0; i < 3; i++)
    {
      x[i] = 0;
      for (int j = 0; j < 3; j++)
        x[i] += inverse[i][j] / determinant * b[j];
      variance[i] = inverse[i][i] / determinant;
    }
}

/* The score of RATER's parts, and their information. */
static void
derive (const SlRatingScale *scale, const double *count, const SlRater *rater, const double *p,
        const double *slope, double score[3], double information[3][3])
{
  gsize n = (gsize) scale->n_classes;
  double stretch = sl_scalar_exp (CLAMP (rater->x[SPREAD], -5, 5));
  memset (score, 0, 3 * sizeof *score);
  memset (information, 0, 9 * sizeof (double));
  for (gsize g = 0; g < GRID; g++)
    {
      double place = sl_rating_place ((int) g), whole = 0;
      for (gsize l = 0; l < n; l++)
        whole += count[l * GRID + g];
      for (gsize l = 0; l < n && whole > 0; l++)
        {
          double above = l + 1 < n ? slope[l * GRID + g] : 0,
                 below = l > 0 ? slope[(l - 1) * GRID + g] : 0;
          double high = l + 1 < n ? stretch * scale->threshold[l] : 0,
                 low = l > 0 ? stretch * scale->threshold[l - 1] : 0;
          const double d[3]
              = { above - below, above * high - below * low, (below - above) * place };
          double one = 1 / p[l * GRID + g], seen = count[l * GRID + g] * one;
          for (int i = 0; i < 3; i++)
            {
              score[i] += seen * d[i];
              for (int j = 0; j < 3; j++)
                information[i][j] += whole * one * d[i] * d[j];
            }
        }
    }
  for (int i = 0; i < 3; i++)
    {
      score[i] -= (rater->x[i] - scale->mean[i]) / scale->variance[i];
      information[i][i] += 1 / scale->variance[i];
    }
}

#define STEPS 2
#define HALVINGS 6

void
sl_rater_improve (const SlRatingScale *scale, const double *count, SlRater *rater, double *room)
{
  gsize size = (gsize) scale->n_classes * GRID;
  double *p = room, *slope = room + size, *logs = room + 2 * size;
  double score[3], information[3][3], step[3];
  sl_rating_probabilities (scale, rater, p, slope);
  double best = objective (scale, count, rater, p, logs);
  for (int s = 0; s < STEPS; s++)
    {
      derive (scale, count, rater, p, slope, score, information);
      solve (information, score, step, rater->variance);
      SlRater before = *rater;
      double share = 1, now = -INFINITY;
      for (int h = 0; h < HALVINGS && !(now >= best); h++, share /= 2)
        {
          for (int i = 0; i < 3; i++)
            rater->x[i] = before.x[i] + share * CLAMP (step[i], -1, 1);
          sl_rating_probabilities (scale, rater, p, slope);
          now = objective (scale, count, rater, p, logs);
        }
      if (!(now >= best))
        {
          *rater = before;
          return;
        }
      best = now;
    }
}

void
sl_rater_add_thresholds (const SlRatingScale *scale, const SlRater *rater, const double *count,
                         double *score, double *diagonal, double *beside, double *room)
{
  gsize n = (gsize) scale->n_classes;
  double *p = room, *slope = room + n * GRID;
  double stretch = sl_scalar_exp (CLAMP (rater->x[SPREAD], -5, 5));
  sl_rating_probabilities (scale, rater, p, slope);
  for (gsize g = 0; g < GRID; g++)
    {
      double whole = 0;
      for (gsize l = 0; l < n; l++)
        whole += count[l * GRID + g];
      for (gsize l = 0; l + 1 < n && whole > 0; l++)
        {
          double f = stretch * slope[l * GRID + g], low = 1 / p[l * GRID + g],
                 high = 1 / p[(l + 1) * GRID + g];
          score[l] += f * (count[l * GRID + g] * low - count[(l + 1) * GRID + g] * high);
          diagonal[l] += whole * f * f * (low + high);
          if (l > 0)
            beside[l] -= whole * f * stretch * slope[(l - 1) * GRID + g] * low;
        }
    }
}

/* Thomas's algorithm; where neighbours come too near, the step is shortened. */
void
sl_rating_move_thresholds (SlRatingScale *scale, const double *score, const double *diagonal,
                           const double *beside)
{
  gsize n = (gsize) scale->n_classes - 1;
  g_autofree double *ratio = g_new (double, n), *step = g_new (double, n);
  for (gsize l = 0; l < n; l++)
    {
      double pivot = diagonal[l] + 1e-9 - (l > 0 ? beside[l] * ratio[l - 1] : 0);
      ratio[l] = l + 1 < n ? beside[l + 1] / pivot : 0;
      step[l] = (score[l] - (l > 0 ? beside[l] * step[l - 1] : 0)) / pivot;
    }
  for (gsize l = n - 1; l-- > 0;)
    step[l] -= ratio[l] * step[l + 1];
  double share = 1;
  for (gsize l = 0; l < n; l++)
    {
      share = MIN (share, 1 / MAX (fabs (step[l]), 1));
      double gap = l > 0 ? scale->threshold[l] - scale->threshold[l - 1] : 0;
      if (l > 0 && gap + step[l] - step[l - 1] < gap / 2)
        share = MIN (share, gap / 2 / (step[l - 1] - step[l]));
    }
  for (gsize l = 0; l < n; l++)
    {
      scale->threshold[l] += share * step[l];
      if (l > 0)
        scale->threshold[l] = MAX (scale->threshold[l], scale->threshold[l - 1] + LEAST_GAP);
    }
}

void
sl_rating_centre (SlRatingScale *scale, SlRater *rater, gint32 n)
{
  double mean = 0, along = 0, squares = 0;
  for (gint32 a = 0; a < n; a++)
    mean += rater[a].x[SPREAD] / n;
  for (gint32 a = 0; a < n; a++)
    {
      rater[a].x[SPREAD] -= mean;
      double stretch = sl_scalar_exp (CLAMP (rater[a].x[SPREAD], -5, 5));
      along += rater[a].x[BIAS] * stretch;
      squares += stretch * stretch;
    }
  double move = along / squares, stretch = sl_scalar_exp (CLAMP (mean, -5, 5));
  for (gint32 a = 0; a < n; a++)
    rater[a].x[BIAS] -= move * sl_scalar_exp (CLAMP (rater[a].x[SPREAD], -5, 5));
  for (gint32 l = 0; l + 1 < scale->n_classes; l++)
    scale->threshold[l] = scale->threshold[l] * stretch + move;
}

void
sl_rating_boundaries (const SlRatingScale *scale, const SlRater *rater, const double *weight,
                      gint32 n, double *boundary)
{
  double bias = 0, stretch = 0, squares = 1e-9;
  for (gint32 a = 0; a < n; a++)
    {
      double slope = MAX (rater[a].x[SLOPE], 0);
      bias += weight[a] * slope * rater[a].x[BIAS];
      stretch += weight[a] * slope * sl_scalar_exp (CLAMP (rater[a].x[SPREAD], -5, 5));
      squares += weight[a] * slope * slope;
    }
  for (gint32 l = 0; l + 1 < scale->n_classes; l++)
    boundary[l] = (bias + stretch * scale->threshold[l]) / squares;
}

void
sl_rating_regions (const double *boundary, gint32 n_classes, double *share)
{
  gsize n = (gsize) n_classes;
  for (gsize l = 0; l < n; l++)
    {
      double from = l > 0 ? boundary[l - 1] : -INFINITY;
      double to = l + 1 < n ? boundary[l] : INFINITY;
      for (int g = 0; g < GRID; g++)
        {
          double middle = sl_rating_place (g), half = SL_RATING_STEP / 2;
          double left = g == 0 ? -INFINITY : middle - half,
                 right = g == GRID - 1 ? INFINITY : middle + half;
          /* The outermost cells go by their middles. */
          if (isinf (left) || isinf (right))
            share[l * GRID + (gsize) g] = middle >= from && middle < to;
          else
            share[l * GRID + (gsize) g]
                = MAX (MIN (right, to) - MAX (left, from), 0) / SL_RATING_STEP;
        }
    }
}
