/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scores: each metric with its interval, all tables and groups side by side; and all figures as a
 * table. */

#include "score-rows.h"
#include "sections.h"
#include "stages/report/plot.h"

#include <math.h>
#include <string.h>

#define PANELS 24   /* metrics drawn */
#define PLACES 16   /* groups drawn of a metric */
#define ROWS 400    /* of the table */
#define UNFOLDED 12 /* rows that a page beside its pictures has room for */
#define STEP 36.0
#define HEAD 16.0

static gboolean
is_infinite (const SlScoreRow *row)
{
  return !isfinite (row->value) && g_str_has_prefix (row->reason, "infinite");
}

/* The rows of METRIC that have a value, if only an infinite one; *WITHOUT: how many have none. None
 * are found where none is finite. */
static GPtrArray *
rows_of (const SlScoreRows *rows, const char *metric, gint64 *without)
{
  gboolean any = FALSE;
  *without = 0;
  GPtrArray *found = g_ptr_array_new ();
  for (guint i = 0; i < rows->rows->len; i++)
    {
      SlScoreRow *row = &g_array_index (rows->rows, SlScoreRow, i);
      gboolean own = strcmp (row->metric, metric) == 0 && !sl_score_is_difference (row);
      gboolean drawn = isfinite (row->value) || is_infinite (row);
      *without += own && !drawn;
      any = any || (own && isfinite (row->value));
      if (own && drawn)
        g_ptr_array_add (found, row);
    }
  g_ptr_array_set_size (found, any ? (int) found->len : 0);
  return found;
}

static char *
describe (const GPtrArray *rows)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < rows->len; i++)
    {
      const SlScoreRow *row = rows->pdata[i];
      sl_html_say (text, "%s%s: ", i > 0 ? "; " : "", row->group);
      if (is_infinite (row))
        g_string_append (text, "∞");
      else
        sl_html_say (text, "%f", row->value);
      if (isfinite (row->lower) && isfinite (row->upper))
        sl_html_say (text, ", from %f to %f", row->lower, row->upper);
    }
  return g_string_free (text, FALSE);
}

/* A dot, a bar from the interval's one end to the other, the name above, the value beside. */
static void
draw_place (SlPage *page, const SlAxisRange *range, const SlScoreRow *row, const GPtrArray *alike,
            double y)
{
  g_autofree char *own = sl_score_line (row, NULL, alike);
  GString *out = page->html;
  double left = 8, right = page->width - 58, scale = (right - left) / (range->hi - range->lo);
  double x = left + (row->value - range->lo) * scale;
  sl_svg_text (out, "", left, y - 10, SL_SVG_START, *own != '\0' ? own : row->group,
               (int) (page->width / 6.9));
  sl_svg_line (out, "grid", left, y, right, y);
  if (isfinite (row->lower) && isfinite (row->upper))
    {
      double from = left + (row->lower - range->lo) * scale;
      double to = left + (row->upper - range->lo) * scale;
      sl_svg_line (out, "span c1", from, y, to, y);
      sl_svg_line (out, "span c1", from, y - 4, from, y + 4);
      sl_svg_line (out, "span c1", to, y - 4, to, y + 4);
    }
  if (is_infinite (row))
    {
      sl_svg_text (out, "name", page->width - 2, y + 4, SL_SVG_END, "∞", 1);
      return;
    }
  sl_svg_circle (out, "c1", x, y, 4.5);
  sl_svg_figure (out, "name", page->width - 2, y + 4, SL_SVG_END, row->value);
}

static void
draw_scale (SlPage *page, const SlAxisRange *range, double y)
{
  GString *out = page->html;
  double left = 8, right = page->width - 58;
  SlTicks ticks = sl_ticks (range->lo, range->hi, SL_PLOT_TICKS);
  for (int i = 0; i < ticks.n; i++)
    {
      double x
          = left + (sl_tick (&ticks, i) - range->lo) / (range->hi - range->lo) * (right - left);
      sl_svg_line (out, "axis", x, y, x, y + 4);
      sl_svg_real (out, "soft", x, y + 16, i == 0 ? SL_SVG_START : SL_SVG_MIDDLE,
                   sl_tick (&ticks, i), sl_tick_decimals (&ticks));
    }
  sl_svg_line (out, "axis", left, y, right, y);
}

static void
draw_panel (SlPage *page, const char *metric, GPtrArray *rows, gint64 without)
{
  guint all = rows->len;
  g_ptr_array_set_size (rows, (int) MIN (all, PLACES));
  SlAxisRange range = SL_RANGE_EMPTY;
  gint64 least = G_MAXINT64, most = 0;
  for (guint i = 0; i < rows->len; i++)
    {
      const SlScoreRow *row = rows->pdata[i];
      sl_range_add (&range, row->value);
      sl_range_add (&range, row->lower);
      sl_range_add (&range, row->upper);
      least = MIN (least, row->n);
      most = MAX (most, row->n);
    }
  range = sl_range_round (range);
  g_autofree char *text = describe (rows);
  g_autoptr (GString) said = g_string_new (NULL);
  g_autoptr (GPtrArray) alike = sl_score_alike (rows, said);
  sl_page_figure_begin (page);
  const char *id = sl_page_id (page);
  double height = STEP * rows->len;
  sl_svg_begin (page->html, page->width, HEAD + height + 28, id, metric, text);
  sl_svg_text (page->html, "name", 8, 13, SL_SVG_START, metric, 48);
  for (guint i = 0; i < rows->len; i++)
    draw_place (page, &range, rows->pdata[i], alike, HEAD + STEP * i + 25);
  draw_scale (page, &range, HEAD + height + 6);
  sl_svg_end (page->html);
  const SlScoreRow *first = rows->pdata[0];
  sl_page_caption (page, "<strong>%t</strong>", metric);
  if (*first->definition != '\0')
    sl_html_say (page->html, ": %c", first->definition, 160);
  sl_html_say (page->html, ". Of %n", least);
  if (most > least)
    sl_html_say (page->html, " to %n", most);
  g_string_append (page->html, most == 1 ? " item or answer each" : " items or answers each");
  if (*first->interval != '\0')
    sl_html_say (page->html, "; lines are %c", first->interval, 160);
  g_string_append_c (page->html, '.');
  if (said->len > 0)
    sl_html_say (page->html, " Names leave out what is alike: %c.", said->str, 160);
  if (without > 0)
    sl_html_say (page->html, " %m", without, "more has no value; the table says why.",
                 "more have no value; the table says why.");
  sl_html_first (page->html, " The first ", rows->len, all);
  g_string_append (page->html, rows->len < all ? "; the others are in the table." : "");
  sl_page_figure_end (page);
}

/* Returns how many there are. */
static guint
draw_panels (SlReport *report, const SlScoreRows *rows, const GPtrArray *metrics)
{
  SlPage *page = &report->page;
  guint drawn = 0;
  for (guint m = 0; m < metrics->len && drawn < PANELS; m++)
    {
      gint64 without;
      g_autoptr (GPtrArray) of = rows_of (rows, metrics->pdata[m], &without);
      /* One figure alone is no comparison: the table tells it. */
      if (of->len < 2)
        continue;
      if (drawn++ == 0)
        sl_page_grid_begin (page);
      draw_panel (page, metrics->pdata[m], of, without);
    }
  if (drawn > 0)
    sl_page_grid_end (page);
  if (drawn == PANELS && metrics->len > PANELS)
    sl_page_note (page, "More metrics are in the table below.");
  return drawn;
}

/* The heads of the columns that some row has something for. */
static GPtrArray *
heads_of (const SlScoreRows *rows, gboolean *interval, gboolean *reason)
{
  *interval = *reason = FALSE;
  for (guint i = 0; i < rows->rows->len; i++)
    {
      const SlScoreRow *row = &g_array_index (rows->rows, SlScoreRow, i);
      *interval |= isfinite (row->lower);
      *reason |= !isfinite (row->value) && *row->reason != '\0';
    }
  GPtrArray *heads = g_ptr_array_new ();
  g_ptr_array_add (heads, (gpointer) "metric");
  g_ptr_array_add (heads, (gpointer) "of");
  g_ptr_array_add (heads, (gpointer) "#value");
  if (*interval)
    {
      g_ptr_array_add (heads, (gpointer) "#from");
      g_ptr_array_add (heads, (gpointer) "#to");
    }
  g_ptr_array_add (heads, (gpointer) "#n");
  if (*reason)
    g_ptr_array_add (heads, (gpointer) "why there is none");
  g_ptr_array_add (heads, NULL);
  return heads;
}

static void
draw_row (SlPage *page, const SlScoreRow *row, gboolean interval, gboolean reason)
{
  sl_page_row (page, "ntf", row->metric, row->group, row->value);
  if (interval)
    sl_page_cells (page, "ff", row->lower, row->upper);
  sl_page_cells (page, "c", row->n);
  if (reason)
    sl_page_cells (page, "t", isfinite (row->value) ? "" : row->reason);
}

static void
draw_rows (SlReport *report, const SlScoreRows *rows, const GPtrArray *metrics)
{
  SlPage *page = &report->page;
  gboolean interval, reason;
  g_autoptr (GPtrArray) heads = heads_of (rows, &interval, &reason);
  g_autoptr (GString) caption = g_string_new ("<strong>All scores</strong>");
  sl_html_first (caption, ": the first ", ROWS, rows->rows->len);
  g_string_append (caption, interval ? "; from … to is the interval that the table has." : ".");
  sl_page_table_begin (page, caption->str, (const char *const *) heads->pdata);
  guint written = 0;
  for (guint m = 0; m < metrics->len; m++)
    for (guint i = 0; i < rows->rows->len && written < ROWS; i++)
      {
        const SlScoreRow *row = &g_array_index (rows->rows, SlScoreRow, i);
        if (strcmp (row->metric, metrics->pdata[m]) != 0 || sl_score_is_difference (row))
          continue;
        draw_row (page, row, interval, reason);
        written++;
      }
  sl_page_table_end (page);
}

static void
draw (gpointer state, SlReport *report)
{
  const SlScoreRows *rows = state;
  if (rows->rows->len == 0)
    {
      sl_page_note (&report->page, rows->bins->len > 0 ? "The tables have histograms alone."
                                                       : "There are no scores in the tables.");
      return;
    }
  g_autoptr (GPtrArray) metrics = sl_score_metrics (rows);
  g_autoptr (GArray) sorted = sl_score_rows_sorted (rows);
  const SlScoreRows by_group = { .rows = sorted };
  gboolean folded = draw_panels (report, &by_group, metrics) > 0 && sorted->len > UNFOLDED;
  if (folded)
    sl_page_fold_begin (&report->page, "All figures as a table");
  draw_rows (report, &by_group, metrics);
  if (folded)
    sl_page_fold_end (&report->page);
}

const SlSection sl_section_scores = {
  .id = "scores",
  .title = "Scores",
  .kinds = { &sl_scores },
  .size = sizeof (SlScoreRows),
  .together = TRUE,
  .begin = sl_score_rows_begin,
  .take = sl_score_rows_take,
  .draw = draw,
};
