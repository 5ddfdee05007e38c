/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "aligned.h"

#include "stages/common/classes/class-map.h"

#include <string.h>

void
sl_aligned_clear (SlAligned *aligned)
{
  g_free (aligned->item);
  g_free (aligned->first);
  g_free (aligned->second);
  g_free (aligned->against);
  g_free (aligned->gold);
}

static gint32
find (const SlReference *in, const SlReference *first, gint32 item)
{
  gsize length;
  const char *text = sl_intern_get (first->items, item, &length);
  return sl_intern_find (in->items, text, length);
}

/* The items of IN that OF does not have: how many, and some of them by name. */
static gint32
absent (const SlReference *in, const SlReference *of, GString *some)
{
  gint32 n = 0;
  for (gint32 i = 0; i < sl_reference_size (in); i++)
    if (find (of, in, i) < 0 && n++ < 3)
      {
        g_autofree char *shown = sl_item_shown (in->items, i);
        g_string_append_printf (some, "%s'%s'", n > 1 ? ", " : "", shown);
      }
  return n;
}

static gboolean
check_same (SlRun *run, const SlReference *in, const SlReference *of, gboolean inner,
            GError **error)
{
  g_autoptr (GString) some = g_string_new (NULL);
  gint32 n = absent (in, of, some);
  if (n == 0)
    return TRUE;
  if (inner)
    {
      sl_run_warn (run, "%s: %d of its %d items are left out: %s are not in %s", in->name, n,
                   sl_reference_size (in), some->str, of->name);
      return TRUE;
    }
  return sl_error_bad_input (error,
                             "%s: %d of its %d items, such as %s, are not in %s; --inner compares "
                             "the items that are in both",
                             in->name, n, sl_reference_size (in), some->str, of->name);
}

/* The rows of the aligned items, classes in the order of FIRST. */
static double *
take (const SlAligned *aligned, SlRun *run, const SlReference *in, const SlReference *first,
      const gint32 *map, GError **error)
{
  gsize k = (gsize) first->table->n_classes;
  double *to = sl_run_alloc0 (run, (gsize) aligned->n * k, sizeof *to,
                              "what the tables say of every item and class", error);
  for (gint64 i = 0; to != NULL && i < aligned->n; i++)
    {
      const double *from = sl_reference_target (in, find (in, first, aligned->item[i]));
      for (gsize c = 0; c < k; c++)
        to[(gsize) i * k + (gsize) map[c]] = from[c];
    }
  return to;
}

static gint32
gold_of (const SlReference *in, const SlReference *first, const gint32 *map, gint32 item)
{
  if (in == NULL || !in->has_gold)
    return -1;
  gint32 gold = g_array_index (in->gold, gint32, find (in, first, item));
  return gold >= 0 ? map[gold] : -1;
}

static gboolean
gold_in_file (const SlItemValues *gold, const SlReference *first, gint32 item, gint32 *class,
              GError **error)
{
  gsize length;
  const char *text = sl_intern_get (first->items, item, &length);
  return sl_item_values_class (gold, 0, sl_item_values_find (gold, text, length), class, error);
}

/* *CLASS <- the gold class of ITEM, by MAP[t] of the tables that have one: they must say the
 * same. */
static gboolean
gold_in_tables (const SlReference *const *tables, gint32 **const *map, gint32 item, gint32 *class,
                GError **error)
{
  const SlReference *first = tables[0], *from = NULL;
  *class = -1;
  for (int t = 0; t < 3; t++)
    {
      gint32 own = gold_of (tables[t], first, *map[t], item);
      if (own >= 0 && *class >= 0 && own != *class)
        {
          g_autofree char *shown = sl_item_shown (first->items, item);
          return sl_error_bad_input (
              error,
              "the gold class of item '%s' is '%s' in %s and '%s' in %s; `softlabel join "
              "--existing replace` gives both the same, and --gold=FILE says another",
              shown, first->table->classes[*class], from->name, first->table->classes[own],
              tables[t]->name);
        }
      from = own >= 0 ? tables[t] : from;
      *class = own >= 0 ? own : *class;
    }
  return TRUE;
}

/* Items that all have. */
static void
choose (SlAligned *aligned, const SlReference *first, const SlReference *second,
        const SlReference *against)
{
  gint32 n = sl_reference_size (first);
  aligned->item = g_new (gint32, MAX (n, 1));
  for (gint32 i = 0; i < n; i++)
    if (find (second, first, i) >= 0 && (against == NULL || find (against, first, i) >= 0))
      aligned->item[aligned->n++] = i;
}

gboolean
sl_aligned_make (SlAligned *aligned, SlRun *run, const SlReference *first,
                 const SlReference *second, const SlReference *against, const SlItemValues *gold,
                 gboolean wants_gold, gboolean inner, GError **error)
{
  const SlReference *tables[] = { first, second, against };
  double **to[] = { &aligned->first, &aligned->second, &aligned->against };
  g_autofree gint32 *own = NULL, *theirs = NULL, *targets = NULL;
  gint32 **map[] = { &own, &theirs, &targets };
  for (int t = 0; t < 3 && tables[t] != NULL; t++)
    if ((*map[t]
         = sl_class_map_named (tables[t]->table, tables[t]->name, first->table, first->name, error))
            == NULL
        || (t > 0
            && (!check_same (run, first, tables[t], inner, error)
                || !check_same (run, tables[t], first, inner, error))))
      return FALSE;
  for (int t = 0; t < 3 && tables[t] != NULL; t++)
    if (sl_class_map_moves (*map[t], first->table->n_classes))
      aligned->moved = tables[t]->name;
  if (!sl_run_claim_array (run, (gsize) sl_reference_size (first), 2 * sizeof (gint32),
                           "the items that all tables have", error))
    return FALSE;
  choose (aligned, first, second, against);
  if (aligned->n == 0 && sl_reference_size (first) > 0)
    return sl_error_bad_input (error, "%s and %s have no item in common", first->name,
                               second->name);
  for (int t = 0; t < 3 && tables[t] != NULL; t++)
    if ((*to[t] = take (aligned, run, tables[t], first, *map[t], error)) == NULL)
      return FALSE;
  aligned->gold = wants_gold ? g_new (gint32, MAX (aligned->n, 1)) : NULL;
  for (gint64 i = 0; wants_gold && i < aligned->n; i++)
    if (!(gold != NULL ? gold_in_file (gold, first, aligned->item[i], &aligned->gold[i], error)
                       : gold_in_tables (tables, map, aligned->item[i], &aligned->gold[i], error)))
      return FALSE;
  return TRUE;
}
