/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Curves: scores over a tag that is a number, such as annotators per item, cost in seconds, or how
 * strong an attack is. */
#include "schemas/scores.h"

#include "draw-curves.h"
#include "sections.h"

#define PANELS 12 /* of one tag */
#define POINTS 3  /* fewer do not make a curve */

/* Draws the panels; with PAGE NULL says whether there are any. */
static gboolean
go_through (const SlScoreRows *rows, SlPage *page)
{
  g_autoptr (GPtrArray) keys = sl_curve_keys (rows), metrics = sl_score_metrics (rows),
                        none = g_ptr_array_new ();
  gboolean any = FALSE;
  for (guint k = 0; k < keys->len; k++)
    {
      int drawn = 0;
      g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
      for (guint m = 0; m < metrics->len && drawn < PANELS; m++)
        {
          g_autoptr (GArray) points
              = sl_curve_points (rows, metrics->pdata[m], keys->pdata[k], none, POINTS);
          if (points->len == 0)
            continue;
          any = TRUE;
          if (page == NULL)
            return TRUE;
          if (drawn++ == 0)
            sl_page_grid_begin (page);
          sl_draw_curves (page, points, metrics->pdata[m], keys->pdata[k], names);
        }
      if (drawn > 0)
        sl_page_grid_end (page);
    }
  return any;
}

static gboolean
fills (gconstpointer state)
{
  return go_through (state, NULL);
}

static void
draw (gpointer state, SlReport *report)
{
  go_through (state, &report->page);
}

const SlSection sl_section_curves = {
  .id = "curves",
  .title = "Scores over what was varied",
  .kinds = { &sl_scores },
  .size = sizeof (SlScoreRows),
  .together = TRUE,
  .begin = sl_score_rows_begin,
  .take = sl_score_rows_take,
  .fills = fills,
  .draw = draw,
  .clear = sl_score_rows_clear,
};
