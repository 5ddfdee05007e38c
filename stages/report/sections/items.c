/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Items: how far their answers agree, and the hardest ones. */
#include "schemas/items.h"

#include "draw-distribution.h"
#include "extremes.h"
#include "pipeline/base/intern/intern.h"
#include "sections.h"

#include <math.h>

static const int figures[]
    = { SL_ITEMS_ANSWERS,    SL_ITEMS_AGREEMENT, SL_ITEMS_CONSISTENCY, SL_ITEMS_ENTROPY,
        SL_ITEMS_DIFFICULTY, SL_ITEMS_GAIN,      SL_ITEMS_ACTIVELAB };

typedef struct
{
  const SlReportInput *input;
  SlHistogram agreement;
  SlExtremes hardest;
} OneTable;

static gboolean
begin (gpointer state, SlReport *report, const SlReportInput *input, GError **error)
{
  OneTable *table = state;
  table->input = input;
  sl_histogram_init (&table->agreement, 0, 1, 20);
  sl_extremes_init (&table->hardest, report->most);
  return TRUE;
}

static gboolean
take (gpointer state, SlReport *report, const SlBatch *batch, GError **error)
{
  OneTable *table = state;
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      double difficulty = batch->column[SL_ITEMS_DIFFICULTY].real[i];
      sl_histogram_add (&table->agreement, batch->column[SL_ITEMS_AGREEMENT].real[i]);
      if (isnan (difficulty))
        continue;
      gsize length;
      const char *item = sl_text_get (batch->column[SL_ITEMS_ITEM].text, i, &length);
      SlExtreme *place = sl_extremes_add (&table->hardest, -difficulty, sl_text_hash (item, length),
                                          item, length);
      if (place == NULL)
        continue;
      place->values = g_new (double, G_N_ELEMENTS (figures));
      for (gsize f = 0; f < G_N_ELEMENTS (figures); f++)
        {
          const SlColumn *column = &batch->column[figures[f]];
          place->values[f] = column->real != NULL    ? column->real[i]
                             : column->int64 != NULL ? (double) column->int64[i]
                                                     : NAN;
        }
    }
  return TRUE;
}

static gboolean
end (gpointer state, SlReport *report, GError **error)
{
  const OneTable *table = state;
  sl_extremes_want_pictures (&table->hardest, report->pictures);
  return TRUE;
}

static void
draw_hardest (SlReport *report, const OneTable *table)
{
  SlPage *page = &report->page;
  gboolean images = sl_pictures_any (report->pictures);
  static const char *const heads[]
      = { "item",     "image",       "#answers", "#agreement", "#consistency",
          "#entropy", "#difficulty", "#gain",    "#activelab", NULL };
  const char *shown[G_N_ELEMENTS (heads)];
  int n = 0;
  gboolean has_activelab = sl_table_has (table->input->table, SL_ITEMS_ACTIVELAB);
  for (int h = 0; heads[h] != NULL; h++)
    if ((h != 1 || images) && (h != 8 || has_activelab))
      shown[n++] = heads[h];
  shown[n] = NULL;
  sl_page_table_begin (page,
                       "<strong>Hardest items</strong>: those with the largest expected share of "
                       "wrong answers; gain is what one more answer is expected to tell, in nats.",
                       shown);
  for (int i = 0; i < table->hardest.n; i++)
    {
      const SlExtreme *item = &table->hardest.of[i];
      sl_page_row (page);
      sl_page_row_name (page, item->name, -1);
      if (images)
        sl_pictures_append_cell (report->pictures, page->html, item->name);
      for (gsize f = 0; f < G_N_ELEMENTS (figures); f++)
        if (figures[f] != SL_ITEMS_ACTIVELAB || has_activelab)
          sl_page_cell_figure (page, item->values[f]);
    }
  sl_page_table_end (page);
}

static void
draw (gpointer state, SlReport *report)
{
  const OneTable *table = state;
  SlPage *page = &report->page;
  if (table->agreement.all == 0)
    {
      sl_page_note (page, "The table has no items with answers.");
      return;
    }
  sl_page_grid_begin (page);
  sl_histogram_draw (&table->agreement, page, "Agreement on an item",
                     "share of pairs of answers that are the same", "items");
  sl_page_grid_end (page);
  draw_hardest (report, table);
}

static void
clear (gpointer state)
{
  OneTable *table = state;
  sl_histogram_clear (&table->agreement);
  sl_extremes_clear (&table->hardest);
}

const SlSection sl_section_items = {
  .id = "items",
  .title = "Items",
  .kinds = { &sl_items },
  .size = sizeof (OneTable),
  .begin = begin,
  .take = take,
  .end = end,
  .draw = draw,
  .clear = clear,
};
