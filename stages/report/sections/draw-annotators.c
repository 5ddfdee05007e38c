/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draw-annotators.h"

#include "draw-distribution.h"
#include "schemas/annotators.h"
#include "stages/report/plot.h"

#include <math.h>

const int sl_annotator_figures[SL_ANNOTATOR_FIGURES]
    = { SL_ANNOTATORS_ACCURACY,      SL_ANNOTATORS_CHECK_ACCURACY,
        SL_ANNOTATORS_RANGE,         SL_ANNOTATORS_IMPOSSIBLE,
        SL_ANNOTATORS_MISSING,       SL_ANNOTATORS_DUPLICATES,
        SL_ANNOTATORS_AGREEMENT,     SL_ANNOTATORS_RELIABILITY,
        SL_ANNOTATORS_TRACE,         SL_ANNOTATORS_SPAM_SCORE,
        SL_ANNOTATORS_ENTROPY,       SL_ANNOTATORS_TOP2_ACCURACY,
        SL_ANNOTATORS_REPEATS,       SL_ANNOTATORS_REPEAT_CONSISTENCY,
        SL_ANNOTATORS_SECONDS_MEDIAN };

void
sl_draw_annotator_histogram (SlPage *page, SlAnnotatorTable *table)
{
  sl_sample_finish (&table->chosen->sample);
  GArray *points = table->chosen->sample.points;
  SlRange range = SL_RANGE_EMPTY;
  for (guint i = 0; i < points->len; i++)
    sl_range_add (&range, g_array_index (points, SlSampled, i).y);
  range = sl_range_round (range);
  SlHistogram histogram;
  sl_histogram_init (&histogram, range.lo, range.hi, 20);
  for (guint i = 0; i < points->len; i++)
    sl_histogram_add (&histogram, g_array_index (points, SlSampled, i).y);
  const char *name = table->input->table->kind->columns[table->chosen->column].name;
  g_autofree char *title = g_strdup_printf ("Annotators by %s", name);
  sl_histogram_draw (&histogram, page, title, name, "annotators");
  sl_histogram_clear (&histogram);
}

void
sl_draw_annotator_scatter (SlPage *page, SlAnnotatorTable *table)
{
  SlRange answers = { 0, 1 };
  double sum = 0;
  GArray *points = table->chosen->sample.points;
  SlRange values = SL_RANGE_EMPTY;
  for (guint i = 0; i < points->len; i++)
    {
      const SlSampled *point = &g_array_index (points, SlSampled, i);
      sl_range_add (&answers, point->x);
      sl_range_add (&values, point->y);
      sum += point->y;
    }
  const char *name = table->input->table->kind->columns[table->chosen->column].name;
  g_autoptr (GString) text = g_string_new (NULL);
  sl_html_many (text, table->chosen->sample.seen, "annotator", "annotators");
  g_string_append_printf (text, "; mean %s ", name);
  sl_html_figure (text, sum / points->len);
  g_string_append (text, ", least ");
  sl_html_figure (text, values.lo);
  g_string_append (text, ", largest ");
  sl_html_figure (text, values.hi);
  g_string_append_c (text, '.');
  sl_page_figure_begin (page);
  g_autofree char *title = g_strdup_printf ("Answers and %s", name);
  SlPlotForm form = { .id = sl_page_id (page),
                      .title = title,
                      .description = text->str,
                      .x = sl_range_round (answers),
                      .y = sl_range_round (values),
                      .x_label = "answers",
                      .y_label = name };
  SlPlot plot = sl_plot_begin (page->html, &form);
  for (guint i = 0; i < points->len; i++)
    {
      const SlSampled *point = &g_array_index (points, SlSampled, i);
      double x = sl_plot_x (&plot, point->x), y = sl_plot_y (&plot, point->y);
      if (point->group == 0)
        sl_svg_circle (page->html, "point c1", x, y, 3);
      else
        {
          sl_svg_line (page->html, "span c2", x - 3.5, y - 3.5, x + 3.5, y + 3.5);
          sl_svg_line (page->html, "span c2", x - 3.5, y + 3.5, x + 3.5, y - 3.5);
        }
    }
  sl_plot_end (&plot);
  sl_page_caption (page);
  g_string_append_printf (page->html, "<strong>%s.</strong> %s", title, text->str);
  if (table->n_excluded > 0)
    g_string_append (page->html, " A cross is an excluded one.");
  if (table->chosen->sample.seen > points->len)
    {
      g_string_append (page->html, " Shown are ");
      sl_html_count (page->html, points->len);
      g_string_append (page->html, " of them, drawn by their names.");
    }
  sl_page_figure_end (page);
}

/* A column that says nothing of anybody here is left out, and so are faults that nobody has. */
static gboolean
says_something (const SlExtremes *rows, gsize column)
{
  int number = sl_annotator_figures[column];
  gboolean fault = number >= SL_ANNOTATORS_RANGE && number <= SL_ANNOTATORS_DUPLICATES;
  for (int i = 0; i < rows->n; i++)
    {
      double value = rows->of[i].values[column + 1];
      if (!isnan (value) && (value != 0 || !fault))
        return TRUE;
    }
  return FALSE;
}

void
sl_draw_annotator_rows (SlPage *page, const SlAnnotatorTable *table, const SlExtremes *rows,
                        const char *caption, gboolean reasons)
{
  const SlColumnSpec *columns = table->input->table->kind->columns;
  g_autoptr (GPtrArray) heads = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (heads, g_strdup ("annotator"));
  g_ptr_array_add (heads, g_strdup ("#answers"));
  if (reasons)
    g_ptr_array_add (heads, g_strdup ("why excluded"));
  for (gsize c = 0; c < SL_ANNOTATOR_FIGURES; c++)
    if (says_something (rows, c))
      g_ptr_array_add (
          heads,
          g_strdelimit (g_strconcat ("#", columns[sl_annotator_figures[c]].name, NULL), "_", ' '));
  g_ptr_array_add (heads, NULL);
  sl_page_table_begin (page, caption, (const char *const *) heads->pdata);
  for (int i = 0; i < rows->n; i++)
    {
      const SlExtreme *row = &rows->of[i];
      sl_page_row (page);
      sl_page_row_name (page, row->name, -1);
      sl_page_cell_figure (page, row->values[0]);
      if (reasons)
        sl_page_cell (page, row->note != NULL ? row->note : "", -1);
      for (gsize c = 0; c < SL_ANNOTATOR_FIGURES; c++)
        if (says_something (rows, c))
          sl_page_cell_figure (page, row->values[c + 1]);
    }
  sl_page_table_end (page);
}
