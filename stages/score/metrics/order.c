/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "order.h"

#include <string.h>

typedef struct
{
  guint64 key;
  gint32 item;
} Place;

/* So few are sorted by insertion. */
#define FEW 24
#define MOST_BITS 16

static void
insert (Place *place, gint32 n)
{
  for (gint32 i = 1; i < n; i++)
    {
      Place here = place[i];
      gint32 j = i;
      for (; j > 0 && place[j - 1].key > here.key; j--)
        place[j] = place[j - 1];
      place[j] = here;
    }
}

/* PLACE into parts of equal width between the least key and the largest, then each part likewise:
 * keys that are spread evenly come to their place in one step. ROOM[n]. */
static void
sort (Place *place, Place *room, gint32 n)
{
  if (n <= FEW)
    {
      insert (place, n);
      return;
    }
  guint64 least = place[0].key, most = least;
  for (gint32 i = 1; i < n; i++)
    {
      least = MIN (least, place[i].key);
      most = MAX (most, place[i].key);
    }
  if (least == most)
    return;
  int width = (int) g_bit_storage (most - least);
  int bits = CLAMP ((int) g_bit_storage ((gulong) n) - 3, 4, MOST_BITS);
  int shift = MAX (width - bits, 0);
  gint32 parts = (gint32) ((most - least) >> shift) + 1;
  g_autofree gint32 *end = g_new0 (gint32, (gsize) parts + 1);
  for (gint32 i = 0; i < n; i++)
    end[((place[i].key - least) >> shift) + 1]++;
  for (gint32 part = 0; part < parts; part++)
    end[part + 1] += end[part];
  for (gint32 i = 0; i < n; i++)
    room[end[(place[i].key - least) >> shift]++] = place[i];
  memcpy (place, room, (gsize) n * sizeof *place);
  for (gint32 part = 0, first = 0; part < parts && shift > 0; first = end[part++])
    sort (place + first, room + first, end[part] - first);
}

/* Doubles that are 0 or more compare as their bits do. */
void
sl_order_by (const double *value, gint32 n, gint32 *order)
{
  g_autofree Place *place = g_new (Place, MAX (n, 1)), *room = g_new (Place, MAX (n, 1));
  for (gint32 i = 0; i < n; i++)
    {
      double positive = value[i] + 0.0; /* of -0 too */
      memcpy (&place[i].key, &positive, sizeof positive);
      place[i].item = i;
    }
  sort (place, room, n);
  for (gint32 i = 0; i < n; i++)
    order[i] = place[i].item;
}

gsize
sl_order_bytes (void)
{
  return 2 * sizeof (Place) + 2 * sizeof (gint32);
}
