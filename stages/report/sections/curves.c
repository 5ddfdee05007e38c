/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures over a number: scores over a tag, such as annotators per item, cost in seconds, or how
 * strong an attack is; and what figures cost of annotators' time, as curves and as a table. */

#include "pipeline/base/number-text.h"
#include "score-rows.h"
#include "sections.h"
#include "stages/report/plot.h"

#include <math.h>
#include <string.h>

#define LINES 6
#define PANELS 24   /* of one tag */
#define LEAST 3     /* points; fewer do not make a curve */
#define ROWS 400    /* of the table */
#define UNFOLDED 12 /* rows that a page beside its pictures has room for */

typedef struct
{
  const SlScoreRow *row;
  double x;
  char *line; /* what the row's group says beside such keys */
} Point;

static void
clear_point (gpointer data)
{
  g_free (((Point *) data)->line);
}

static int
by_place (gconstpointer a, gconstpointer b)
{
  const Point *p = a, *q = b;
  return strcmp (p->line, q->line) ?: SL_COMPARE (p->x, q->x);
}

/* Takes lines with fewer than LEAST places off LEAST, which are sorted. */
static void
drop_short_lines (GArray *points, guint least)
{
  for (guint from = 0, to; from < points->len; from = to)
    {
      guint different = 0;
      for (to = from; to < points->len; to++)
        {
          const Point *first = &g_array_index (points, Point, from),
                      *point = &g_array_index (points, Point, to);
          if (strcmp (point->line, first->line) != 0)
            break;
          different += to == from || point->x != (point - 1)->x;
        }
      if (different >= least)
        continue;
      g_array_remove_range (points, from, to - from);
      to = from;
    }
}

static gboolean
find_x (const SlScoreRow *row, const char *key, double *x)
{
  *x = row->seconds;
  const char *value = key != NULL ? sl_tags_get (&row->conditions, key) : NULL;
  return key != NULL ? value != NULL && sl_parse_real (value, -1, x) : isfinite (*x);
}

/* METRIC's points over the tag KEY (NULL: over seconds an item), line by line. The keys of PASSED[]
 * and KEY itself tell no lines apart; lines with fewer than LEAST places are left out. */
static GArray *
curve_points (const SlScoreRows *rows, const char *metric, const char *key, const GPtrArray *passed,
              guint least)
{
  g_autoptr (GPtrArray) drawn = g_ptr_array_new ();
  GArray *points = g_array_new (FALSE, FALSE, sizeof (Point));
  g_array_set_clear_func (points, clear_point);
  for (guint i = 0; i < rows->rows->len; i++)
    {
      const SlScoreRow *row = &g_array_index (rows->rows, SlScoreRow, i);
      Point point = { .row = row };
      if (strcmp (row->metric, metric) != 0 || !isfinite (row->value)
          || sl_score_is_difference (row) || !find_x (row, key, &point.x))
        continue;
      g_ptr_array_add (drawn, (gpointer) row);
      g_array_append_val (points, point);
    }
  g_autoptr (GString) said = g_string_new (NULL);
  g_autoptr (GPtrArray) left_out = sl_score_alike (drawn, said);
  for (guint i = 0; i < passed->len; i++)
    g_ptr_array_add (left_out, g_strdup (passed->pdata[i]));
  for (guint i = 0; i < points->len; i++)
    {
      Point *point = &g_array_index (points, Point, i);
      point->line = sl_score_line (point->row, key, left_out);
    }
  g_array_sort (points, by_place);
  drop_short_lines (points, least);
  return points;
}

/* Every key that a table's tags or a group have, in order, but those that only tell repetitions
 * apart. */
static GPtrArray *
curve_keys (const SlScoreRows *rows)
{
  static const char *const repetitions[] = { "seed", "run", "fold", NULL };
  GPtrArray *keys = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < rows->rows->len; i++)
    {
      const SlTags *tags = &g_array_index (rows->rows, SlScoreRow, i).conditions;
      for (int t = 0; t < tags->n; t++)
        if (!g_strv_contains (repetitions, tags->tag[t].key)
            && !g_ptr_array_find_with_equal_func (keys, tags->tag[t].key, g_str_equal, NULL))
          g_ptr_array_add (keys, g_strdup (tags->tag[t].key));
    }
  return keys;
}

/* Whether each row's value of KEY is its annotators, or in proportion to what one of them takes. */
static gboolean
is_in_time (const SlScoreRows *rows, const char *key)
{
  gboolean annotators = TRUE, inputs = TRUE;
  const SlScoreRow *first = NULL;
  double first_value = 0, least = G_MAXDOUBLE, most = 0;
  for (guint i = 0; i < rows->rows->len; i++)
    {
      const SlScoreRow *row = &g_array_index (rows->rows, SlScoreRow, i);
      const char *text = sl_tags_get (&row->conditions, key);
      double value;
      if (text == NULL || !sl_parse_real (text, -1, &value))
        return FALSE;
      if (first == NULL)
        {
          first = row;
          first_value = value;
        }
      annotators &= value == row->annotators;
      inputs &= fabs (value * first->each - first_value * row->each)
                <= 1e-9 * fabs (value * first->each);
      least = MIN (least, value);
      most = MAX (most, value);
    }
  return first != NULL && (annotators || (inputs && most > least));
}

/* Of costs, the keys whose numbers are in the seconds: annotators, or what these were asked for. */
static GPtrArray *
time_keys (const SlScoreRows *rows)
{
  g_autoptr (GPtrArray) keys = curve_keys (rows);
  GPtrArray *found = g_ptr_array_new_with_free_func (g_free);
  for (guint k = 0; k < keys->len; k++)
    if (is_in_time (rows, keys->pdata[k]))
      g_ptr_array_add (found, g_strdup (keys->pdata[k]));
  return found;
}

typedef struct
{
  int n, left_out;
  guint from[LINES + 1]; /* line l has the points from[l] <= i < from[l + 1] */
  char *names[LINES];
  double last[LINES];
  int color[LINES];
} Lines;

/* The number of NAME among NAMES, where it is put: a line has the same colour in each panel. */
static int
number_of (GPtrArray *names, const char *name)
{
  for (guint i = 0; i < names->len; i++)
    if (strcmp (names->pdata[i], name) == 0)
      return (int) i;
  g_ptr_array_add (names, g_strdup (name));
  return (int) names->len - 1;
}

static Lines
lines_of (const GArray *points, GPtrArray *names)
{
  Lines lines = { 0 };
  for (guint from = 0, to; from < points->len; from = to)
    {
      const Point *point = &g_array_index (points, Point, from);
      for (to = from + 1; to < points->len; to++)
        if (strcmp (g_array_index (points, Point, to).line, point->line) != 0)
          break;
      lines.left_out += lines.n == LINES;
      if (lines.n == LINES)
        continue;
      lines.names[lines.n] = point->line;
      lines.color[lines.n] = number_of (names, point->line) % LINES;
      lines.last[lines.n] = g_array_index (points, Point, to - 1).row->value;
      lines.from[++lines.n] = to;
    }
  return lines;
}

static void
draw_line (SlPlot *plot, const GArray *points, guint from, guint to, int number)
{
  g_autofree char *line = g_strdup_printf ("line c%d%s", number + 1, number % 2 ? " dashed" : "");
  g_autofree char *dot = g_strdup_printf ("c%d", number + 1);
  g_autofree char *span = g_strdup_printf ("span c%d", number + 1);
  g_autofree double *x = g_new (double, to - from), *y = g_new (double, to - from);
  for (guint i = from; i < to; i++)
    {
      const Point *point = &g_array_index (points, Point, i);
      x[i - from] = point->x;
      y[i - from] = point->row->value;
      double at = sl_plot_x (plot, point->x);
      if (isfinite (point->row->lower) && isfinite (point->row->upper))
        sl_svg_line (plot->out, span, at, sl_plot_y (plot, point->row->lower), at,
                     sl_plot_y (plot, point->row->upper));
      sl_svg_circle (plot->out, dot, at, sl_plot_y (plot, point->row->value), 3);
    }
  sl_plot_line (plot, line, x, y, to - from);
}

static char *
describe (const GArray *points, const Lines *lines)
{
  GString *text = g_string_new (NULL);
  for (int l = 0; l < lines->n; l++)
    {
      g_string_append_printf (text, "%s%s%s", l > 0 ? "; " : "", lines->names[l],
                              *lines->names[l] != '\0' ? ": " : "");
      for (guint i = lines->from[l]; i < lines->from[l + 1]; i++)
        {
          const Point *point = &g_array_index (points, Point, i);
          char digits[G_ASCII_DTOSTR_BUF_SIZE];
          sl_html_say (text, "%s%f at %s", i > lines->from[l] ? ", " : "", point->row->value,
                       g_ascii_formatd (digits, sizeof digits, "%.6g", point->x));
        }
    }
  return g_string_free (text, FALSE);
}

/* A figure of METRIC's LEAST over KEY. NAMES: the lines that have a colour already; new ones are
 * added, so that a line has the same colour in each picture. */
static void
draw_panel (SlPage *page, const GArray *points, const char *metric, const char *key,
            GPtrArray *names)
{
  static const char *const all_marks[] = { "c1", "c2", "c3", "c4", "c5", "c6" };
  const char *marks[LINES];
  Lines lines = lines_of (points, names);
  SlAxisRange x = SL_RANGE_EMPTY, y = SL_RANGE_EMPTY;
  gboolean whole = TRUE;
  for (guint i = 0; i < lines.from[lines.n]; i++)
    {
      const Point *point = &g_array_index (points, Point, i);
      whole = whole && point->x == rint (point->x);
      sl_range_add (&x, point->x);
      sl_range_add (&y, point->row->value);
      sl_range_add (&y, point->row->lower);
      sl_range_add (&y, point->row->upper);
    }
  g_autofree char *text = describe (points, &lines),
                  *title = g_strdup_printf ("%s over %s", metric, key);
  gboolean named = lines.n > 1;
  SlPlot plot = sl_plot_figure (
      page, (SlPlotForm){
                .title = title,
                .description = text,
                .x = sl_range_round (x),
                .y = sl_range_round (y),
                .x_label = key,
                .y_label = metric,
                .whole_x = whole,
                .right = named ? sl_plot_room_for_names (lines.names, lines.n, page->width) : 0 });
  for (int l = 0; l < lines.n; l++)
    {
      marks[l] = all_marks[lines.color[l]];
      draw_line (&plot, points, lines.from[l], lines.from[l + 1], lines.color[l]);
    }
  if (named)
    sl_plot_end_names (&plot, lines.n, lines.last, lines.names, marks);
  sl_plot_caption (&plot, page, "<strong>%t.</strong>", title);
  if (!named && *lines.names[0] != '\0')
    sl_html_say (page->html, " %t", lines.names[0]);
  if (lines.left_out > 0)
    sl_html_say (page->html, " %m left out.", (gint64) lines.left_out, "more line is",
                 "more lines are");
  sl_page_figure_end (page);
}

/* Draws the panels; with PAGE NULL says whether there are any. */
static gboolean
go_through (const SlScoreRows *rows, SlPage *page)
{
  g_autoptr (GPtrArray) keys = curve_keys (rows), metrics = sl_score_metrics (rows),
                        none = g_ptr_array_new ();
  gboolean any = FALSE;
  for (guint k = 0; k < keys->len; k++)
    {
      int drawn = 0;
      g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
      for (guint m = 0; m < metrics->len && drawn < PANELS; m++)
        {
          g_autoptr (GArray) points
              = curve_points (rows, metrics->pdata[m], keys->pdata[k], none, LEAST);
          if (points->len == 0)
            continue;
          any = TRUE;
          if (page == NULL)
            return TRUE;
          if (drawn++ == 0)
            sl_page_grid_begin (page);
          draw_panel (page, points, metrics->pdata[m], keys->pdata[k], names);
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
  .of = &sl_section_scores,
  .together = TRUE,
  .fills = fills,
  .draw = draw,
};

static gboolean
draw_cost_panels (SlReport *report, const SlScoreRows *rows, const GPtrArray *metrics)
{
  SlPage *page = &report->page;
  g_autoptr (GPtrArray) passed = time_keys (rows), names = g_ptr_array_new_with_free_func (g_free);
  guint drawn = 0;
  for (guint m = 0; m < metrics->len && drawn < PANELS; m++)
    {
      g_autoptr (GArray) points = curve_points (rows, metrics->pdata[m], NULL, passed, 1);
      if (points->len < 2)
        continue;
      if (drawn++ == 0)
        sl_page_grid_begin (page);
      draw_panel (page, points, metrics->pdata[m], "seconds an item", names);
    }
  if (drawn > 0)
    sl_page_grid_end (page);
  return drawn > 0;
}

static void
draw_cost_table (SlReport *report, const SlScoreRows *rows, const GPtrArray *metrics)
{
  static const char *const heads[]
      = { "metric", "of",  "#annotators", "#seconds each", "#seconds an item", "#value",
          "#from",  "#to", NULL };
  SlPage *page = &report->page;
  g_autoptr (GString) caption = g_string_new (
      "<strong>What figures cost</strong>: annotators an item, the seconds that one of them takes "
      "for it, and their product");
  sl_html_first (caption, "; the first ", ROWS, rows->rows->len);
  g_string_append_c (caption, '.');
  guint written = 0;
  sl_page_table_begin (page, caption->str, heads);
  for (guint m = 0; m < metrics->len; m++)
    for (guint i = 0; i < rows->rows->len && written < ROWS; i++)
      {
        const SlScoreRow *row = &g_array_index (rows->rows, SlScoreRow, i);
        if (strcmp (row->metric, metrics->pdata[m]) != 0)
          continue;
        sl_page_row (page, "ntffffff", row->metric, row->group, row->annotators, row->each,
                     row->seconds, row->value, row->lower, row->upper);
        written++;
      }
  sl_page_table_end (page);
}

static void
draw_costs (gpointer state, SlReport *report)
{
  const SlScoreRows *rows = state;
  SlPage *page = &report->page;
  if (rows->rows->len == 0)
    {
      sl_page_note (page, "The table has no rows.");
      return;
    }
  g_autoptr (GArray) sorted = sl_score_rows_sorted (rows);
  const SlScoreRows by_group = { .rows = sorted };
  g_autoptr (GPtrArray) metrics = sl_score_metrics (&by_group);
  gboolean drawn = draw_cost_panels (report, &by_group, metrics);
  gboolean folded = drawn && sorted->len > UNFOLDED;
  if (folded)
    sl_page_fold_begin (page, "All of it as a table");
  draw_cost_table (report, &by_group, metrics);
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
  .draw = draw_costs,
};
