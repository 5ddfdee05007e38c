/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rating: each item has a place on the scale, each rater a bias, a spread and a power to tell items
 * apart (rating-model.h), by EM. E: where each item lies, by the grid; M: raters and thresholds by
 * Fisher's scoring; the raters' variances are the mean squares of what they come to, with the
 * variance that is left, and two raters of the usual ones (1, 0.4², 0.5²; d = 1.5) added.
 *
 * The label of the truth is which class an item's place is in, by the lines that raters draw in the
 * mean, each weighed by how well they tell items apart; that of the next answer what raters answer
 * there, each as often as they have. Its interval holds the expected value at 95 in 100 of the
 * places where the item may lie. */
#include "rating-model.h"

#include "pipeline/base/parallel.h"
#include "pipeline/base/real-math.h"
#include "pipeline/base/vector-math.h"
#include "stages/aggregate/methods/fits.h"
#include "stages/common/methods/posterior.h"

#include <math.h>
#include <string.h>

#define GRID SL_RATING_GRID
#define ROUNDS 100
#define TOLERANCE 1e-5   /* of the log-likelihood of an answer */
#define PSEUDO_COUNT 0.1 /* answers for each class, all over the scale: it has a place, too */
#define RATERS 64        /* at a time for one thread */
#define TAIL 0.025

static const double usual_mean[] = { 0, 0, 1.5 }, usual_variance[] = { 1, 0.16, 0.25 };

typedef struct
{
  const SlItems *items;
  const SlByItem *by;
  const SlMethodSettings *settings;
  const SlLearned *learned;
  gsize n_classes, size; /* of one rater's tables: n_classes × grid */
  SlRatingScale scale;
  SlRater *rater;
  double *logs;  /* [n_raters][n_classes][grid]: log probabilities of answers */
  double *count; /* [parts][n_raters][n_classes][grid]: answers as they are expected */
  double *sums;  /* [pieces][3][n_classes]: of thresholds */
  double prior[GRID];
  double *weight, *boundary; /* [n_raters]: answers; [n_classes - 1] */
  double *region, *share;    /* [n_classes][grid]: for the truth; for what is asked */
  double sum[SL_MAX_PARTS];
  gboolean last; /* labels are wanted */
} Rating;

static int
n_pieces (const Rating *rating)
{
  return rating->by->n_annotators / RATERS + 1;
}

static void
tabulate (int piece, gpointer data)
{
  Rating *rating = data;
  g_autofree double *p = g_new (double, rating->size);
  gint32 end = MIN ((piece + 1) * RATERS, rating->by->n_annotators);
  for (gint32 a = piece * RATERS; a < end; a++)
    {
      sl_rating_probabilities (&rating->scale, &rating->rater[a], p, NULL);
      sl_log_row (p, rating->size, rating->logs + (gsize) a * rating->size);
    }
}

/* Where the share TAIL of q[grid] lies below, as the expected value of SHARE; values rise with the
 * place. */
static double
quantile (const Rating *rating, const double *q, double tail)
{
  double below = 0, before = NAN, value = 0;
  for (int g = 0; g < GRID; g++)
    {
      value = 0;
      for (gsize l = 0; l < rating->n_classes; l++)
        value += rating->share[l * GRID + (gsize) g] * rating->settings->value[l];
      if (below + q[g] >= tail)
        {
          double within = q[g] > 0 ? (tail - below) / q[g] : 0;
          return isnan (before) ? value : before + within * (value - before);
        }
      below += q[g];
      before = value;
    }
  return value;
}

static void
label_item (const Rating *rating, gint32 i, const double *q)
{
  double *p = &rating->items->label[(gsize) i * rating->n_classes];
  for (gsize l = 0; l < rating->n_classes; l++)
    {
      p[l] = 0;
      for (int g = 0; g < GRID; g++)
        p[l] += q[g] * rating->share[l * GRID + (gsize) g];
    }
  sl_posterior_from_scores (p, rating->items->n_classes);
  if (rating->learned->lower != NULL)
    {
      rating->learned->lower[i] = quantile (rating, q, TAIL);
      rating->learned->upper[i] = quantile (rating, q, 1 - TAIL);
    }
}

/* The place of each item, and what its answers add to their raters' counts. */
SL_VECTORS static void
e_part (int part, gpointer data)
{
  Rating *rating = data;
  const SlByItem *by = rating->by;
  double *count = rating->count + (gsize) part * (gsize) by->n_annotators * rating->size;
  double sum = 0;
  for (gint32 i = by->part[part]; i < by->part[part + 1]; i++)
    {
      double q[GRID];
      gint32 gold = sl_posterior_gold (rating->items, rating->settings, i);
      for (int g = 0; g < GRID; g++)
        q[g] = rating->prior[g] + (gold >= 0 && !(rating->region[gold * GRID + g] > 0) ? -1000 : 0);
      for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
        {
          double times = sl_by_item_count (by, j);
          const double *logs
              = rating->logs
                + ((gsize) by->annotator[j] * rating->n_classes + (gsize) by->answer[j]) * GRID;
          for (int g = 0; g < GRID; g++)
            q[g] += times * logs[g];
        }
      sum += sl_posterior_from_logs (q, GRID);
      for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
        {
          double times = sl_by_item_count (by, j);
          double *own
              = count
                + ((gsize) by->annotator[j] * rating->n_classes + (gsize) by->answer[j]) * GRID;
          for (int g = 0; g < GRID; g++)
            own[g] += times * q[g];
        }
      if (rating->last)
        label_item (rating, i, q);
      if (rating->last && gold >= 0 && rating->settings->asked == SL_ASKED_TRUTH)
        sl_posterior_set (&rating->items->label[(gsize) i * rating->n_classes],
                          rating->items->n_classes, gold);
    }
  rating->sum[part] = sum;
}

static double
place_items (Rating *rating)
{
  const SlByItem *by = rating->by;
  gsize all = (gsize) by->n_annotators * rating->size;
  double sum = 0;
  sl_rating_boundaries (&rating->scale, rating->rater, rating->weight, by->n_annotators,
                        rating->boundary);
  sl_rating_regions (rating->boundary, rating->items->n_classes, rating->region);
  sl_parallel (rating->settings->threads, n_pieces (rating), tabulate, rating);
  memset (rating->count, 0, (gsize) by->n_parts * all * sizeof *rating->count);
  sl_parallel (rating->settings->threads, by->n_parts, e_part, rating);
  sl_by_item_fold (by, rating->count, all);
  for (int p = 0; p < by->n_parts; p++)
    sum += rating->sum[p];
  return sum;
}

static void
m_piece (int piece, gpointer data)
{
  Rating *rating = data;
  gint32 end = MIN ((piece + 1) * RATERS, rating->by->n_annotators);
  double *sums = rating->sums + (gsize) piece * 3 * rating->n_classes;
  g_autofree double *room = g_new (double, 3 * rating->size);
  memset (sums, 0, 3 * rating->n_classes * sizeof *sums);
  for (gint32 a = piece * RATERS; a < end; a++)
    {
      const double *count = rating->count + (gsize) a * rating->size;
      sl_rater_improve (&rating->scale, count, &rating->rater[a], room);
      sl_rater_add_thresholds (&rating->scale, &rating->rater[a], count, sums,
                               sums + rating->n_classes, sums + 2 * rating->n_classes, room);
    }
}

/* A rater as any other says each class a few times. */
static void
add_usual (const Rating *rating, double *sums)
{
  g_autofree double *room = g_new (double, 3 * rating->size), *count = g_new (double, rating->size);
  SlRater usual;
  memcpy (usual.x, rating->scale.mean, sizeof usual.x);
  for (gsize l = 0; l < rating->n_classes; l++)
    for (int g = 0; g < GRID; g++)
      count[l * GRID + (gsize) g] = PSEUDO_COUNT * sl_scalar_exp (rating->prior[g]);
  sl_rater_add_thresholds (&rating->scale, &usual, count, sums, sums + rating->n_classes,
                           sums + 2 * rating->n_classes, room);
}

static void
spread_raters (Rating *rating)
{
  SlRatingScale *scale = &rating->scale;
  gint32 n = rating->by->n_annotators;
  double slope = 2 * usual_mean[2];
  for (gint32 a = 0; a < n; a++)
    slope += rating->rater[a].x[2];
  scale->mean[2] = slope / (n + 2);
  for (int part = 0; part < SL_RATER_PARTS; part++)
    {
      double squares = 2 * usual_variance[part];
      for (gint32 a = 0; a < n; a++)
        {
          double off = rating->rater[a].x[part] - scale->mean[part];
          squares += off * off + rating->rater[a].variance[part];
        }
      scale->variance[part] = MAX (squares / (n + 2), 1e-4);
    }
}

static void
learn_raters (Rating *rating)
{
  gsize k = rating->n_classes;
  int pieces = n_pieces (rating);
  sl_parallel (rating->settings->threads, pieces, m_piece, rating);
  for (int piece = 1; piece < pieces; piece++)
    for (gsize s = 0; s < 3 * k; s++)
      rating->sums[s] += rating->sums[(gsize) piece * 3 * k + s];
  add_usual (rating, rating->sums);
  sl_rating_move_thresholds (&rating->scale, rating->sums, rating->sums + k, rating->sums + 2 * k);
  sl_rating_centre (&rating->scale, rating->rater, rating->by->n_annotators);
  spread_raters (rating);
}

/* Thresholds at which the answers' shares fall on the scale, and raters as usual. */
static void
begin (Rating *rating)
{
  SlRatingScale *scale = &rating->scale;
  gsize k = rating->n_classes;
  g_autofree double *share = g_new (double, k);
  double whole = 0, below = 0, sum = 0;
  for (gsize l = 0; l < k; l++)
    share[l] = PSEUDO_COUNT;
  for (gint64 j = 0; j < rating->by->n_answers; j++)
    {
      share[rating->by->answer[j]] += sl_by_item_count (rating->by, j);
      rating->weight[rating->by->annotator[j]] += sl_by_item_count (rating->by, j);
    }
  for (gsize l = 0; l < k; l++)
    whole += share[l];
  for (gsize l = 0; l + 1 < k; l++)
    {
      below += share[l] / whole;
      scale->threshold[l] = usual_mean[2] * (sl_log (below) - sl_log (1 - below));
    }
  memcpy (scale->mean, usual_mean, sizeof usual_mean);
  memcpy (scale->variance, usual_variance, sizeof usual_variance);
  for (gint32 a = 0; a < rating->by->n_annotators; a++)
    memcpy (rating->rater[a].x, usual_mean, sizeof usual_mean);
  for (int g = 0; g < GRID; g++)
    sum += sl_scalar_exp (-sl_rating_place (g) * sl_rating_place (g) / 2);
  for (int g = 0; g < GRID; g++)
    rating->prior[g] = -sl_rating_place (g) * sl_rating_place (g) / 2 - sl_log (sum);
}

/* ALL[n_classes][grid]: what raters answer, each as often as they have. */
static void
find_crowd (const Rating *rating, double *all)
{
  g_autofree double *p = g_new (double, rating->size);
  double whole = 0;
  memset (all, 0, rating->size * sizeof *all);
  for (gint32 a = 0; a < rating->by->n_annotators; a++)
    {
      double answers = rating->weight[a];
      sl_rating_probabilities (&rating->scale, &rating->rater[a], p, NULL);
      for (gsize c = 0; c < rating->size; c++)
        all[c] += answers * p[c];
      whole += answers;
    }
  for (gsize c = 0; c < rating->size; c++)
    all[c] /= whole;
}

/* The mean over all places of the value that is expected there by P[n_classes][grid], and its
 * standard deviation. */
static double
expected_value (const Rating *rating, const double *p, double *sd)
{
  double mean = 0, squares = 0;
  for (int g = 0; g < GRID; g++)
    {
      double value = 0, weight = sl_scalar_exp (rating->prior[g]);
      for (gsize l = 0; l < rating->n_classes; l++)
        value += p[l * GRID + (gsize) g] * rating->settings->value[l];
      mean += weight * value;
      squares += weight * value * value;
    }
  *sd = sqrt (MAX (squares - mean * mean, 0));
  return mean;
}

static void
tell_raters (const Rating *rating, const double *crowd)
{
  gint32 n = rating->by->n_annotators;
  g_autofree double *slope = g_new (double, MAX (n, 1)), *p = g_new (double, rating->size);
  double sd, own, mean = expected_value (rating, crowd, &sd);
  for (gint32 a = 0; a < n; a++)
    {
      slope[a] = rating->rater[a].x[2];
      if (rating->learned->bias == NULL)
        continue;
      sl_rating_probabilities (&rating->scale, &rating->rater[a], p, NULL);
      rating->learned->bias[a] = expected_value (rating, p, &own) - mean;
      rating->learned->spread[a] = sd > 0 ? own / sd : 1;
    }
  sl_posterior_learn (rating->items, rating->by, slope, rating->learned);
}

static void
run_rounds (Rating *rating)
{
  const SlMethodSettings *settings = rating->settings;
  gint64 rounds = sl_rounds (settings, ROUNDS), round = 1;
  double tolerance = sl_or_own (settings->tolerance, TOLERANCE), before = -INFINITY;
  for (gboolean settled = FALSE; round <= rounds && !settled; round++)
    {
      double now = place_items (rating) / (double) rating->by->n_answers;
      learn_raters (rating);
      sl_round_over (settings, rating->learned, round, rounds, now);
      settled = tolerance > 0 && fabs (now - before) < tolerance;
      before = now;
    }
  sl_rounds_ended (rating->learned, round - 1, rounds);
}

gboolean
sl_fit_rating (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
               SlLearned *learned, GError **error)
{
  if (sl_no_answers (items, answers, settings, learned))
    return TRUE;
  g_auto (SlByItem) by;
  gsize k = (gsize) items->n_classes, size = k * GRID, n = (gsize) answers->n_annotators;
  sl_by_item_init (&by, items, answers, size);
  g_autofree double *threshold = g_new (double, k), *logs = g_new (double, n *size),
                    *count = sl_by_item_sums (&by, n * size), *region = g_new (double, size),
                    *crowd = g_new (double, size), *weight = g_new0 (double, n),
                    *boundary = g_new (double, k), *sums = g_new (double, (n / RATERS + 1) * 3 * k);
  g_autofree SlRater *rater = g_new0 (SlRater, n);
  Rating rating = { .items = items,
                    .by = &by,
                    .settings = settings,
                    .learned = learned,
                    .n_classes = k,
                    .size = size,
                    .scale = { .n_classes = items->n_classes, .threshold = threshold },
                    .rater = rater,
                    .logs = logs,
                    .count = count,
                    .sums = sums,
                    .weight = weight,
                    .boundary = boundary,
                    .region = region };
  begin (&rating);
  run_rounds (&rating);
  find_crowd (&rating, crowd);
  rating.share = settings->asked == SL_ASKED_PEOPLE ? crowd : region;
  rating.last = TRUE;
  place_items (&rating);
  tell_raters (&rating, crowd);
  return TRUE;
}

/* Tables of classes × classes that this comes to: probabilities, counts and what is in hand. */
double
sl_rating_tables (const SlAnswers *answers, gint32 n_classes)
{
  return 3.0 * answers->n_annotators * GRID / MAX (n_classes, 1);
}
