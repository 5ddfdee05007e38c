/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "drawings.h"

#include "pipeline/table/class-values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAMED 4 /* classes of one distribution */
#define PARTS 30

/* Of bars: a name has this share of the width at most, and a figure stands behind the bar. */
#define BAR_NAMES 0.42
#define BAR_COLUMN 7.2
#define BAR_FIGURE 62.0

#define MATRIX_SIDE 360.0
#define MATRIX_NAME 18 /* columns of a name, at most */
#define MATRIX_COLUMN 6.8
#define LISTED 20    /* cells */
#define LEAST 0.0005 /* a share that is listed */

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
  histogram->least = histogram->all > 0 ? MIN (histogram->least, value) : value;
  histogram->most = histogram->all > 0 ? MAX (histogram->most, value) : value;
  histogram->all++;
  histogram->sum += value;
}

/* Half of what was counted is less or the same: of whole numbers the number itself, else within a
 * part as if spread evenly, among the values that there are. */
static double
median_of (const SlHistogram *histogram)
{
  double step = (histogram->hi - histogram->lo) / histogram->n, below = 0;
  for (int i = 0; i < histogram->n; i++)
    {
      double here = (double) histogram->count[i], half = (double) histogram->all / 2;
      if (here > 0 && below + here >= half)
        return histogram->whole ? i
                                : CLAMP (histogram->lo + step * (i + (half - below) / here),
                                         histogram->least, histogram->most);
      below += here;
    }
  return NAN;
}

static char *
describe (const SlHistogram *histogram)
{
  GString *text = g_string_new (NULL);
  sl_html_many (text, histogram->all, "value", "values");
  if (histogram->all > 1 && histogram->least == histogram->most)
    {
      sl_html_say (text, ", all %f.", histogram->least);
      return g_string_free (text, FALSE);
    }
  sl_html_say (text, ": mean %f%s", histogram->sum / (double) histogram->all,
               histogram->whole ? ", median " : ", median about ");
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
  g_autofree char *text = describe (histogram), *heading = sl_html_escaped (title);
  SlPlot plot
      = sl_plot_figure (page, (SlPlotForm){ .title = title,
                                            .description = text,
                                            .x = { histogram->lo - half, histogram->hi - half },
                                            .y = sl_range_round ((SlAxisRange){ 0, (double) most }),
                                            .x_label = x_label,
                                            .y_label = y_label,
                                            .whole_x = histogram->whole,
                                            .whole_y = TRUE });
  sl_plot_bars (&plot, "c1", histogram->count, histogram->n);
  sl_plot_caption (&plot, page, "<strong>%s.</strong> %s", heading, text);
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

static int
by_number (gconstpointer a, gconstpointer b)
{
  return *(const int *) a - *(const int *) b;
}

/* The N likeliest classes of TABLE, in its own order where it has one. */
static int *
likeliest_classes (const SlTable *table, const double *p, int n)
{
  int *order = largest_first (p, table->n_classes, n);
  if (sl_classes_are_ordered (table))
    qsort (order, (gsize) n, sizeof *order, by_number);
  return order;
}

/* How many of TABLE's classes are told one by one: NAMED, or one more where that is the last one,
 * but no smaller ones than half a percent. */
static int
named_classes (const SlTable *table, const double *p, int most)
{
  int n = table->n_classes <= most + 1 ? table->n_classes : most;
  g_autofree int *order = largest_first (p, table->n_classes, n);
  while (n > 1 && p[order[n - 1]] < 0.005)
    n--;
  return n;
}

static void
draw_bar (SlPage *page, double left, double y, const char *name, double value, double most)
{
  GString *out = page->html;
  double length = most > 0 ? value / most * (page->width - left - BAR_FIGURE) : 0;
  sl_svg_text (out, "", left - 6, y + 11, SL_SVG_END, name, (int) (left / BAR_COLUMN));
  sl_svg_rect (out, "c1", left, y + 2, length, 11);
  sl_svg_figure (out, "soft", left + 4 + length, y + 11, SL_SVG_START, value);
}

void
sl_draw_bars (SlPage *page, const char *title, const SlTable *table, const double *values, int most)
{
  int n = table->n_classes, shown = MIN (n, most), longest = 0;
  char *const *names = table->classes;
  g_autofree int *order = likeliest_classes (table, values, shown);
  double rest = 0, top = 0;
  g_autoptr (GString) text = g_string_new (NULL);
  for (int i = 0; i < n; i++)
    rest += values[i];
  for (int i = 0; i < shown; i++)
    {
      rest -= values[order[i]];
      top = MAX (top, values[order[i]]);
      longest = MAX (longest, sl_html_columns (names[order[i]], -1));
      sl_html_say (text, "%s%s %f", i > 0 ? ", " : "", names[order[i]], values[order[i]]);
    }
  sl_page_figure_begin (page);
  const char *id = sl_page_id (page);
  double left = CLAMP (BAR_COLUMN * longest + 6, 60, BAR_NAMES * page->width);
  sl_svg_begin (page->html, page->width, 17 * shown + 4, id, title, text->str);
  for (int i = 0; i < shown; i++)
    draw_bar (page, left, 17 * i, names[order[i]], values[order[i]], top);
  sl_svg_end (page->html);
  g_autofree char *heading = sl_html_escaped (title);
  sl_page_caption (page, "<strong>%s.</strong>", heading);
  if (shown < n)
    sl_html_say (page->html,
                 n - shown == 1 ? " The largest of %n; the other has %f."
                                : " The largest of %n; the others have %f together.",
                 (gint64) n, MAX (rest, 0));
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
  int shown = named_classes (table, p, NAMED);
  g_autofree int *order = likeliest_classes (table, p, shown);
  g_autoptr (GString) text = g_string_new (NULL);
  double rest = 1;
  for (int i = 0; i < shown; i++)
    {
      const char *class = table->classes[order[i]];
      sl_html_say (text, "%s%s%s %2", i > 0 ? ", " : "", class, order[i] == gold ? " (gold)" : "",
                   p[order[i]]);
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
      int n = table->n_classes - shown;
      g_autofree char *name = g_strdup_printf (n == 1 ? "%d other" : "%d others", n);
      draw_share (page->html, "rest", "soft", 23 * shown, name, rest);
    }
  sl_svg_end (page->html);
}

void
sl_draw_distributions (SlPage *page, const SlTable *table, const char *item, const double *const *p,
                       int n)
{
  gint32 k = table->n_classes;
  g_autofree double *largest = g_new0 (double, k + 1);
  for (int t = 0; t < n; t++)
    for (gint32 c = 0; p[t] != NULL && c < k; c++)
      largest[c] = MAX (largest[c], p[t][c]);
  int shown = named_classes (table, largest, NAMED + 2);
  g_autofree int *order = likeliest_classes (table, largest, shown);
  g_autoptr (GString) text = g_string_new (NULL);
  for (int t = 0; t < n; t++)
    for (int i = 0; p[t] != NULL && i < shown; i++)
      sl_html_say (text, "%s%s %2",
                   i > 0   ? ", "
                   : t > 0 ? "; "
                           : "",
                   table->classes[order[i]], p[t][order[i]]);
  double high = 17 + 12 * n;
  sl_svg_begin (page->html, 160, high * shown, sl_page_id (page), item, text->str);
  for (int i = 0; i < shown; i++)
    {
      sl_svg_text (page->html, "", 0, high * i + 11, SL_SVG_START, table->classes[order[i]], 24);
      for (int t = 0; t < n; t++)
        {
          double y = high * i + 14 + 12 * t, share = p[t] != NULL ? p[t][order[i]] : 0;
          g_autofree char *mark = g_strdup_printf ("c%d", t + 1);
          sl_svg_rect (page->html, mark, 0, y, 128 * share, 8);
          if (share >= 0.005)
            sl_svg_real (page->html, "soft", 160, y + 8, SL_SVG_END, share, 2);
        }
    }
  sl_svg_end (page->html);
}

static char *
describe_matrix (const double *share, gint32 k, char *const *classes, const SlMatrixTexts *texts)
{
  GString *text = g_string_new (texts->right);
  g_string_append (text, ": ");
  for (gint32 i = 0; i < k; i++)
    sl_html_say (text, "%s%s %2", i > 0 ? ", " : "", classes[i],
                 share[(gsize) i * (gsize) k + (gsize) i]);
  return g_string_free (g_string_append_c (text, '.'), FALSE);
}

/* Room that the names below the columns take: upright where they would cover each other otherwise.
 */
static double
room_below (double names, gint32 k, gboolean *upright)
{
  *upright = names > (MATRIX_SIDE - names - 8) / k;
  return *upright ? names + 10 : 20;
}

static void
draw_cells (GString *out, const double *share, gint32 k, char *const *classes,
            const SlMatrixTexts *texts, double left, gboolean upright)
{
  double top = 20, side = (MATRIX_SIDE - left) / k;
  for (gint32 i = 0; i < k; i++)
    {
      double y = top + i * side;
      sl_svg_text (out, "", left - 6, y + side / 2 + 4, SL_SVG_END, classes[i], MATRIX_NAME);
      for (gint32 j = 0; j < k; j++)
        {
          double p = share[(gsize) i * (gsize) k + (gsize) j], x = left + j * side;
          sl_svg_rect (out, "frame", x, y, side, side);
          if (isnan (p))
            continue;
          if (p > 0)
            sl_svg_cell (out, "heat", x + 0.5, y + 0.5, side - 1, side - 1, 0.75 * p);
          if (k <= SL_MATRIX_NUMBERS && p >= 0.005)
            sl_svg_real (out, i == j ? "name" : "", x + side / 2, y + side / 2 + 4, SL_SVG_MIDDLE,
                         100 * p, 0);
        }
    }
  for (gint32 j = 0; j < k; j++)
    if (upright)
      sl_svg_text_upright (out, "soft", left + (j + 0.5) * side + 4, top + k * side + 5, classes[j],
                           MATRIX_NAME);
    else
      sl_svg_text (out, "soft", left + (j + 0.5) * side, top + k * side + 14, SL_SVG_MIDDLE,
                   classes[j], MATRIX_NAME);
  sl_svg_text (out, "soft", left - 6, 12, SL_SVG_END, "true", 20);
  sl_svg_text (out, "soft", MATRIX_SIDE - 1, 12, SL_SVG_END, texts->in_corner, 40);
}

void
sl_draw_matrix (GString *out, const char *id, const char *title, const double *share, gint32 k,
                char *const *classes, const SlMatrixTexts *texts)
{
  g_autofree char *text = describe_matrix (share, k, classes, texts);
  gboolean upright;
  int longest = 4;
  for (gint32 c = 0; c < k; c++)
    longest = MAX (longest, MIN (sl_html_columns (classes[c], -1), MATRIX_NAME));
  double names = longest * MATRIX_COLUMN, left = names + 8, below = room_below (names, k, &upright);
  sl_svg_begin (out, MATRIX_SIDE, 20 + (MATRIX_SIDE - left) + below, id, title, text);
  draw_cells (out, share, k, classes, texts, left, upright);
  sl_svg_end (out);
}

void
sl_draw_confusions (SlPage *page, const char *caption, const double *share, gint32 k,
                    char *const *classes, const SlMatrixTexts *texts)
{
  const char *const heads[] = { "true", texts->of_row, "#share of the true class", NULL };
  gsize side = (gsize) k, best[LISTED], n = 0;
  for (gsize c = 0; c < side * side; c++)
    {
      gsize at = n;
      if (c / side == c % side || !(share[c] >= LEAST))
        continue;
      while (at > 0 && share[c] > share[best[at - 1]])
        at--;
      if (at == LISTED)
        continue;
      n = MIN (n + 1, LISTED);
      memmove (&best[at + 1], &best[at], sizeof *best * (n - 1 - at));
      best[at] = c;
    }
  sl_page_table_begin (page, caption, heads);
  for (gsize i = 0; i < n; i++)
    sl_page_row (page, "ntf", classes[best[i] / side], classes[best[i] % side], share[best[i]]);
  sl_page_table_end (page);
}

double *
sl_matrix_shares (const double *cell, gsize k)
{
  double *share = g_new (double, k *k + 1);
  for (gsize c = 0; c < k * k; c++)
    {
      double sum = 0;
      for (gsize j = 0; j < k; j++)
        sum += cell[c / k * k + j];
      share[c] = sum > 0 ? cell[c] / sum : (double) NAN;
    }
  return share;
}
