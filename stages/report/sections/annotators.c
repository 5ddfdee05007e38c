/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Annotators: how many answers, how good; who is excluded and why. */
#include "schemas/annotators.h"

#include "draw-distribution.h"
#include "extremes.h"
#include "pipeline/base/intern.h"
#include "sections.h"
#include "stages/report/plot.h"

#include <math.h>
#include <string.h>

#define ROWS 20 /* of each list */
#define POINTS 2000

/* What is held against answers in the picture, and listed. */
static const int measures[] = { SL_ANNOTATORS_ACCURACY, SL_ANNOTATORS_AGREEMENT,
                                SL_ANNOTATORS_TRACE, SL_ANNOTATORS_RELIABILITY };
static const int listed[]
    = { SL_ANNOTATORS_ACCURACY,   SL_ANNOTATORS_CHECK_ACCURACY, SL_ANNOTATORS_RANGE,
        SL_ANNOTATORS_IMPOSSIBLE, SL_ANNOTATORS_MISSING,        SL_ANNOTATORS_DUPLICATES,
        SL_ANNOTATORS_AGREEMENT,  SL_ANNOTATORS_RELIABILITY,    SL_ANNOTATORS_TRACE,
        SL_ANNOTATORS_SPAM_SCORE, SL_ANNOTATORS_ENTROPY };

typedef struct
{
  const SlReportInput *input;
  int measure; /* a column; -1: none */
  gint64 n, n_excluded, answers;
  SlExtremes excluded, doubtful;
  double least, most; /* answers */
  SlSample sample;
} OneTable;

typedef struct
{
  GArray *tables;
} Annotators;

static gboolean
begin (gpointer state, SlReport *report, const SlReportInput *input, GError **error)
{
  Annotators *annotators = state;
  if (annotators->tables == NULL)
    annotators->tables = g_array_new (FALSE, TRUE, sizeof (OneTable));
  OneTable table = { .input = input, .measure = -1, .least = G_MAXDOUBLE };
  for (int m = G_N_ELEMENTS (measures) - 1; m >= 0; m--)
    if (sl_table_has (input->table, measures[m]))
      table.measure = measures[m];
  sl_extremes_init (&table.excluded, ROWS);
  sl_extremes_init (&table.doubtful, ROWS);
  sl_sample_init (&table.sample, POINTS);
  g_array_append_val (annotators->tables, table);
  return TRUE;
}

static double
value_of (const SlBatch *batch, int column, gint64 i)
{
  const SlColumn *values = &batch->column[column];
  if (values->array == NULL || (values->valid != NULL && !values->valid[i]))
    return NAN;
  return values->real != NULL ? values->real[i] : (double) values->int64[i];
}

/* The row's figures, as listed[] has them, after the answers. */
static double *
figures_of (const SlBatch *batch, gint64 i)
{
  double *figures = g_new (double, G_N_ELEMENTS (listed) + 1);
  figures[0] = value_of (batch, SL_ANNOTATORS_ANSWERS, i);
  for (gsize c = 0; c < G_N_ELEMENTS (listed); c++)
    figures[c + 1] = value_of (batch, listed[c], i);
  return figures;
}

static void
add_row (OneTable *table, const SlBatch *batch, gint64 i)
{
  gsize length;
  const char *name = sl_text_get (batch->column[SL_ANNOTATORS_ANNOTATOR].text, i, &length);
  guint64 hash = sl_text_hash (name, length);
  const guint8 *flag = batch->column[SL_ANNOTATORS_EXCLUDED].flag;
  gboolean excluded = flag != NULL && flag[i];
  double answers = value_of (batch, SL_ANNOTATORS_ANSWERS, i);
  double measure = table->measure >= 0 ? value_of (batch, table->measure, i) : NAN;
  table->n++;
  table->answers += (gint64) answers;
  table->n_excluded += excluded;
  table->least = MIN (table->least, answers);
  table->most = MAX (table->most, answers);
  if (!isnan (measure))
    sl_sample_add (&table->sample, hash, answers, measure, excluded);
  /* Excluded ones with the most answers first; others with the lowest figure first. */
  double key = excluded || isnan (measure) ? -answers : measure;
  SlExtreme *place
      = sl_extremes_add (excluded ? &table->excluded : &table->doubtful, key, hash, name, length);
  if (place == NULL)
    return;
  place->values = figures_of (batch, i);
  SlText reason = batch->column[SL_ANNOTATORS_REASON].text;
  const char *text = reason.offset != NULL ? sl_text_get (reason, i, &length) : NULL;
  place->note = text != NULL ? g_strndup (text, length) : NULL;
}

static gboolean
take (gpointer state, SlReport *report, const SlBatch *batch, GError **error)
{
  Annotators *annotators = state;
  OneTable *table = &g_array_index (annotators->tables, OneTable, annotators->tables->len - 1);
  for (gint64 i = 0; i < batch->n_rows; i++)
    add_row (table, batch, i);
  return TRUE;
}

/* Of the sample where there are very many: its shape is that of all. */
static void
draw_histogram (SlPage *page, OneTable *table)
{
  sl_sample_finish (&table->sample);
  GArray *points = table->sample.points;
  SlRange range = SL_RANGE_EMPTY;
  for (guint i = 0; i < points->len; i++)
    sl_range_add (&range, g_array_index (points, SlSampled, i).y);
  range = sl_range_round (range);
  SlHistogram histogram;
  sl_histogram_init (&histogram, range.lo, range.hi, 20);
  for (guint i = 0; i < points->len; i++)
    sl_histogram_add (&histogram, g_array_index (points, SlSampled, i).y);
  const char *name = table->input->table->kind->columns[table->measure].name;
  g_autofree char *title = g_strdup_printf ("Annotators by %s", name);
  sl_histogram_draw (&histogram, page, title, name, "annotators");
  sl_histogram_clear (&histogram);
}

static void
draw_scatter (SlPage *page, OneTable *table)
{
  SlRange answers = { 0, 1 };
  double sum = 0;
  GArray *points = table->sample.points;
  SlRange values = SL_RANGE_EMPTY;
  for (guint i = 0; i < points->len; i++)
    {
      const SlSampled *point = &g_array_index (points, SlSampled, i);
      sl_range_add (&answers, point->x);
      sl_range_add (&values, point->y);
      sum += point->y;
    }
  const char *name = table->input->table->kind->columns[table->measure].name;
  g_autoptr (GString) text = g_string_new (NULL);
  sl_html_many (text, table->sample.seen, "annotator", "annotators");
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
  if (table->sample.seen > points->len)
    {
      g_string_append (page->html, " Shown are ");
      sl_html_count (page->html, points->len);
      g_string_append (page->html, " of them, drawn by their names.");
    }
  sl_page_figure_end (page);
}

/* A column that says nothing of anybody here is left out. */
static gboolean
says_something (const SlExtremes *rows, gsize column)
{
  for (int i = 0; i < rows->n; i++)
    if (!isnan (rows->of[i].values[column + 1]))
      return TRUE;
  return FALSE;
}

static void
draw_rows (SlPage *page, const OneTable *table, const SlExtremes *rows, const char *caption,
           gboolean reasons)
{
  const SlColumnSpec *columns = table->input->table->kind->columns;
  g_autoptr (GPtrArray) heads = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (heads, g_strdup ("annotator"));
  g_ptr_array_add (heads, g_strdup ("#answers"));
  if (reasons)
    g_ptr_array_add (heads, g_strdup ("why excluded"));
  for (gsize c = 0; c < G_N_ELEMENTS (listed); c++)
    if (says_something (rows, c))
      g_ptr_array_add (heads,
                       g_strdelimit (g_strconcat ("#", columns[listed[c]].name, NULL), "_", ' '));
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
      for (gsize c = 0; c < G_N_ELEMENTS (listed); c++)
        if (says_something (rows, c))
          sl_page_cell_figure (page, row->values[c + 1]);
    }
  sl_page_table_end (page);
}

static char *
caption_of (const char *what, gint64 all, int shown, const char *order)
{
  GString *caption = g_string_new (NULL);
  g_string_append_printf (caption, "<strong>%s</strong>: ", what);
  if (shown < all)
    {
      sl_html_count (caption, shown);
      g_string_append (caption, " of ");
    }
  sl_html_many (caption, all, "annotator", "annotators");
  g_string_append_printf (caption, ", %s.", order);
  return g_string_free (caption, FALSE);
}

static void
draw_table (SlReport *report, OneTable *table)
{
  SlPage *page = &report->page;
  sl_report_heading (report, table->input);
  if (table->n == 0)
    {
      sl_page_note (page, "The table has no rows.");
      return;
    }
  sl_page_facts_begin (page);
  sl_page_fact (page, "annotators");
  sl_html_count (page->html, table->n);
  sl_page_fact (page, "answers");
  sl_html_count (page->html, table->answers);
  if (sl_table_has (table->input->table, SL_ANNOTATORS_EXCLUDED))
    {
      sl_page_fact (page, "excluded");
      sl_html_count (page->html, table->n_excluded);
    }
  sl_page_facts_end (page);
  if (table->sample.seen > 0)
    {
      sl_page_grid_begin (page);
      draw_histogram (page, table);
      if (table->most > table->least)
        draw_scatter (page, table);
      sl_page_grid_end (page);
    }
  if (table->n_excluded > 0)
    {
      g_autofree char *caption = caption_of ("Excluded", table->n_excluded, table->excluded.n,
                                             "those with the most answers first");
      draw_rows (page, table, &table->excluded, caption, TRUE);
    }
  const char *name
      = table->measure >= 0 ? table->input->table->kind->columns[table->measure].name : NULL;
  g_autofree char *order = name != NULL ? g_strdup_printf ("the lowest %s first", name)
                                        : g_strdup ("those with the most answers first");
  g_autofree char *caption
      = caption_of ("Kept", table->n - table->n_excluded, table->doubtful.n, order);
  if (table->doubtful.n > 0)
    draw_rows (page, table, &table->doubtful, caption, FALSE);
}

static void
draw (gpointer state, SlReport *report)
{
  Annotators *annotators = state;
  for (guint t = 0; t < annotators->tables->len; t++)
    draw_table (report, &g_array_index (annotators->tables, OneTable, t));
}

static void
clear (gpointer state)
{
  Annotators *annotators = state;
  for (guint t = 0; annotators->tables != NULL && t < annotators->tables->len; t++)
    {
      OneTable *table = &g_array_index (annotators->tables, OneTable, t);
      sl_extremes_clear (&table->excluded);
      sl_extremes_clear (&table->doubtful);
      sl_sample_clear (&table->sample);
    }
  g_clear_pointer (&annotators->tables, g_array_unref);
}

const SlSection sl_section_annotators = {
  .id = "annotators",
  .title = "Annotators",
  .kinds = { &sl_annotators },
  .size = sizeof (Annotators),
  .begin = begin,
  .take = take,
  .draw = draw,
  .clear = clear,
};
