/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last section: the tables, and how they came to be, a step a line with its ways at the left.
 */
#include "lineage.h"
#include "report.h"

#define WAY 18      /* between two ways */
#define DOT 16      /* below a line's top */
#define MOST_WAYS 7 /* more would leave a phone no room for words */

/* Which steps are on the way at a line: lane[i] is one whose result is still to be read, -1: none.
 */
typedef struct
{
  GArray *lane;
  int *left; /* [steps] how many readers of it are still to come */
} Ways;

static int
find_lane (const Ways *ways, int step)
{
  for (guint i = 0; i < ways->lane->len; i++)
    if (g_array_index (ways->lane, int, i) == step)
      return (int) i;
  return -1;
}

static int
free_lane (Ways *ways)
{
  int found = find_lane (ways, -1), none = -1;
  if (found < 0)
    {
      g_array_append_val (ways->lane, none);
      found = (int) ways->lane->len - 1;
    }
  return found;
}

/* The lane of STEP: that of the first one it reads and nobody else will, or a new one. */
static int
choose_lane (Ways *ways, const SlStep *step)
{
  int chosen = -1;
  for (guint i = 0; i < step->from->len; i++)
    {
      int from = g_array_index (step->from, int, i), lane = find_lane (ways, from);
      if (--ways->left[from] > 0 || lane < 0)
        continue;
      g_array_index (ways->lane, int, lane) = -1;
      chosen = chosen < 0 ? lane : MIN (chosen, lane);
    }
  return chosen >= 0 ? chosen : free_lane (ways);
}

static int
at (int lane)
{
  return 9 + WAY * MIN (lane, MOST_WAYS - 1);
}

/* The ways past and into STEP, whose number is NUMBER; BEFORE: the lanes above it. */
static void
draw_ways (GString *out, const GArray *before, const Ways *ways, const SlStep *step, int lane,
           int n_ways)
{
  g_string_append_printf (out, "<svg width=\"%d\" aria-hidden=\"true\">", at (n_ways - 1) + 9);
  for (guint i = 0; i < ways->lane->len; i++)
    {
      int passing = g_array_index (ways->lane, int, i);
      if (passing >= 0 && (int) i != lane && i < before->len
          && g_array_index (before, int, i) == passing)
        g_string_append_printf (out, "<line x1=\"%d\" x2=\"%d\" y1=\"0\" y2=\"100%%\"/>",
                                at ((int) i), at ((int) i));
    }
  for (guint i = 0; i < step->from->len; i++)
    for (guint j = 0; j < before->len; j++)
      if (g_array_index (before, int, j) == g_array_index (step->from, int, i))
        g_string_append_printf (out, "<path d=\"M%d 0C%d %d %d 0 %d %d\"/>", at ((int) j),
                                at ((int) j), DOT, at (lane), at (lane), DOT);
  if (step->n_uses > 0)
    g_string_append_printf (out, "<line x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"100%%\"/>", at (lane),
                            at (lane), DOT);
  g_string_append_printf (out, "<circle cx=\"%d\" cy=\"%d\" r=\"5\"/></svg>", at (lane), DOT);
}

/* For ears: "step 3, reads steps 1 and 2". */
static void
tell (GString *out, const SlStep *step, guint number)
{
  g_string_append_printf (out, "<span class=\"hidden\">Step %u", number + 1);
  for (guint i = 0; i < step->from->len; i++)
    g_string_append_printf (out, "%s%d", i == 0 ? ", reads step " : ", step ",
                            g_array_index (step->from, int, i) + 1);
  g_string_append (out, ": </span>");
}

static const SlReportInput *
input_of (const SlReport *report, const char *name)
{
  for (int i = 0; i < report->n_inputs; i++)
    if (g_str_equal (report->input[i].name, name))
      return &report->input[i];
  return NULL;
}

static void
draw_table (GString *out, const SlReportInput *input)
{
  const SlTable *table = input->table;
  g_string_append_printf (out, " <span class=\"soft\">%s, ", table->kind->name);
  sl_html_many (out, input->rows, "row", "rows");
  if (table->n_classes > 0)
    {
      g_string_append (out, ", ");
      sl_html_many (out, table->n_classes, "class", "classes");
    }
  g_string_append (out, "</span>");
  for (int t = 0; t < table->tags.n; t++)
    {
      g_string_append (out, " <span class=\"tag\"><bdi>");
      sl_html_text (out, table->tags.tag[t].key, -1);
      g_string_append (out, "</bdi> = <bdi>");
      sl_html_text (out, table->tags.tag[t].value, -1);
      g_string_append (out, "</bdi></span>");
    }
}

static void
draw_step (SlReport *report, const SlStep *step, guint number, const GArray *before,
           const Ways *ways, int lane, int n_ways)
{
  static const char *const classes[] = { "source", "stage", "table", "source" };
  GString *out = report->page.html;
  g_string_append_printf (out, "<li class=\"%s\" style=\"padding-left:%dpx\">", classes[step->kind],
                          at (n_ways - 1) + 16);
  draw_ways (out, before, ways, step, lane, n_ways);
  tell (out, step, number);
  g_string_append (out, step->kind == SL_STEP_SOURCE ? "<bdi>" : "<strong><bdi>");
  sl_html_text (out, step->name, -1);
  g_string_append (out, step->kind == SL_STEP_SOURCE ? "</bdi>" : "</bdi></strong>");
  const SlReportInput *input = step->kind == SL_STEP_TABLE ? input_of (report, step->name) : NULL;
  if (input != NULL)
    draw_table (out, input);
  if (*step->text != '\0')
    {
      g_string_append (out,
                       step->kind == SL_STEP_STAGE ? " <code><bdi>" : " <span class=\"soft\">");
      sl_html_text (out, step->text, -1);
      g_string_append (out, step->kind == SL_STEP_STAGE ? "</bdi></code>" : "</span>");
    }
  g_string_append (out, "</li>\n");
}

/* The steps in order, once to learn how many ways there are, then to draw them. */
static int
follow (SlReport *report, const SlLineage *lineage, int n_ways, gboolean drawn)
{
  guint n = lineage->steps->len;
  g_autofree int *left = g_new0 (int, n + 1);
  g_autoptr (GArray) lanes = g_array_new (FALSE, FALSE, sizeof (int));
  Ways ways = { .lane = lanes, .left = left };
  for (guint i = 0; i < n; i++)
    left[i] = ((SlStep *) lineage->steps->pdata[i])->n_uses;
  for (guint i = 0; i < n; i++)
    {
      const SlStep *step = lineage->steps->pdata[i];
      g_autoptr (GArray) before = g_array_copy (lanes);
      int lane = choose_lane (&ways, step);
      n_ways = MAX (n_ways, (int) lanes->len);
      g_array_index (lanes, int, lane) = step->n_uses > 0 ? (int) i : -1;
      if (drawn)
        draw_step (report, step, i, before, &ways, lane, n_ways);
    }
  return MIN (n_ways, MOST_WAYS);
}

void
sl_report_draw_origin (SlReport *report)
{
  SlPage *page = &report->page;
  SlLineage lineage;
  sl_lineage_init (&lineage);
  for (int i = 0; i < report->n_inputs; i++)
    sl_lineage_add (&lineage, report->input[i].table, report->input[i].name);
  sl_page_section_begin (page, "origin", "Where the tables come from");
  sl_page_note (page, "Each line is a file, a stage with the options that are not at their "
                      "defaults, or one of the tables of this page.");
  g_string_append (page->html, "<ol class=\"way\">\n");
  follow (report, &lineage, follow (report, &lineage, 1, FALSE), TRUE);
  g_string_append (page->html, "</ol>\n");
  if (lineage.cut)
    sl_page_note (page, "There are more steps than can be drawn; `softlabel history` prints all.");
  sl_page_section_end (page);
  sl_lineage_clear (&lineage);
}
