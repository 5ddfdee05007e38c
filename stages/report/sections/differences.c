/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two tables held against a third: what `softlabel compare` finds the first to differ by from the
 * second, metric by metric. */
#include "score-rows.h"
#include "sections.h"

#include <math.h>
#include <string.h>

#define ROWS 200 /* of a table */

/* Whether A and B were found under the same conditions, but for which table it was. */
static gboolean
same_place (const SlScoreRow *a, const SlScoreRow *b)
{
  if (a->input != b->input || strcmp (a->metric, b->metric) != 0
      || a->conditions.n != b->conditions.n)
    return FALSE;
  for (int t = 0; t < a->conditions.n; t++)
    {
      const char *key = a->conditions.tag[t].key;
      if (strcmp (key, "table") != 0
          && g_strcmp0 (a->conditions.tag[t].value, sl_tags_get (&b->conditions, key)) != 0)
        return FALSE;
    }
  return TRUE;
}

/* The value of the table NAME where DIFFERENCE was found; NaN where there is none. */
static double
value_of (const SlScoreRows *rows, const SlScoreRow *difference, const char *name)
{
  for (guint i = 0; i < rows->rows->len; i++)
    {
      const SlScoreRow *row = &g_array_index (rows->rows, SlScoreRow, i);
      if (same_place (row, difference)
          && g_strcmp0 (sl_tags_get (&row->conditions, "table"), name) == 0)
        return row->value;
    }
  return NAN;
}

/* What DIFFERENCE calls its two tables. */
static char **
names_of (const SlScoreRow *difference)
{
  return g_strsplit (sl_tags_get (&difference->conditions, "table"), " - ", 2);
}

/* Heads of columns for the tables that all of FOUND are about; "first" and "second" where they are
 * about several. */
static void
head_names (const GPtrArray *found, char *heads[3])
{
  const SlScoreRow *row = found->pdata[0];
  gboolean alike = TRUE;
  for (guint i = 1; i < found->len; i++)
    alike = alike
            && strcmp (sl_tags_get (&((const SlScoreRow *) found->pdata[i])->conditions, "table"),
                       sl_tags_get (&row->conditions, "table"))
                   == 0;
  g_auto (GStrv) names = alike ? names_of (row) : g_strsplit ("first,second", ",", -1);
  g_autofree char *first = g_markup_escape_text (names[0], -1);
  g_autofree char *second = g_markup_escape_text (names[1], -1);
  heads[0] = g_strconcat ("#", first, NULL);
  heads[1] = g_strconcat ("#", second, NULL);
  heads[2] = g_strconcat ("#", first, " − ", second, NULL);
}

static void
draw_row (SlPage *page, const SlScoreRows *rows, const SlScoreRow *row, gboolean tested,
          gboolean reasons)
{
  g_auto (GStrv) names = names_of (row);
  sl_page_row (page, "nfffff", row->metric, value_of (rows, row, names[0]),
               value_of (rows, row, names[1]), row->value, row->lower, row->upper);
  if (tested)
    sl_page_cells (page, "f", row->p);
  sl_page_cells (page, "c", row->n);
  if (reasons)
    sl_page_cells (page, "t", isfinite (row->value) ? "" : row->reason);
}

/* The differences that INPUT has; *TESTED: whether one of them has a p; *REASONS: or no value. */
static GPtrArray *
differences_of (const SlScoreRows *rows, const SlReportInput *input, gboolean *tested,
                gboolean *reasons)
{
  GPtrArray *found = g_ptr_array_new ();
  *tested = *reasons = FALSE;
  for (guint i = 0; i < rows->rows->len; i++)
    {
      SlScoreRow *row = &g_array_index (rows->rows, SlScoreRow, i);
      if (row->input != input || !sl_score_is_difference (row))
        continue;
      g_ptr_array_add (found, row);
      *tested |= isfinite (row->p);
      *reasons |= !isfinite (row->value);
    }
  return found;
}

static void
draw_table (SlReport *report, const SlScoreRows *rows, const SlReportInput *input)
{
  SlPage *page = &report->page;
  gboolean tested, reasons;
  g_autoptr (GPtrArray) found = differences_of (rows, input, &tested, &reasons);
  if (found->len == 0)
    return;
  char *named[3];
  head_names (found, named);
  const char *why = reasons ? "why there is none" : NULL;
  const char *heads[] = { "metric",
                          named[0],
                          named[1],
                          named[2],
                          "#from",
                          "#to",
                          tested ? "#p" : "#n",
                          tested ? "#items" : why,
                          tested ? why : NULL,
                          NULL };
  g_autoptr (GString) caption = g_string_new (
      tested
          ? "<strong>Which is nearer to the truth</strong>: the two tables are in the order that "
            "<code>softlabel compare</code> was given them; from … to is the interval of the "
            "difference, p how often exchanging the two at random makes one as large."
          : "<strong>Two tables</strong>, in the order in which they were compared; from … to "
            "is the interval of the difference.");
  sl_html_first (caption, " The first ", ROWS, found->len);
  g_string_append (caption, found->len > ROWS ? "." : "");
  sl_report_heading (report, input);
  sl_page_table_begin (page, caption->str, heads);
  for (guint i = 0; i < MIN (found->len, ROWS); i++)
    draw_row (page, rows, found->pdata[i], tested, reasons);
  sl_page_table_end (page);
  for (int i = 0; i < 3; i++)
    g_free (named[i]);
}

static void
draw (gpointer state, SlReport *report)
{
  for (int i = 0; i < report->n_inputs; i++)
    draw_table (report, state, &report->input[i]);
}

static gboolean
fills (gconstpointer state)
{
  const SlScoreRows *rows = state;
  for (guint i = 0; i < rows->rows->len; i++)
    if (sl_score_is_difference (&g_array_index (rows->rows, SlScoreRow, i)))
      return TRUE;
  return FALSE;
}

const SlSection sl_section_differences = {
  .id = "differences",
  .title = "Differences of two tables",
  .of = &sl_section_scores,
  .together = TRUE,
  .fills = fills,
  .draw = draw,
};
