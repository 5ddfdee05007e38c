/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Examples: how many, of what form, of which classes, and the first few images. */
#include "schemas/features.h"

#include "sections.h"
#include "stages/report/drawings.h"

#define CLASSES_SHOWN 14

typedef struct
{
  const SlReportInput *input;
  SlPictures *pictures; /* of the first examples */
  GPtrArray *first;     /* their items */
  gint32 *gold_of_first;
  double *of_class; /* [classes] */
  gint64 n, with_gold;
} OneTable;

static gboolean
begin (gpointer state, SlReport *report, const SlReportInput *input, GError **error)
{
  OneTable *table = state;
  table->input = input;
  table->pictures = SL_OWN (report, sl_pictures_new (), sl_pictures_free);
  table->first = SL_OWN (report, g_ptr_array_new_with_free_func (g_free), g_ptr_array_unref);
  table->gold_of_first = sl_report_own (report, g_new0 (gint32, report->most), g_free);
  table->of_class = sl_report_reals (report, (gsize) input->table->n_classes, "the classes", error);
  return table->of_class != NULL;
}

static gboolean
take (gpointer state, SlReport *report, const SlBatch *batch, GError **error)
{
  OneTable *table = state;
  SlFeatures view = sl_features_view (batch);
  gboolean more = FALSE;
  for (gint64 i = 0; i < view.n; i++)
    {
      gint32 gold = view.gold != NULL ? view.gold[i] : -1;
      table->with_gold += gold >= 0;
      if (gold >= 0)
        table->of_class[gold]++;
      if ((int) table->first->len >= report->most || !sl_pictures_fit (batch->table))
        continue;
      char *name = sl_text_dup (view.item, i);
      table->gold_of_first[table->first->len] = gold;
      g_ptr_array_add (table->first, name);
      sl_pictures_want (table->pictures, name);
      more = TRUE;
    }
  table->n += view.n;
  if (more)
    sl_pictures_take (table->pictures, batch);
  return TRUE;
}

/* "3 × 32 × 32 pixels", "16 numbers". */
static void
append_form (GString *out, const SlTensor *tensor)
{
  for (int d = 0; d < tensor->n_dims; d++)
    sl_html_say (out, "%s%n", d > 0 ? " × " : "", (gint64) tensor->dim[d]);
  g_string_append (out, tensor->number == SL_NUMBER_UINT8 ? " pixels" : " numbers");
}

static void
draw_facts (SlPage *page, const OneTable *table)
{
  const SlTable *header = table->input->table;
  sl_page_facts_begin (page);
  sl_page_fact (page, "examples", "%n", table->n);
  sl_page_fact (page, "each has", "");
  append_form (page->html, &header->tensor[SL_FEATURES_X]);
  if (table->with_gold > 0)
    sl_page_fact (page, "with a gold class", "%n", table->with_gold);
  sl_page_facts_end (page);
}

static void
draw_images (SlReport *report, const OneTable *table)
{
  SlPage *page = &report->page;
  GString *out = page->html;
  sl_report_subheading (report, table->input,
                        table->n > (gint64) table->first->len ? "The first examples"
                                                              : "All examples");
  g_string_append (out, "<ul class=\"cards\">\n");
  for (guint i = 0; i < table->first->len; i++)
    {
      const char *item = table->first->pdata[i];
      gint32 gold = table->gold_of_first[i];
      g_string_append (out, "<li>");
      sl_pictures_append (table->pictures, out, item);
      sl_html_say (out, "<p>%c", item, 40);
      if (gold >= 0)
        sl_html_say (out, " <span class=\"soft\">%c</span>", table->input->table->classes[gold],
                     40);
      g_string_append (out, "</p></li>\n");
    }
  g_string_append (out, "</ul>\n");
}

static void
draw (gpointer state, SlReport *report)
{
  const OneTable *table = state;
  SlPage *page = &report->page;
  draw_facts (page, table);
  if (table->with_gold > 0)
    {
      sl_page_grid_begin (page);
      sl_draw_bars (page, "Examples of each gold class", table->input->table, table->of_class,
                    CLASSES_SHOWN);
      sl_page_grid_end (page);
    }
  /* Where other sections show items with their images, there is no need of more. */
  if (table->first->len > 0 && !sl_pictures_any (report->pictures))
    draw_images (report, table);
  else if (table->first->len == 0 && table->n > 0)
    sl_page_note (page, "These are no images, so none are shown.");
}

const SlSection sl_section_features = {
  .id = "examples",
  .title = "Examples",
  .kinds = { &sl_features },
  .size = sizeof (OneTable),
  .begin = begin,
  .take = take,
  .draw = draw,
};
