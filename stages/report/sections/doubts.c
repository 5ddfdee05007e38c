/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Doubts: how far a model's predictions and the labels have something in common, and the labels to
 * look at again. */
#include "schemas/doubts.h"

#include "draw-distribution.h"
#include "extremes.h"
#include "pipeline/base/intern/intern.h"
#include "sections.h"

#include <math.h>

#define CLASSES_SHOWN 14

enum
{
  SELF_CONFIDENCE,
  MARGIN,
  PREDICTED,
  CONFIDENT,
  GOLD,
  N_FIGURES
};

typedef struct
{
  const SlReportInput *input;
  SlHistogram confidence;
  double *doubted_of; /* [classes]: doubted labels of the class */
  gint64 n, doubted, known, wrong, known_doubted, wrong_doubted;
  SlExtremes first; /* to look at */
} OneTable;

static gboolean
begin (gpointer state, SlReport *report, const SlReportInput *input, GError **error)
{
  OneTable *table = state;
  table->input = input;
  table->doubted_of = sl_run_alloc0 (report->run, (gsize) input->table->n_classes + 1,
                                     sizeof (double), "the classes", error);
  if (table->doubted_of == NULL)
    return FALSE;
  sl_histogram_init (&table->confidence, 0, 1, 20);
  sl_extremes_init (&table->first, report->most);
  return TRUE;
}

static void
keep (OneTable *table, const SlBatch *batch, gint64 i)
{
  gsize length;
  const SlColumn *column = batch->column;
  const char *item = sl_text_get (column[SL_DOUBTS_ITEM].text, i, &length);
  double key = column[SL_DOUBTS_SELF_CONFIDENCE].real[i];
  SlExtreme *place
      = sl_extremes_add (&table->first, key, sl_text_hash (item, length), item, length);
  if (place == NULL)
    return;
  const gint32 *gold = column[SL_DOUBTS_GOLD].code;
  const double values[N_FIGURES] = { [SELF_CONFIDENCE] = key,
                                     [MARGIN] = column[SL_DOUBTS_MARGIN].real[i],
                                     [PREDICTED] = column[SL_DOUBTS_PREDICTED].code[i],
                                     [CONFIDENT] = column[SL_DOUBTS_CONFIDENT].code[i],
                                     [GOLD] = gold != NULL ? gold[i] : -1 };
  place->values = g_memdup2 (values, sizeof values);
  place->code = column[SL_DOUBTS_GIVEN].code[i];
}

static gboolean
take (gpointer state, SlReport *report, const SlBatch *batch, GError **error)
{
  OneTable *table = state;
  const SlColumn *column = batch->column;
  const gint32 *gold = column[SL_DOUBTS_GOLD].code, *given = column[SL_DOUBTS_GIVEN].code;
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      gboolean doubted = column[SL_DOUBTS_DOUBTED].flag[i];
      table->n++;
      table->doubted += doubted;
      if (given[i] >= 0)
        table->doubted_of[given[i]] += doubted;
      if (gold != NULL && gold[i] >= 0)
        {
          gboolean wrong = gold[i] != given[i];
          table->known++;
          table->wrong += wrong;
          table->known_doubted += doubted;
          table->wrong_doubted += wrong && doubted;
        }
      sl_histogram_add (&table->confidence, column[SL_DOUBTS_SELF_CONFIDENCE].real[i]);
      keep (table, batch, i);
    }
  return TRUE;
}

static gboolean
end (gpointer state, SlReport *report, GError **error)
{
  const OneTable *table = state;
  sl_extremes_want_pictures (&table->first, report->pictures);
  return TRUE;
}

static void
draw_facts (SlPage *page, const OneTable *table)
{
  sl_page_facts_begin (page);
  sl_page_fact (page, "labels");
  sl_html_count (page->html, table->n);
  sl_page_fact (page, "doubted");
  sl_html_count (page->html, table->doubted);
  sl_page_fact (page, "share doubted");
  sl_html_share (page->html, (double) table->doubted / (double) table->n);
  if (table->known > 0)
    {
      sl_page_fact (page, "wrong by gold");
      sl_html_share (page->html, (double) table->wrong / (double) table->known);
    }
  if (table->known_doubted > 0)
    {
      sl_page_fact (page, "wrong by gold, of the doubted");
      sl_html_share (page->html, (double) table->wrong_doubted / (double) table->known_doubted);
    }
  sl_page_facts_end (page);
}

static void
draw_class (SlPage *page, const SlTable *table, double code)
{
  sl_page_cell (page, code < 0 ? "–" : table->classes[(int) code], -1);
}

static void
draw_first (SlReport *report, const OneTable *table)
{
  static const char *const heads[]
      = { "item",    "image", "label", "prediction", "confident of", "#self-confidence",
          "#margin", "gold",  NULL };
  SlPage *page = &report->page;
  const SlTable *header = table->input->table;
  gboolean images = sl_pictures_any (report->pictures), gold = table->known > 0;
  const char *shown[G_N_ELEMENTS (heads)];
  int n = 0;
  for (int h = 0; heads[h] != NULL; h++)
    if ((h != 1 || images) && (h != 7 || gold))
      shown[n++] = heads[h];
  shown[n] = NULL;
  sl_page_table_begin (page,
                       "<strong>Look at these first</strong>: the items whose label and prediction "
                       "have least in common. Self-confidence is what both share, from 0 to 1; the "
                       "model is confident of a class where it is surer of it than it is on "
                       "average of items so labelled.",
                       shown);
  for (int i = 0; i < table->first.n; i++)
    {
      const SlExtreme *item = &table->first.of[i];
      sl_page_row (page);
      sl_page_row_name (page, item->name, -1);
      if (images)
        sl_pictures_append_cell (report->pictures, page->html, item->name);
      draw_class (page, header, item->code);
      draw_class (page, header, item->values[PREDICTED]);
      draw_class (page, header, item->values[CONFIDENT]);
      sl_page_cell_figure (page, item->values[SELF_CONFIDENCE]);
      sl_page_cell_figure (page, item->values[MARGIN]);
      if (gold)
        draw_class (page, header, item->values[GOLD]);
    }
  sl_page_table_end (page);
}

static void
draw (gpointer state, SlReport *report)
{
  const OneTable *table = state;
  SlPage *page = &report->page;
  if (table->n == 0)
    {
      sl_page_note (page, "The table has no rows.");
      return;
    }
  draw_facts (page, table);
  sl_page_grid_begin (page);
  sl_histogram_draw (&table->confidence, page, "What label and prediction have in common",
                     "self-confidence", "items");
  if (table->doubted > 0)
    sl_draw_bars (page, "Doubted labels of the class", table->input->table->classes,
                  table->doubted_of, table->input->table->n_classes, CLASSES_SHOWN);
  sl_page_grid_end (page);
  draw_first (report, table);
}

static void
clear (gpointer state)
{
  OneTable *table = state;
  sl_histogram_clear (&table->confidence);
  sl_extremes_clear (&table->first);
  g_free (table->doubted_of);
}

const SlSection sl_section_doubts = {
  .id = "doubts",
  .title = "Labels that a model doubts",
  .kinds = { &sl_doubts },
  .size = sizeof (OneTable),
  .begin = begin,
  .take = take,
  .end = end,
  .draw = draw,
  .clear = clear,
};
