/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "extremes.h"

#include <string.h>

void
sl_extremes_init (SlExtremes *extremes, int most)
{
  *extremes = (SlExtremes){ .most = most, .of = g_new0 (SlExtreme, most + 1) };
}

static void
clear_one (SlExtreme *extreme)
{
  g_free (extreme->name);
  g_free (extreme->values);
  g_free (extreme->note);
  g_free (extreme->text);
}

void
sl_extremes_clear (SlExtremes *extremes)
{
  for (int i = 0; i < extremes->n; i++)
    clear_one (&extremes->of[i]);
  g_clear_pointer (&extremes->of, g_free);
  extremes->n = 0;
}

SlExtreme *
sl_extremes_add (SlExtremes *extremes, double key, guint64 tie, const char *name, gsize length)
{
  int at = extremes->n;
  while (at > 0
         && (key < extremes->of[at - 1].key
             || (key == extremes->of[at - 1].key && tie < extremes->of[at - 1].tie)))
    at--;
  if (at == extremes->most)
    return NULL;
  if (extremes->n == extremes->most)
    clear_one (&extremes->of[--extremes->n]);
  memmove (&extremes->of[at + 1], &extremes->of[at],
           sizeof *extremes->of * (gsize) (extremes->n - at));
  extremes->n++;
  extremes->of[at] = (SlExtreme){ .key = key, .tie = tie, .name = g_strndup (name, length) };
  return &extremes->of[at];
}

void
sl_extremes_want_pictures (const SlExtremes *extremes, SlPictures *pictures)
{
  for (int i = 0; i < extremes->n; i++)
    sl_pictures_want (pictures, extremes->of[i].name);
}

void
sl_sample_init (SlSample *sample, guint most)
{
  *sample = (SlSample){ .most = most, .points = g_array_new (FALSE, FALSE, sizeof (SlSampled)) };
}

void
sl_sample_clear (SlSample *sample)
{
  g_clear_pointer (&sample->points, g_array_unref);
}

static int
by_hash (gconstpointer a, gconstpointer b)
{
  const SlSampled *p = a, *q = b;
  return SL_COMPARE (p->hash, q->hash) ?: SL_COMPARE (p->x, q->x) ?: SL_COMPARE (p->y, q->y);
}

void
sl_sample_finish (SlSample *sample)
{
  g_array_sort (sample->points, by_hash);
  if (sample->points->len > sample->most)
    g_array_set_size (sample->points, sample->most);
}

void
sl_sample_add (SlSample *sample, guint64 hash, double x, double y, int group)
{
  SlSampled point = { hash, x, y, group };
  sample->seen++;
  g_array_append_val (sample->points, point);
  if (sample->points->len >= 2 * sample->most)
    sl_sample_finish (sample);
}
