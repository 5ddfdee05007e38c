/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common-errors.h"

#include "pipeline/base/error.h"
#include "pipeline/base/process/shortage.h"
#include "pipeline/base/real-math.h"
#include "posterior.h"

#include <math.h>
#include <string.h>

static const double usual_items = 50;

enum
{
  DRAWS = 2
};

/* A confusion matrix for each annotator, as large as those that FIT keeps. */
static double *
matrices_new (const SlItems *items, const SlByItem *by, GError **error)
{
  gsize n = (gsize) items->n_classes, size = (gsize) by->n_annotators * n * n * sizeof (double);
  double *matrices = sl_memory_try_aligned (64, (MAX (size, 1) + 63) / 64 * 64);
  if (matrices == NULL)
    sl_error_runtime (error, "not enough memory for the annotators' confusion matrices");
  return matrices;
}

/* p[n]: how probable each answer by A is to an item with the label t[n]. */
static void
expect (const double *confusion, gint32 a, const double *t, gsize n, double *p)
{
  memset (p, 0, n * sizeof *p);
  for (gsize k = 0; k < n; k++)
    for (gsize x = 0; x < n; x++)
      p[x] += t[k] * confusion[((gsize) a * n + k) * n + x];
}

/* s of the header; *N_ITEMS: the items with two answers or more. */
static double
togetherness (const SlItems *items, const SlByItem *by, const double *confusion, gint32 *n_items)
{
  gsize n = (gsize) items->n_classes;
  g_autofree double *p = g_new (double, n);
  g_autofree double *left = g_new (double, n);
  double together = 0, most = 0;
  *n_items = 0;
  for (gint32 i = 0; i < by->n_items; i++)
    {
      double squares = 0, variances = 0, deviations = 0;
      memset (left, 0, n * sizeof *left);
      for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
        {
          double variance = 0, part = MIN (sl_by_item_count (by, j), 1);
          expect (confusion, by->annotator[j], &items->label[(gsize) i * n], n, p);
          for (gsize x = 0; x < n; x++)
            {
              double r = part * (((gsize) by->answer[j] == x) - p[x]);
              left[x] += r;
              squares += r * r;
              variance += part * part * p[x] * MAX (1 - p[x], 0);
            }
          variances += variance;
          deviations += sqrt (variance);
        }
      for (gsize x = 0; x < n; x++)
        together += left[x] * left[x];
      together -= squares;
      most += deviations * deviations - variances;
      *n_items += by->first[i + 1] - by->first[i] > 1;
    }
  return most > 0 ? together / most : 0;
}

static gint32
draw_from (const double *p, gsize n, SlRandom *random)
{
  double at = sl_random_unit (random);
  gsize k = 0;
  for (; k + 1 < n && at >= p[k]; k++)
    at -= p[k];
  return (gint32) k;
}

/* answer[by->n_answers], in BY's order, and its sums votes[n_items][n_classes]. */
static void
draw_answers (const SlItems *items, const SlByItem *by, const double *confusion, guint64 seed,
              guint32 draw, gint32 *answer, double *votes)
{
  gsize n = (gsize) items->n_classes;
  guint32 purpose = sl_random_purpose ("aggregate: answers of the model");
  memset (votes, 0, (gsize) items->n_items * n * sizeof *votes);
  for (gint32 i = 0; i < by->n_items; i++)
    {
      guint64 key = items->key == NULL ? (guint64) i : items->key[i];
      SlRandom random = sl_random (seed, purpose, key, 0, draw);
      gsize k = (gsize) draw_from (&items->label[(gsize) i * n], n, &random);
      for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
        {
          answer[j] = draw_from (&confusion[((gsize) by->annotator[j] * n + k) * n], n, &random);
          votes[(gsize) i * n + (gsize) answer[j]] += sl_by_item_count (by, j);
        }
    }
}

static void
item_of_answers (const SlByItem *by, gint32 *item)
{
  for (gint32 i = 0; i < by->n_items; i++)
    for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
      item[j] = i;
}

/* Fits label[n_items][n_classes], which has the sums of the votes, and CONFUSION. */
static gboolean
fit_model (SlMethodFit fit, const SlItems *items, const SlAnswers *answers,
           const SlMethodSettings *settings, double *label, double *confusion, GError **error)
{
  SlItems own = *items;
  SlLearned learned = { .confusion = confusion };
  own.label = label;
  return fit (&own, answers, settings, &learned, error);
}

/* The mean of s over answers that the model of LABEL and CONFUSION makes. */
static gboolean
expected_togetherness (SlMethodFit fit, const SlItems *items, const SlByItem *by,
                       const SlMethodSettings *settings, const double *label,
                       const double *confusion, double *mean, GError **error)
{
  gsize size = (gsize) items->n_items * (gsize) items->n_classes, n_answers = (gsize) by->n_answers;
  g_autofree gint32 *item = g_new (gint32, n_answers);
  g_autofree gint32 *answer = g_new (gint32, n_answers);
  g_autofree double *votes = g_new (double, size);
  g_autofree double *learned = matrices_new (items, by, error);
  if (learned == NULL)
    return FALSE;
  item_of_answers (by, item);
  for (guint32 draw = 0; draw < DRAWS; draw++)
    {
      gint32 n_items;
      SlItems drawn = *items;
      SlAnswers made = { .n_answers = by->n_answers,
                         .n_annotators = by->n_annotators,
                         .item = item,
                         .annotator = by->annotator,
                         .answer = answer,
                         .count = by->count };
      drawn.label = (double *) label;
      draw_answers (&drawn, by, confusion, settings->seed, draw, answer, votes);
      if (!fit_model (fit, items, &made, settings, votes, learned, error))
        return FALSE;
      g_auto (SlByItem) again;
      drawn.label = votes;
      sl_by_item_init (&again, &drawn, &made, 0);
      *mean += togetherness (&drawn, &again, learned, &n_items) / DRAWS;
    }
  return TRUE;
}

gboolean
sl_common_errors (SlMethodFit fit, const SlItems *items, const SlAnswers *answers,
                  const SlMethodSettings *settings, double *seen_label, double *excess,
                  GError **error)
{
  gsize size = (gsize) items->n_items * (gsize) items->n_classes;
  SlMethodSettings blind = *settings;
  SlItems own = *items;
  g_auto (SlByItem) by;
  blind.fix_gold = FALSE;
  sl_by_item_init (&by, items, answers, 0);
  g_autofree double *label = g_memdup2 (items->label, size * sizeof *label);
  g_autofree double *confusion = matrices_new (items, &by, error);
  if (confusion == NULL || !fit_model (fit, items, answers, &blind, label, confusion, error))
    return FALSE;
  if (seen_label != NULL)
    memcpy (seen_label, label, size * sizeof *label);
  gint32 n_items;
  double expected = 0;
  own.label = label;
  double seen = togetherness (&own, &by, confusion, &n_items);
  if (!expected_togetherness (fit, items, &by, &blind, label, confusion, &expected, error))
    return FALSE;
  *excess = ((seen - expected) * n_items + SL_USUAL_EXCESS * usual_items) / (n_items + usual_items);
  return TRUE;
}

double
sl_common_errors_correlation (double excess)
{
  return excess > 0 ? MIN (4.7 * sl_exp (0.75 * sl_log (excess)), 1.2) : 0;
}
