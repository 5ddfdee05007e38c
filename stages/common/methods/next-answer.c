/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "next-answer.h"

#include "pipeline/base/real-math.h"
#include "held-out.h"
#include "posterior.h"

#include <math.h>
#include <string.h>

static const double usual[SL_NEXT_PARTS] = { 0.15, 0.35, 0.5 }, usual_votes = 20, some = 0.05;

enum
{
  FOLDS = 2,
  STEPS = 50
};

/* phi[n_classes][n_classes] by LABEL and the votes ANSWERS; to be freed with g_free(). */
static double *
confusion (const double *label, const SlAnswers *answers, gint32 n_classes)
{
  gsize n = (gsize) n_classes;
  double *phi = g_new (double, n *n);
  for (gsize c = 0; c < n * n; c++)
    phi[c] = some;
  for (gint64 j = 0; j < answers->n_answers; j++)
    for (gsize k = 0; k < n; k++)
      phi[k * n + (gsize) answers->answer[j]] += (answers->count == NULL ? 1 : answers->count[j])
                                                 * label[(gsize) answers->item[j] * n + k];
  for (gsize k = 0; k < n; k++)
    sl_posterior_from_scores (&phi[k * n], n_classes);
  return phi;
}

/* What each part says of X, of an item with LABEL and VOTES. */
static void
say (const double *label, const double *votes, const double *phi, gsize n, gsize x,
     double part[SL_NEXT_PARTS])
{
  part[0] = votes[x];
  part[1] = 0;
  for (gsize k = 0; k < n; k++)
    part[1] += label[k] * phi[k * n + x];
  part[2] = label[x];
}

/* A vote kept back. */
typedef struct
{
  double part[SL_NEXT_PARTS], n_seen, count;
} Kept;

static void
add_kept (const SlHeldOut *held_out, gint32 n_classes, GArray *all)
{
  gsize n = (gsize) n_classes;
  const SlAnswers *kept = &held_out->kept;
  /* The votes seen, which the labels have taken the place of. */
  g_autofree double *votes = NULL;
  gint32 n_items = 0;
  for (gint64 j = 0; j < held_out->seen.n_answers; j++)
    n_items = MAX (n_items, held_out->seen.item[j] + 1);
  votes = g_new0 (double, MAX ((gsize) n_items, 1) * n);
  for (gint64 j = 0; j < held_out->seen.n_answers; j++)
    votes[(gsize) held_out->seen.item[j] * n + (gsize) held_out->seen.answer[j]]
        += held_out->seen.count == NULL ? 1 : held_out->seen.count[j];
  g_autofree double *phi = confusion (held_out->votes, &held_out->seen, n_classes);
  for (gint64 j = 0; j < kept->n_answers; j++)
    {
      gsize item = (gsize) kept->item[j] * n;
      Kept vote = { .n_seen = held_out->n_seen[kept->item[j]],
                    .count = kept->count == NULL ? 1 : kept->count[j] };
      say (&held_out->votes[item], &votes[item], phi, n, (gsize) kept->answer[j], vote.part);
      g_array_append_val (all, vote);
    }
}

/* One step uphill. Returns the log-probability of ALL by the V that was. */
static double
step (const GArray *all, double v[SL_NEXT_PARTS])
{
  double said[SL_NEXT_PARTS], due[SL_NEXT_PARTS], sum = 0, logs = 0;
  for (int m = 0; m < SL_NEXT_PARTS; m++)
    {
      said[m] = usual_votes * usual[m];
      due[m] = usual_votes;
    }
  for (guint j = 0; j < all->len; j++)
    {
      const Kept *vote = &g_array_index (all, Kept, j);
      const double weight[SL_NEXT_PARTS] = { vote->n_seen, 1, 1 };
      double of = 0, p = 0;
      for (int m = 0; m < SL_NEXT_PARTS; m++)
        {
          of += v[m] * weight[m];
          p += v[m] * vote->part[m];
        }
      for (int m = 0; m < SL_NEXT_PARTS && p > 0; m++)
        {
          said[m] += vote->count * v[m] * vote->part[m] / p;
          due[m] += vote->count * weight[m] / of;
        }
      logs += vote->count * sl_log (MAX (p / of, 1e-12));
    }
  for (int m = 0; m < SL_NEXT_PARTS; m++)
    sum += v[m] = said[m] / due[m];
  for (int m = 0; m < SL_NEXT_PARTS; m++)
    v[m] /= sum;
  return logs;
}

gboolean
sl_next_answer_find (SlMethodFit fit, const SlCalibration *calibration, const SlItems *items,
                     const SlAnswers *answers, const SlMethodSettings *settings, SlNextAnswer *next,
                     GError **error)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (Kept));
  for (guint32 fold = 0; fold < FOLDS; fold++)
    {
      g_auto (SlHeldOut) held_out;
      sl_held_out_init (&held_out, items, answers, settings->seed, fold);
      if (held_out.kept.n_answers == 0)
        continue;
      SlItems part = *items;
      SlLearned nothing = { 0 };
      part.label = held_out.votes;
      part.weight = held_out.n_seen;
      if (!fit (&part, &held_out.seen, settings, &nothing, error))
        return FALSE;
      if (calibration != NULL)
        sl_calibration_apply (calibration, &part, settings);
      add_kept (&held_out, items->n_classes, all);
    }
  double v[SL_NEXT_PARTS], n = 0, logs = 0;
  memcpy (v, usual, sizeof v);
  for (guint j = 0; j < all->len; j++)
    n += g_array_index (all, Kept, j).count;
  for (int s = 0; s < STEPS && n > 0; s++)
    logs = step (all, v);
  *next = (SlNextAnswer){ v[0], v[1], v[2], n > 0 ? logs / n : NAN };
  return TRUE;
}

void
sl_next_answer_apply (const SlNextAnswer *next, const SlItems *items, const SlAnswers *answers,
                      const double *votes)
{
  gsize n = (gsize) items->n_classes;
  g_autofree double *phi = confusion (items->label, answers, items->n_classes);
  g_autofree double *p = g_new (double, n);
  for (gint32 i = 0; i < items->n_items; i++)
    {
      double *label = &items->label[(gsize) i * n], part[SL_NEXT_PARTS];
      for (gsize x = 0; x < n; x++)
        {
          say (label, &votes[(gsize) i * n], phi, n, x, part);
          p[x] = next->seen * part[0] + next->confused * part[1] + next->truth * part[2];
        }
      sl_posterior_from_scores (p, items->n_classes);
      memcpy (label, p, n * sizeof *label);
    }
}
