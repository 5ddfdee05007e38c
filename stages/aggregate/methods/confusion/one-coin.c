/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dawid & Skene's model with one number for each annotator (the one-coin model, as in Zhang, Chen,
 * Zhou & Jordan, JMLR 17, 2016): annotator a is right with probability r_a, and else says any of
 * the other classes alike.
 *
 *     M   prior[k] = mean over items of T_i[k]
 *         r_a = (e + sum over a's answers x to i of T_i[x]) / (2 e + a's answers)
 *     E   T_i[k] ~ prior[k] × product over the answers (a, x) to i of r_a where x = k,
 *                                                                    (1 - r_a) / (K - 1) elsewhere
 *
 * e: the smoothing, 0.01. Starts from the share of the votes; ends when the log-likelihood, with
 * e log r_a (1 - r_a), rises by less than the tolerance, 1e-5 an answer, or after 100 rounds.
 * What is known of an annotator beforehand counts by the mean of its diagonal. */
#include "stages/aggregate/methods/confusion/em/em.h"
#include "stages/aggregate/methods/fits.h"

#include <math.h>

/* What is known of annotator A beforehand, in answers: RIGHT gets the right ones, SUM all. Both are
 * 0 where nothing is known. */
static void
add_known (const SlEm *em, gint32 a, double *right, double *sum)
{
  gsize n_classes = (gsize) em->items->n_classes;
  const double *prior = em->settings->confusion_prior + (gsize) a * n_classes * n_classes;
  double weight = em->settings->prior_weight / (double) n_classes;
  for (gsize k = 0; k < n_classes; k++)
    for (gsize l = 0; l < n_classes; l++)
      {
        *right += k == l ? weight * prior[k * n_classes + l] : 0;
        *sum += weight * prior[k * n_classes + l];
      }
}

static double
reliability (const SlEm *em, gint32 a, double right, double answers)
{
  double sum = answers + 2 * em->smoothing;
  if (em->settings->confusion_prior != NULL)
    add_known (em, a, &right, &sum);
  if (em->items->n_classes == 1)
    return 1;
  return sum > 0 ? (right + em->smoothing) / sum : 1.0 / em->items->n_classes;
}

/* The mass of A's answers that is right, and all of it, from its sums. */
static double
count_right (const SlEm *em, gint32 a, const double *rows, gint32 stride)
{
  gsize first;
  gint32 n = sl_packed_answers_cells (&em->packed, a, &first);
  double right = 0, sum = 0;
  for (gint32 i = 0; i < n; i++, rows += stride)
    {
      right += rows[sl_packed_answers_class (&em->packed, first, i)];
      for (gint32 k = 0; k < em->n_states; k++)
        sum += rows[k];
    }
  return reliability (em, a, right, sum);
}

/* The same from the labels, where there are no sums of all states at once. */
static void
gather_right (SlEm *em)
{
  double *right = em->data;
  gsize n_classes = (gsize) em->items->n_classes;
  for (gint32 a = 0; a < em->packed.n_annotators; a++)
    {
      gsize first;
      gint32 n = sl_packed_answers_cells (&em->packed, a, &first);
      double sum = 0, all = 0;
      for (gint32 i = 0; i < n; i++)
        for (gint64 j = em->cell_first[first + (gsize) i];
             j < em->cell_first[first + (gsize) i + 1]; j++)
          {
            double weight = em->cell_weight != NULL ? em->cell_weight[j] : 1;
            gsize x = (gsize) sl_packed_answers_class (&em->packed, first, i);
            sum += em->items->label[(gsize) em->cell_item[j] * n_classes + x] * weight;
            all += weight;
          }
      right[a] = reliability (em, a, sum, all);
    }
}

static double
weigh (SlEm *em, gint32 a, double *rows, gint32 stride, gint32 first, gint32 states)
{
  gsize cell;
  gint32 n = sl_packed_answers_cells (&em->packed, a, &cell), n_classes = em->items->n_classes;
  double *right = em->data;
  if (em->block == 0)
    right[a] = count_right (em, a, rows, stride);
  double p = right[a], q = n_classes > 1 ? (1 - p) / (n_classes - 1) : 0;
  double is = em->logs ? sl_scalar_log (p) : p, is_not = em->logs ? sl_scalar_log (q) : q;
  for (gint32 i = 0; i < n; i++)
    for (gint32 z = 0; z < states; z++)
      rows[i * stride + z]
          = sl_packed_answers_class (&em->packed, cell, i) == first + z ? is : is_not;
  if (em->learned->confusion != NULL || em->learned->reliability != NULL)
    for (gint32 z = first; z < first + states; z++)
      for (gint32 x = 0; x < n_classes; x++)
        sl_em_report (em, a, z, x, x == z ? p : q);
  return first == 0 && em->smoothing > 0 && n_classes > 1
             ? em->smoothing * (sl_scalar_log (p) + sl_scalar_log (1 - p))
             : 0;
}

gboolean
sl_fit_one_coin (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
                 SlLearned *learned, GError **error)
{
  g_auto (SlEm) em = { 0 };
  if (!sl_em_init (&em, items, answers, settings, learned, 1, FALSE, error))
    return FALSE;
  g_autofree double *right = g_new (double, MAX (answers->n_annotators, 1));
  em.data = right;
  em.weigh = weigh;
  em.before_weights = gather_right;
  em.smoothing = sl_or_own (settings->smoothing, 0.01);
  return sl_em_fit (&em, 100, 1e-5 * (double) em.packed.n_answers, error);
}
