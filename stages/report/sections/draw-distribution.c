/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draw-distribution.h"

#include <math.h>

#define NAMED 4 /* classes of one distribution */
#define PARTS 30

void
sl_histogram_init (SlHistogram *histogram, double lo, double hi, int n)
{
  *histogram = (SlHistogram){ .lo = lo, .hi = hi > lo ? hi : lo + 1, .n = n };
  histogram->count = g_new0 (gint64, n);
}

void
sl_histogram_init_counts (SlHistogram *histogram, gint64 most)
{
  gint64 step = most / PARTS + 1;
  int parts = (int) (most / step) + 1;
  sl_histogram_init (histogram, 0, (double) (step * parts), parts);
  histogram->whole = step == 1;
}

void
sl_histogram_clear (SlHistogram *histogram)
{
  g_clear_pointer (&histogram->count, g_free);
}

void
sl_histogram_add (SlHistogram *histogram, double value)
{
  if (isnan (value))
    return;
  double at = (value - histogram->lo) / (histogram->hi - histogram->lo) * histogram->n;
  histogram->count[(int) CLAMP (at, 0, histogram->n - 1)]++;
  histogram->all++;
  histogram->sum += value;
}

/* Half of what was counted is less or the same: of whole numbers the number itself, else within a
 * part as if spread evenly. */
static double
median_of (const SlHistogram *histogram)
{
  double step = (histogram->hi - histogram->lo) / histogram->n, below = 0;
  for (int i = 0; i < histogram->n; i++)
    {
      double here = (double) histogram->count[i], half = (double) histogram->all / 2;
      if (here > 0 && below + here >= half)
        return histogram->whole ? i : histogram->lo + step * (i + (half - below) / here);
      below += here;
    }
  return NAN;
}

static char *
describe (const SlHistogram *histogram)
{
  GString *text = g_string_new (NULL);
  sl_html_many (text, histogram->all, "value", "values");
  g_string_append (text, ": mean ");
  sl_html_figure (text, histogram->sum / (double) histogram->all);
  g_string_append (text, histogram->whole ? ", median " : ", median about ");
  sl_html_real (text, median_of (histogram), histogram->whole || histogram->hi > 30 ? 0 : 2);
  return g_string_free (g_string_append_c (text, '.'), FALSE);
}

void
sl_histogram_draw (const SlHistogram *histogram, SlPage *page, const char *title,
                   const char *x_label, const char *y_label)
{
  gint64 most = 1;
  for (int i = 0; i < histogram->n; i++)
    most = MAX (most, histogram->count[i]);
  double half = histogram->whole ? 0.5 : 0;
  g_autofree char *text = describe (histogram);
  sl_page_figure_begin (page);
  SlPlotForm form = { .id = sl_page_id (page),
                      .title = title,
                      .description = text,
                      .x = { histogram->lo - half, histogram->hi - half },
                      .y = sl_range_round ((SlRange){ 0, (double) most }),
                      .x_label = x_label,
                      .y_label = y_label,
                      .whole_x = histogram->whole,
                      .whole_y = TRUE };
  SlPlot plot = sl_plot_begin (page->html, &form);
  sl_plot_bars (&plot, "c1", histogram->count, histogram->n);
  sl_plot_end (&plot);
  sl_page_caption (page);
  g_string_append (page->html, "<strong>");
  sl_html_text (page->html, title, -1);
  g_string_append_printf (page->html, ".</strong> %s", text);
  sl_page_figure_end (page);
}

/* The first N of ORDER[all] are the numbers of the largest VALUES, equal ones in their order. */
static int *
largest_first (const double *values, int all, int n)
{
  int *order = g_new (int, n + 1), have = 0;
  for (int i = 0; i < all; i++)
    {
      int at = have;
      while (at > 0 && values[i] > values[order[at - 1]])
        at--;
      if (at >= n)
        continue;
      have = MIN (have + 1, n);
      for (int j = have - 1; j > at; j--)
        order[j] = order[j - 1];
      order[at] = i;
    }
  return order;
}

static void
draw_bar (GString *out, const char *mark, double y, double room, const char *name, double value,
          double most)
{
  double length = most > 0 ? value / most * room : 0;
  sl_svg_text (out, "", 112, y + 11, SL_SVG_END, name, 15);
  sl_svg_rect (out, mark, 118, y + 2, length, 11);
  sl_svg_figure (out, "soft", 122 + length, y + 11, SL_SVG_START, value);
}

void
sl_draw_bars (SlPage *page, const char *title, char *const *names, const double *values, int n,
              int most)
{
  int shown = MIN (n, most);
  g_autofree int *order = largest_first (values, n, shown);
  double rest = 0, top = 0;
  g_autoptr (GString) text = g_string_new (NULL);
  for (int i = 0; i < n; i++)
    rest += values[i];
  for (int i = 0; i < shown; i++)
    {
      rest -= values[order[i]];
      top = MAX (top, values[order[i]]);
      g_string_append_printf (text, "%s%s ", i > 0 ? ", " : "", names[order[i]]);
      sl_html_figure (text, values[order[i]]);
    }
  sl_page_figure_begin (page);
  const char *id = sl_page_id (page);
  sl_svg_begin (page->html, SL_PLOT_WIDTH, 17 * shown + 4, id, title, text->str);
  for (int i = 0; i < shown; i++)
    draw_bar (page->html, "c1", 17 * i, 180, names[order[i]], values[order[i]], top);
  sl_svg_end (page->html);
  sl_page_caption (page);
  g_string_append (page->html, "<strong>");
  sl_html_text (page->html, title, -1);
  g_string_append (page->html, ".</strong>");
  if (shown < n)
    {
      g_string_append (page->html, " The largest of ");
      sl_html_count (page->html, n);
      g_string_append (page->html, "; the others have ");
      sl_html_figure (page->html, MAX (rest, 0));
      g_string_append (page->html, " together.");
    }
  sl_page_figure_end (page);
}

static void
draw_share (GString *out, const char *mark, const char *name_mark, double y, const char *name,
            double share)
{
  sl_svg_text (out, name_mark, 0, y + 10, SL_SVG_START, name, 17);
  sl_svg_real (out, "", 160, y + 10, SL_SVG_END, share, 2);
  sl_svg_rect (out, "frame", 0.5, y + 14, 159, 5);
  sl_svg_rect (out, mark, 0, y + 13.5, 160 * share, 6);
}

void
sl_draw_distribution (SlPage *page, const SlTable *table, const char *item, const double *p,
                      gint32 gold)
{
  int shown = MIN (table->n_classes, NAMED);
  g_autofree int *order = largest_first (p, table->n_classes, shown);
  while (shown > 1 && p[order[shown - 1]] < 0.005)
    shown--;
  g_autoptr (GString) text = g_string_new (NULL);
  double rest = 1;
  for (int i = 0; i < shown; i++)
    {
      const char *class = table->classes[order[i]];
      g_string_append_printf (text, "%s%s%s ", i > 0 ? ", " : "", class,
                              order[i] == gold ? " (gold)" : "");
      sl_html_real (text, p[order[i]], 2);
      rest -= p[order[i]];
    }
  gboolean others = rest >= 0.005 && shown < table->n_classes;
  const char *id = sl_page_id (page);
  sl_svg_begin (page->html, 160, 23 * (shown + others), id, item, text->str);
  for (int i = 0; i < shown; i++)
    {
      gboolean right = order[i] == gold;
      g_autofree char *name = g_strconcat (right ? "✓ " : "", table->classes[order[i]], NULL);
      draw_share (page->html, right ? "c3" : "c1", right ? "name" : "", 23 * i, name, p[order[i]]);
    }
  if (others)
    {
      g_autofree char *name = g_strdup_printf ("%d others", table->n_classes - shown);
      draw_share (page->html, "rest", "soft", 23 * shown, name, rest);
    }
  sl_svg_end (page->html);
}
