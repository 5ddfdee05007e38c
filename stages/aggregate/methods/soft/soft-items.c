/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "soft-fit.h"

#include "stages/common/methods/posterior.h"

#include <math.h>
#include <string.h>

/* Where an item has so many answers beside it, half of an answer counts for itself. */
static const double own_answers = 1.5;

static void
take_answer (const SlSoftFit *fit, gint64 j, SlSoftAnswer *answer)
{
  const SlByItem *by = fit->by;
  answer->annotator = by->annotator[j];
  answer->count = sl_by_item_count (by, j);
  answer->one = MIN (answer->count, 1);
  answer->n = 0;
  if (by->distribution == NULL)
    {
      answer->class[0] = by->answer[j];
      answer->share[0] = answer->first[0] = answer->n = 1;
      return;
    }
  const double *q = sl_by_item_distribution (by, j);
  double most = 0;
  gint32 ties = 0;
  for (gint32 x = 0; x < by->n_classes; x++)
    if (q[x] > 0)
      {
        ties = q[x] > most ? 1 : ties + (q[x] == most);
        most = MAX (most, q[x]);
        answer->class[answer->n] = x;
        answer->share[answer->n++] = q[x];
      }
  if (by->answer != NULL)
    for (gint32 c = 0; c < answer->n; c++)
      answer->first[c] = answer->class[c] == by->answer[j];
  else
    for (gint32 c = 0; c < answer->n; c++)
      answer->first[c] = answer->share[c] == most ? 1.0 / ties : 0;
}

/* TO[k] += X P[k], rounded. */
SL_INLINE void
add_rounded (double *to, double x, const double *p, double grain, gsize stride)
{
  for (gsize k = 0; k < stride; k += 4)
    sl_vector_store (to + k,
                     sl_vector_load (to + k) + ((x * sl_vector_load (p + k) + grain) - grain));
}

/* Counts ANSWER as one to an item of class k, T[k] times. CHOOSE: the crowd's part goes by it. */
SL_INLINE void
count_answer (const SlSoftFit *fit, const SlSoftAnswer *answer, const double *t, gboolean choose,
              SlSoftSums *sums)
{
  gsize stride = fit->stride;
  double z = fit->found->first_share, worth = sl_soft_worth (fit, answer);
  double *cells = sums->cells + (fit->own ? (gsize) answer->annotator * fit->k * stride : 0);
  for (gint32 c = 0; c < answer->n; c++)
    {
      gsize x = (gsize) answer->class[c] * stride;
      add_rounded (cells + x, answer->count * sl_soft_mass (answer, c, z), t, fit->grain, stride);
      if (answer->first[c] > 0)
        add_rounded (sums->first + x, worth * answer->first[c], t, fit->coarse, stride);
      if (!choose)
        continue;
      add_rounded (sums->possible + x, answer->count, t, fit->grain, stride);
      add_rounded (sums->given + x, answer->count * answer->share[c], t, fit->grain, stride);
    }
  if (choose)
    add_rounded (sums->total, answer->count, t, fit->grain, stride);
}

/* T[stride]: what ANSWER counts for, by the item's LABEL and by itself. */
SL_INLINE void
own_label (const SlSoftFit *fit, const SlSoftAnswer *answer, double share, const double *label,
           double *t)
{
  for (gsize k = 0; k < fit->k; k++)
    t[k] = (1 - share) * label[k] + share * fit->own_error / (double) fit->k;
  for (gint32 c = 0; c < answer->n; c++)
    t[answer->class[c]] += share * (1 - fit->own_error) * answer->first[c];
}

gsize
sl_soft_room_size (const SlSoftFit *fit)
{
  return (18 + SL_SOFT_SHARES + fit->most_answers) * fit->stride;
}

SlSoftRoom
sl_soft_room (const SlSoftFit *fit, double *memory)
{
  gsize stride = fit->stride;
  return (SlSoftRoom){
    .sum = memory,
    .label = memory + stride,
    .seen = memory + 2 * stride,
    .firsts = memory + 3 * stride,
    .others = memory + 4 * stride,
    .p = memory + 5 * stride,
    .t = memory + 6 * stride,
    .answer = { .share = memory + 7 * stride,
                .first = memory + 8 * stride,
                .class = (gint32 *) (gpointer) (memory + 9 * stride) },
    .try = memory + 10 * stride,
    .shared = memory + 18 * stride,
    .evidence = memory + (18 + SL_SOFT_SHARES) * stride,
  };
}

/* Sums up what the answers to item I say, and returns how many there are. */
SL_INLINE double
weigh_item (const SlSoftFit *fit, gint32 i, SlSoftRoom *room)
{
  const SlByItem *by = fit->by;
  gsize stride = fit->stride;
  double n = 0;
  memset (room->sum, 0, 4 * stride * sizeof *room->sum);
  for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
    {
      SlSoftAnswer *answer = &room->answer;
      double *e = room->evidence + (gsize) (j - by->first[i]) * stride;
      take_answer (fit, j, answer);
      n += answer->count;
      for (gint32 c = 0; c < answer->n; c++)
        {
          room->seen[answer->class[c]]
              += sl_soft_rounded (answer->count * answer->share[c], fit->grain);
          room->firsts[answer->class[c]]
              += sl_soft_rounded (answer->count * answer->first[c], fit->grain);
        }
      if (fit->start)
        continue;
      sl_soft_weigh (fit, answer, fit->found->first_share,
                     fit->log_theta + (fit->own ? (gsize) answer->annotator * fit->k * stride : 0),
                     e);
      add_rounded (room->sum, answer->count * fit->strength[answer->annotator], e, fit->fine,
                   stride);
    }
  return n;
}

/* Whether the item whose evidence is in room->sum is one of those by which rho, m, z and S are
 * chosen: where there are many, some, whatever the order of rows. */
static gboolean
is_chosen_by (const SlSoftFit *fit, const SlSoftRoom *room)
{
  guint64 hash = 0;
  for (gsize k = 0; fit->sample > 0 && k < fit->k; k++)
    {
      guint64 bits;
      memcpy (&bits, &room->sum[k], sizeof bits);
      hash = (hash ^ bits) * 0x9e3779b97f4a7c15;
      hash ^= hash >> 32;
    }
  return (hash & fit->sample) == 0;
}

/* room->shared: the evidence on item I with each z and the crowd's confusion. */
SL_INLINE void
weigh_shared (const SlSoftFit *fit, gint32 i, SlSoftRoom *room)
{
  const SlSoftAnswer *answer = &room->answer;
  gsize stride = fit->stride;
  memset (room->shared, 0, SL_SOFT_SHARES * stride * sizeof *room->shared);
  for (gint64 j = fit->by->first[i]; j < fit->by->first[i + 1]; j++)
    {
      take_answer (fit, j, &room->answer);
      double strength = answer->count * fit->strength[answer->annotator];
      for (gsize z = 0; z < SL_SOFT_SHARES; z++)
        {
          sl_soft_weigh (fit, answer, sl_soft_shares[z], fit->log_shared + z * fit->k * stride,
                         room->t);
          add_rounded (room->shared + z * stride, strength, room->t, fit->fine, stride);
        }
    }
}

/* room->label: of item I by the evidence in room->sum, or the class that it keeps. */
SL_INLINE gboolean
label_item (const SlSoftFit *fit, gint32 i, double correlation, double n, SlSoftRoom *room)
{
  gint32 gold = sl_posterior_gold (fit->items, fit->settings, i);
  if (gold >= 0)
    {
      memset (room->label, 0, fit->stride * sizeof *room->label);
      room->label[gold] = 1;
    }
  else if (fit->start)
    {
      double z = fit->found->first_share;
      for (gsize k = 0; k < fit->k; k++)
        room->label[k]
            = n > 0 ? ((1 - z) * room->seen[k] + z * room->firsts[k]) / n : 1.0 / (double) fit->k;
    }
  else
    sl_soft_label_without (fit, room->sum, 0, room->sum, sl_soft_exponent (correlation, n),
                           room->label);
  return gold >= 0;
}

/* Learns from the answers to item I. */
SL_INLINE void
learn_item (const SlSoftFit *fit, gint32 i, SlSoftSums *sums, SlSoftRoom *room)
{
  const SlByItem *by = fit->by;
  gsize stride = fit->stride;
  double n = weigh_item (fit, i, room);
  gboolean gold = label_item (fit, i, fit->found->correlation / 2, n, room);
  double *label = &fit->items->label[(gsize) i * fit->k], change = 0;
  double rest = MAX (n - 1, 0) / own_answers, own = gold ? 0 : 1 / (1 + rest * rest);
  gboolean others = fit->judges && n > 1, choose = is_chosen_by (fit, room);
  if (fit->worth && others && choose)
    weigh_shared (fit, i, room);
  for (gsize k = 0; k < fit->k; k++)
    {
      change = MAX (change, fabs (room->label[k] - label[k]));
      label[k] = room->label[k];
    }
  sums->change += sl_soft_rounded (change, fit->grain);
  add_rounded (sums->prior, 1, room->label, fit->grain, stride);
  for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
    {
      const double *e = room->evidence + (gsize) (j - by->first[i]) * stride;
      take_answer (fit, j, &room->answer);
      own_label (fit, &room->answer, own, room->label, room->t);
      count_answer (fit, &room->answer, room->t, choose, sums);
      if (others)
        sl_soft_judge (fit, room, e, n, gold, choose, sums);
    }
}

SL_VECTORS void
sl_soft_learn_part (int part, gpointer data)
{
  const SlSoftFit *fit = data;
  SlSoftSums *sums = &fit->sums[part];
  SlSoftRoom room = sl_soft_room (fit, sums->room);
  memset (room.label, 0, 6 * fit->stride * sizeof *room.label);
  for (gint32 i = fit->by->part[part]; i < fit->by->part[part + 1]; i++)
    learn_item (fit, i, sums, &room);
}

/* The label of item I that is asked for. */
SL_INLINE void
finish_item (const SlSoftFit *fit, gint32 i, SlSoftRoom *room)
{
  gsize k = fit->k;
  double n = weigh_item (fit, i, room), *label = &fit->items->label[(gsize) i * k], all = 0;
  (void) label_item (fit, i, fit->found->correlation, n, room);
  memcpy (label, room->label, k * sizeof *label);
  if (fit->settings->asked != SL_ASKED_PEOPLE)
    return;
  for (gsize f = 0; f < k; f++)
    {
      label[f]
          = fit->mixture[0] * room->seen[f] + fit->mixture[1] * room->firsts[f]
            + fit->mixture[2] * sl_soft_dot (room->label, fit->phi + f * fit->stride, fit->stride)
            + fit->mixture[3] * room->label[f];
      all += label[f];
    }
  for (gsize f = 0; f < k; f++)
    label[f] /= all;
}

SL_VECTORS void
sl_soft_finish_part (int part, gpointer data)
{
  const SlSoftFit *fit = data;
  SlSoftRoom room = sl_soft_room (fit, fit->sums[part].room);
  for (gint32 i = fit->by->part[part]; i < fit->by->part[part + 1]; i++)
    finish_item (fit, i, &room);
}
