/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "order.h"

#include <string.h>

#define DIGIT 11
#define VALUES (1 << DIGIT)
#define PASSES 6

typedef struct
{
  guint64 key;
  gint32 item;
} Place;

/* Radix sort, least digit first: doubles that are 0 or more compare as their bits do. */
void
sl_order_by (const double *value, gint32 n, gint32 *order)
{
  g_autofree Place *from = g_new (Place, MAX (n, 1)), *to = g_new (Place, MAX (n, 1));
  g_autofree gint32 (*count)[VALUES] = g_malloc0 (PASSES * sizeof *count);
  for (gint32 i = 0; i < n; i++)
    {
      double positive = value[i] + 0.0; /* of -0 too */
      memcpy (&from[i].key, &positive, sizeof positive);
      from[i].item = i;
      for (int pass = 0; pass < PASSES; pass++)
        count[pass][(from[i].key >> (pass * DIGIT)) % VALUES]++;
    }
  for (int pass = 0; pass < PASSES && n > 0; pass++)
    {
      gint32 *start = count[pass], sum = 0;
      /* A digit that all have in common sorts nothing. */
      if (start[(from[0].key >> (pass * DIGIT)) % VALUES] == n)
        continue;
      for (int digit = 0; digit < VALUES; digit++)
        {
          gint32 here = start[digit];
          start[digit] = sum;
          sum += here;
        }
      for (gint32 i = 0; i < n; i++)
        to[start[(from[i].key >> (pass * DIGIT)) % VALUES]++] = from[i];
      Place *swap = from;
      from = to;
      to = swap;
    }
  for (gint32 i = 0; i < n; i++)
    order[i] = from[i].item;
}
