/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Curves: scores over a tag that is a number, such as annotators per item, cost in seconds, or how strong an attack is. */
#include "schemas/scores.h"

#include "pipeline/base/number-text.h"
#include "score-rows.h"
#include "sections.h"
#include "stages/report/plot.h"

#include <math.h>
#include <string.h>

#define LINES 6
#define PANELS 12 /* of one tag */
#define POINTS 3  /* fewer do not make a curve */

typedef struct
{
  const SlScoreRow *row;
  double x;
  char *line; /* what the row's group says beside the tag */
} Point;

static gboolean
begin (gpointer state, SlReport *report, const SlReportInput *input, GError **error)
{
  SlScoreRows *rows = state;
  rows->input = input;
  if (rows->rows == NULL)
    rows->rows = g_array_new (FALSE, TRUE, sizeof (SlScoreRow));
  return TRUE;
}

static gboolean
take (gpointer state, SlReport *report, const SlBatch *batch, GError **error)
{
  return sl_score_rows_take (state, report, batch, error);
}

/* The parts of ROW's group that are no KEY=VALUE. */
static char *
line_of (const SlScoreRow *row, const char *key)
{
  g_autofree char *begins = g_strconcat (key, "=", NULL);
  g_auto (GStrv) tables = g_strsplit (row->group, ": ", -1);
  GString *line = g_string_new (NULL);
  for (int t = 0; tables[t] != NULL; t++)
    {
      g_auto (GStrv) parts = g_strsplit (tables[t], ", ", -1);
      for (int p = 0; parts[p] != NULL; p++)
        if (!g_str_has_prefix (parts[p], begins))
          g_string_append_printf (line, "%s%s", line->len > 0 ? ", " : "", parts[p]);
    }
  return g_string_free (line, FALSE);
}

static void
clear_point (gpointer data)
{
  g_free (((Point *) data)->line);
}

static int
by_place (gconstpointer a, gconstpointer b)
{
  const Point *p = a, *q = b;
  int order = strcmp (p->line, q->line);
  return order != 0 ? order : p->x < q->x ? -1 : p->x > q->x;
}

/* METRIC's points over the tag KEY, line by line; lines of few points are left out. */
static GArray *
points_of (const SlScoreRows *rows, const char *metric, const char *key)
{
  GArray *points = g_array_new (FALSE, FALSE, sizeof (Point));
  g_array_set_clear_func (points, clear_point);
  for (guint i = 0; i < rows->rows->len; i++)
    {
      const SlScoreRow *row = &g_array_index (rows->rows, SlScoreRow, i);
      if (strcmp (row->metric, metric) != 0 || !isfinite (row->value))
        continue;
      g_autofree char *value = sl_score_tag (row, key);
      Point point = { .row = row };
      if (value == NULL || !sl_parse_real (value, -1, &point.x))
        continue;
      point.line = line_of (row, key);
      g_array_append_val (points, point);
    }
  g_array_sort (points, by_place);
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
      if (different >= POINTS)
        continue;
      g_array_remove_range (points, from, to - from);
      to = from;
    }
  return points;
}

/* Every key that a table's tags or a group have, in order, but those that only tell repetitions apart. */
static GPtrArray *
keys_of (const SlScoreRows *rows)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  static const char *const repetitions[] = { "seed", "run", "fold" };
  for (gsize r = 0; r < G_N_ELEMENTS (repetitions); r++)
    g_hash_table_add (seen, g_strdup (repetitions[r]));
  GPtrArray *keys = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < rows->rows->len; i++)
    {
      const SlScoreRow *row = &g_array_index (rows->rows, SlScoreRow, i);
      const SlTags *tags = &row->input->table->tags;
      for (int t = 0; t < tags->n; t++)
        if (g_hash_table_add (seen, g_strdup (tags->tag[t].key)))
          g_ptr_array_add (keys, g_strdup (tags->tag[t].key));
      g_auto (GStrv) parts = g_strsplit_set (row->group + strlen (row->input->label), ":, ", -1);
      for (int p = 0; parts[p] != NULL; p++)
        {
          const char *equals = strchr (parts[p], '=');
          g_autofree char *key
              = equals != NULL ? g_strndup (parts[p], (gsize) (equals - parts[p])) : NULL;
          if (key != NULL && g_hash_table_add (seen, g_strdup (key)))
            g_ptr_array_add (keys, g_steal_pointer (&key));
        }
    }
  return keys;
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
          g_string_append (text, i > lines->from[l] ? ", " : "");
          sl_html_figure (text, point->row->value);
          char digits[SL_REAL_CHARS];
          g_string_append (text, " at ");
          g_string_append_len (text, digits, (gssize) sl_format_real (digits, point->x));
        }
    }
  return g_string_free (text, FALSE);
}

static void
draw_panel (SlPage *page, const GArray *points, const char *metric, const char *key,
            GPtrArray *names)
{
  static const char *const all_marks[] = { "c1", "c2", "c3", "c4", "c5", "c6" };
  const char *marks[LINES];
  Lines lines = lines_of (points, names);
  SlRange x = SL_RANGE_EMPTY, y = SL_RANGE_EMPTY;
  for (guint i = 0; i < lines.from[lines.n]; i++)
    {
      const Point *point = &g_array_index (points, Point, i);
      sl_range_add (&x, point->x);
      sl_range_add (&y, point->row->value);
      sl_range_add (&y, point->row->lower);
      sl_range_add (&y, point->row->upper);
    }
  g_autofree char *text = describe (points, &lines),
                  *title = g_strdup_printf ("%s over %s", metric, key);
  gboolean named = lines.n > 1;
  sl_page_figure_begin (page);
  SlPlotForm form = { .id = sl_page_id (page),
                      .title = title,
                      .description = text,
                      .x = sl_range_round (x),
                      .y = sl_range_round (y),
                      .x_label = key,
                      .y_label = metric,
                      .right = named ? 110 : 0 };
  SlPlot plot = sl_plot_begin (page->html, &form);
  for (int l = 0; l < lines.n; l++)
    {
      marks[l] = all_marks[lines.color[l]];
      draw_line (&plot, points, lines.from[l], lines.from[l + 1], lines.color[l]);
    }
  if (named)
    sl_plot_end_names (&plot, lines.n, lines.last, lines.names, marks);
  sl_plot_end (&plot);
  sl_page_caption (page);
  g_string_append (page->html, "<strong><bdi>");
  sl_html_text (page->html, title, -1);
  g_string_append (page->html, "</bdi>.</strong>");
  if (!named && *lines.names[0] != '\0')
    {
      g_string_append (page->html, " <bdi>");
      sl_html_text (page->html, lines.names[0], -1);
      g_string_append (page->html, "</bdi>");
    }
  if (lines.left_out > 0)
    {
      g_string_append_c (page->html, ' ');
      sl_html_many (page->html, lines.left_out, "more line is", "more lines are");
      g_string_append (page->html, " left out.");
    }
  sl_page_figure_end (page);
}

/* Draws the panels; with PAGE NULL says whether there are any. */
static gboolean
go_through (const SlScoreRows *rows, SlPage *page)
{
  g_autoptr (GPtrArray) keys = keys_of (rows), metrics = sl_score_metrics (rows);
  gboolean any = FALSE;
  for (guint k = 0; k < keys->len; k++)
    {
      int drawn = 0;
      g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
      for (guint m = 0; m < metrics->len && drawn < PANELS; m++)
        {
          g_autoptr (GArray) points = points_of (rows, metrics->pdata[m], keys->pdata[k]);
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

static void
clear (gpointer state)
{
  sl_score_rows_clear (state);
}

const SlSection sl_section_curves = {
  .id = "curves",
  .title = "Scores over what was varied",
  .kinds = { &sl_scores },
  .size = sizeof (SlScoreRows),
  .begin = begin,
  .take = take,
  .fills = fills,
  .draw = draw,
  .clear = clear,
};
