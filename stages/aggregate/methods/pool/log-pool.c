/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The logarithmic opinion pool: the normalised geometric mean of an item's labels,
 *   p_k ∝ Π_m max (p^m_k, floor)^(w_m / Σ w)   (Genest & Zidek, Statistical Science 1986)
 * where w_m is how many identical labels the row stands for. The floor, 1e-12 unless the
 * smoothing says otherwise, keeps a single 0 from ruling a class out for good. A vote is the
 * label that is certain of its class. An item without labels is uniform. Deterministic; an item's
 * label depends on that item alone. */
#include "pipeline/base/parallel.h"
#include "pipeline/base/real-math.h"
#include "pipeline/base/vector-math.h"
#include "stages/aggregate/methods/fits.h"
#include "stages/common/methods/posterior.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct
{
  const SlItems *items;
  const SlByItem *by;
  const SlMethodSettings *settings;
  double floor, log_floor, log_one;
} Pool;

/* Adds log max (p^m, floor) of answer J, WEIGHT times. */
SL_VECTORS static void
add (const Pool *pool, gint64 j, double weight, double *p)
{
  gsize n = (gsize) pool->items->n_classes;
  if (pool->by->distribution == NULL)
    {
      for (gsize k = 0; k < n; k++)
        p[k] += weight * (k == (gsize) pool->by->answer[j] ? pool->log_one : pool->log_floor);
      return;
    }
  const double *label = sl_by_item_distribution (pool->by, j);
  for (gsize k = 0; k < n; k += 4)
    {
      gsize part = MIN (n - k, 4);
      SlVector share = sl_vector_load_part (label + k, part);
      SlVector log_share = sl_vector_select (share > pool->floor, sl_vector_log (share),
                                             sl_vector (pool->log_floor));
      SlVector sum = sl_vector_load_part (p + k, part) + weight * log_share;
      sl_vector_store_part (p + k, sum, part);
    }
}

static void
pool_part (int part, gpointer data)
{
  const Pool *pool = data;
  const SlByItem *by = pool->by;
  gint32 n = by->n_classes;
  for (gint32 i = by->part[part]; i < by->part[part + 1]; i++)
    {
      double *p = &pool->items->label[(gsize) i * (gsize) n], weight = 0;
      gint32 gold = sl_posterior_gold (pool->items, pool->settings, i);
      if (gold >= 0)
        {
          sl_posterior_set (p, n, gold);
          continue;
        }
      memset (p, 0, (gsize) n * sizeof *p);
      for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
        weight += sl_by_item_count (by, j);
      for (gint64 j = by->first[i]; j < by->first[i + 1] && weight > 0; j++)
        add (pool, j, sl_by_item_count (by, j) / weight, p);
      sl_posterior_from_logs (p, n);
    }
}

gboolean
sl_fit_log_pool (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
                 SlLearned *learned, GError **error)
{
  if (sl_no_answers (items, answers, settings, learned))
    return TRUE;
  g_auto (SlByItem) by;
  sl_by_item_init (&by, items, answers, 0);
  double floor = isnan (settings->smoothing) ? 1e-12 : MAX (settings->smoothing, DBL_MIN);
  Pool pool = {
    .items = items,
    .by = &by,
    .settings = settings,
    .floor = floor,
    .log_floor = sl_log (floor),
    .log_one = sl_log (MAX (floor, 1)),
  };
  sl_parallel (settings->threads, by.n_parts, pool_part, &pool);
  sl_posterior_learn (items, &by, NULL, learned);
  return TRUE;
}
