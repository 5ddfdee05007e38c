/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "posterior.h"

#include "pipeline/base/vector-math.h"

#include <math.h>
#include <string.h>

/* The case in which there is nothing to fit. */

gboolean
sl_no_answers (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
               const SlLearned *learned)
{
  if (answers->n_answers > 0)
    return FALSE;
  g_auto (SlByItem) by;
  sl_by_item_init (&by, items, answers, 0);
  sl_posterior_shares (items, settings);
  sl_posterior_learn (items, &by, NULL, learned);
  return TRUE;
}

void
sl_rounds_ended (const SlLearned *learned, gint64 round, gint64 most)
{
  if (learned->round == NULL || learned->note == NULL)
    return;
  g_autofree char *text
      = round < most
            ? g_strdup_printf ("settled in round %" G_GINT64_FORMAT, round)
            : g_strdup_printf ("ended with round %" G_GINT64_FORMAT ", the last allowed", most);
  learned->note (learned->data, text);
}

void
sl_start_ended (const SlLearned *learned, gint64 start, gint64 rounds, double objective,
                gboolean kept)
{
  if (learned->note == NULL)
    return;
  g_autofree char *text
      = g_strdup_printf ("start %" G_GINT64_FORMAT ": %.9g after %" G_GINT64_FORMAT " rounds%s",
                         start, objective, rounds, kept ? ", the best so far" : "");
  learned->note (learned->data, text);
}

SL_VECTORS double
sl_posterior_from_logs (double *p, gint32 n)
{
  double most = p[0], sum = 0;
  for (gint32 k = 1; k < n; k++)
    most = p[k] > most ? p[k] : most;
  if (most == -INFINITY)
    {
      for (gint32 k = 0; k < n; k++)
        p[k] = 1.0 / n;
      return -INFINITY;
    }
  for (gint32 k = 0; k < n; k += 4)
    {
      gsize part = (gsize) MIN (n - k, 4);
      sl_vector_store_part (p + k, sl_vector_exp (sl_vector_load_part (p + k, part) - most), part);
    }
  for (gint32 k = 0; k < n; k++)
    sum += p[k];
  for (gint32 k = 0; k < n; k++)
    p[k] /= sum;
  return most + sl_scalar_log (sum);
}

gboolean
sl_posterior_from_scores (double *p, gint32 n)
{
  double sum = 0;
  for (gint32 k = 0; k < n; k++)
    sum += p[k];
  if (!(sum > 0))
    return FALSE;
  for (gint32 k = 0; k < n; k++)
    p[k] /= sum;
  return TRUE;
}

void
sl_posterior_set (double *p, gint32 n, gint32 k)
{
  memset (p, 0, (gsize) n * sizeof *p);
  p[k] = 1;
}

void
sl_posterior_shares (const SlItems *items, const SlMethodSettings *settings)
{
  gint32 n = items->n_classes;
  double *p = items->label; /* p[n_items][n_classes] */
  for (gint32 i = 0; i < items->n_items; i++, p += n)
    {
      gint32 gold = sl_posterior_gold (items, settings, i);
      if (gold >= 0)
        sl_posterior_set (p, n, gold);
      else if (!sl_posterior_from_scores (p, n))
        for (gint32 k = 0; k < n; k++)
          p[k] = 1.0 / n;
    }
}

/* How much answer J is for class L. */
static double
evidence (const SlByItem *by, gint64 j, gsize l)
{
  double share
      = by->distribution == NULL ? (gsize) by->answer[j] == l : sl_by_item_distribution (by, j)[l];
  return share * sl_by_item_count (by, j);
}

static void
learn_confusion (const SlItems *items, const SlByItem *by, double *confusion)
{
  gsize n = (gsize) items->n_classes;
  memset (confusion, 0, (gsize) by->n_annotators * n * n * sizeof *confusion);
  for (gint32 i = 0; i < items->n_items; i++)
    for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
      {
        const double *p = &items->label[(gsize) i * n];
        gsize least = by->distribution == NULL ? (gsize) by->answer[j] : 0;
        gsize most = by->distribution == NULL ? least : n - 1;
        for (gsize l = least; l <= most; l++)
          for (gsize k = 0; k < n; k++)
            confusion[((gsize) by->annotator[j] * n + k) * n + l] += p[k] * evidence (by, j, l);
      }
  for (gsize row = 0; row < (gsize) by->n_annotators * n; row++)
    if (!sl_posterior_from_scores (&confusion[row * n], items->n_classes))
      for (gsize l = 0; l < n; l++)
        confusion[row * n + l] = 1.0 / (double) n;
}

static void
learn_reliability (const SlItems *items, const SlByItem *by, double *reliability)
{
  gsize n = (gsize) items->n_classes;
  g_autofree double *answered = g_new0 (double, (gsize) by->n_annotators);
  memset (reliability, 0, (gsize) by->n_annotators * sizeof *reliability);
  for (gint32 i = 0; i < items->n_items; i++)
    for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
      {
        const double *p = &items->label[(gsize) i * n];
        answered[by->annotator[j]] += sl_by_item_count (by, j);
        if (by->distribution == NULL)
          reliability[by->annotator[j]] += p[by->answer[j]] * sl_by_item_count (by, j);
        for (gsize l = 0; l < n && by->distribution != NULL; l++)
          reliability[by->annotator[j]] += p[l] * evidence (by, j, l);
      }
  for (gint32 a = 0; a < by->n_annotators; a++)
    reliability[a] = answered[a] > 0 ? reliability[a] / answered[a] : 0;
}

static void
learn_prior (const SlItems *items, double *prior)
{
  gsize n = (gsize) items->n_classes;
  memset (prior, 0, n * sizeof *prior);
  for (gint32 i = 0; i < items->n_items; i++)
    for (gsize k = 0; k < n; k++)
      prior[k] += items->label[(gsize) i * n + k];
  if (!sl_posterior_from_scores (prior, items->n_classes))
    for (gsize k = 0; k < n; k++)
      prior[k] = 1.0 / (double) n;
}

void
sl_posterior_learn (const SlItems *items, const SlByItem *by, const double *skill,
                    const SlLearned *learned)
{
  if (learned->confusion != NULL)
    learn_confusion (items, by, learned->confusion);
  if (learned->reliability != NULL && skill != NULL)
    memcpy (learned->reliability, skill, (gsize) by->n_annotators * sizeof *skill);
  else if (learned->reliability != NULL)
    learn_reliability (items, by, learned->reliability);
  if (learned->prior != NULL)
    learn_prior (items, learned->prior);
}
