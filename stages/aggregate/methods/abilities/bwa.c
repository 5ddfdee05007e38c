/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bayesian weighted average (Li, Rubinstein & Cohn, "Truth inference at scale", WWW 2019): for each
 * class k by itself, answers y_ia = 1 if they name k and 0 if not are readings of a number z_i,
 * each annotator's with a precision of their own:
 *   z_i ~ N (μ, 1/λ),   y_ia ~ N (z_i, 1/v_a),   v_a ~ Gamma (a_v/2, b_v/2)
 *   μ   = mean of the z_i
 *   v_a = (a_v + N_a) / (b_v + Σ_{i of a} (z_i - y_ia)²)
 *   z_i = (λ μ + Σ_{a of i} v_a y_ia) / (λ + Σ_{a of i} v_a)
 * from z_i = share of i's votes for k, until no z_i moves by more than 1e-8 + 0.001 z_i, at most
 * 500 rounds. λ = 1, a_v = 15, and b_v = a_v × the mean over answers of z_i (1 - z_i) at the
 * start × 4 (1 - 1/K), which gives each class the spread it would have if all were as frequent.
 * The label is z_ik / Σ_k z_ik. An annotator is one reading of an item however often they answer
 * it, or however many votes a row stands for: of class k it is 1 if any answer names k. It is
 * expectation maximisation with the v_a as what is hidden, so that
 *   -λ/2 Σ_i (z_i - μ)² - Σ_a (a_v + N_a)/2 log (b_v + Σ_{i of a} (z_i - y_ia)²)
 * never falls; the sum over the classes, as each round finds it, is what is told of it.
 *
 * Time: rounds × K × answers. Where nobody ever differs b_v = 0, and precision would be infinite;
 * a b_v of at least 1e-9 a_v keeps it finite and z where it is. Deterministic; iterations and
 * tolerance (instead of 0.001) apply. A gold class that is kept fixes z. */
#include "pipeline/base/parallel.h"
#include "pipeline/base/vector-math.h"
#include "stages/aggregate/methods/fits.h"
#include "stages/common/methods/posterior.h"
#include "stages/aggregate/methods/repeated-answers.h"

#include <math.h>
#include <string.h>

static const double a_v = 15, lambda = 1;

enum
{
  ROUNDS = 500
};

/* Of each class, what is summed over the items of a part: sum[n_parts][n_classes]. */
typedef struct
{
  double z, spread; /* Σ z, and Σ over answers of z (1 - z) */
  double off;       /* Σ (z - m)², where m is the mean before the round */
  gboolean moved;
} ClassSum;

typedef struct
{
  const SlItems *items;
  const SlByItem *by;
  const SlMethodSettings *settings;
  guint8 *kind; /* [n_answers]: SlRepeat */
  gsize n_classes, n_annotators;
  double *z;         /* [n_items][n_classes] */
  double *precision; /* [n_annotators][n_classes] */
  double *answered;  /* [n_annotators] */
  double *squares;   /* [n_parts][n_annotators][n_classes] */
  double *room;      /* [n_parts][2][n_classes] */
  ClassSum *sums;    /* [n_parts][n_classes] */
  double *mean;      /* [n_classes]: μ */
  double *prior;     /* [n_classes]: -λ/2 Σ (z - μ)² */
  double *b_v;       /* [n_classes] */
  gint32 *active;    /* [n_active]: the classes that still move */
  gsize n_active;
  double tolerance;
} Bwa;

/* What answer J counts, once at most. */
static inline double
part_of (const SlByItem *by, gint64 j)
{
  return MIN (sl_by_item_count (by, j), 1);
}

/* The shares of the votes, and their spread. */
static void
start_part (int part, gpointer data)
{
  Bwa *bwa = data;
  const SlByItem *by = bwa->by;
  gsize n = bwa->n_classes;
  ClassSum *sums = &bwa->sums[(gsize) part * n];
  for (gint32 i = by->part[part]; i < by->part[part + 1]; i++)
    {
      double all = 0, readings = 0, *z = &bwa->z[(gsize) i * n];
      gint32 gold = sl_posterior_gold (bwa->items, bwa->settings, i);
      memset (z, 0, n * sizeof *z);
      for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
        {
          all += sl_by_item_count (by, j);
          readings += bwa->kind[j] == SL_REPEAT_FIRST ? part_of (by, j) : 0;
          z[by->answer[j]] += bwa->kind[j] != SL_REPEAT_SAME ? part_of (by, j) : 0;
        }
      for (gsize k = 0; k < n; k++)
        z[k] = readings > 0 ? z[k] / readings : 0;
      if (gold >= 0)
        sl_posterior_set (z, by->n_classes, gold);
      for (gsize k = 0; k < n; k++)
        {
          sums[k].z += z[k];
          sums[k].spread += all * z[k] * (1 - z[k]);
          sums[k].off += z[k] * z[k];
        }
    }
}

static void
squares_part (int part, gpointer data)
{
  Bwa *bwa = data;
  const SlByItem *by = bwa->by;
  gsize size = bwa->n_annotators * bwa->n_classes;
  double *squares = &bwa->squares[(gsize) part * size];
  memset (squares, 0, size * sizeof *squares);
  for (gint32 i = by->part[part]; i < by->part[part + 1]; i++)
    for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
      {
        const double *z = &bwa->z[(gsize) i * bwa->n_classes];
        double *mine = &squares[(gsize) by->annotator[j] * bwa->n_classes];
        gint32 said = by->answer[j];
        double part_said = part_of (by, j);
        if (bwa->kind[j] == SL_REPEAT_OTHER)
          mine[said] += part_said * (1 - 2 * z[said]); /* to the first one's z², makes (z - 1)² */
        for (gsize c = 0; c < bwa->n_active && bwa->kind[j] == SL_REPEAT_FIRST; c++)
          {
            gint32 k = bwa->active[c];
            double off = z[k] - (said == k);
            mine[k] += part_said * off * off;
          }
      }
}

static void
average_item (Bwa *bwa, gint32 i, double *below, double *above)
{
  const SlByItem *by = bwa->by;
  for (gsize k = 0; k < bwa->n_classes; k++)
    {
      below[k] = lambda;
      above[k] = lambda * bwa->mean[k];
    }
  for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
    {
      const double *v = &bwa->precision[(gsize) by->annotator[j] * bwa->n_classes];
      double part = part_of (by, j);
      if (bwa->kind[j] != SL_REPEAT_SAME)
        above[by->answer[j]] += part * v[by->answer[j]];
      for (gsize c = 0; c < bwa->n_active && bwa->kind[j] == SL_REPEAT_FIRST; c++)
        below[bwa->active[c]] += part * v[bwa->active[c]];
    }
}

static void
average_part (int part, gpointer data)
{
  Bwa *bwa = data;
  const SlByItem *by = bwa->by;
  gsize n = bwa->n_classes;
  ClassSum *sums = &bwa->sums[(gsize) part * n];
  double *below = &bwa->room[(gsize) part * 2 * n], *above = below + n;
  for (gint32 i = by->part[part]; i < by->part[part + 1]; i++)
    {
      double *z = &bwa->z[(gsize) i * n];
      gboolean kept = sl_posterior_gold (bwa->items, bwa->settings, i) >= 0;
      if (!kept)
        average_item (bwa, i, below, above);
      for (gsize c = 0; c < bwa->n_active; c++)
        {
          gint32 k = bwa->active[c];
          double before = z[k];
          z[k] = kept ? before : above[k] / below[k];
          sums[k].z += z[k];
          sums[k].off += (z[k] - bwa->mean[k]) * (z[k] - bwa->mean[k]);
          sums[k].moved |= fabs (before - z[k]) > 1e-8 + bwa->tolerance * fabs (z[k]);
        }
    }
}

/* Runs TASK on all parts with their sums set to 0, and folds those of the active classes. */
static void
run_parts (Bwa *bwa, void (*task) (int part, gpointer data))
{
  gsize n = bwa->n_classes;
  memset (bwa->sums, 0, (gsize) bwa->by->n_parts * n * sizeof *bwa->sums);
  sl_parallel (bwa->settings->threads, bwa->by->n_parts, task, bwa);
  for (gsize p = 1; p < (gsize) bwa->by->n_parts; p++)
    for (gsize k = 0; k < n; k++)
      {
        bwa->sums[k].z += bwa->sums[p * n + k].z;
        bwa->sums[k].spread += bwa->sums[p * n + k].spread;
        bwa->sums[k].off += bwa->sums[p * n + k].off;
        bwa->sums[k].moved |= bwa->sums[p * n + k].moved;
      }
}

/* Σ (z - μ)² = Σ (z - m)² - N (μ - m)² for any m. */
static void
set_mean (Bwa *bwa, gsize k)
{
  double n = bwa->by->n_items, before = bwa->mean[k];
  bwa->mean[k] = bwa->sums[k].z / n;
  bwa->prior[k]
      = -lambda / 2 * (bwa->sums[k].off - n * (bwa->mean[k] - before) * (bwa->mean[k] - before));
}

/* z, μ, b_v, and as active all classes that anyone has named. */
static void
start (Bwa *bwa)
{
  const SlByItem *by = bwa->by;
  double answered = 0;
  sl_repeats_set (by, bwa->kind);
  for (gint64 j = 0; j < by->n_answers; j++)
    bwa->answered[by->annotator[j]] += bwa->kind[j] == SL_REPEAT_FIRST ? part_of (by, j) : 0;
  for (gsize a = 0; a < bwa->n_annotators; a++)
    answered += bwa->answered[a];
  run_parts (bwa, start_part);
  for (gsize k = 0; k < bwa->n_classes && answered > 0; k++)
    {
      set_mean (bwa, k);
      bwa->b_v[k]
          = a_v * MAX (bwa->sums[k].spread / answered * 4 * (1 - 1.0 / by->n_classes), 1e-9);
      if (bwa->sums[k].z > 0)
        bwa->active[bwa->n_active++] = (gint32) k;
    }
}

/* Precisions; sets objective[n_classes] of the active classes. */
static void
set_precisions (Bwa *bwa, double *objective)
{
  sl_parallel (bwa->settings->threads, bwa->by->n_parts, squares_part, bwa);
  sl_by_item_fold (bwa->by, bwa->squares, bwa->n_annotators * bwa->n_classes);
  for (gsize c = 0; c < bwa->n_active; c++)
    {
      gsize k = (gsize) bwa->active[c];
      objective[k] = bwa->prior[k];
      for (gsize a = 0; a < bwa->n_annotators; a++)
        {
          double below = bwa->b_v[k] + bwa->squares[a * bwa->n_classes + k];
          bwa->precision[a * bwa->n_classes + k] = (a_v + bwa->answered[a]) / below;
          objective[k] -= (a_v + bwa->answered[a]) / 2 * sl_scalar_log (below);
        }
    }
}

static void
average (Bwa *bwa)
{
  run_parts (bwa, average_part);
  gsize kept = 0;
  for (gsize c = 0; c < bwa->n_active; c++)
    {
      gsize k = (gsize) bwa->active[c];
      set_mean (bwa, k);
      if (bwa->sums[k].moved)
        bwa->active[kept++] = (gint32) k;
    }
  bwa->n_active = kept;
}

static void
run_rounds (Bwa *bwa, const SlLearned *learned)
{
  g_autofree double *objective = g_new0 (double, bwa->n_classes);
  gint64 most = sl_rounds (bwa->settings, ROUNDS);
  for (gint64 round = 1; round <= most && bwa->n_active > 0; round++)
    {
      double sum = 0;
      set_precisions (bwa, objective);
      average (bwa);
      for (gsize k = 0; k < bwa->n_classes; k++)
        sum += objective[k];
      sl_round_over (bwa->settings, learned, round, most, sum);
    }
}

static void
normalise (const SlItems *items, const SlByItem *by)
{
  gint32 n = items->n_classes;
  for (gint32 i = 0; i < items->n_items; i++)
    {
      double *z = &items->label[(gsize) i * (gsize) n];
      if (by->first[i] < by->first[i + 1])
        sl_posterior_from_scores (z, n);
      else
        for (gint32 k = 0; k < n; k++)
          z[k] = 1.0 / n;
    }
}

gboolean
sl_fit_bwa (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
            SlLearned *learned, GError **error)
{
  if (sl_no_answers (items, answers, settings, learned))
    return TRUE;
  gsize n_classes = (gsize) items->n_classes, n_annotators = (gsize) answers->n_annotators;
  g_auto (SlByItem) by;
  sl_by_item_init (&by, items, answers, n_classes);
  g_autofree guint8 *kind = g_new0 (guint8, (gsize) by.n_answers);
  g_autofree double *precision = g_new0 (double, n_annotators *n_classes);
  g_autofree double *answered = g_new0 (double, n_annotators);
  g_autofree double *squares = sl_by_item_sums (&by, n_annotators * n_classes);
  g_autofree double *room = sl_by_item_sums (&by, 2 * n_classes);
  g_autofree double *mean = g_new0 (double, n_classes);
  g_autofree double *prior = g_new0 (double, n_classes);
  g_autofree double *b_v = g_new0 (double, n_classes);
  g_autofree ClassSum *sums = g_new0 (ClassSum, (gsize) by.n_parts * n_classes);
  g_autofree gint32 *active = g_new0 (gint32, n_classes);
  Bwa bwa = {
    .items = items,
    .by = &by,
    .settings = settings,
    .kind = kind,
    .n_classes = n_classes,
    .n_annotators = n_annotators,
    .z = items->label,
    .precision = precision,
    .answered = answered,
    .squares = squares,
    .room = room,
    .sums = sums,
    .mean = mean,
    .prior = prior,
    .b_v = b_v,
    .active = active,
    .tolerance = sl_or_own (settings->tolerance, 1e-3),
  };
  start (&bwa);
  run_rounds (&bwa, learned);
  normalise (items, &by);
  sl_posterior_learn (items, &by, NULL, learned);
  return TRUE;
}
