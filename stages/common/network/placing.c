/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "placing.h"

static gint
larger_first (gconstpointer a, gconstpointer b)
{
  const SlPlace *x = *(SlPlace *const *) a, *y = *(SlPlace *const *) b;
  if (x->bytes != y->bytes)
    return x->bytes > y->bytes ? -1 : 1;
  return x->first != y->first ? (x->first < y->first ? -1 : 1) : 0;
}

static gint
lower_first (gconstpointer a, gconstpointer b)
{
  const SlPlace *x = *(SlPlace *const *) a, *y = *(SlPlace *const *) b;
  return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* The lowest offset at which PLACE fits between those PLACED, which lie in the order of their
 * offsets. */
static gsize
find_room (const SlPlace *place, const GPtrArray *placed)
{
  gsize offset = 0;
  for (guint i = 0; i < placed->len; i++)
    {
      const SlPlace *other = placed->pdata[i];
      if (other->first > place->last || other->last < place->first)
        continue;
      if (other->offset >= offset + place->bytes)
        break;
      offset = MAX (offset, other->offset + other->bytes);
    }
  return offset;
}

gsize
sl_place (SlPlace *places, int n)
{
  g_autoptr (GPtrArray) order = g_ptr_array_new (), placed = g_ptr_array_new ();
  gsize total = 0;
  for (int i = 0; i < n; i++)
    if (places[i].bytes > 0)
      g_ptr_array_add (order, &places[i]);
  g_ptr_array_sort (order, larger_first);
  for (guint i = 0; i < order->len; i++)
    {
      SlPlace *place = order->pdata[i];
      place->offset = find_room (place, placed);
      total = MAX (total, place->offset + place->bytes);
      guint at = placed->len;
      while (at > 0 && lower_first (&placed->pdata[at - 1], &order->pdata[i]) > 0)
        at--;
      g_ptr_array_insert (placed, (gint) at, place);
    }
  return total;
}
