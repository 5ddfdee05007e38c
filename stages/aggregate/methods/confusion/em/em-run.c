/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rounds of EM from start to end. */
#include "pipeline/base/parallel.h"
#include "em.h"

#include <math.h>

#define GROUPS 64 /* of annotators, weighed at a time */

typedef struct
{
  SlEm *em;
  SlEmPass pass;
  guint32 draw;
  gboolean added; /* the lanes' sums are in the table */
  double part[GROUPS];
} Work;

static void
pass_lane (int lane, gpointer data)
{
  Work *work = data;
  if (work->em->long_rows)
    sl_em_pass_long_lane (work->em, lane, work->pass, work->draw);
  else
    sl_em_pass_lane (work->em, lane, work->pass, work->draw);
}

static void
pass_items (SlEm *em, SlEmPass pass, guint32 draw)
{
  Work work = { .em = em, .pass = pass, .draw = draw };
  sl_parallel (em->settings->threads, em->n_lanes, pass_lane, &work);
  em->objective = 0;
  em->change = 0;
  for (gint32 l = 0; l < em->n_lanes; l++)
    {
      em->objective += em->lane_result[2 * l];
      em->change = MAX (em->change, em->lane_result[2 * l + 1]);
    }
  if (pass & SL_EM_SUM)
    for (gint32 z = 0; z < em->stride; z++)
      {
        em->total[z] = 0;
        for (gint32 l = 0; l < em->n_lanes; l++)
          em->total[z] += em->lane_row[l * 3 * MAX (em->stride, 4) + z];
      }
}

/* The annotators of a group have about as many cells as those of any other. */
static gint32
group_start (const SlEm *em, int group)
{
  return (gint32) ((gint64) em->packed.n_annotators * group / GROUPS);
}

static void
add_group (int group, gpointer data)
{
  Work *work = data;
  for (gint32 a = group_start (work->em, group); a < group_start (work->em, group + 1); a++)
    sl_em_add_lanes (work->em, a);
}

static void
weigh_group (int group, gpointer data)
{
  Work *work = data;
  SlEm *em = work->em;
  for (gint32 a = group_start (em, group); a < group_start (em, group + 1); a++)
    {
      gsize first;
      sl_packed_answers_cells (&em->packed, a, &first);
      if (!work->added)
        sl_em_add_lanes (em, a);
      work->part[group]
          += em->weigh (em, a, em->table + first * (gsize) em->stride, em->stride, 0, em->n_states);
      sl_em_copy_to_lanes (em, a);
    }
}

/* Sums over all annotators, in their order. */
static void
add_crowd (SlEm *em)
{
  gsize stride = (gsize) em->stride;
  memset (em->crowd, 0, (gsize) em->items->n_classes * stride * sizeof *em->crowd);
  for (gint32 a = 0; a < em->packed.n_annotators; a++)
    {
      gsize first;
      gint32 n = sl_packed_answers_cells (&em->packed, a, &first);
      for (gint32 i = 0; i < n; i++)
        {
          double *to = em->crowd + (gsize) sl_packed_answers_class (&em->packed, first, i) * stride;
          for (gsize z = 0; z < stride; z++)
            to[z] += em->table[(first + (gsize) i) * stride + z];
        }
    }
}

/* Sums, and the weights beside them. */
static void
clear_lanes (SlEm *em)
{
  gsize lane = (gsize) em->packed.n_cells * (gsize) em->stride * 2;
  memset (em->lane_table, 0, (gsize) em->n_lanes * lane * sizeof *em->lane_table);
}

static double
weigh (SlEm *em)
{
  gint32 needed = sl_em_needed_subtypes (em);
  Work work = { .em = em, .added = em->revise_base != NULL || needed < em->n_subtypes };
  if (work.added)
    sl_parallel (em->settings->threads, GROUPS, add_group, &work);
  if (needed < em->n_subtypes)
    {
      clear_lanes (em);
      sl_em_merge_subtypes (em, needed);
    }
  double objective = sl_em_weigh_prior (em);
  if (em->learned->reliability != NULL)
    memset (em->learned->reliability, 0, (gsize) em->packed.n_annotators * sizeof (double));
  if (em->revise_base != NULL)
    {
      add_crowd (em);
      em->revise_base (em, 0, em->n_states);
    }
  sl_parallel (em->settings->threads, GROUPS, weigh_group, &work);
  for (int g = 0; g < GROUPS; g++)
    objective += work.part[g];
  return objective;
}

static void
start_group (int group, gpointer data)
{
  Work *work = data;
  SlEm *em = work->em;
  for (gint32 a = group_start (em, group); a < group_start (em, group + 1); a++)
    {
      gsize first;
      gint32 n = sl_packed_answers_cells (&em->packed, a, &first);
      memset (em->table + first * (gsize) em->stride, 0,
              (gsize) n * (gsize) em->stride * sizeof *em->table);
      sl_em_weigh_start (em, a, em->table + first * (gsize) em->stride, em->stride, 0,
                         em->n_states);
      sl_em_copy_to_lanes (em, a);
    }
}

gboolean
sl_em_start (SlEm *em, guint32 draw, GError **error)
{
  Work work = { .em = em };
  SlEmPass pass = SL_EM_START | SL_EM_SUM | (em->want_change ? SL_EM_WRITE : 0);
  if (em->block > 0)
    return sl_em_wide_start (em, error);
  if (em->alike != NULL)
    sl_em_restore_subtypes (em);
  clear_lanes (em);
  pass_items (em, pass, draw);
  if (em->settings->start == NULL)
    return TRUE;
  sl_em_start_prior (em);
  sl_em_weigh_prior (em);
  sl_parallel (em->settings->threads, GROUPS, start_group, &work);
  pass_items (em, SL_EM_WRITE, draw);
  clear_lanes (em);
  pass_items (em, pass, draw);
  return TRUE;
}

/* One round: weights from the sums, labels from the weights. Sets em->objective: the
 * log-likelihood and the pseudo-counts' part in what is maximised, or the evidence lower bound.
 * LAST: the labels are wanted now, new sums are not. */
static void
do_round (SlEm *em, gboolean last)
{
  if (em->block > 0)
    {
      sl_em_wide_round (em);
      return;
    }
  double objective = weigh (em);
  SlEmPass pass = last ? SL_EM_WRITE : SL_EM_SUM;
  if (em->want_change)
    pass |= SL_EM_WRITE | SL_EM_CHANGE;
  pass_items (em, pass, 0);
  em->objective += objective;
}

/* Makes the labels of the round before, which turned out to be the last. */
static void
write_labels (SlEm *em)
{
  if (em->block == 0 && !em->want_change)
    pass_items (em, SL_EM_WRITE, 0);
}

/* Sums of many logarithms are exact to about 1e-10 of themselves: a rise below that is none. */
static gboolean
has_settled (const SlEm *em, double before, double tolerance)
{
  if (em->want_change)
    return em->change <= tolerance;
  return tolerance > 0 && em->objective - before < MAX (tolerance, 1e-10 * fabs (em->objective));
}

gint64
sl_em_run (SlEm *em, gint64 iterations, double tolerance)
{
  double before = -INFINITY;
  gint64 round = 1;
  for (gboolean last = FALSE, settled = FALSE; !last && !settled; round++)
    {
      last = round == iterations;
      do_round (em, last);
      sl_round_over (em->settings, em->learned, round, iterations, em->objective);
      settled = has_settled (em, before, tolerance);
      if (settled && !last)
        write_labels (em);
      before = em->objective;
    }
  sl_rounds_ended (em->learned, round - 1, iterations);
  return round - 1;
}

gboolean
sl_em_fit (SlEm *em, gint64 rounds, double tolerance, GError **error)
{
  if (!sl_em_start (em, 0, error))
    return FALSE;
  sl_em_run (em, sl_rounds (em->settings, rounds), sl_or_own (em->settings->tolerance, tolerance));
  sl_em_learn_prior (em);
  return TRUE;
}

gboolean
sl_em_first_labels (const SlItems *items, const SlAnswers *answers,
                    const SlMethodSettings *settings, GError **error)
{
  SlLearned nothing = { 0 };
  g_auto (SlEm) em = { 0 };
  if (settings->start == NULL)
    {
      sl_posterior_shares (items, settings);
      return TRUE;
    }
  if (!sl_em_init (&em, items, answers, settings, &nothing, 1, FALSE, error))
    return FALSE;
  em.want_change = TRUE; /* so that labels are written */
  return sl_em_start (&em, 0, error);
}
