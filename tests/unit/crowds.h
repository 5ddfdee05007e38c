/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Made-up crowds, and the models they are fitted to written out plainly, as dense loops in the
 * log domain. */
#pragma once

#include "stages/aggregate/methods/fits.h"

#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_sf_psi.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef gboolean (*Fit) (const SlItems *items, const SlAnswers *answers,
                         const SlMethodSettings *settings, SlLearned *learned, GError **error);

typedef struct
{
  gint32 n_items, n_classes, n_annotators;
  gint64 n;
  gint32 *item, *annotator, *answer, *gold;
  double *count, *distribution;
} Crowd;

static void
crowd_clear (Crowd *crowd)
{
  g_free (crowd->item);
  g_free (crowd->annotator);
  g_free (crowd->answer);
  g_free (crowd->gold);
  g_free (crowd->count);
  g_free (crowd->distribution);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Crowd, crowd_clear)

typedef enum
{
  SHUFFLED = 1 << 0, /* rows in no order */
  COUNTED = 1 << 1,  /* rows stand for 1 .. 4 votes, or for 2.5 */
} CrowdFlags;

/* Each item has 1 .. 2 × MEAN - 1 answers, by annotators who are right in 40 to 90 of 100; with
 * EMPTY, some have none. */
static G_GNUC_UNUSED Crowd
crowd_new (gint32 n_items, gint32 n_classes, gint32 n_annotators, int mean, CrowdFlags flags)
{
  SlRandom random
      = sl_random (7, 1, (guint64) n_items, (guint64) n_classes, (guint32) n_annotators);
  gsize most = (gsize) n_items * (gsize) (2 * mean - 1);
  Crowd crowd = { n_items, n_classes, n_annotators, 0, NULL, NULL, NULL, NULL, NULL, NULL };
  crowd.item = g_new (gint32, most);
  crowd.annotator = g_new (gint32, most);
  crowd.answer = g_new (gint32, most);
  crowd.gold = g_new (gint32, (gsize) n_items);
  crowd.count = flags & COUNTED ? g_new (double, most) : NULL;
  for (gint32 i = 0; i < n_items; i++)
    {
      crowd.gold[i] = (gint32) sl_random_below (&random, (guint64) n_classes);
      for (guint64 left = 1 + sl_random_below (&random, (guint64) (2 * mean - 1)); left > 0; left--)
        {
          gint32 a = (gint32) sl_random_below (&random, (guint64) n_annotators);
          gboolean right = sl_random_unit (&random) < 0.4 + 0.5 * a / n_annotators;
          gint32 x = (gint32) sl_random_below (&random, (guint64) n_classes);
          crowd.item[crowd.n] = i;
          crowd.annotator[crowd.n] = a;
          crowd.answer[crowd.n] = right ? crowd.gold[i] : x;
          if (crowd.count != NULL)
            crowd.count[crowd.n] = x % 5 == 0 ? 2.5 : x % 5;
          crowd.n++;
        }
    }
  for (gint64 j = crowd.n - 1; flags & SHUFFLED && j > 0; j--)
    {
      gint64 k = (gint64) sl_random_below (&random, (guint64) j + 1);
      gint32 *column[] = { crowd.item, crowd.annotator, crowd.answer };
      for (int c = 0; c < 3; c++)
        {
          gint32 swap = column[c][j];
          column[c][j] = column[c][k];
          column[c][k] = swap;
        }
    }
  return crowd;
}

/* Leaves out answers that only repeat what their annotator has said of the item. */
static G_GNUC_UNUSED void
crowd_drop_repeats (Crowd *crowd)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  gint64 n = 0;
  for (gint64 j = 0; j < crowd->n; j++)
    {
      gsize key
          = ((gsize) crowd->item[j] * (gsize) crowd->n_annotators + (gsize) crowd->annotator[j])
                * (gsize) crowd->n_classes
            + (gsize) crowd->answer[j];
      if (!g_hash_table_add (seen, GSIZE_TO_POINTER (key)))
        continue;
      crowd->item[n] = crowd->item[j];
      crowd->annotator[n] = crowd->annotator[j];
      crowd->answer[n] = crowd->answer[j];
      if (crowd->count != NULL)
        crowd->count[n] = crowd->count[j];
      n++;
    }
  crowd->n = n;
}

/* What answer J of CROWD gives to class X; X goes from the first to the last that it may give
 * anything to. */
static gsize
first_class (const Crowd *crowd, gint64 j)
{
  return crowd->distribution != NULL ? 0 : (gsize) crowd->answer[j];
}

static gsize
last_class (const Crowd *crowd, gint64 j)
{
  return crowd->distribution != NULL ? (gsize) crowd->n_classes - 1 : (gsize) crowd->answer[j];
}

static double
vote_for (const Crowd *crowd, gint64 j, gsize x)
{
  double vote
      = crowd->distribution != NULL ? crowd->distribution[j * crowd->n_classes + (gint64) x] : 1;
  return vote * (crowd->count != NULL ? crowd->count[j] : 1);
}

/* The sums of the votes: [n_items][n_classes]. */
static double *
crowd_votes (const Crowd *crowd)
{
  double *votes = g_new0 (double, (gsize) crowd->n_items *(gsize) crowd->n_classes);
  for (gint64 j = 0; j < crowd->n; j++)
    for (gsize x = first_class (crowd, j); x <= last_class (crowd, j); x++)
      votes[(gsize) crowd->item[j] * (gsize) crowd->n_classes + x] += vote_for (crowd, j, x);
  return votes;
}

static const SlMethodSettings defaults
    = { .temperature = 1, .threads = 1, .tolerance = NAN, .smoothing = NAN };

/* Fits CROWD; the labels, which must be distributions. */
static G_GNUC_UNUSED double *
crowd_fit (const Crowd *crowd, Fit fit, const SlMethodSettings *settings, SlLearned *learned)
{
  SlLearned nothing = { 0 };
  g_autoptr (GError) error = NULL;
  g_autofree double *weight = g_new0 (double, (gsize) MAX (crowd->n_items, 1));
  double *label = crowd_votes (crowd);
  for (gint64 j = 0; j < crowd->n; j++)
    weight[crowd->item[j]] += crowd->count != NULL ? crowd->count[j] : 1;
  SlItems items = { crowd->n_items, crowd->n_classes, label, weight, crowd->gold, NULL };
  SlAnswers answers = { .n_answers = crowd->n,
                        .n_annotators = crowd->n_annotators,
                        .item = crowd->item,
                        .annotator = crowd->annotator,
                        .answer = crowd->answer,
                        .distribution = crowd->distribution,
                        .count = crowd->count };
  if (!fit (&items, &answers, settings, learned != NULL ? learned : &nothing, &error))
    fail_msg ("%s", error->message);
  for (gint32 i = 0; i < crowd->n_items; i++)
    {
      double sum = 0;
      for (gint32 k = 0; k < crowd->n_classes; k++)
        {
          double p = label[(gsize) i * (gsize) crowd->n_classes + (gsize) k];
          if (!(p >= 0 && p <= 1 + 1e-12))
            fail_msg ("label[%d][%d] = %g", i, k, p);
          sum += p;
        }
      if (fabs (sum - 1) > 1e-12)
        fail_msg ("label[%d] sums to 1 %+g", i, sum - 1);
    }
  return label;
}

static G_GNUC_UNUSED void
assert_near (const char *what, const double *value, const double *expected, gsize n, double bound)
{
  for (gsize i = 0; i < n; i++)
    if (!(fabs (value[i] - expected[i]) <= bound))
      fail_msg ("%s[%" G_GSIZE_FORMAT "] = %.17g, not %.17g", what, i, value[i], expected[i]);
}

/* ---- the models, plainly ---- */

typedef struct
{
  gboolean variational, crowd_prior;
  gboolean means;            /* log E theta in place of E log theta; the objective is none */
  double smoothing;          /* maximised; or the strength of the crowd's prior */
  double off, right;         /* variational: pseudo-counts */
  const double *class_alpha; /* variational: [n_classes]; NULL: 1 each */
  double *label, *confusion, *prior; /* the results */
  double objective;
} Plain;

static void
plain_clear (Plain *plain)
{
  g_free (plain->label);
  g_free (plain->confusion);
  g_free (plain->prior);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Plain, plain_clear)

/* Log-weights of one row of counts C[n] and pseudo-counts P[n] to W[n], their share to SHARE[n];
 * returns the part in the objective. */
static double
plain_row (gboolean variational, const double *c, const double *p, gsize n, double *w,
           double *share)
{
  double sum = 0, before = 0, objective = 0;
  for (gsize x = 0; x < n; x++)
    {
      sum += c[x] + p[x];
      before += p[x];
    }
  for (gsize x = 0; x < n; x++)
    {
      share[x] = sum > 1e-100 ? (c[x] + p[x]) / sum : 1.0 / (double) n;
      w[x] = variational ? gsl_sf_psi (c[x] + p[x]) - gsl_sf_psi (sum)
                         : log (fmax (share[x], 1e-300));
      if (variational)
        objective += gsl_sf_lngamma (c[x] + p[x]) - gsl_sf_lngamma (p[x]) - c[x] * w[x];
      else if (p[x] > 0)
        objective += p[x] * w[x];
    }
  return variational ? objective - gsl_sf_lngamma (sum) + gsl_sf_lngamma (before) : objective;
}

static G_GNUC_UNUSED void
plain_fit (Plain *plain, const Crowd *crowd, const SlMethodSettings *settings)
{
  gsize K = (gsize) crowd->n_classes, A = (gsize) crowd->n_annotators, I = (gsize) crowd->n_items;
  double *T = plain->label = crowd_votes (crowd);
  plain->confusion = g_new0 (double, MAX (A * K * K, 1));
  plain->prior = g_new0 (double, K);
  g_autofree double *c = g_new (double, MAX (A * K * K, 1)),
                    *w = g_new (double, MAX (A * K * K, 1));
  g_autofree double *p = g_new (double, K), *crowds = g_new (double, K *K),
                    *total = g_new (double, K);
  g_autofree double *log_prior = g_new (double, K);
  for (gsize i = 0; i < I; i++)
    {
      double sum = 0;
      for (gsize k = 0; k < K; k++)
        sum += T[i * K + k];
      for (gsize k = 0; k < K; k++)
        T[i * K + k] = settings->fix_gold && crowd->gold[i] >= 0 ? (gsize) crowd->gold[i] == k
                       : sum > 0                                 ? T[i * K + k] / sum
                                                                 : 1.0 / (double) K;
    }
  for (gint64 round = settings->start != NULL ? 0 : 1; round <= settings->iterations; round++)
    {
      memset (c, 0, A * K * K * sizeof *c);
      memset (total, 0, K * sizeof *total);
      for (gsize i = 0; i < I * K; i++)
        total[i % K] += T[i];
      for (gint64 j = 0; j < crowd->n; j++)
        for (gsize x = first_class (crowd, j); x <= last_class (crowd, j); x++)
          for (gsize k = 0; k < K; k++)
            c[((gsize) crowd->annotator[j] * K + k) * K + x]
                += vote_for (crowd, j, x) * T[(gsize) crowd->item[j] * K + k];
      for (gsize k = 0; plain->crowd_prior && k < K; k++)
        {
          double sum = 0;
          for (gsize x = 0; x < K; x++)
            {
              crowds[k * K + x] = 1;
              for (gsize a = 0; a < A; a++)
                crowds[k * K + x] += c[(a * K + k) * K + x];
              sum += crowds[k * K + x];
            }
          for (gsize x = 0; x < K; x++)
            crowds[k * K + x] *= plain->smoothing / sum;
        }
      for (gsize k = 0; k < K; k++)
        p[k] = !plain->variational ? 0 : plain->class_alpha != NULL ? plain->class_alpha[k] : 1;
      plain->objective = plain_row (plain->variational, total, p, K, log_prior, plain->prior);
      for (gsize a = 0; a < A; a++)
        for (gsize k = 0; k < K; k++)
          {
            gsize row = (a * K + k) * K;
            for (gsize x = 0; x < K; x++)
              {
                p[x] = plain->crowd_prior   ? crowds[k * K + x]
                       : plain->variational ? plain->off + (x == k ? plain->right : 0)
                                            : plain->smoothing;
                if (settings->confusion_prior != NULL)
                  p[x] += settings->prior_weight * settings->confusion_prior[row + x];
              }
            plain->objective += plain_row (plain->variational && !plain->means, c + row, p, K,
                                           w + row, plain->confusion + row);
            for (gsize x = 0; round == 0 && x < K; x++)
              w[row + x] = log (settings->start[row + x]);
          }
      for (gsize i = 0; i < I; i++)
        memcpy (T + i * K, log_prior, K * sizeof *T);
      for (gint64 j = 0; j < crowd->n; j++)
        for (gsize x = first_class (crowd, j); x <= last_class (crowd, j); x++)
          for (gsize k = 0; k < K; k++)
            T[(gsize) crowd->item[j] * K + k]
                += vote_for (crowd, j, x) * w[((gsize) crowd->annotator[j] * K + k) * K + x];
      for (gsize i = 0; i < I; i++)
        {
          double *t = T + i * K, most = -INFINITY, sum = 0;
          for (gsize k = 0; k < K; k++)
            {
              if (settings->fix_gold && crowd->gold[i] >= 0 && (gsize) crowd->gold[i] != k)
                t[k] = -INFINITY;
              most = fmax (most, t[k]);
            }
          for (gsize k = 0; k < K; k++)
            sum += t[k] = exp (t[k] - most);
          for (gsize k = 0; k < K; k++)
            t[k] /= sum;
          plain->objective += most + log (sum);
        }
    }
}
