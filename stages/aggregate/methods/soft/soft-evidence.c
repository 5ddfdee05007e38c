/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "soft-fit.h"

#include "pipeline/base/json.h"
#include "pipeline/base/parallel.h"
#include "stages/aggregate/methods/fits.h"
#include "stages/common/methods/posterior.h"
#include "stages/common/figures/pair-agreement.h"

#include <math.h>
#include <string.h>

static const double usual_shrinkage = 16;
static const double divided_error = 0.03, vote_error = 0.2; /* own_error */

enum
{
  ROUNDS = 14,
  EVERY = 4,             /* rounds between one choice of the correlation and the next */
  MOST_CHOSEN_BY = 32768 /* items, about */
};

/* Whether any answer is divided between classes. */
static gboolean
is_divided (const SlByItem *by)
{
  for (gint64 j = 0; by->distribution != NULL && j < by->n_answers; j++)
    {
      const double *q = sl_by_item_distribution (by, j);
      gint32 n = 0;
      for (gint32 x = 0; x < by->n_classes; x++)
        n += q[x] > 0;
      if (n > 1)
        return TRUE;
    }
  return FALSE;
}

/* 1.5 × 2^52 units: added to a number and taken off again, it leaves whole units, of which numbers
 * up to MOST in all are summed without a rounding. */
static double
grain (double most)
{
  int exponent;
  (void) frexp (MAX (most, 1), &exponent);
  return ldexp (1.5, exponent + 1);
}

typedef struct
{
  SlSoftFit fit;
  SlByItem by;
  double *memory, *sums, *rooms;
} Work;

static void
work_clear (Work *work)
{
  sl_by_item_clear (&work->by);
  g_free (work->memory);
  g_free (work->sums);
  g_free (work->rooms);
  g_free (work->fit.sums);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Work, work_clear)

/* The parts' sums, 0. */
static void
begin_round (SlSoftFit *fit, double *memory)
{
  memset (memory, 0, (gsize) fit->by->n_parts * fit->sums_size * sizeof *memory);
  for (int p = 0; p < fit->by->n_parts; p++)
    fit->sums[p].predicted = fit->sums[p].judged = fit->sums[p].change = 0;
}

static void
set_grains (SlSoftFit *fit)
{
  const SlByItem *by = fit->by;
  double all = 0, most = 0;
  for (gint32 i = 0; i < by->n_items; i++)
    {
      double n = 0;
      for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
        n += sl_by_item_count (by, j);
      all += n;
      most = MAX (most, n);
      fit->most_answers = MAX (fit->most_answers, (gsize) (by->first[i + 1] - by->first[i]));
    }
  fit->grain = grain (all + by->n_items);
  fit->fine = grain (65536 * most);
  fit->coarse = grain (65536 * all);
}

static void
work_init (Work *work, const SlItems *items, const SlAnswers *answers,
           const SlMethodSettings *settings, gboolean tell_percents, SlSoftEvidence *found)
{
  SlSoftFit *fit = &work->fit;
  *fit = sl_soft_sized (answers, items->n_classes, tell_percents);
  gsize k = fit->k, stride = fit->stride, n = fit->n_annotators;
  sl_by_item_init (&work->by, items, answers, fit->own ? k * stride : k * stride / MAX (n, 1) + 1);
  fit->items = items;
  fit->by = &work->by;
  fit->settings = settings;
  fit->found = found;
  fit->verdicts = k > 1 && is_divided (&work->by) ? 0.5 / (double) (k - 1) : 0;
  fit->own_error = fit->verdicts > 0 ? divided_error : vote_error;
  memcpy (fit->mixture, sl_soft_usual_mixture, sizeof fit->mixture);
  while (work->by.n_items / (gint64) (fit->sample + 1) > MOST_CHOSEN_BY)
    fit->sample = 2 * fit->sample + 1;
  set_grains (fit);
  work->memory = g_new0 (double, sl_soft_cut (fit, NULL));
  (void) sl_soft_cut (fit, work->memory);
  for (gsize c = k; c < stride; c++)
    fit->log_prior[c] = -INFINITY;
  for (gsize a = 0; a < n; a++)
    fit->strength[a] = fit->own_strength[a] = 1;
  fit->sums_size = sl_soft_cut_sums (fit, &(SlSoftSums){ 0 }, NULL);
  work->sums = sl_by_item_sums (&work->by, fit->sums_size);
  work->rooms = sl_by_item_sums (&work->by, sl_soft_room_size (fit));
  fit->sums = g_new0 (SlSoftSums, work->by.n_parts);
  for (int p = 0; p < work->by.n_parts; p++)
    {
      (void) sl_soft_cut_sums (fit, &fit->sums[p], work->sums + (gsize) p * fit->sums_size);
      fit->sums[p].room = work->rooms + (gsize) p * sl_soft_room_size (fit);
    }
}

/* What a round has counted becomes what the next one goes by. Returns how far labels changed. */
static double
end_round (Work *work)
{
  SlSoftFit *fit = &work->fit;
  SlSoftSums *all = &fit->sums[0];
  gsize matrix = fit->k * fit->stride, n = fit->n_annotators;
  sl_by_item_fold (fit->by, work->sums, fit->sums_size);
  for (int p = 1; p < fit->by->n_parts; p++)
    {
      all->predicted += fit->sums[p].predicted;
      all->judged += fit->sums[p].judged;
      all->change += fit->sums[p].change;
    }
  memcpy (fit->cells, all->cells, (fit->own ? n : 1) * matrix * sizeof *fit->cells);
  memset (fit->crowd, 0, matrix * sizeof *fit->crowd);
  for (gsize a = 0; a < (fit->own ? n : 1); a++)
    for (gsize c = 0; c < matrix; c++)
      fit->crowd[c] += fit->cells[a * matrix + c];
  if (fit->choose && all->judged > 0)
    sl_soft_set_choices (fit, all);
  if (fit->worth && all->judged > 0)
    sl_soft_set_worths (fit, all);
  sl_soft_set_crowd (fit, all);
  sl_parallel (fit->settings->threads, fit->own ? (int) n : 1, sl_soft_set_theta, fit);
  if (fit->judges && fit->round >= SL_SOFT_STRENGTHS)
    sl_soft_set_strengths (fit, all);
  if (fit->settings->asked == SL_ASKED_PEOPLE && fit->judges)
    sl_soft_set_mixture (fit, all);
  return all->change / MAX (fit->by->n_items, 1);
}

/* How right everybody's percents are; NaN where nothing tells. */
static void
learn_percents (const SlSoftFit *fit, SlLearned *learned)
{
  for (gint32 a = 0; learned->percents != NULL && a < fit->by->n_annotators; a++)
    {
      const double *sum = fit->sums[0].percents + (gsize) a * SL_SOFT_PERCENTS;
      double n = sum[SL_SOFT_PERCENT_ANSWERS];
      double given = sum[SL_SOFT_PERCENT_GIVEN] / n, right = sum[SL_SOFT_PERCENT_RIGHT] / n;
      double spread_of = sum[SL_SOFT_PERCENT_SQUARE] / n - given * given;
      learned->percents[a] = (SlPercents){
        .confidence = n > 0 ? given : NAN,
        .confirmed = n > 0 ? right : NAN,
        .slope = n > 0 && spread_of > 1e-6
                     ? (sum[SL_SOFT_PERCENT_PRODUCT] / n - given * right) / spread_of
                     : NAN,
        .strength = fit->strength[a] / fit->found->scale,
      };
    }
}

static void
fit_rounds (Work *work, SlLearned *learned)
{
  SlSoftFit *fit = &work->fit;
  const SlMethodSettings *settings = fit->settings;
  gint64 most = settings->iterations > 0 ? settings->iterations : ROUNDS;
  double least = isnan (settings->tolerance) ? 1e-4 : settings->tolerance;
  gboolean settled = FALSE;
  for (fit->round = 0; fit->round <= most && !settled; fit->round++)
    {
      fit->start = fit->round == 0;
      fit->choose = fit->round > 0 && fit->round % EVERY == 0 && fit->round < most;
      /* What is learned of others' answers takes most of the time, and fewer rounds. */
      fit->judges
          = !fit->start
            && (fit->round % 2 == 0 || fit->round == most || settings->asked == SL_ASKED_PEOPLE);
      fit->worth = fit->worth_next;
      fit->worth_next = fit->verdicts > 0 && (fit->round + 1) % 2 == 0 && fit->round + 1 < most;
      begin_round (fit, work->sums);
      sl_parallel (settings->threads, fit->by->n_parts, sl_soft_learn_part, fit);
      double change = end_round (work);
      const SlSoftSums *all = &fit->sums[0];
      if (all->judged > 0)
        fit->found->predicted = all->predicted / all->judged;
      fit->found->rounds = fit->round;
      settled = !fit->choose && !fit->worth && fit->round > EVERY && change <= least;
      if (fit->judges)
        sl_round_over (settings, learned, fit->round, most, fit->found->predicted);
    }
  sl_rounds_ended (learned, fit->found->rounds, most);
}

gboolean
sl_soft_evidence (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
                  SlLearned *learned, SlSoftEvidence *found, GError **error)
{
  *found = (SlSoftEvidence){ .correlation = sl_soft_usual_correlation,
                             .shrinkage = usual_shrinkage,
                             .first_share = sl_soft_shares[0],
                             .scale = 1,
                             .predicted = NAN };
  if (sl_no_answers (items, answers, settings, learned))
    return TRUE;
  g_auto (Work) work;
  work_init (&work, items, answers, settings, learned->percents != NULL, found);
  fit_rounds (&work, learned);
  found->seen = work.fit.mixture[0];
  found->first = work.fit.mixture[1];
  found->confused = work.fit.mixture[2];
  found->truth = work.fit.mixture[3];
  learn_percents (&work.fit, learned);
  SlMethodSettings truth = *settings;
  truth.asked = SL_ASKED_TRUTH;
  work.fit.start = FALSE;
  work.fit.settings = &truth;
  sl_parallel (settings->threads, work.by.n_parts, sl_soft_finish_part, &work.fit);
  sl_posterior_learn (items, &work.by, NULL, learned);
  work.fit.settings = settings;
  if (settings->asked != SL_ASKED_PEOPLE)
    return TRUE;
  if (learned->expected != NULL)
    sl_expected_answers (items, answers, learned->expected);
  sl_parallel (settings->threads, work.by.n_parts, sl_soft_finish_part, &work.fit);
  return TRUE;
}

/* What was found, in words. */
static void
note (const SlSoftEvidence *found, gboolean people, const SlLearned *learned)
{
  g_autofree char *text = g_strdup_printf (
      "correlation of answers %.3f, shrinkage of confusion %g, first choices count "
      "%g beside percents, evidence %g times; %s left out are "
      "predicted with a mean log-probability of %.4f after round %" G_GINT64_FORMAT,
      found->correlation, found->shrinkage, found->first_share, found->scale,
      people ? "first choices" : "answers", found->predicted, found->rounds);
  learned->note (learned->data, text);
  if (!people)
    return;
  g_autofree char *mixture = g_strdup_printf (
      "the next person's answer: %.3f for each answer seen, %.3f for its first "
      "choice, %.3f for the label with the crowd's confusion, %.3f for the label",
      found->seen, found->first, found->confused, found->truth);
  learned->note (learned->data, mixture);
}

static void
append_found (const SlSoftEvidence *found, gboolean people, GString *json)
{
  const struct
  {
    const char *name;
    double value;
  } values[] = {
    { "correlation", found->correlation },
    { "shrinkage", found->shrinkage },
    { "first-share", found->first_share },
    { "scale", found->scale },
    { "predicted", found->predicted },
    { "seen", found->seen },
    { "first", found->first },
    { "confused", found->confused },
    { "truth", found->truth },
  };
  for (gsize v = 0; v < (people ? G_N_ELEMENTS (values) : 5); v++)
    {
      sl_json_member (json, values[v].name);
      sl_json_real (json, values[v].value);
    }
}

gboolean
sl_fit_soft_evidence (const SlItems *items, const SlAnswers *answers,
                      const SlMethodSettings *settings, SlLearned *learned, GError **error)
{
  SlSoftEvidence found;
  gboolean people = settings->asked == SL_ASKED_PEOPLE;
  if (!sl_soft_evidence (items, answers, settings, learned, &found, error))
    return FALSE;
  if (learned->note != NULL)
    note (&found, people, learned);
  if (learned->found != NULL)
    append_found (&found, people, learned->found);
  return TRUE;
}
