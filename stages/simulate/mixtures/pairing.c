/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pairing.h"

#include "pipeline/base/parallel.h"
#include "pipeline/base/random.h"

#include <string.h>

#define CHUNK 4096 /* items that one thread takes at a time */

typedef struct
{
  guint64 key;
  gint32 item;
} Place;

typedef struct
{
  const guint64 *hash;
  guint64 seed;
  guint32 purpose, round;
  Place *place;
  gint32 n;
} Drawing;

static void
draw_chunk (int chunk, gpointer data)
{
  const Drawing *drawing = data;
  gint32 first = chunk * CHUNK;
  for (gint32 i = first; i < first + MIN (CHUNK, drawing->n - first); i++)
    {
      SlRandom random
          = sl_random (drawing->seed, drawing->purpose, drawing->hash[i], 0, drawing->round);
      drawing->place[i] = (Place){ sl_random_u64 (&random), i };
    }
}

/* Equal keys are next to impossible; even then the order of rows must not matter. */
static int
compare (gconstpointer a, gconstpointer b, gpointer items)
{
  const Place *x = a, *y = b;
  return SL_COMPARE (x->key, y->key) ?: sl_intern_compare (items, x->item, y->item);
}

void
sl_pair_up (const SlIntern *items, const guint64 *hash, guint64 seed, guint32 round, int threads,
            gint32 *partner)
{
  gint32 n = sl_intern_size (items);
  g_autofree Place *place = g_new (Place, MAX (n, 1));
  Drawing drawing = { hash, seed, sl_random_purpose ("simulate mixup: partners"), round, place, n };
  sl_parallel (threads, (int) (((gint64) n + CHUNK - 1) / CHUNK), draw_chunk, &drawing);
  g_qsort_with_data (place, n, sizeof *place, compare, (gpointer) items);
  for (gint32 r = 0; r < n; r++)
    partner[place[r].item] = place[r + 1 < n ? r + 1 : 0].item;
}
