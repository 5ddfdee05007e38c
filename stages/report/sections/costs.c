/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Costs: what figures take of annotators' time, as curves and as a table. */
#include "schemas/costs.h"

#include "draw-curves.h"
#include "sections.h"

#include <math.h>
#include <string.h>

#define PANELS 12
#define ROWS 400    /* of the table */
#define UNFOLDED 12 /* rows that a page beside its pictures has room for */

static gboolean
draw_curves (SlReport *report, const SlScoreRows *rows, const GPtrArray *metrics)
{
  SlPage *page = &report->page;
  g_autoptr (GPtrArray) passed = sl_curve_time_keys (rows),
                        names = g_ptr_array_new_with_free_func (g_free);
  guint drawn = 0;
  for (guint m = 0; m < metrics->len && drawn < PANELS; m++)
    {
      g_autoptr (GArray) points = sl_curve_points (rows, metrics->pdata[m], NULL, passed, 1);
      if (points->len < 2)
        continue;
      if (drawn++ == 0)
        sl_page_grid_begin (page);
      sl_draw_curves (page, points, metrics->pdata[m], "seconds an item", names);
    }
  if (drawn > 0)
    sl_page_grid_end (page);
  return drawn > 0;
}

static void
draw_row (SlPage *page, const SlScoreRow *row)
{
  sl_page_row (page);
  sl_page_row_name (page, row->metric, -1);
  sl_page_cell (page, row->group, -1);
  sl_page_cell_figure (page, row->annotators);
  sl_page_cell_figure (page, row->each);
  sl_page_cell_figure (page, row->seconds);
  sl_page_cell_figure (page, row->value);
  sl_page_cell_figure (page, row->lower);
  sl_page_cell_figure (page, row->upper);
}

static void
draw_rows (SlReport *report, const SlScoreRows *rows, const GPtrArray *metrics)
{
  static const char *const heads[]
      = { "metric", "of",  "#annotators", "#seconds each", "#seconds an item", "#value",
          "#from",  "#to", NULL };
  SlPage *page = &report->page;
  g_autoptr (GString) caption = g_string_new (
      "<strong>What figures cost</strong>: annotators an item, the seconds that one of them takes "
      "for it, and their product");
  if (rows->rows->len > ROWS)
    {
      g_string_append (caption, "; the first ");
      sl_html_count (caption, ROWS);
      g_string_append (caption, " of ");
      sl_html_count (caption, rows->rows->len);
    }
  g_string_append_c (caption, '.');
  guint written = 0;
  sl_page_table_begin (page, caption->str, heads);
  for (guint m = 0; m < metrics->len; m++)
    for (guint i = 0; i < rows->rows->len && written < ROWS; i++)
      {
        const SlScoreRow *row = &g_array_index (rows->rows, SlScoreRow, i);
        if (strcmp (row->metric, metrics->pdata[m]) != 0)
          continue;
        draw_row (page, row);
        written++;
      }
  sl_page_table_end (page);
}

static void
draw (gpointer state, SlReport *report)
{
  SlScoreRows *rows = state;
  SlPage *page = &report->page;
  if (rows->rows->len == 0)
    {
      sl_page_note (page, "The table has no rows.");
      return;
    }
  sl_score_rows_sort (rows);
  g_autoptr (GPtrArray) metrics = sl_score_metrics (rows);
  gboolean drawn = draw_curves (report, rows, metrics),
           folded = drawn && rows->rows->len > UNFOLDED;
  if (folded)
    sl_page_fold_begin (page, "All of it as a table");
  draw_rows (report, rows, metrics);
  if (folded)
    sl_page_fold_end (page);
}

const SlSection sl_section_costs = {
  .id = "costs",
  .title = "What figures cost",
  .kinds = { &sl_costs },
  .size = sizeof (SlScoreRows),
  .together = TRUE,
  .begin = sl_score_rows_begin,
  .take = sl_score_rows_take,
  .draw = draw,
  .clear = sl_score_rows_clear,
};
