/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "item-figures.h"

#include "stages/common/network/softmax.h"

void
sl_item_figures_init (SlItemFigures *figures, gsize n, gsize k)
{
  *figures = (SlItemFigures){ .n = n, .k = k };
  figures->class = g_new (gint32, n);
  figures->seen = g_new0 (gint64, n);
  figures->confidence = g_new0 (double, n);
  figures->square = g_new0 (double, n);
  figures->margin = g_new0 (double, n);
  figures->waum = g_new0 (double, n);
}

void
sl_item_figures_clear (SlItemFigures *figures)
{
  g_clear_pointer (&figures->class, g_free);
  g_clear_pointer (&figures->seen, g_free);
  g_clear_pointer (&figures->confidence, g_free);
  g_clear_pointer (&figures->square, g_free);
  g_clear_pointer (&figures->margin, g_free);
  g_clear_pointer (&figures->waum, g_free);
}

/* The second largest of p[k]. */
static double
second_of (const double *p, gsize k)
{
  double first = -1, second = -1;
  for (gsize j = 0; j < k; j++)
    if (p[j] > first)
      {
        second = first;
        first = p[j];
      }
    else if (p[j] > second)
      second = p[j];
  return second;
}

/* The item's answers' margins, each by what its annotator is worth for such an item. */
static double
weighted_margin (const SlItemFigures *figures, gsize i, const double *p)
{
  const SlPools *answers = figures->answers;
  double second = second_of (p, figures->k), sum = 0, whole = 0;
  for (gsize r = answers->start[i]; r < answers->start[i + 1]; r++)
    {
      double worth = 1;
      if (figures->worth != NULL)
        {
          const double *own = figures->worth + (gsize) figures->annotator[r] * figures->k;
          worth = 0;
          for (gsize j = 0; j < figures->k; j++)
            worth += own[j] * p[j];
        }
      sum += answers->weight[r] * worth * (p[answers->vote[r]] - second);
      whole += answers->weight[r] * worth;
    }
  return whole > 0 ? sum / whole : 0;
}

void
sl_item_figures_add (SlItemFigures *figures, gsize i, const float *z, double *room)
{
  gsize k = figures->k;
  if (figures->class[i] < 0)
    return;
  gsize class = (gsize) figures->class[i];
  double other = -G_MAXDOUBLE;
  sl_softmax_row (z, k, sl_log_sum_exp (z, k), room);
  for (gsize j = 0; j < k; j++)
    if (j != class)
      other = MAX (other, z[j]);
  figures->seen[i]++;
  figures->confidence[i] += room[class];
  figures->square[i] += room[class] * room[class];
  figures->margin[i] += z[class] - other;
  if (figures->answers != NULL)
    figures->waum[i] += weighted_margin (figures, i, room);
}
