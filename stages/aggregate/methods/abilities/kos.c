/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Message passing for two classes (Karger, Oh & Shah, "Iterative learning for reliable
 * crowdsourcing systems", NIPS 2011). With A_ia = 1 where annotator a gave item i the first class
 * and -1 where the second, messages go along every answer, each the sum of all that come in by
 * the others:
 *   x_(i→a) = Σ_{b of i, b ≠ a} A_ib y_(b→i),   y_(a→i) = Σ_{h of a, h ≠ i} A_ha x_(h→a)
 * from y ~ N (1, 1), 100 rounds unless the iterations say otherwise; the class is the sign of
 * Σ_{a of i} A_ia y_(a→i). (As crowd-kit 1.4's KOS, but for the numbers drawn.) The label is
 *   p_i0 = (1 + Σ A_ia y_(a→i) / Σ |y_(a→i)|) / 2,
 * the share of the votes, each counting |y|, that a negative y turns round. No message: uniform.
 *
 * The rule is linear, so messages are divided by the largest of each round: they neither overflow
 * nor vanish, and the signs stay. An answer that stands for several sends as many equal messages.
 * Settings: iterations, seed; kept gold classes replace the result, the rule itself has no place
 * for them. */
#include "pipeline/base/error.h"
#include "pipeline/base/parallel.h"
#include "stages/aggregate/methods/fits.h"
#include "stages/common/methods/posterior.h"

#include <math.h>
#include <string.h>

enum
{
  ROUNDS = 100
};

typedef struct
{
  const SlItems *items;
  const SlByItem *by;
  const SlMethodSettings *settings;
  double *message;              /* [n_answers]: y, or x */
  double *sum;                  /* [n_parts][n_annotators]: Σ_h A_ha x_(h→a) */
  double largest[SL_MAX_PARTS]; /* [n_parts]: |y| */
  double scale;
} Kos;

static inline double
sign (const SlByItem *by, gint64 j)
{
  return by->answer[j] == 0 ? 1 : -1;
}

static void
draw_part (int part, gpointer data)
{
  Kos *kos = data;
  const SlByItem *by = kos->by;
  guint32 purpose = sl_random_purpose ("aggregate: kos");
  for (gint32 i = by->part[part]; i < by->part[part + 1]; i++)
    {
      guint64 key = kos->items->key == NULL ? (guint64) i : kos->items->key[i];
      SlRandom random = sl_random (kos->settings->seed, purpose, key, 0, 0);
      for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
        kos->message[j] = 1 + sl_random_normal (&random);
    }
}

/* y to x, and the annotators' sums of the x. */
static void
to_items_part (int part, gpointer data)
{
  Kos *kos = data;
  const SlByItem *by = kos->by;
  double *sum = &kos->sum[(gsize) part * (gsize) by->n_annotators];
  memset (sum, 0, (gsize) by->n_annotators * sizeof *sum);
  for (gint32 i = by->part[part]; i < by->part[part + 1]; i++)
    {
      double all = 0;
      for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
        {
          kos->message[j] *= kos->scale;
          all += sign (by, j) * kos->message[j] * sl_by_item_count (by, j);
        }
      for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
        {
          kos->message[j] = all - sign (by, j) * kos->message[j];
          sum[by->annotator[j]] += sign (by, j) * kos->message[j] * sl_by_item_count (by, j);
        }
    }
}

/* x to y. */
static void
to_annotators_part (int part, gpointer data)
{
  Kos *kos = data;
  const SlByItem *by = kos->by;
  double largest = 0;
  for (gint64 j = by->first[by->part[part]]; j < by->first[by->part[part + 1]]; j++)
    {
      kos->message[j] = kos->sum[by->annotator[j]] - sign (by, j) * kos->message[j];
      largest = MAX (largest, fabs (kos->message[j]));
    }
  kos->largest[part] = largest;
}

static void
label_part (int part, gpointer data)
{
  Kos *kos = data;
  const SlByItem *by = kos->by;
  for (gint32 i = by->part[part]; i < by->part[part + 1]; i++)
    {
      double sum = 0, size = 0, *p = &kos->items->label[(gsize) i * 2];
      gint32 gold = sl_posterior_gold (kos->items, kos->settings, i);
      for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
        {
          double y = kos->message[j] * kos->scale * sl_by_item_count (by, j);
          sum += sign (by, j) * y;
          size += fabs (y);
        }
      p[0] = size > 0 ? (1 + sum / size) / 2 : 0.5;
      p[1] = size > 0 ? (1 - sum / size) / 2 : 0.5;
      if (gold >= 0)
        sl_posterior_set (p, 2, gold);
    }
}

gboolean
sl_fit_kos (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
            SlLearned *learned, GError **error)
{
  if (items->n_classes != 2)
    return sl_error_bad_input (
        error, "the table has %d class%s and kos is for 2: take another method, m-msr for one",
        items->n_classes, items->n_classes == 1 ? "" : "es");
  if (sl_no_answers (items, answers, settings, learned))
    return TRUE;
  g_auto (SlByItem) by;
  sl_by_item_init (&by, items, answers, 1);
  g_autofree double *message = g_new (double, (gsize) by.n_answers);
  g_autofree double *sum = sl_by_item_sums (&by, (gsize) by.n_annotators);
  Kos kos = {
    .items = items,
    .by = &by,
    .settings = settings,
    .message = message,
    .sum = sum,
    .scale = 1,
  };
  int threads = kos.settings->threads, n_parts = kos.by->n_parts;
  gint64 rounds = sl_rounds (kos.settings, ROUNDS);
  sl_parallel (threads, n_parts, draw_part, &kos);
  for (gint64 round = 1; round <= rounds; round++)
    {
      double largest = 0;
      sl_parallel (threads, n_parts, to_items_part, &kos);
      sl_by_item_fold (kos.by, kos.sum, (gsize) kos.by->n_annotators);
      sl_parallel (threads, n_parts, to_annotators_part, &kos);
      for (int p = 0; p < n_parts; p++)
        largest = MAX (largest, kos.largest[p]);
      kos.scale = largest > 0 ? 1 / largest : 1;
      sl_round_over (kos.settings, learned, round, rounds, largest);
    }
  sl_parallel (settings->threads, by.n_parts, label_part, &kos);
  sl_posterior_learn (items, &by, NULL, learned);
  return TRUE;
}
