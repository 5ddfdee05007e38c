/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Labels of a whole table: from the sums of votes, or by a method that sees every answer. */
#include "whole-table.h"

#include "pipeline/base/json.h"
#include "pipeline/base/parallel.h"
#include "stages/aggregate/methods/confusion/em/em.h"
#include "stages/common/figures/pair-agreement.h"
#include "stages/aggregate/methods/fits.h"
#include "stages/common/methods/next-answer.h"
#include "stages/common/methods/posterior.h"

void
sl_whole_each_share (SlWholeTable *whole, void (*work) (int share, gpointer data))
{
  gint32 n = whole->gathering.tally.n_items;
  sl_parallel (whole->aggregation->run->threads, n / SL_WHOLE_SHARE + (n % SL_WHOLE_SHARE > 0),
               work, whole);
}

static void
label_share (int share, gpointer data)
{
  SlWholeTable *whole = data;
  gint32 n, first = sl_whole_share (whole, share, &n);
  sl_aggregation_label (whole->aggregation, &whole->gathering.tally, first, n, whole->key,
                        sl_whole_kept_gold (whole));
}

void
sl_whole_label (SlWholeTable *whole)
{
  if (whole->aggregation->method->flags & SL_METHOD_LOCAL)
    sl_whole_each_share (whole, label_share);
  else
    sl_aggregation_label (whole->aggregation, &whole->gathering.tally, 0,
                          whole->gathering.tally.n_items, NULL, sl_whole_kept_gold (whole));
}

/* The share of the votes, as a method that may be fitted to some of the answers. */
static gboolean
fit_shares (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
            SlLearned *learned, GError **error)
{
  sl_posterior_shares (items, settings);
  return TRUE;
}

static void
note_round (gpointer data, gint64 round, double objective)
{
  sl_run_note (data, "round %" G_GINT64_FORMAT ": %.9g", round, objective);
}

static void
note_text (gpointer data, const char *text)
{
  sl_run_note (data, "%s", text);
}

gboolean
sl_whole_read_priors (SlWholeTable *whole, GError **error)
{
  SlPriors *priors = &whole->priors;
  const SlIntern *annotators = whole->gathering.answers.annotators;
  if (priors->prior != NULL)
    {
      whole->prior = sl_priors_read_confusion (priors, priors->prior, annotators, NULL, error);
      if (whole->prior == NULL)
        return FALSE;
    }
  if (priors->start != NULL)
    {
      gint32 n = whole->gathering.tally.n_classes;
      double sum = 0;
      whole->start_prior = g_new (double, MAX (n, 1));
      whole->start
          = sl_priors_read_confusion (priors, priors->start, annotators, whole->start_prior, error);
      if (whole->start == NULL)
        return FALSE;
      for (gint32 k = 0; k < n; k++)
        sum += whole->start_prior[k];
      if (sum > 0) /* not NaN */
        whole->settings.start_prior = whole->start_prior;
    }
  whole->settings.confusion_prior = whole->prior;
  whole->settings.start = whole->start;
  return TRUE;
}

/* What the method holds besides items × classes: of those that look at pairs of annotators, the
 * pairs; tables of classes × classes, its own and one that each of two things learns of the crowd,
 * which also learn what annotators say of each class. */
static gboolean
claim_tables (const SlWholeTable *whole, const SlAnswers *answers, GError **error)
{
  const SlAggregation *aggregation = whole->aggregation;
  const SlTally *tally = &whole->gathering.tally;
  double pairs = 0, n = answers->n_annotators, k = tally->n_classes;
  for (gint32 i = 0; i < tally->n_items; i++)
    pairs += tally->weight[i] * tally->weight[i];
  double bytes = MIN (MIN (pairs, n * n), SL_AGREEMENT_MOST) * 24;
  if (aggregation->method->flags & SL_METHOD_PAIRS
      && !sl_run_claim (aggregation->run, (gsize) MIN (bytes, 1e18),
                        "how often any two annotators agree", error))
    return FALSE;
  double squares = aggregation->method->squares;
  if (aggregation->method->tables != NULL)
    squares = aggregation->method->tables (answers, tally->n_classes);
  int learners = aggregation->calibrate + (aggregation->settings.asked != SL_ASKED_TRUTH);
  bytes = 8 * k * (k * (squares + learners) + 2 * n * learners);
  return bytes == 0
         || sl_run_claim (aggregation->run, (gsize) MIN (bytes, 1e18),
                          "tables of classes × classes", error);
}

static gboolean
calibrate_items (SlWholeTable *whole, const SlItems *items, const SlAnswers *answers,
                 SlCalibration *calibration, GError **error)
{
  const SlMethod *method = whole->aggregation->method;
  SlCalibrate kind
      = method->flags & SL_METHOD_SHARES ? SL_CALIBRATE_SHARES : SL_CALIBRATE_POSTERIORS;
  if (!sl_calibration_find (method->fit != NULL ? method->fit : fit_shares, kind, items, answers,
                            &whole->settings, calibration, error))
    return FALSE;
  sl_run_note (whole->aggregation->run,
               "calibrated: correlation of answers %.3f, power %.3f; %" G_GINT64_FORMAT
               " predicted, mean log-probability %.4f",
               calibration->correlation, calibration->power, calibration->n_predicted,
               calibration->predicted);
  GString *found = whole->tables.learned.found;
  sl_json_member (found, "correlation");
  sl_json_real (found, calibration->correlation);
  sl_json_member (found, "power");
  sl_json_real (found, calibration->power);
  return TRUE;
}

/* Whether the labels of the truth have still to be made ones of the next answer. */
static gboolean
asks_people (const SlWholeTable *whole, const SlAnswers *answers)
{
  return whole->settings.asked == SL_ASKED_PEOPLE && answers->distribution == NULL
         && whole->aggregation->method->fit != sl_fit_soft_evidence;
}

static gboolean
find_next_answer (SlWholeTable *whole, const SlItems *items, const SlAnswers *answers,
                  const SlCalibration *calibration, SlNextAnswer *next, GError **error)
{
  if (!sl_next_answer_find (whole->aggregation->method->fit, calibration, items, answers,
                            &whole->settings, next, error))
    return FALSE;
  sl_run_note (whole->aggregation->run,
               "the next person's answer: %.3f for each vote seen, %.3f for the label with the "
               "crowd's confusion, %.3f for the label; mean log-probability %.4f",
               next->seen, next->confused, next->truth, next->predicted);
  const double values[] = { next->seen, next->confused, next->truth };
  const char *names[] = { "seen", "confused", "truth" };
  for (gsize v = 0; v < G_N_ELEMENTS (values); v++)
    {
      sl_json_member (whole->tables.learned.found, names[v]);
      sl_json_real (whole->tables.learned.found, values[v]);
    }
  return TRUE;
}

/* *VOTES: the sums of ITEMS' votes, which the labels will take the place of; to be freed. */
static gboolean
prepare_next_answer (SlWholeTable *whole, const SlItems *items, const SlAnswers *answers,
                     const SlCalibration *calibration, SlNextAnswer *next, double **votes,
                     GError **error)
{
  gsize size = (gsize) items->n_items * (gsize) items->n_classes * sizeof **votes;
  if (!sl_run_claim (whole->aggregation->run, 2 * size, "votes and labels of the next answer",
                     error)
      || !find_next_answer (whole, items, answers, calibration, next, error))
    return FALSE;
  *votes = g_memdup2 (items->label, MAX (size, 1));
  return TRUE;
}

gboolean
sl_whole_fit (SlWholeTable *whole, const SlItems *items, const SlAnswers *answers, GError **error)
{
  const SlAggregation *aggregation = whole->aggregation;
  SlLearned *learned = &whole->tables.learned;
  SlCalibration calibration = { 0 };
  if (sl_annotator_tables_wanted (&whole->tables)
      && !sl_annotator_tables_make_room (&whole->tables, answers->n_annotators, items->n_classes,
                                         error))
    return FALSE;
  if (!claim_tables (whole, answers, error))
    return FALSE;
  if (aggregation->calibrate && !calibrate_items (whole, items, answers, &calibration, error))
    return FALSE;
  SlNextAnswer next = { 0 };
  g_autofree double *votes = NULL;
  if (asks_people (whole, answers)
      && !prepare_next_answer (whole, items, answers, aggregation->calibrate ? &calibration : NULL,
                               &next, &votes, error))
    return FALSE;
  if (aggregation->run->verbose)
    {
      learned->round = note_round;
      learned->note = note_text;
      learned->data = aggregation->run;
    }
  if (aggregation->partial || aggregation->frozen)
    {
      if (!sl_em_first_labels (items, answers, &whole->settings, error))
        return FALSE;
    }
  else if (aggregation->method->fit == NULL)
    sl_whole_label (whole);
  else if (!aggregation->method->fit (items, answers, &whole->settings, learned, error))
    return FALSE;
  if (aggregation->calibrate)
    sl_calibration_apply (&calibration, items, &whole->settings);
  /* A fit that made labels of the next answer itself has filled this before. */
  if (learned->expected != NULL && (votes != NULL || whole->settings.asked == SL_ASKED_TRUTH))
    sl_expected_answers (items, answers, learned->expected);
  if (votes != NULL)
    sl_next_answer_apply (&next, items, answers, votes);
  if ((aggregation->method->fit == NULL || aggregation->frozen)
      && sl_annotator_tables_wanted (&whole->tables))
    {
      g_auto (SlByItem) by;
      sl_by_item_init (&by, items, answers, 0);
      sl_posterior_learn (items, &by, NULL, learned);
    }
  return TRUE;
}
