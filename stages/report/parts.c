/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "parts.h"

#include "pipeline/base/intern/intern.h"
#include "pipeline/table/tag-columns.h"
#include "pipeline/table/types/types.h"
#include "plot.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>

#define PARTS 20 /* of a histogram */
#define CLASSES_SHOWN 14
#define MOST_BOXES 12
#define LEAST_OF_BOX 5 /* points, on average */

gboolean
sl_parts_begin (SlPartsState *state, const SlParts *parts, SlReport *report,
                const SlReportInput *input, GError **error)
{
  *state = (SlPartsState){ .parts = parts, .input = input, .report = report };
  state->distance = parts->list.distance != NULL ? parts->list.distance (input) : -1;
  sl_histogram_init (&state->histogram, 0, 1, PARTS);
  sl_sample_init (&state->sample, parts->scatter.most);
  sl_extremes_init (&state->list, parts->list.most > 0 ? parts->list.most : report->most);
  sl_extremes_init (&state->nearest, report->most);
  SL_OWN (report, &state->histogram, sl_histogram_clear);
  SL_OWN (report, &state->sample, sl_sample_clear);
  SL_OWN (report, &state->list, sl_extremes_clear);
  SL_OWN (report, &state->nearest, sl_extremes_clear);
  state->bars = sl_report_reals (report, (gsize) input->table->n_classes, "the classes", error);
  return state->bars != NULL;
}

double
sl_value_of (const SlBatch *batch, int column, gint64 i)
{
  const SlColumn *values = &batch->column[column];
  if (values->array == NULL || (values->valid != NULL && !values->valid[i]))
    return NAN;
  if (values->code != NULL)
    return values->code[i] >= 0 ? values->code[i] : NAN;
  return values->real != NULL    ? values->real[i]
         : values->int64 != NULL ? (double) values->int64[i]
         : values->flag != NULL  ? values->flag[i] != 0
                                 : NAN;
}

static void
take_point (SlPartsState *state, const double *value, guint64 hash, guint64 row)
{
  const SlScatterPart *scatter = &state->parts->scatter;
  double x = value[scatter->x], y = value[scatter->y];
  double group = scatter->tell != NULL ? value[scatter->group] : 0;
  if (!isfinite (x) || !isfinite (y) || isnan (group))
    return;
  if (scatter->means)
    {
      int part = (int) CLAMP (x * SL_MEANS, 0, SL_MEANS - 1);
      state->means_n[part]++;
      state->means_x[part] += x;
      state->means_y[part] += y;
      hash ^= row * 0x9e3779b97f4a7c15u; /* the same mixture may come again */
    }
  sl_sample_add (&state->sample, hash, x, y, group != 0);
}

static void
take_listed (SlPartsState *state, const SlBatch *batch, gint64 i, const double *value)
{
  const SlListPart *list = &state->parts->list;
  gsize length;
  const char *name = sl_text_get (batch->column[list->name].text, i, &length);
  double key = state->distance >= 0 ? -value[state->distance]
               : list->key >= 0     ? value[list->key]
                                    : (double) (batch->first_row + i);
  if (state->distance >= 0 && !isnan (key))
    sl_extremes_add (&state->nearest, -key, sl_text_hash (name, length), name, length);
  SlExtreme *place = isnan (key) ? NULL
                                 : sl_extremes_add (&state->list, key, sl_text_hash (name, length),
                                                    name, length);
  if (place == NULL)
    return;
  place->values = g_memdup2 (value, sizeof *value * (gsize) state->parts->n_values);
  place->text = sl_report_text (state->report, batch, i, name, length);
  if (list->has_note)
    place->note = sl_text_dup (batch->column[list->note].text, i);
}

static void
take_row (SlPartsState *state, const SlBatch *batch, gint64 i)
{
  const SlParts *parts = state->parts;
  double value[SL_VALUES_MOST];
  gsize length;
  state->n++;
  for (int v = 0; v < parts->n_values; v++)
    {
      const SlValue *from = &parts->values[v];
      value[v] = from->of != NULL ? from->of (batch, i) : sl_value_of (batch, from->column, i);
      state->n_of[v] += !isnan (value[v]);
      state->sum[v] += isnan (value[v]) ? 0 : value[v];
    }
  if (parts->histogram.title != NULL)
    sl_histogram_add (&state->histogram, value[parts->histogram.value]);
  if (parts->bars.title != NULL && !isnan (value[parts->bars.class]))
    state->bars[(int) value[parts->bars.class]]
        += parts->bars.weight >= 0 ? value[parts->bars.weight] : 1;
  if (parts->scatter.title != NULL)
    {
      const char *item = sl_text_get (batch->column[0].text, i, &length);
      take_point (state, value, sl_text_hash (item, length), (guint64) (batch->first_row + i));
    }
  if (parts->list.columns != NULL)
    take_listed (state, batch, i, value);
}

void
sl_parts_take (SlPartsState *state, const SlBatch *batch)
{
  for (gint64 i = 0; i < batch->n_rows; i++)
    take_row (state, batch, i);
}

/* The head of the list's column of the distance, or else the name of the table's column. */
static const char *
name_of_distance (const SlPartsState *state)
{
  const SlListColumn *column = state->parts->list.columns;
  for (; column->head != NULL; column++)
    if (column->form == SL_LIST_FIGURE && column->value == state->distance)
      return column->head + 1;
  return state->input->table->spec[state->parts->values[state->distance].column].name;
}

static void
want (SlReport *report, GPtrArray *items, const SlExtremes *found)
{
  for (int i = 0; i < found->n; i++)
    {
      char *name = g_strdup (found->of[i].name);
      g_ptr_array_add (items, name);
      g_hash_table_add (report->is_wanted, name);
      sl_pictures_want (report->pictures, name);
    }
}

void
sl_parts_end (SlPartsState *state, SlReport *report)
{
  if (state->distance >= 0 && report->wanted->len == 0)
    {
      want (report, report->wanted, &state->list);
      want (report, report->nearest, &state->nearest);
      report->distance = name_of_distance (state);
    }
  const SlListColumn *columns = state->parts->list.columns;
  for (; columns != NULL && columns->head != NULL; columns++)
    if (columns->form == SL_LIST_IMAGE)
      sl_extremes_want_pictures (&state->list, report->pictures);
}

static void
draw_facts (SlPage *page, const SlPartsState *state)
{
  sl_page_facts_begin (page);
  for (const SlFact *fact = state->parts->facts; fact->term != NULL; fact++)
    {
      gint64 n = fact->form > SL_FACT_ROWS ? state->n_of[fact->value] : state->n;
      if (fact->form > SL_FACT_ROWS && n == 0)
        continue;
      double sum = state->sum[fact->value];
      if (fact->form == SL_FACT_ROWS || fact->form == SL_FACT_SUM)
        sl_page_fact (page, fact->term, "%n", fact->form == SL_FACT_ROWS ? n : (gint64) sum);
      else
        sl_page_fact (page, fact->term, fact->form == SL_FACT_MEAN ? "%f" : "%p", sum / (double) n);
    }
  sl_page_facts_end (page);
}

/* The means x[], y[] of y in the parts of x, and them in words. */
static gsize
find_means (const SlPartsState *state, double *x, double *y, GString *text)
{
  gsize n = 0;
  g_string_append (text, "Mean as people see it:");
  for (int p = 0; p < SL_MEANS; p++)
    if (state->means_n[p] > 0)
      {
        x[n] = state->means_x[p] / (double) state->means_n[p];
        y[n] = state->means_y[p] / (double) state->means_n[p];
        sl_html_say (text, "%s%2 at %2", n > 0 ? ", " : " ", y[n], x[n]);
        n++;
      }
  g_string_append_c (text, '.');
  return n;
}

static int
by_place (gconstpointer a, gconstpointer b)
{
  const SlSampled *p = a, *q = b;
  return SL_COMPARE (p->x, q->x) ?: SL_COMPARE (p->y, q->y);
}

typedef struct
{
  double x, low, quartile[3], high;
} Box;

/* Quartiles of Y[n], which is sorted, and the furthest ones within one and a half of their
 * distance (Tukey 1977). */
static Box
box_of (double x, const double *y, gsize n)
{
  Box box = { .x = x };
  for (int q = 0; q < 3; q++)
    box.quartile[q] = gsl_stats_quantile_from_sorted_data (y, 1, n, 0.25 * (q + 1));
  double reach = 1.5 * (box.quartile[2] - box.quartile[0]);
  gsize low = 0, high = n - 1;
  while (y[low] < box.quartile[0] - reach)
    low++;
  while (y[high] > box.quartile[2] + reach)
    high--;
  box.low = y[low];
  box.high = y[high];
  return box;
}

/* A box for each x of POINTS, BOX[MOST_BOXES], and them in words; returns how many, 0 where there
 * are too many. */
static int
find_boxes (const GArray *points, Box *box, GString *text)
{
  g_autoptr (GArray) sorted = g_array_copy ((GArray *) points);
  g_array_sort (sorted, by_place);
  const SlSampled *point = (const SlSampled *) (gpointer) sorted->data;
  g_autofree double *y = g_new (double, sorted->len + 1);
  int n = 0;
  for (guint i = 0; i < sorted->len; i++)
    y[i] = point[i].y;
  for (guint from = 0, to; from < sorted->len; from = to)
    {
      for (to = from; to < sorted->len && point[to].x == point[from].x; to++)
        ;
      if (n == MOST_BOXES)
        return 0;
      box[n++] = box_of (point[from].x, y + from, to - from);
    }
  if (sorted->len < (guint) (LEAST_OF_BOX * n))
    return 0;
  g_string_append (text, " Median (quartiles):");
  for (int b = 0; b < n; b++)
    sl_html_say (text, "%s%2 (%2–%2) at %2", b > 0 ? ", " : " ", box[b].quartile[1],
                 box[b].quartile[0], box[b].quartile[2], box[b].x);
  g_string_append_c (text, '.');
  return n;
}

static void
draw_boxes (SlPlot *plot, const Box *boxes, int n)
{
  for (const Box *box = boxes; box < boxes + n; box++)
    {
      double at = sl_plot_x (plot, box->x), top = sl_plot_y (plot, box->quartile[2]),
             bottom = sl_plot_y (plot, box->quartile[0]),
             middle = sl_plot_y (plot, box->quartile[1]);
      sl_svg_line (plot->out, "span c1", at, sl_plot_y (plot, box->low), at, bottom);
      sl_svg_line (plot->out, "span c1", at, top, at, sl_plot_y (plot, box->high));
      sl_svg_cell (plot->out, "c1", at - 8, top, 16, bottom - top, 0.35);
      sl_svg_line (plot->out, "span c2", at - 8, middle, at + 8, middle);
    }
}

static void
draw_points (SlPlot *plot, const SlScatterPart *scatter, const GArray *points)
{
  const char *marks[2] = { scatter->means ? "faint c6" : "point c1", "point c2" };
  for (guint i = 0; i < points->len && (scatter->dots == 0 || i < scatter->dots); i++)
    {
      const SlSampled *point = &g_array_index (points, SlSampled, i);
      sl_svg_circle (plot->out, marks[point->group != 0], sl_plot_x (plot, point->x),
                     sl_plot_y (plot, point->y), scatter->means ? 2 : 2.5);
    }
}

/* Of how many rows the points are. */
static void
append_drawn (GString *out, const SlPartsState *state)
{
  const SlSample *sample = &state->sample;
  guint dots = state->parts->scatter.dots, drawn = sample->points->len;
  drawn = dots > 0 ? MIN (dots, drawn) : drawn;
  if (sample->seen <= drawn)
    return;
  if (state->parts->scatter.means)
    sl_html_say (out, " Dots are %n rows, drawn by lot from %n.", (gint64) drawn, sample->seen);
  else
    sl_html_say (out, " They are drawn by their names from %n.", sample->seen);
}

static void
draw_scatter (SlPage *page, SlPartsState *state)
{
  const SlScatterPart *scatter = &state->parts->scatter;
  sl_sample_finish (&state->sample);
  const GArray *points = state->sample.points;
  SlAxisRange range = { 0, 0.1 };
  double x[SL_MEANS], y[SL_MEANS];
  Box box[MOST_BOXES];
  gboolean others = FALSE;
  for (guint i = 0; i < points->len; i++)
    {
      const SlSampled *point = &g_array_index (points, SlSampled, i);
      sl_range_add (&range, point->x);
      sl_range_add (&range, scatter->grows_alike ? point->y : point->x);
      others |= point->group != 0;
    }
  range = sl_range_round (range);
  g_autoptr (GString) text = g_string_new (NULL);
  gsize n_means = scatter->means ? find_means (state, x, y, text) : 0;
  int n_boxes = scatter->dots > 0 ? find_boxes (points, box, text) : 0;
  if (scatter->tell != NULL)
    scatter->tell (text, points);
  SlAxisRange whole = { 0, 1 };
  SlPlot plot = sl_plot_figure (
      page, (SlPlotForm){ .title = scatter->title,
                          .description = text->str,
                          .height = 300,
                          .x = scatter->grows_x || scatter->grows_alike ? range : whole,
                          .y = scatter->grows_alike ? range : whole,
                          .x_label = scatter->x_label,
                          .y_label = scatter->y_label });
  if (scatter->grows_alike)
    sl_plot_even (&plot);
  draw_points (&plot, scatter, points);
  if (scatter->means)
    {
      sl_plot_even (&plot);
      sl_plot_line (&plot, n_boxes > 0 ? "line c2 dashed" : "line c1", x, y, n_means);
    }
  draw_boxes (&plot, box, n_boxes);
  sl_plot_caption (&plot, page, "<strong>%s.</strong> %s%s%s", scatter->title, scatter->about,
                   scatter->tell != NULL || n_boxes > 0 ? text->str : "",
                   others ? scatter->others : "");
  append_drawn (page->html, state);
  sl_page_figure_end (page);
}

static gboolean
is_shown (const SlListColumn *column, const SlPartsState *state, const SlReport *report)
{
  return column->form == SL_LIST_IMAGE ? sl_pictures_any (report->pictures)
                                       : !column->may_lack || state->n_of[column->value] > 0;
}

static void
draw_cell (SlReport *report, const SlPartsState *state, const SlListColumn *column,
           const SlExtreme *row)
{
  SlPage *page = &report->page;
  double value = row->values[column->value];
  if (column->form == SL_LIST_IMAGE)
    sl_pictures_append_cell (report->pictures, page->html, row->name);
  else if (column->form == SL_LIST_NAME && row->text != NULL)
    sl_html_say (page->html, "<th scope=\"row\">%t<br><small>%t</small></th>", row->name,
                 row->text);
  else if (column->form == SL_LIST_NAME)
    sl_page_cells (page, "n", row->name);
  else if (column->form == SL_LIST_NOTE)
    sl_page_cells (page, "t", row->note);
  else if (column->form == SL_LIST_CLASS)
    sl_page_cells (page, "t",
                   isnan (value) ? column->none : state->input->table->classes[(int) value]);
  else
    sl_page_cells (page, "f", value);
}

static void
draw_list (SlReport *report, const SlPartsState *state)
{
  SlPage *page = &report->page;
  const SlListPart *list = &state->parts->list;
  g_autoptr (GPtrArray) heads = g_ptr_array_new ();
  for (const SlListColumn *column = list->columns; column->head != NULL; column++)
    if (is_shown (column, state, report))
      g_ptr_array_add (heads, (gpointer) column->head);
  g_ptr_array_add (heads, NULL);
  g_autoptr (GString) caption = g_string_new (NULL);
  if (state->distance >= 0)
    sl_html_say (caption, list->caption, name_of_distance (state));
  else
    g_string_append (caption, list->caption);
  gboolean as_they_come = state->distance < 0 && list->key < 0;
  if (as_they_come)
    sl_html_first (caption, ": the first ", state->list.n, state->n);
  g_string_append (caption, as_they_come ? "." : "");
  sl_page_table_begin (page, caption->str, (const char *const *) heads->pdata);
  for (int i = 0; i < state->list.n; i++)
    {
      sl_page_row (page, "");
      for (const SlListColumn *column = list->columns; column->head != NULL; column++)
        if (is_shown (column, state, report))
          draw_cell (report, state, column, &state->list.of[i]);
    }
  sl_page_table_end (page);
}

static gboolean
is_empty (const SlPartsState *state)
{
  const SlParts *parts = state->parts;
  return parts->empty != NULL
         && (parts->histogram.title != NULL ? state->histogram.all == 0 : state->list.n == 0);
}

static void
draw_figures (SlPage *page, SlPartsState *state)
{
  const SlParts *parts = state->parts;
  const SlTable *table = state->input->table;
  double bars = 0;
  for (gint32 k = 0; k < table->n_classes; k++)
    bars += state->bars[k];
  gboolean points
      = parts->scatter.title != NULL && (parts->scatter.none == NULL || state->sample.seen > 0);
  if (parts->scatter.title != NULL && !points)
    sl_page_note (page, "%s", parts->scatter.none);
  if (!points && parts->histogram.title == NULL && !(bars > 0))
    return;
  sl_page_grid_begin (page);
  if (parts->histogram.title != NULL)
    sl_histogram_draw (&state->histogram, page, parts->histogram.title, parts->histogram.x_label,
                       "items");
  if (points)
    draw_scatter (page, state);
  if (bars > 0)
    sl_draw_bars (page, parts->bars.title, table, state->bars, CLASSES_SHOWN);
  sl_page_grid_end (page);
}

void
sl_parts_draw (SlPartsState *state, SlReport *report)
{
  const SlParts *parts = state->parts;
  SlPage *page = &report->page;
  if (is_empty (state))
    {
      sl_page_note (page, "%s", parts->empty);
      return;
    }
  if (parts->facts != NULL)
    draw_facts (page, state);
  draw_figures (page, state);
  if (parts->list.columns != NULL)
    draw_list (report, state);
}
