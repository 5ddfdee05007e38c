/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Annotators: how many answers, how good; who is excluded and why. */

#include "pipeline/base/intern/intern.h"
#include "sections.h"
#include "stages/report/parts.h"

#include <math.h>

#define ROWS 20 /* of each list */
#define POINTS 2000

/* The columns that are listed, beside the answers. */
#define FIGURES 15

/* Those who are kept in the order of one column, the least first (-1: of the answers, the most
 * first), and a sample of all. */
typedef struct
{
  int column;
  SlExtremes kept;
  SlSample sample;
} Order;

#define ORDERS 5

typedef struct
{
  const SlReportInput *input;
  Order order[ORDERS];
  Order *chosen; /* once all rows are in: the first whose column has values */
  gint64 n, n_excluded, answers;
  SlExtremes excluded;
  double least, most; /* answers */
} OneTable;

static const int figures[FIGURES] = { SL_ANNOTATORS_ACCURACY,      SL_ANNOTATORS_CHECK_ACCURACY,
                                      SL_ANNOTATORS_RANGE,         SL_ANNOTATORS_IMPOSSIBLE,
                                      SL_ANNOTATORS_MISSING,       SL_ANNOTATORS_DUPLICATES,
                                      SL_ANNOTATORS_AGREEMENT,     SL_ANNOTATORS_RELIABILITY,
                                      SL_ANNOTATORS_TRACE,         SL_ANNOTATORS_SPAM_SCORE,
                                      SL_ANNOTATORS_ENTROPY,       SL_ANNOTATORS_TOP2_ACCURACY,
                                      SL_ANNOTATORS_REPEATS,       SL_ANNOTATORS_REPEAT_CONSISTENCY,
                                      SL_ANNOTATORS_SECONDS_MEDIAN };

/* What is held against answers in the picture: the first of these that is known of anybody. */
static const int measures[ORDERS] = { SL_ANNOTATORS_ACCURACY, SL_ANNOTATORS_AGREEMENT,
                                      SL_ANNOTATORS_TRACE, SL_ANNOTATORS_RELIABILITY, -1 };

static gboolean
begin (gpointer state, SlReport *report, const SlReportInput *input, GError **error)
{
  OneTable *table = state;
  *table = (OneTable){ .input = input, .least = G_MAXDOUBLE };
  sl_extremes_init (&table->excluded, ROWS);
  SL_OWN (report, &table->excluded, sl_extremes_clear);
  for (int o = 0; o < ORDERS; o++)
    {
      table->order[o].column = measures[o];
      sl_extremes_init (&table->order[o].kept, ROWS);
      sl_sample_init (&table->order[o].sample, POINTS);
      SL_OWN (report, &table->order[o].kept, sl_extremes_clear);
      SL_OWN (report, &table->order[o].sample, sl_sample_clear);
    }
  return TRUE;
}

/* The row's figures, as listed[] has them, after the answers. */
static double *
figures_of (const SlBatch *batch, gint64 i)
{
  double *values = g_new (double, FIGURES + 1);
  values[0] = sl_value_of (batch, SL_ANNOTATORS_ANSWERS, i);
  for (gsize c = 0; c < FIGURES; c++)
    values[c + 1] = sl_value_of (batch, figures[c], i);
  return values;
}

/* Keeps row I where it is among the first of ROWS. */
static void
keep (SlExtremes *rows, double key, const SlBatch *batch, gint64 i)
{
  gsize length;
  const char *name = sl_text_get (batch->column[SL_ANNOTATORS_ANNOTATOR].text, i, &length);
  SlExtreme *place = sl_extremes_add (rows, key, sl_text_hash (name, length), name, length);
  if (place == NULL)
    return;
  place->values = figures_of (batch, i);
  SlText reason = batch->column[SL_ANNOTATORS_REASON].text;
  place->note = reason.offset != NULL ? sl_text_dup (reason, i) : NULL;
}

static void
add_row (OneTable *table, const SlBatch *batch, gint64 i)
{
  gsize length;
  const char *name = sl_text_get (batch->column[SL_ANNOTATORS_ANNOTATOR].text, i, &length);
  guint64 hash = sl_text_hash (name, length);
  const guint8 *flag = batch->column[SL_ANNOTATORS_EXCLUDED].flag;
  gboolean excluded = flag != NULL && flag[i];
  double answers = sl_value_of (batch, SL_ANNOTATORS_ANSWERS, i);
  table->n++;
  table->answers += (gint64) answers;
  table->n_excluded += excluded;
  table->least = MIN (table->least, answers);
  table->most = MAX (table->most, answers);
  if (excluded)
    keep (&table->excluded, -answers, batch, i);
  for (int o = 0; o < ORDERS; o++)
    {
      Order *order = &table->order[o];
      double value = order->column >= 0 ? sl_value_of (batch, order->column, i) : -answers;
      if (order->column >= 0 && !isnan (value))
        sl_sample_add (&order->sample, hash, answers, value, excluded);
      if (!excluded)
        keep (&order->kept, isnan (value) ? HUGE_VAL : value, batch, i);
    }
}

static gboolean
take (gpointer state, SlReport *report, const SlBatch *batch, GError **error)
{
  OneTable *table = state;
  for (gint64 i = 0; i < batch->n_rows; i++)
    add_row (table, batch, i);
  return TRUE;
}

static void
draw_histogram (SlPage *page, OneTable *table)
{
  sl_sample_finish (&table->chosen->sample);
  GArray *points = table->chosen->sample.points;
  SlAxisRange range = SL_RANGE_EMPTY;
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

static void
draw_scatter (SlPage *page, OneTable *table)
{
  SlAxisRange answers = { 0, 1 };
  double sum = 0;
  GArray *points = table->chosen->sample.points;
  SlAxisRange values = SL_RANGE_EMPTY;
  for (guint i = 0; i < points->len; i++)
    {
      const SlSampled *point = &g_array_index (points, SlSampled, i);
      sl_range_add (&answers, point->x);
      sl_range_add (&values, point->y);
      sum += point->y;
    }
  const char *name = table->input->table->kind->columns[table->chosen->column].name;
  g_autoptr (GString) text = g_string_new (NULL);
  sl_html_say (text, "%m; mean %s %f, least %f, largest %f.", table->chosen->sample.seen,
               "annotator", "annotators", name, sum / points->len, values.lo, values.hi);
  g_autofree char *title = g_strdup_printf ("Answers and %s", name);
  SlPlot plot = sl_plot_figure (page, (SlPlotForm){ .title = title,
                                                    .description = text->str,
                                                    .x = sl_range_round (answers),
                                                    .y = sl_range_round (values),
                                                    .x_label = "answers",
                                                    .y_label = name });
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
  sl_plot_caption (&plot, page, "<strong>%s.</strong> %s%s", title, text->str,
                   table->n_excluded > 0 ? " A cross is an excluded one." : "");
  if (table->chosen->sample.seen > points->len)
    sl_html_say (page->html, " Shown are %n of them, drawn by their names.", (gint64) points->len);
  sl_page_figure_end (page);
}

/* A column that says nothing of anybody here is left out, and so are faults that nobody has. */
static gboolean
says_something (const SlExtremes *rows, gsize column)
{
  int number = figures[column];
  gboolean fault = number >= SL_ANNOTATORS_RANGE && number <= SL_ANNOTATORS_DUPLICATES;
  for (int i = 0; i < rows->n; i++)
    {
      double value = rows->of[i].values[column + 1];
      if (!isnan (value) && (value != 0 || !fault))
        return TRUE;
    }
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
  for (gsize c = 0; c < FIGURES; c++)
    if (says_something (rows, c))
      g_ptr_array_add (heads,
                       g_strdelimit (g_strconcat ("#", columns[figures[c]].name, NULL), "_", ' '));
  g_ptr_array_add (heads, NULL);
  sl_page_table_begin (page, caption, (const char *const *) heads->pdata);
  for (int i = 0; i < rows->n; i++)
    {
      const SlExtreme *row = &rows->of[i];
      sl_page_row (page, "nf", row->name, row->values[0]);
      if (reasons)
        sl_page_cells (page, "t", row->note != NULL ? row->note : "");
      for (gsize c = 0; c < FIGURES; c++)
        if (says_something (rows, c))
          sl_page_cells (page, "f", row->values[c + 1]);
    }
  sl_page_table_end (page);
}

static char *
caption_of (const char *what, gint64 all, int shown, const char *order)
{
  GString *caption = g_string_new (NULL);
  sl_html_say (caption, "<strong>%s</strong>: ", what);
  if (shown < all)
    sl_html_say (caption, "%n of ", (gint64) shown);
  sl_html_say (caption, "%m, %s.", all, "annotator", "annotators", order);
  return g_string_free (caption, FALSE);
}

static void
draw_kept (SlPage *page, const OneTable *table)
{
  int column = table->chosen->column;
  const SlExtremes *kept = &table->chosen->kept;
  g_autofree char *order = column >= 0
                               ? g_strdup_printf ("the lowest %s first",
                                                  table->input->table->kind->columns[column].name)
                               : g_strdup ("those with the most answers first");
  g_autofree char *caption = caption_of ("Kept", table->n - table->n_excluded, kept->n, order);
  if (kept->n > 0)
    draw_rows (page, table, kept, caption, FALSE);
}

static void
draw (gpointer state, SlReport *report)
{
  OneTable *table = state;
  SlPage *page = &report->page;
  sl_page_facts_begin (page);
  sl_page_fact (page, "annotators", "%n", table->n);
  sl_page_fact (page, "answers", "%n", table->answers);
  if (sl_table_has (table->input->table, SL_ANNOTATORS_EXCLUDED))
    sl_page_fact (page, "excluded", "%n", table->n_excluded);
  sl_page_facts_end (page);
  table->chosen = table->order;
  while (table->chosen->column >= 0 && table->chosen->sample.seen == 0)
    table->chosen++;
  if (table->chosen->sample.seen > 0)
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
  draw_kept (page, table);
}

const SlSection sl_section_annotators = {
  .id = "annotators",
  .title = "Annotators",
  .kinds = { &sl_annotators },
  .size = sizeof (OneTable),
  .empty = "The table has no rows.",
  .begin = begin,
  .take = take,
  .draw = draw,
};
