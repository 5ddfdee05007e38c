/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Light-weight aggregation (Yang, Zhao, Wu, Zhuo, Liu, Bai & Li, "A lightweight, effective, and
 * efficient model for label aggregation in crowdsourcing", ACM TKDD 18, 2024). One pass: an
 * annotator's accuracy is a_a = c_a / t_a, from c = α - 1 and t = α + β - 2, the mode of a Beta (α,
 * β), α = β = 2. When an item passes,
 *   p_k = Σ_{a said k} a_a / Σ_a a_a,   v = argmax_k p_k, the first of several
 * and each of its annotators' t rises by 1, and c too if they said v. What an item gets depends on
 * those that passed before it, so its label can be written at once; memory is two numbers an
 * annotator. Two passes: the first over the items in random order, the second votes again with what
 * was learned,
 *   p_k ∝ exp (Σ_{a said k} K / (K - 1) (K a_a - 1))
 * The paper weighs a vote by K a - 1. Around chance, a = 1/K, the log-odds of a right answer, log
 * (a (K - 1) / (1 - a)), are K / (K - 1) times that to first order. With this factor the votes add
 * up to log-odds of the classes; the winner is the paper's. A kept gold class is v. Settings: the
 * seed, for the order; iterations = 1 leaves the second pass out. */
#include "stages/aggregate/methods/fits.h"

#include "pipeline/base/largest.h"
#include "stages/common/methods/posterior.h"
#include "stages/aggregate/methods/votes/weighted-vote.h"

#include <stdlib.h>
#include <string.h>

typedef struct
{
  const SlMethodSettings *settings;
  gint32 n_classes, n_annotators, room;
  double *right, *answered; /* [room]: c, t */
} La;

static void
meet (La *la, gint32 n_annotators)
{
  if (n_annotators > la->room)
    {
      la->room = MAX (n_annotators, la->room + la->room / 2);
      la->right = g_renew (double, la->right, la->room);
      la->answered = g_renew (double, la->answered, la->room);
    }
  for (; la->n_annotators < n_annotators; la->n_annotators++)
    {
      la->right[la->n_annotators] = 1;
      la->answered[la->n_annotators] = 2;
    }
}

/* Labels p[n_classes] an item by n answers, and learns from it. count: NULL: 1 each. */
static void
pass_item (La *la, double *p, gint32 gold, gint64 n, const gint32 *annotator, const gint32 *answer,
           const double *count)
{
  memset (p, 0, (gsize) la->n_classes * sizeof *p);
  for (gint64 j = 0; j < n; j++)
    p[answer[j]]
        += la->right[annotator[j]] / la->answered[annotator[j]] * (count == NULL ? 1 : count[j]);
  if (gold >= 0)
    sl_posterior_set (p, la->n_classes, gold);
  /* No answers. */
  else if (!sl_posterior_from_scores (p, la->n_classes))
    sl_posterior_from_logs (p, la->n_classes);
  gint32 top = sl_largest (p, la->n_classes);
  for (gint64 j = 0; j < n; j++)
    {
      la->answered[annotator[j]] += count == NULL ? 1 : count[j];
      la->right[annotator[j]] += answer[j] != top ? 0 : count == NULL ? 1 : count[j];
    }
}

static gpointer
begin (gint32 n_classes, const SlMethodSettings *settings)
{
  La *la = g_new0 (La, 1);
  la->settings = settings;
  la->n_classes = n_classes;
  return la;
}

static void
pass (gpointer state, SlItems *item, const SlAnswers *answers)
{
  La *la = state;
  meet (la, answers->n_annotators);
  pass_item (la, item->label, sl_posterior_gold (item, la->settings, 0), answers->n_answers,
             answers->annotator, answers->answer, answers->count);
}

static void
end (gpointer state)
{
  La *la = state;
  g_free (la->right);
  g_free (la->answered);
  g_free (la);
}

const SlMethodStream sl_stream_la = { begin, pass, end };

typedef struct
{
  double drawn;
  gint32 item;
} Drawn;

static int
compare_drawn (gconstpointer a, gconstpointer b)
{
  const Drawn *first = a, *second = b;
  return SL_COMPARE (first->drawn, second->drawn) ?: SL_COMPARE (first->item, second->item);
}

/* Items in an order drawn by seed and item. */
static void
first_pass (La *la, const SlItems *items, const SlByItem *by)
{
  guint32 purpose = sl_random_purpose ("aggregate: la-two-pass");
  g_autofree Drawn *order = g_new (Drawn, (gsize) items->n_items);
  for (gint32 i = 0; i < items->n_items; i++)
    {
      guint64 key = items->key != NULL ? items->key[i] : (guint64) i;
      SlRandom random = sl_random (la->settings->seed, purpose, key, 0, 0);
      order[i] = (Drawn){ sl_random_unit (&random), i };
    }
  qsort (order, (gsize) items->n_items, sizeof *order, compare_drawn);
  for (gint32 place = 0; place < items->n_items; place++)
    {
      gint32 i = order[place].item;
      gint64 first = by->first[i];
      pass_item (la, &items->label[(gsize) i * (gsize) items->n_classes],
                 sl_posterior_gold (items, la->settings, i), by->first[i + 1] - first,
                 &by->annotator[first], &by->answer[first],
                 by->count == NULL ? NULL : &by->count[first]);
    }
}

gboolean
sl_fit_la_two_pass (const SlItems *items, const SlAnswers *answers,
                    const SlMethodSettings *settings, SlLearned *learned, GError **error)
{
  if (sl_no_answers (items, answers, settings, learned))
    return TRUE;
  double n = items->n_classes;
  g_auto (SlByItem) by;
  sl_by_item_init (&by, items, answers, 0);
  La *la = begin (items->n_classes, settings);
  meet (la, answers->n_annotators);
  first_pass (la, items, &by);
  g_autofree double *skill = g_new (double, (gsize) by.n_annotators);
  for (gint32 a = 0; a < by.n_annotators; a++)
    skill[a] = la->right[a] / la->answered[a];
  end (la);
  if (settings->iterations != 1 && n > 1)
    {
      g_autofree double *weight = g_new (double, (gsize) by.n_annotators);
      for (gint32 a = 0; a < by.n_annotators; a++)
        weight[a] = n / (n - 1) * (n * skill[a] - 1);
      sl_weighted_vote (items, &by, weight, SL_WEIGHTED_LOGS, settings);
    }
  sl_posterior_learn (items, &by, skill, learned);
  return TRUE;
}
