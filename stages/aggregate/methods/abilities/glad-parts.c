/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "glad-parts.h"

#include "pipeline/base/parallel.h"
#include "pipeline/base/real-math.h"
#include "pipeline/base/vector-math.h"
#include "stages/common/methods/posterior.h"

#include <math.h>
#include <string.h>

static const double mean = 1, largest = 700; /* of a logit */

void
sl_even_confusion (double right, double wrong, gsize n, double *confusion)
{
  for (gsize k = 0; k < n; k++)
    for (gsize l = 0; l < n; l++)
      confusion[k * n + l] = n == 1 ? 1 : k == l ? right : wrong / (double) (n - 1);
}

void
sl_glad_confusion (double ability, gsize n, double *confusion)
{
  double x = CLAMP (ability * M_E, -largest, largest),
         t = sl_exp (-fabs (x)) / (1 + sl_exp (-fabs (x)));
  sl_even_confusion (x < 0 ? t : 1 - t, x < 0 ? 1 - t : t, n, confusion);
}

double
sl_glad_ability_of (const double *confusion, gsize n)
{
  double right = 0, wrong = 0;
  for (gsize k = 0; k < n; k++)
    for (gsize l = 0; l < n; l++)
      *(k == l ? &right : &wrong) += confusion[k * n + l];
  if (n == 1)
    return mean;
  return CLAMP (sl_log (right) - sl_log (wrong), -largest, largest) / M_E;
}

double
sl_glad_ability (const double *sums, const double *information, gsize n)
{
  double slope = mean, curvature = 1;
  for (gsize k = 0; k < n; k++)
    for (gsize l = 0; l < n; l++)
      {
        slope += k == l ? sums[k * n + l] : -sums[k * n + l];
        curvature += information[k * n + l];
      }
  return slope / curvature;
}

/* [n_annotators], to be freed with g_free(). */
static double *
abilities (const SlMethodSettings *settings, gsize n_annotators, gsize n)
{
  double *ability = g_new (double, MAX (n_annotators, 1));
  for (gsize a = 0; a < n_annotators; a++)
    ability[a]
        = settings->start == NULL ? mean : sl_glad_ability_of (&settings->start[a * n * n], n);
  return ability;
}

typedef struct
{
  const SlItems *items;
  const SlByItem *by;
  const SlMethodSettings *settings;
  const double *ability;
  double log_others; /* log (K - 1) */
  double *ease;
} Fit;

/* One item, and room for its answers and classes. */
typedef struct
{
  const Fit *fit;
  gint32 i;
  gint64 first, n; /* answers */
  double *label;
  double *x, *t; /* [n]: α e^β and e^-|x| */
  double *slope; /* [n_classes]: of the classes' scores in β */
} Item;

/* The log-likelihood with the prior at β; the label there. */
static double
look (Item *item, double beta)
{
  const SlByItem *by = item->fit->by;
  gint32 n_classes = by->n_classes;
  gint32 gold = sl_posterior_gold (item->fit->items, item->fit->settings, item->i);
  double ease = sl_exp (beta), sum = -(beta - mean) * (beta - mean) / 2, *p = item->label;
  memset (p, 0, (gsize) n_classes * sizeof *p);
  for (gint64 j = 0; j < item->n; j++)
    {
      item->x[j] = item->fit->ability[by->annotator[item->first + j]] * ease;
      item->t[j] = -fabs (item->x[j]);
    }
  sl_exp_row (item->t, (gsize) item->n);
  for (gint64 j = 0; j < item->n; j++)
    {
      double count = sl_by_item_count (by, item->first + j);
      p[by->answer[item->first + j]] += count * (item->x[j] + item->fit->log_others);
      sum -= count * (MAX (item->x[j], 0) + sl_log1p (item->t[j]));
    }
  double of_gold = gold < 0 ? 0 : p[gold], all = sl_posterior_from_logs (p, n_classes);
  if (gold >= 0)
    sl_posterior_set (p, n_classes, gold);
  return sum + (gold < 0 ? all : of_gold);
}

/* Newton's step from β, where look() was; uphill, and of 1 at most. */
static double
find_step (Item *item, double beta)
{
  const SlByItem *by = item->fit->by;
  double slope = mean - beta, curvature = 1, expected = 0, square = 0;
  memset (item->slope, 0, (gsize) by->n_classes * sizeof *item->slope);
  for (gint64 j = 0; j < item->n; j++)
    {
      double x = item->x[j], t = item->t[j], count = sl_by_item_count (by, item->first + j);
      double right = (x >= 0 ? 1 : t) / (1 + t);
      item->slope[by->answer[item->first + j]] += count * x;
      slope -= count * right * x;
      curvature += count * (right * x + t / ((1 + t) * (1 + t)) * x * x);
    }
  for (gint32 k = 0; k < by->n_classes; k++)
    {
      expected += item->label[k] * item->slope[k];
      square += item->label[k] * item->slope[k] * item->slope[k];
    }
  slope += expected;
  curvature -= square - expected * expected + expected;
  double step = curvature > 0 ? slope / curvature : slope;
  return CLAMP (step, -1, 1);
}

/* β of the item, whose label becomes that of β. A step that leads down is halved. */
static double
climb (Item *item)
{
  double beta = mean, value = look (item, beta), step = 1;
  for (int steps = 0; steps < 100 && fabs (step) > 1e-9; steps++)
    {
      step = find_step (item, beta);
      double next = look (item, beta + step);
      while (next < value - 1e-12 * (1 + fabs (value)) && fabs (step) > 1e-9)
        {
          step /= 2;
          next = look (item, beta + step);
        }
      beta += step;
      value = next;
    }
  return beta;
}

static void
fit_part (int part, gpointer data)
{
  const Fit *fit = data;
  const SlByItem *by = fit->by;
  gint64 most = 1;
  for (gint32 i = by->part[part]; i < by->part[part + 1]; i++)
    most = MAX (most, by->first[i + 1] - by->first[i]);
  g_autofree double *x = g_new (double, most), *t = g_new (double, most);
  g_autofree double *slope = g_new (double, by->n_classes);
  for (gint32 i = by->part[part]; i < by->part[part + 1]; i++)
    {
      Item item = { .fit = fit,
                    .i = i,
                    .first = by->first[i],
                    .n = by->first[i + 1] - by->first[i],
                    .label = &fit->items->label[(gsize) i * (gsize) by->n_classes],
                    .x = x,
                    .t = t,
                    .slope = slope };
      double beta = climb (&item);
      if (fit->ease != NULL)
        fit->ease[i] = sl_exp (beta);
    }
}

void
sl_glad_items (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
               double *ease)
{
  const SlLearned nothing = { 0 };
  if (sl_no_answers (items, answers, settings, &nothing))
    return;
  g_auto (SlByItem) by;
  sl_by_item_init (&by, items, answers, 1);
  g_autofree double *ability
      = abilities (settings, (gsize) answers->n_annotators, (gsize) items->n_classes);
  Fit fit = { items, &by, settings, ability, sl_log (MAX (items->n_classes - 1, 1)), ease };
  sl_parallel (settings->threads, by.n_parts, fit_part, &fit);
}

void
sl_glad_sums (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
              const double *ease, double *sums, double *information)
{
  gsize n = (gsize) items->n_classes;
  g_autofree double *ability = abilities (settings, (gsize) answers->n_annotators, n);
  for (gint64 j = 0; j < answers->n_answers; j++)
    {
      double e = ease[answers->item[j]], x = ability[answers->annotator[j]] * e;
      double t = sl_exp (-fabs (x));
      double likely = 1 / (1 + t), unlikely = t / (1 + t); /* σ and 1 - σ, the larger first */
      double w = MAX (likely * unlikely, (likely - unlikely) / (4 * MAX (fabs (x), 1)));
      double count = (answers->count != NULL ? answers->count[j] : 1) * e;
      double right = (x < 0 ? likely : unlikely) + w * x, wrong = 1 - right;
      const double *label = items->label + (gsize) answers->item[j] * n;
      gsize at = (gsize) answers->annotator[j] * n * n + (gsize) answers->answer[j];
      for (gsize k = 0; k < n; k++)
        {
          gboolean is_right = k == (gsize) answers->answer[j];
          sums[at + k * n] += count * label[k] * (is_right ? right : wrong);
          information[at + k * n] += count * label[k] * e * w;
        }
    }
}
