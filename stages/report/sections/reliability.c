/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reliability: how often what a model says with some confidence is right. What is right is the
 * predictions' own gold, or what labels tell of the item. */
#include "schemas/labels.h"
#include "schemas/predictions.h"

#include "pipeline/base/intern/intern.h"
#include "pipeline/base/largest.h"
#include "sections.h"
#include "stages/common/figures/vote-figures.h"
#include "stages/report/drawings.h"

#include <math.h>
#include <string.h>

#define BINS 15
#define CONDITIONS 8 /* of one table: attacks, corruptions */

/* The right class of each item, as labels tell: their gold, or else their likeliest class. */
typedef struct
{
  SlIntern *items;
  GArray *code; /* gint32 by item: of CLASSES */
  char **classes;
  gint32 n_classes;
  gboolean by_label; /* any of it was taken from a label, not from gold */
  gsize claimed;
} KnownClasses;

/* The classes are those of the first table; what others call otherwise is not known. */
static gint32 *
map_of (KnownClasses *known, SlReport *report, const SlTable *table)
{
  if (known->items == NULL)
    {
      known->items = SL_OWN (report, sl_intern_new (), sl_intern_free);
      known->code = SL_OWN (report, g_array_new (FALSE, FALSE, sizeof (gint32)), g_array_unref);
      known->classes = SL_OWN (report, g_strdupv (table->classes), g_strfreev);
      known->n_classes = table->n_classes;
    }
  return sl_table_class_map (table, known->classes, known->n_classes);
}

/* Items that an earlier table had keep what they have. */
static gboolean
take_known (KnownClasses *known, SlReport *report, const SlBatch *labels, GError **error)
{
  SlLabels view = sl_labels_view (labels);
  g_autofree gint32 *map = map_of (known, report, labels->table);
  for (gint64 i = 0; i < view.n; i++)
    {
      gint32 before = sl_intern_size (known->items);
      if (sl_intern_text (known->items, view.item, i) < before)
        continue;
      const double *p = view.label + i * view.n_classes;
      gint32 class = view.gold != NULL ? view.gold[i] : -1;
      known->by_label |= class < 0;
      class = class >= 0 ? class : sl_largest (p, view.n_classes);
      gint32 code = map[class];
      g_array_append_val (known->code, code);
    }
  gsize bytes = sl_intern_bytes (known->items) + sizeof (gint32) * known->code->len;
  return sl_run_claim_up_to (report->run, &known->claimed, bytes, "the classes of items", error);
}

/* -1: not known */
static gint32
find_known (const KnownClasses *known, const char *item, gsize length)
{
  gint32 id = known->items != NULL ? sl_intern_find (known->items, item, length) : -1;
  return id >= 0 ? g_array_index (known->code, gint32, id) : -1;
}

/* Accuracy, confidence and calibration error of BINS. */
static void
append_summary (GString *out, const SlReliability *bins)
{
  sl_html_say (out, "%m; right %p, mean confidence %p, expected calibration error %f.",
               sl_reliability_all (bins), "prediction", "predictions",
               sl_reliability_accuracy (bins), sl_reliability_confidence (bins),
               sl_reliability_error (bins));
}

static char *
describe (const SlReliability *bins)
{
  GString *text = g_string_new (NULL);
  append_summary (text, bins);
  g_string_append (text, " Share right at each confidence:");
  for (int b = 0; b < bins->n; b++)
    if (bins->count[b] > 0)
      sl_html_say (text, " %2 at %2;", (double) bins->right[b] / (double) bins->count[b],
                   bins->confidence[b] / (double) bins->count[b]);
  return g_string_free (text, FALSE);
}

static void
draw_bins (SlPlot *plot, const SlReliability *bins)
{
  gint64 most = 1;
  for (int b = 0; b < bins->n; b++)
    most = MAX (most, bins->count[b]);
  sl_plot_even (plot);
  for (int b = 0; b < bins->n; b++)
    if (bins->count[b] > 0)
      {
        double n = (double) bins->count[b], lower, upper;
        double x = sl_plot_x (plot, bins->confidence[b] / n);
        sl_share_interval (bins->right[b], bins->count[b], &lower, &upper);
        sl_svg_line (plot->out, "span c1", x, sl_plot_y (plot, lower), x, sl_plot_y (plot, upper));
        sl_svg_circle (plot->out, "c1", x, sl_plot_y (plot, (double) bins->right[b] / n),
                       2.5 + 4.5 * sqrt (n / (double) most));
      }
}

static void
draw_reliability (SlPage *page, const char *title, const SlReliability *bins)
{
  g_autofree char *text = describe (bins);
  SlPlot plot = sl_plot_figure (page, (SlPlotForm){ .title = title,
                                                    .description = text,
                                                    .height = 300,
                                                    .x = { 0, 1 },
                                                    .y = { 0, 1 },
                                                    .x_label = "confidence",
                                                    .y_label = "share that is right" });
  draw_bins (&plot, bins);
  sl_plot_caption (&plot, page, "<strong>%t.</strong> ", title);
  append_summary (page->html, bins);
  sl_page_figure_end (page);
}

typedef struct
{
  char *name; /* "" where examples are as they are */
  SlReliability bins;
} Condition;

typedef struct
{
  const SlReportInput *input;
  Condition conditions[CONDITIONS];
  int n;
  gint64 rows, unknown, left_out;
  SlHistogram sure; /* confidences of those whose right class is unknown */
  gint32 *map;      /* the known classes' numbers among the table's own */
} OneTable;

typedef struct
{
  KnownClasses known;
  gboolean told; /* labels told what is right */
  GArray *tables;
} Reliability;

static gboolean
needs_labels (const SlReport *report)
{
  for (int i = 0; i < report->n_inputs; i++)
    if (report->input[i].table->kind == &sl_predictions)
      return TRUE;
  return FALSE;
}

static gboolean
begin (gpointer state, SlReport *report, const SlReportInput *input, GError **error)
{
  Reliability *reliability = state;
  if (reliability->tables == NULL)
    reliability->tables
        = SL_OWN (report, g_array_new (FALSE, TRUE, sizeof (OneTable)), g_array_unref);
  if (input->table->kind != &sl_predictions)
    return TRUE;
  OneTable table = { .input = input };
  if (reliability->known.classes != NULL)
    {
      g_autoptr (SlTable) labels
          = sl_table_new (&sl_labels, (const char *const *) reliability->known.classes);
      table.map = sl_report_own (
          report, sl_table_class_map (labels, input->table->classes, input->table->n_classes),
          g_free);
    }
  sl_histogram_init (&table.sure, 0, 1, 20);
  sl_report_own (report, table.sure.count, g_free);
  g_array_append_val (reliability->tables, table);
  return TRUE;
}

/* What was done to the example of row I: "fgsm, epsilon 0.01", "fog 3". */
static char *
condition_of (const SlBatch *batch, gint64 i)
{
  GString *name = g_string_new (NULL);
  static const int texts[] = { SL_PREDICTIONS_ATTACK, SL_PREDICTIONS_CORRUPTION };
  for (gsize t = 0; t < G_N_ELEMENTS (texts); t++)
    {
      gsize length;
      SlText column = batch->column[texts[t]].text;
      const char *text = column.offset != NULL ? sl_text_get (column, i, &length) : NULL;
      if (text != NULL && length > 0)
        {
          g_string_append (name, name->len > 0 ? ", " : "");
          g_string_append_len (name, text, (gssize) length);
        }
    }
  const double *epsilon = batch->column[SL_PREDICTIONS_EPSILON].real;
  const gint32 *step = batch->column[SL_PREDICTIONS_STEP].int32,
               *severity = batch->column[SL_PREDICTIONS_SEVERITY].int32;
  if (epsilon != NULL && name->len > 0)
    {
      g_string_append (name, ", ε ");
      sl_html_figure (name, epsilon[i]);
    }
  if (step != NULL && name->len > 0)
    g_string_append_printf (name, ", step %d", step[i]);
  if (severity != NULL && name->len > 0)
    g_string_append_printf (name, " %d", severity[i]);
  return g_string_free (name, FALSE);
}

static Condition *
find_condition (OneTable *table, SlReport *report, const char *name)
{
  for (int c = 0; c < table->n; c++)
    if (strcmp (table->conditions[c].name, name) == 0)
      return &table->conditions[c];
  if (table->n == CONDITIONS)
    return NULL;
  Condition *added = &table->conditions[table->n++];
  *added = (Condition){ .name = sl_report_own (report, g_strdup (name), g_free),
                        .bins = { .n = BINS } };
  return added;
}

static void
add_row (Reliability *reliability, OneTable *table, SlReport *report, const SlBatch *batch,
         gint64 i)
{
  gint32 k = batch->table->n_classes, right = -1;
  const double *p = batch->column[SL_PREDICTIONS_PROB].real + i * k;
  const gint32 *gold = batch->column[SL_PREDICTIONS_GOLD].code;
  if (gold != NULL)
    right = gold[i];
  if (right < 0 && table->map != NULL)
    {
      gsize length;
      const char *item = sl_text_get (batch->column[SL_PREDICTIONS_ITEM].text, i, &length);
      gint32 code = find_known (&reliability->known, item, length);
      right = code >= 0 ? table->map[code] : -1;
      reliability->told |= right >= 0;
    }
  gint32 top = sl_largest (p, k);
  table->rows++;
  table->unknown += right < 0;
  if (right < 0)
    sl_histogram_add (&table->sure, p[top]);
  if (right < 0)
    return;
  g_autofree char *name = condition_of (batch, i);
  Condition *condition = find_condition (table, report, name);
  table->left_out += condition == NULL;
  if (condition != NULL)
    sl_reliability_add (&condition->bins, p[top], top == right);
}

static gboolean
take (gpointer state, SlReport *report, const SlBatch *batch, GError **error)
{
  Reliability *reliability = state;
  if (batch->table->kind == &sl_labels)
    return !needs_labels (report) || take_known (&reliability->known, report, batch, error);
  OneTable *table = &g_array_index (reliability->tables, OneTable, reliability->tables->len - 1);
  for (gint64 i = 0; i < batch->n_rows; i++)
    add_row (reliability, table, report, batch, i);
  return TRUE;
}

static void
draw_condition (SlPage *page, const OneTable *table, const Condition *condition)
{
  g_autofree char *title = g_strdup_printf ("%s%s%s", table->input->label,
                                            *condition->name != '\0' ? ": " : "", condition->name);
  draw_reliability (page, title, &condition->bins);
}

/* How sure predictions are of which nothing tells whether they are right. */
static void
draw_sure (SlPage *page, const OneTable *table)
{
  g_autofree char *title
      = g_strdup_printf ("Confidence, right class unknown: %s", table->input->label);
  sl_histogram_draw (&table->sure, page, title, "confidence", "predictions");
}

static void
tell_left_out (SlPage *page, const OneTable *table)
{
  if (table->unknown > 0)
    sl_page_note (page,
                  "%t: %n of %m left out of the picture, as nothing tells their right class: the "
                  "predictions have no gold, and no labels of these items are given.",
                  table->input->label, table->unknown, table->rows, "prediction is",
                  "predictions are");
  if (table->left_out > 0)
    sl_page_note (page, "%m left out.", table->left_out, "prediction of a further condition is",
                  "predictions of further conditions are");
}

static void
draw (gpointer state, SlReport *report)
{
  const Reliability *reliability = state;
  const KnownClasses *known = &reliability->known;
  SlPage *page = &report->page;
  gboolean drawn = FALSE;
  sl_page_grid_begin (page);
  for (guint t = 0; t < reliability->tables->len; t++)
    {
      const OneTable *table = &g_array_index (reliability->tables, OneTable, t);
      for (int c = 0; c < table->n; c++)
        draw_condition (page, table, &table->conditions[c]);
      drawn |= table->n > 0;
      if (table->unknown > 0)
        draw_sure (page, table);
    }
  sl_page_grid_end (page);
  if (drawn)
    sl_page_note (page,
                  "Predictions are put together by the confidence in their likeliest class, "
                  "in 15 equal parts. A dot below the dashed line is sure too often, one "
                  "above it not often enough; a larger dot stands for more predictions. Lines "
                  "are 95 % intervals (Wilson). Several runs of a table are taken together.");
  if (drawn && reliability->told)
    sl_page_note (page, known->by_label
                            ? "Where predictions have no gold, right is the labels' gold, or else "
                              "their likeliest class."
                            : "Where predictions have no gold, right is the labels' gold.");
  if (!drawn)
    sl_page_note (page, "There are no predictions whose right class is known.");
  for (guint t = 0; t < reliability->tables->len; t++)
    tell_left_out (page, &g_array_index (reliability->tables, OneTable, t));
}

static gboolean
fills (gconstpointer state)
{
  return ((const Reliability *) state)->tables->len > 0;
}

const SlSection sl_section_reliability = {
  .id = "reliability",
  .title = "Reliability of predictions",
  .kinds = { &sl_labels, &sl_predictions },
  .size = sizeof (Reliability),
  .together = TRUE,
  .begin = begin,
  .take = take,
  .fills = fills,
  .draw = draw,
};
