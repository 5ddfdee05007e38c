/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cases.h"

#include "pipeline/base/intern/intern.h"
#include "pipeline/base/vector-math.h"
#include "metrics/order.h"

#include <math.h>
#include <string.h>

guint
sl_case_key_hash (gconstpointer key)
{
  return (guint) sl_text_hash (key, sizeof (SlCaseKey));
}

gboolean
sl_case_key_equal (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, sizeof (SlCaseKey)) == 0;
}

static void
case_free (gpointer data)
{
  SlCase *one = data;
  for (int f = 0; f < SL_N_FIGURES; f++)
    g_free (one->column[f]);
  g_free (one->prob);
  g_free (one->target);
  g_free (one->order);
  g_free (one->distinct);
  g_free (one->class_order);
  g_free (one->value_order);
  g_free (one->target_order);
  sl_class_bins_clear (&one->bins);
  sl_shared_clear (&one->shared);
  g_free (one);
}

void
sl_cases_init (SlCases *cases, const SlCasePlan *plan)
{
  *cases = (SlCases){ plan, g_ptr_array_new_with_free_func (case_free),
                      g_hash_table_new (sl_case_key_hash, sl_case_key_equal), NULL };
}

void
sl_cases_clear (SlCases *cases)
{
  g_clear_pointer (&cases->by_key, g_hash_table_unref);
  g_clear_pointer (&cases->cases, g_ptr_array_unref);
}

SlCase *
sl_cases_get (SlCases *cases, const SlCaseKey *key)
{
  if (cases->last != NULL && sl_case_key_equal (&cases->last->key, key))
    return cases->last;
  SlCase *one = g_hash_table_lookup (cases->by_key, key);
  if (one == NULL)
    {
      const SlCasePlan *plan = cases->plan;
      one = g_new0 (SlCase, 1);
      one->key = *key;
      one->items.n_classes = plan->n_classes;
      if (plan->bins)
        sl_class_bins_init (&one->bins, plan->n_classes, plan->settings.bins,
                            plan->settings.edge == SL_EDGE_RIGHT, plan->settings.own_bin_of_one);
      g_ptr_array_add (cases->cases, one);
      g_hash_table_insert (cases->by_key, &one->key, one);
    }
  return cases->last = one;
}

gboolean
sl_case_is_whole (const SlCase *one, const SlCasePlan *plan)
{
  return one->items.n <= plan->most;
}

/* Room for N more items in what is kept; what is kept for resamples alone goes once there are too
 * many for them. */
static void
make_room (SlCase *one, const SlCasePlan *plan, gint64 n)
{
  gboolean whole = one->items.n + n <= plan->most;
  gint64 room = MAX (one->room, 256), k = plan->n_classes;
  while (room < one->items.n + n)
    room *= 2;
  gboolean grows = room > one->room;
  for (int f = 0; f < SL_N_FIGURES; f++)
    {
      guint64 bit = SL_FIGURE_BIT (f);
      if (!(plan->keep & bit) && !(whole && plan->wanted & bit))
        g_clear_pointer (&one->column[f], g_free);
      else if (grows)
        one->column[f] = g_renew (double, one->column[f], room);
    }
  if (!(whole && plan->bins) && !plan->ranked)
    g_clear_pointer (&one->prob, g_free);
  else if (grows)
    one->prob = g_renew (double, one->prob, room *k);
  if (!whole || !plan->bins)
    g_clear_pointer (&one->target, g_free);
  else if (grows)
    one->target = g_renew (double, one->target, room *k);
  one->room = room;
}

/* The sum of x over the items, in four parts that are added in their order. */
SL_VECTORS static void
add_sums (SlScoredItems *items, int f, const double *x, gint64 n)
{
  const SlVector zero = sl_vector (0), most = sl_vector (G_MAXDOUBLE);
  SlVector sum = zero;
  SlLanes absent = { 0 }, infinite = { 0 };
  for (gint64 i = 0; i < n; i += 4)
    {
      SlVector value = zero;
      if (n - i >= 4)
        value = sl_vector_load (x + i);
      else
        for (gint64 j = i; j < n; j++)
          value[j - i] = x[j];
      SlLanes there = value == value;
      absent += ~there & 1;
      infinite += ((value > most) | (value < -most)) & 1;
      sum += sl_vector_select (there, value, zero);
    }
  items->sum[f] += sl_vector_sum (sum);
  items->count[f] += n - (absent[0] + absent[1] + absent[2] + absent[3]);
  items->infinite[f] += infinite[0] + infinite[1] + infinite[2] + infinite[3];
}

void
sl_case_add (SlCase *one, const SlCasePlan *plan, double *const *figure, const double *prob,
             const double *target, gint64 first, gint64 n)
{
  gint64 at = one->items.n;
  gsize k = (gsize) plan->n_classes, from = (gsize) first * k, size = (gsize) n * k;
  make_room (one, plan, n);
  for (int f = 0; f < SL_N_FIGURES; f++)
    {
      if (!(plan->wanted & SL_FIGURE_BIT (f)))
        continue;
      add_sums (&one->items, f, figure[f] + first, n);
      if (one->column[f] != NULL)
        memcpy (one->column[f] + at, figure[f] + first, (gsize) n * sizeof (double));
    }
  if (one->prob != NULL)
    memcpy (one->prob + (gsize) at * k, prob + from, size * sizeof *prob);
  if (one->target != NULL)
    memcpy (one->target + (gsize) at * k, target + from, size * sizeof *target);
  if (plan->bins)
    sl_class_bins_add_all (&one->bins, prob + from, target + from, NULL, n);
  one->items.n += n;
}

/* The items of FROM are those of ONE, too, behind its own. */
static void
join_case (SlCase *one, const SlCasePlan *plan, const SlCase *from)
{
  gint64 at = one->items.n, n = from->items.n;
  gsize k = (gsize) plan->n_classes;
  make_room (one, plan, n);
  for (int f = 0; f < SL_N_FIGURES; f++)
    {
      one->items.sum[f] += from->items.sum[f];
      one->items.count[f] += from->items.count[f];
      one->items.infinite[f] += from->items.infinite[f];
      if (one->column[f] != NULL)
        memcpy (one->column[f] + at, from->column[f], (gsize) n * sizeof (double));
    }
  if (one->prob != NULL)
    memcpy (one->prob + (gsize) at * k, from->prob, (gsize) n * k * sizeof (double));
  if (one->target != NULL)
    memcpy (one->target + (gsize) at * k, from->target, (gsize) n * k * sizeof (double));
  if (plan->bins)
    sl_class_bins_join (&one->bins, &from->bins);
  one->items.n += n;
}

void
sl_cases_rename (SlCases *cases, void (*rename) (SlCaseKey *key, gpointer data), gpointer data)
{
  g_autoptr (GPtrArray) before = g_steal_pointer (&cases->cases);
  cases->cases = g_ptr_array_new_with_free_func (case_free);
  g_ptr_array_set_free_func (before, NULL);
  g_hash_table_remove_all (cases->by_key);
  cases->last = NULL;
  for (guint c = 0; c < before->len; c++)
    {
      SlCase *one = before->pdata[c];
      rename (&one->key, data);
      SlCase *same = g_hash_table_lookup (cases->by_key, &one->key);
      if (same != NULL)
        {
          join_case (same, cases->plan, one);
          case_free (one);
          continue;
        }
      g_ptr_array_add (cases->cases, one);
      g_hash_table_insert (cases->by_key, &one->key, one);
    }
}

gsize
sl_cases_bytes (const SlCases *cases)
{
  gsize bytes = 0;
  for (guint c = 0; c < cases->cases->len; c++)
    {
      const SlCase *one = cases->cases->pdata[c];
      gsize row = ((one->prob != NULL) + (one->target != NULL)) * (gsize) cases->plan->n_classes;
      for (int f = 0; f < SL_N_FIGURES; f++)
        row += one->column[f] != NULL;
      bytes += sizeof *one + (gsize) one->room * row * sizeof (double);
    }
  return bytes;
}

gsize
sl_case_row_bytes (const SlCasePlan *plan, gboolean ordered)
{
  gsize numbers = plan->bins ? 2 * (gsize) plan->n_classes : 0;
  numbers += plan->ranked ? 2 * (gsize) plan->n_classes : 0; /* and their orders */
  for (int f = 0; f < SL_N_FIGURES; f++)
    numbers += (plan->wanted & SL_FIGURE_BIT (f)) != 0;
  /* Room grows by doubling. */
  return 2 * numbers * sizeof (double) + (ordered ? sl_order_bytes () : 0);
}

/* Which item each row is of, where some have several. NUMBERS: of items, all 0 before and after. */
static void
number_items (SlCase *one, GArray *numbers)
{
  const double *item = one->column[SL_FIGURE_ITEM];
  gint64 n = one->items.n;
  one->distinct = g_new (gint32, MAX (n, 1));
  for (gint64 i = 0; i < n; i++)
    {
      if (numbers->len <= (guint) item[i])
        g_array_set_size (numbers, (guint) item[i] + 1);
      gint32 *number = &g_array_index (numbers, gint32, (guint) item[i]);
      if (*number == 0)
        *number = ++one->items.n_distinct;
      one->distinct[i] = *number - 1;
    }
  for (gint64 i = 0; i < n; i++)
    g_array_index (numbers, gint32, (guint) item[i]) = 0;
  if (one->items.n_distinct < n)
    one->items.distinct = one->distinct;
}

/* The order of x[0], x[STEP], ... of N items; what is not there comes last. */
static void
order_by (const double *x, gint64 step, gint64 n, gint32 *order)
{
  g_autofree double *positive = g_new (double, MAX (n, 1));
  double least = 0;
  for (gint64 i = 0; i < n; i++)
    least = x[i * step] < least ? x[i * step] : least;
  for (gint64 i = 0; i < n; i++)
    positive[i] = isnan (x[i * step]) ? (double) INFINITY : x[i * step] - least;
  sl_order_by (positive, (gint32) n, order);
}

/* The orders that metrics of ranks look at. */
static void
find_orders (SlCase *one, const SlCasePlan *plan)
{
  const double *value = one->column[SL_FIGURE_VALUE];
  const double *target = one->column[SL_FIGURE_TARGET_VALUE];
  gint64 n = one->items.n, k = plan->n_classes;
  if (plan->ranked)
    one->items.class_order = one->class_order = g_new (gint32, MAX (n, 1) * k);
  for (gint64 c = 0; c < k && plan->ranked; c++)
    order_by (one->prob + c, k, n, one->class_order + c * n);
  if (value == NULL || target == NULL)
    return;
  one->items.value_order = one->value_order = g_new (gint32, MAX (n, 1));
  one->items.target_order = one->target_order = g_new (gint32, MAX (n, 1));
  order_by (value, 1, n, one->value_order);
  order_by (target, 1, n, one->target_order);
}

void
sl_case_end (SlCase *one, const SlCasePlan *plan, gboolean ordered, GArray *numbers)
{
  for (int f = 0; f < SL_N_FIGURES; f++)
    one->items.column[f] = one->column[f];
  one->items.prob = one->prob;
  one->items.target = one->target;
  one->items.bins = plan->bins ? &one->bins : NULL;
  if (one->column[SL_FIGURE_ITEM] != NULL)
    number_items (one, numbers);
  find_orders (one, plan);
  if (!ordered)
    return;
  one->order = g_new (gint32, MAX (one->items.n, 1));
  sl_order_by (one->column[SL_FIGURE_CONFIDENCE], (gint32) one->items.n, one->order);
  one->items.order = one->order;
}
