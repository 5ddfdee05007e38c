/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log of training: loss and accuracy by epoch, of each split the mean over runs; of a grid each
 * point's own. */

#include "pipeline/base/intern/intern.h"
#include "sections.h"
#include "stages/report/plot.h"

#include <math.h>

#define LINES 6
#define POINTS 300 /* of a line */

typedef struct
{
  gint32 line, epoch, run;
  double loss, accuracy;
} Row;

typedef struct
{
  const SlReportInput *input;
  SlIntern *lines; /* splits, or split and point of the grid */
  GArray *rows;    /* of Row */
  gint32 most_run;
} OneTable;

/* The section's state is a GArray of OneTable. */
static gboolean
begin (gpointer state, SlReport *report, const SlReportInput *input, GError **error)
{
  GArray **tables = state;
  if (*tables == NULL)
    *tables = SL_OWN (report, g_array_new (FALSE, TRUE, sizeof (OneTable)), g_array_unref);
  OneTable table
      = { .input = input,
          .lines = SL_OWN (report, sl_intern_new (), sl_intern_free),
          .rows = SL_OWN (report, g_array_new (FALSE, FALSE, sizeof (Row)), g_array_unref) };
  g_array_append_val (*tables, table);
  return TRUE;
}

/* The line that row I is of: its split, and the options that were tried. */
static gint32
line_of (SlIntern *lines, const SlBatch *batch, gint64 i)
{
  gsize length;
  const char *text = sl_text_get (batch->column[SL_LOG_SPLIT].text, i, &length);
  g_autoptr (GString) name = g_string_new_len (text, (gssize) length);
  SlText grid = batch->column[SL_LOG_GRID].text;
  text = grid.offset != NULL ? sl_text_get (grid, i, &length) : NULL;
  if (text != NULL && length > 0)
    {
      g_string_append (name, ", ");
      g_string_append_len (name, text, (gssize) length);
    }
  return sl_intern (lines, name->str, name->len);
}

static gboolean
take (gpointer state, SlReport *report, const SlBatch *batch, GError **error)
{
  GArray *tables = *(GArray **) state;
  OneTable *table = &g_array_index (tables, OneTable, tables->len - 1);
  if (!sl_run_claim_array (report->run, (gsize) batch->n_rows, sizeof (Row), "the log", error))
    return FALSE;
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      Row row = { .line = line_of (table->lines, batch, i),
                  .epoch = batch->column[SL_LOG_EPOCH].int32[i],
                  .run = batch->column[SL_LOG_RUN].int32[i],
                  .loss = batch->column[SL_LOG_LOSS].real[i],
                  .accuracy = batch->column[SL_LOG_ACCURACY].real[i] };
      table->most_run = MAX (table->most_run, row.run);
      g_array_append_val (table->rows, row);
    }
  return TRUE;
}

static int
by_line (gconstpointer a, gconstpointer b)
{
  const Row *p = a, *q = b;
  int order = SL_COMPARE (p->line, q->line) ?: SL_COMPARE (p->epoch, q->epoch);
  return order ?: SL_COMPARE (p->run, q->run);
}

/* One line: means over runs, epoch by epoch. */
typedef struct
{
  char *name;
  GArray *epoch, *value; /* double */
} Line;

static void
clear_line (gpointer data)
{
  Line *line = data;
  g_free (line->name);
  g_array_unref (line->epoch);
  g_array_unref (line->value);
}

/* Keeps every so-manieth point and the last one. */
static gboolean
thin_out (Line *line)
{
  guint n = line->epoch->len, step = n / POINTS + 1, kept = 0;
  for (guint i = 0; i < n; i++)
    if (i % step == 0 || i == n - 1)
      {
        g_array_index (line->epoch, double, kept) = g_array_index (line->epoch, double, i);
        g_array_index (line->value, double, kept++) = g_array_index (line->value, double, i);
      }
  g_array_set_size (line->epoch, kept);
  g_array_set_size (line->value, kept);
  return step > 1;
}

static GArray *
lines_of (const OneTable *table, gboolean accuracy, gboolean *thinned)
{
  GArray *lines = g_array_new (FALSE, FALSE, sizeof (Line));
  g_array_set_clear_func (lines, clear_line);
  const Row *rows = (const Row *) (gpointer) table->rows->data;
  for (guint from = 0, to; from < table->rows->len; from = to)
    {
      double sum = 0, epoch = rows[from].epoch;
      for (to = from; to < table->rows->len && rows[to].line == rows[from].line
                      && rows[to].epoch == rows[from].epoch;
           to++)
        sum += accuracy ? rows[to].accuracy : rows[to].loss;
      sum /= to - from;
      if (from == 0 || rows[from].line != rows[from - 1].line)
        {
          Line line = { sl_intern_dup (table->lines, rows[from].line),
                        g_array_new (FALSE, FALSE, sizeof (double)),
                        g_array_new (FALSE, FALSE, sizeof (double)) };
          g_array_append_val (lines, line);
        }
      Line *line = &g_array_index (lines, Line, lines->len - 1);
      g_array_append_val (line->epoch, epoch);
      g_array_append_val (line->value, sum);
    }
  for (guint l = 0; l < lines->len; l++)
    *thinned |= thin_out (&g_array_index (lines, Line, l));
  return lines;
}

static char *
describe (const GArray *lines, guint n)
{
  GString *text = g_string_new (NULL);
  for (guint l = 0; l < n; l++)
    {
      const Line *line = &g_array_index (lines, Line, l);
      guint last = line->value->len - 1;
      sl_html_say (text, "%s%s: from %f to %f at epoch %f", l > 0 ? "; " : "", line->name,
                   g_array_index (line->value, double, 0),
                   g_array_index (line->value, double, last),
                   g_array_index (line->epoch, double, last));
    }
  return g_string_free (text, FALSE);
}

static void
draw_curves (SlPlot *plot, const GArray *lines, guint n)
{
  static const char *const marks[] = { "c1", "c2", "c3", "c4", "c5", "c6" };
  char *names[LINES];
  double last[LINES];
  for (guint l = 0; l < n; l++)
    {
      const Line *line = &g_array_index (lines, Line, l);
      g_autofree char *mark = g_strdup_printf ("line %s%s", marks[l], l % 2 ? " dashed" : "");
      const double *x = (const double *) (gpointer) line->epoch->data,
                   *y = (const double *) (gpointer) line->value->data;
      sl_plot_line (plot, mark, x, y, line->epoch->len);
      if (line->epoch->len == 1)
        sl_svg_circle (plot->out, marks[l], sl_plot_x (plot, x[0]), sl_plot_y (plot, y[0]), 3);
      names[l] = line->name;
      last[l] = y[line->value->len - 1];
    }
  sl_plot_end_names (plot, (int) n, last, names, marks);
}

static void
draw_panel (SlPage *page, const OneTable *table, gboolean accuracy)
{
  gboolean thinned = FALSE;
  g_autoptr (GArray) lines = lines_of (table, accuracy, &thinned);
  guint n = MIN (lines->len, LINES);
  SlAxisRange x = SL_RANGE_EMPTY, y = SL_RANGE_EMPTY;
  for (guint l = 0; l < n; l++)
    {
      const Line *line = &g_array_index (lines, Line, l);
      for (guint i = 0; i < line->epoch->len; i++)
        {
          sl_range_add (&x, g_array_index (line->epoch, double, i));
          sl_range_add (&y, g_array_index (line->value, double, i));
        }
    }
  g_autofree char *text = describe (lines, n);
  g_autofree char *title
      = g_strdup_printf ("%s, %s", accuracy ? "Accuracy" : "Loss", table->input->label);
  SlPlot plot = sl_plot_figure (page, (SlPlotForm){ .title = title,
                                                    .description = text,
                                                    .x = x,
                                                    .y = sl_range_round (y),
                                                    .x_label = "epoch",
                                                    .y_label = accuracy ? "accuracy" : "loss",
                                                    .whole_x = TRUE,
                                                    .right = 78 });
  draw_curves (&plot, lines, n);
  sl_plot_caption (&plot, page, "<strong>%t.</strong>", title);
  if (table->most_run > 0)
    sl_html_say (page->html, " Mean of %n runs.", (gint64) table->most_run + 1);
  if (thinned)
    g_string_append (page->html, " Not every epoch is drawn.");
  if (lines->len > n)
    sl_html_say (page->html, " The first %n lines of %n.", (gint64) n, (gint64) lines->len);
  sl_page_figure_end (page);
}

static void
draw (gpointer state, SlReport *report)
{
  GArray *tables = *(GArray **) state;
  SlPage *page = &report->page;
  gboolean drawn = FALSE;
  sl_page_grid_begin (page);
  for (guint t = 0; t < tables->len; t++)
    {
      OneTable *table = &g_array_index (tables, OneTable, t);
      g_array_sort (table->rows, by_line);
      if (table->rows->len == 0)
        continue;
      drawn = TRUE;
      draw_panel (page, table, FALSE);
      draw_panel (page, table, TRUE);
    }
  sl_page_grid_end (page);
  sl_page_note (page, drawn ? "The loss of training is what is lowered; that of validation is "
                              "cross-entropy."
                            : "The log has no epochs.");
}

const SlSection sl_section_log = {
  .id = "training",
  .title = "Training",
  .kinds = { &sl_training_log },
  .size = sizeof (GArray *),
  .together = TRUE,
  .begin = begin,
  .take = take,
  .draw = draw,
};
