/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Labels: how certain they are, which classes they have, the least and the most certain items. */
#include "schemas/labels.h"

#include "pipeline/base/intern/intern.h"
#include "pipeline/base/largest.h"
#include "pipeline/base/real-math.h"
#include "pipeline/command/provenance.h"
#include "sections.h"
#include "stages/report/parts.h"

#include <math.h>

#define PARTS 25
#define CLASSES_SHOWN 14
#define SURE (1 - 1e-9) /* what is larger is the whole */

typedef struct
{
  const SlReportInput *input;
  SlHistogram entropy;
  double *share; /* [classes]: sum of the probabilities */
  double weight;
  gint64 n, sure, with_gold, right;
  SlExtremes least, most; /* certain */
} OneTable;

static gboolean
begin (gpointer state, SlReport *report, const SlReportInput *input, GError **error)
{
  OneTable *table = state;
  table->input = input;
  gint32 k = input->table->n_classes;
  gsize kept = 2 * (gsize) report->most * ((gsize) k * sizeof (double) + 100);
  if (!sl_run_claim (report->run, kept, "the items that are shown", error))
    return FALSE;
  table->share = sl_report_reals (report, (gsize) k, "the classes", error);
  if (table->share == NULL)
    return FALSE;
  sl_histogram_init (&table->entropy, 0, k > 1 ? sl_log (k) : 1, PARTS);
  sl_extremes_init (&table->least, report->most);
  sl_extremes_init (&table->most, report->most);
  SL_OWN (report, &table->entropy, sl_histogram_clear);
  SL_OWN (report, &table->least, sl_extremes_clear);
  SL_OWN (report, &table->most, sl_extremes_clear);
  return TRUE;
}

static double
entropy_of (const double *p, gint32 n)
{
  double entropy = 0;
  for (gint32 k = 0; k < n; k++)
    if (p[k] > 0)
      entropy -= p[k] * sl_log (p[k]);
  return MAX (entropy, 0);
}

static void
keep (SlExtremes *extremes, double key, const SlReport *report, const SlBatch *batch,
      const SlLabels *view, gint64 i)
{
  gsize length;
  const char *item = sl_text_get (view->item, i, &length);
  SlExtreme *place = sl_extremes_add (extremes, key, sl_text_hash (item, length), item, length);
  if (place == NULL)
    return;
  gsize bytes = (gsize) view->n_classes * sizeof (double);
  place->values = g_memdup2 (view->label + i * view->n_classes, bytes);
  place->text = sl_report_text (report, batch, i, item, length);
  place->code = view->gold != NULL ? view->gold[i] : -1;
}

static gboolean
take (gpointer state, SlReport *report, const SlBatch *batch, GError **error)
{
  OneTable *table = state;
  SlLabels view = sl_labels_view (batch);
  for (gint64 i = 0; i < view.n; i++)
    {
      const double *p = view.label + i * view.n_classes;
      double entropy = entropy_of (p, view.n_classes);
      gint32 top = sl_largest (p, view.n_classes);
      for (gint32 k = 0; k < view.n_classes; k++)
        table->share[k] += p[k];
      sl_histogram_add (&table->entropy, entropy);
      table->n++;
      table->weight += view.weight[i];
      table->sure += p[top] > SURE;
      if (view.gold != NULL && view.gold[i] >= 0)
        {
          table->with_gold++;
          table->right += view.gold[i] == top;
        }
      if (p[top] <= SURE)
        keep (&table->least, -entropy, report, batch, &view, i);
      /* Of items that are equally certain those with more answers come first. */
      keep (&table->most, rint (entropy * 1e6) - view.weight[i] / (1 + view.weight[i]), report,
            batch, &view, i);
    }
  return TRUE;
}

static gboolean
end (gpointer state, SlReport *report, GError **error)
{
  OneTable *table = state;
  if (table->sure < table->n)
    {
      sl_extremes_want_pictures (&table->least, report->pictures);
      sl_extremes_want_pictures (&table->most, report->pictures);
    }
  return TRUE;
}

/* By how much any two answers to an item were taken to correlate, as the table's history has it;
 * NaN where it does not say. */
static double
correlation_of (const SlTable *table)
{
  SlJson stages;
  double correlation = NAN;
  g_autoptr (SlJsonParser) parser = sl_json_parser_new ();
  if (table->provenance == NULL || !sl_provenance_read (parser, table->provenance, &stages))
    return NAN;
  SlJsonEach stage = sl_json_each (stages);
  while (sl_json_each_next (&stage))
    {
      SlJson found = sl_json_get (sl_json_get (stage.value, "found"), "correlation");
      if (sl_json_type (found) == SL_JSON_NUMBER)
        correlation = sl_json_number (found);
    }
  return correlation;
}

static void
draw_facts (SlReport *report, const OneTable *table)
{
  SlPage *page = &report->page;
  double n = (double) table->n;
  sl_page_facts_begin (page);
  sl_page_fact (page, "labels", "%n", table->n);
  sl_page_fact (page, "classes", "%n", (gint64) table->input->table->n_classes);
  sl_page_fact (page, "annotators each, mean weight", "%f", table->weight / n);
  sl_page_fact (page, "mean entropy, nats", "%f", table->entropy.sum / n);
  sl_page_fact (page, "wholly on one class", "%p", (double) table->sure / n);
  double correlation = correlation_of (table->input->table);
  if (!isnan (correlation))
    sl_page_fact (page, "answers to one item are taken to correlate by", "%f", correlation);
  if (table->with_gold > 0)
    sl_page_fact (page, "likeliest class is gold", "%p",
                  (double) table->right / (double) table->with_gold);
  sl_page_facts_end (page);
}

static void
draw_cards (SlReport *report, const OneTable *table, const SlExtremes *extremes, const char *title)
{
  SlPage *page = &report->page;
  sl_report_subheading (report, table->input, title);
  g_string_append (page->html, "<ul class=\"cards\">\n");
  for (int i = 0; i < extremes->n; i++)
    {
      const SlExtreme *item = &extremes->of[i];
      sl_html_say (page->html, "<li><p>%c</p>", item->name, 60);
      if (item->text != NULL)
        sl_html_say (page->html, "<p><small>%t</small></p>", item->text);
      sl_pictures_append (report->pictures, page->html, item->name);
      sl_draw_distribution (page, table->input->table, item->name, item->values, item->code);
      g_string_append (page->html, "</li>\n");
    }
  g_string_append (page->html, "</ul>\n");
}

static void
draw (gpointer state, SlReport *report)
{
  const OneTable *table = state;
  SlPage *page = &report->page;
  const SlTable *header = table->input->table;
  draw_facts (report, table);
  sl_page_grid_begin (page);
  sl_histogram_draw (&table->entropy, page, "How certain labels are",
                     "entropy in nats; 0 is certain", "labels");
  g_autofree double *share = g_new (double, header->n_classes + 1);
  for (gint32 k = 0; k < header->n_classes; k++)
    share[k] = table->share[k] / (double) table->n;
  sl_draw_bars (page, "Share of each class in all labels", header, share, CLASSES_SHOWN);
  sl_page_grid_end (page);
  if (table->sure == table->n)
    {
      sl_page_note (page, "Each label is wholly on one class: none is less certain than another.");
      return;
    }
  draw_cards (report, table, &table->least, "Least certain");
  draw_cards (report, table, &table->most, "Most certain");
  sl_page_note (
      page,
      table->with_gold > 0
          ? "✓ is the class that the table has as gold. Of equally certain items, those are shown "
            "that have more answers, then some drawn by their names."
          : "Of equally certain items, those are shown that have more answers, then some drawn by "
            "their names.");
}

const SlSection sl_section_labels = {
  .id = "labels",
  .title = "Labels",
  .kinds = { &sl_labels },
  .size = sizeof (OneTable),
  .empty = "The table has no rows.",
  .begin = begin,
  .take = take,
  .end = end,
  .draw = draw,
};
