/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The curves of a simulator of mixtures: which share of a pair's first class people see, over its
 * share in what is mixed. */

#include "pipeline/base/real-math.h"
#include "sections.h"
#include "stages/report/plot.h"

#include <math.h>
#include <string.h>

#define STEPS 40

typedef struct
{
  gint32 first, second;
  double k, x0; /* NaN: not known */
} Curve;

typedef struct
{
  const SlReportInput *input;
  GArray *curves; /* of Curve */
} OneTable;

static gboolean
begin (gpointer state, SlReport *report, const SlReportInput *input, GError **error)
{
  OneTable *table = state;
  *table = (OneTable){ input, g_array_new (FALSE, FALSE, sizeof (Curve)) };
  SL_OWN (report, table->curves, g_array_unref);
  return TRUE;
}

static Curve *
curve_of (GArray *curves, gint32 first, gint32 second)
{
  for (guint i = 0; i < curves->len; i++)
    {
      Curve *curve = &g_array_index (curves, Curve, i);
      if (curve->first == first && curve->second == second)
        return curve;
    }
  Curve curve = { first, second, NAN, NAN };
  g_array_append_val (curves, curve);
  return &g_array_index (curves, Curve, curves->len - 1);
}

static gboolean
take (gpointer state, SlReport *report, const SlBatch *batch, GError **error)
{
  OneTable *table = state;
  SlText names = batch->column[SL_SIMULATOR_NAME].text;
  const gint32 *first = batch->column[SL_SIMULATOR_CLASS].code,
               *second = batch->column[SL_SIMULATOR_OTHER].code;
  for (gint64 i = 0; first != NULL && second != NULL && i < batch->n_rows; i++)
    {
      gsize n;
      const char *name = sl_text_get (names, i, &n);
      gboolean k = n == 7 && memcmp (name, "mixup.k", n) == 0,
               x0 = n == 8 && memcmp (name, "mixup.x0", n) == 0;
      if ((!k && !x0) || first[i] < 0 || second[i] < 0)
        continue;
      Curve *curve = curve_of (table->curves, first[i], second[i]);
      *(k ? &curve->k : &curve->x0) = batch->column[SL_SIMULATOR_VALUE].real[i];
    }
  return TRUE;
}

static gboolean
is_known (const Curve *curve)
{
  return isfinite (curve->k) && isfinite (curve->x0);
}

static gboolean
fills (gconstpointer state)
{
  const GArray *curves = ((const OneTable *) state)->curves;
  for (guint i = 0; i < curves->len; i++)
    if (is_known (&g_array_index (curves, Curve, i)))
      return TRUE;
  return FALSE;
}

/* What people see where X is mixed: 1 / (1 + exp (-k (x - x0))). */
static double
seen_of (const Curve *curve, double x)
{
  return 1 / (1 + sl_exp (-curve->k * (x - curve->x0)));
}

/* The mean of all curves at X. */
static double
mean_at (const GArray *curves, double x)
{
  double sum = 0, n = 0;
  for (guint i = 0; i < curves->len; i++)
    {
      const Curve *curve = &g_array_index (curves, Curve, i);
      sum += is_known (curve) ? seen_of (curve, x) : 0;
      n += is_known (curve);
    }
  return sum / n;
}

static void
draw_curve (SlPlot *plot, const char *mark, const Curve *curve, const GArray *all)
{
  double x[STEPS + 1], y[STEPS + 1];
  for (int i = 0; i <= STEPS; i++)
    {
      x[i] = (double) i / STEPS;
      y[i] = curve != NULL ? seen_of (curve, x[i]) : mean_at (all, x[i]);
    }
  sl_plot_line (plot, mark, x, y, STEPS + 1);
}

/* Plain text. */
static void
append_pair (GString *text, const char *what, const OneTable *table, const Curve *curve)
{
  char *const *classes = table->input->table->classes;
  g_string_append_printf (text, "%s: %s and %s", what, classes[curve->first],
                          classes[curve->second]);
  sl_html_say (text, " (k %2, x₀ %2)", curve->k, curve->x0);
}

static void
draw (gpointer state, SlReport *report)
{
  const OneTable *table = state;
  SlPage *page = &report->page;
  const Curve *steepest = NULL, *flattest = NULL;
  gint64 n = 0;
  for (guint i = 0; i < table->curves->len; i++)
    {
      const Curve *curve = &g_array_index (table->curves, Curve, i);
      if (!is_known (curve))
        continue;
      n++;
      steepest = steepest == NULL || curve->k > steepest->k ? curve : steepest;
      flattest = flattest == NULL || curve->k < flattest->k ? curve : flattest;
    }
  g_autoptr (GString) text = g_string_new (NULL);
  append_pair (text, "Steepest", table, steepest);
  append_pair (text, "; flattest", table, flattest);
  sl_html_say (text, ". A half is seen as %2 on average.", mean_at (table->curves, 0.5));
  sl_page_grid_begin (page);
  SlPlot plot
      = sl_plot_figure (page, (SlPlotForm){ .title = "What people see of each pair of classes",
                                            .description = text->str,
                                            .height = 300,
                                            .x = { 0, 1 },
                                            .y = { 0, 1 },
                                            .x_label = "share of the first class, mixed",
                                            .y_label = "the same as people see it" });
  sl_plot_even (&plot);
  for (guint i = 0; i < table->curves->len; i++)
    {
      const Curve *curve = &g_array_index (table->curves, Curve, i);
      if (is_known (curve))
        draw_curve (&plot, "thin c6", curve, NULL);
    }
  draw_curve (&plot, "line c1", NULL, table->curves);
  sl_plot_caption (&plot, page,
                   "<strong>What people see of each pair of classes.</strong> A thin curve for "
                   "each of %n pairs, the thick one is their mean, the dashed line would be as it "
                   "is mixed. ",
                   n);
  sl_html_text (page->html, text->str, -1);
  sl_page_figure_end (page);
  sl_page_grid_end (page);
}

const SlSection sl_section_mixing_curves = {
  .id = "mixing-curves",
  .title = "Curves of mixtures",
  .kinds = { &sl_simulator },
  .size = sizeof (OneTable),
  .begin = begin,
  .take = take,
  .fills = fills,
  .draw = draw,
};
