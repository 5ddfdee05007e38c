/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Annotators: how many answers, how good; who is excluded and why. */
#include "schemas/annotators.h"

#include "draw-annotators.h"
#include "pipeline/base/intern/intern.h"
#include "sections.h"

#include <math.h>
#include <string.h>

#define ROWS 20 /* of each list */
#define POINTS 2000

/* What is held against answers in the picture: the first of these that is known of anybody. */
static const int measures[SL_ANNOTATOR_ORDERS]
    = { SL_ANNOTATORS_ACCURACY, SL_ANNOTATORS_AGREEMENT, SL_ANNOTATORS_TRACE,
        SL_ANNOTATORS_RELIABILITY, -1 };

static gboolean
begin (gpointer state, SlReport *report, const SlReportInput *input, GError **error)
{
  SlAnnotatorTable *table = state;
  *table = (SlAnnotatorTable){ .input = input, .least = G_MAXDOUBLE };
  sl_extremes_init (&table->excluded, ROWS);
  for (int o = 0; o < SL_ANNOTATOR_ORDERS; o++)
    {
      table->order[o].column = measures[o];
      sl_extremes_init (&table->order[o].kept, ROWS);
      sl_sample_init (&table->order[o].sample, POINTS);
    }
  return TRUE;
}

static double
value_of (const SlBatch *batch, int column, gint64 i)
{
  const SlColumn *values = &batch->column[column];
  if (values->array == NULL || (values->valid != NULL && !values->valid[i]))
    return NAN;
  return values->real != NULL ? values->real[i] : (double) values->int64[i];
}

/* The row's figures, as listed[] has them, after the answers. */
static double *
figures_of (const SlBatch *batch, gint64 i)
{
  double *figures = g_new (double, SL_ANNOTATOR_FIGURES + 1);
  figures[0] = value_of (batch, SL_ANNOTATORS_ANSWERS, i);
  for (gsize c = 0; c < SL_ANNOTATOR_FIGURES; c++)
    figures[c + 1] = value_of (batch, sl_annotator_figures[c], i);
  return figures;
}

/* Keeps row I where it is among the first of ROWS. */
static void
keep (SlExtremes *rows, double key, const SlBatch *batch, gint64 i)
{
  gsize length;
  const char *name = sl_text_get (batch->column[SL_ANNOTATORS_ANNOTATOR].text, i, &length);
  SlExtreme *place = sl_extremes_add (rows, key, sl_text_hash (name, length), name, length);
  if (place == NULL)
    return;
  place->values = figures_of (batch, i);
  SlText reason = batch->column[SL_ANNOTATORS_REASON].text;
  const char *text = reason.offset != NULL ? sl_text_get (reason, i, &length) : NULL;
  place->note = text != NULL ? g_strndup (text, length) : NULL;
}

static void
add_row (SlAnnotatorTable *table, const SlBatch *batch, gint64 i)
{
  gsize length;
  const char *name = sl_text_get (batch->column[SL_ANNOTATORS_ANNOTATOR].text, i, &length);
  guint64 hash = sl_text_hash (name, length);
  const guint8 *flag = batch->column[SL_ANNOTATORS_EXCLUDED].flag;
  gboolean excluded = flag != NULL && flag[i];
  double answers = value_of (batch, SL_ANNOTATORS_ANSWERS, i);
  table->n++;
  table->answers += (gint64) answers;
  table->n_excluded += excluded;
  table->least = MIN (table->least, answers);
  table->most = MAX (table->most, answers);
  if (excluded)
    keep (&table->excluded, -answers, batch, i);
  for (int o = 0; o < SL_ANNOTATOR_ORDERS; o++)
    {
      SlAnnotatorOrder *order = &table->order[o];
      double value = order->column >= 0 ? value_of (batch, order->column, i) : -answers;
      if (order->column >= 0 && !isnan (value))
        sl_sample_add (&order->sample, hash, answers, value, excluded);
      if (!excluded)
        keep (&order->kept, isnan (value) ? HUGE_VAL : value, batch, i);
    }
}

static gboolean
take (gpointer state, SlReport *report, const SlBatch *batch, GError **error)
{
  SlAnnotatorTable *table = state;
  for (gint64 i = 0; i < batch->n_rows; i++)
    add_row (table, batch, i);
  return TRUE;
}

static char *
caption_of (const char *what, gint64 all, int shown, const char *order)
{
  GString *caption = g_string_new (NULL);
  g_string_append_printf (caption, "<strong>%s</strong>: ", what);
  if (shown < all)
    {
      sl_html_count (caption, shown);
      g_string_append (caption, " of ");
    }
  sl_html_many (caption, all, "annotator", "annotators");
  g_string_append_printf (caption, ", %s.", order);
  return g_string_free (caption, FALSE);
}

static void
draw_kept (SlPage *page, const SlAnnotatorTable *table)
{
  int column = table->chosen->column;
  const SlExtremes *kept = &table->chosen->kept;
  g_autofree char *order = column >= 0
                               ? g_strdup_printf ("the lowest %s first",
                                                  table->input->table->kind->columns[column].name)
                               : g_strdup ("those with the most answers first");
  g_autofree char *caption = caption_of ("Kept", table->n - table->n_excluded, kept->n, order);
  if (kept->n > 0)
    sl_draw_annotator_rows (page, table, kept, caption, FALSE);
}

static void
draw (gpointer state, SlReport *report)
{
  SlAnnotatorTable *table = state;
  SlPage *page = &report->page;
  if (table->n == 0)
    {
      sl_page_note (page, "The table has no rows.");
      return;
    }
  sl_page_facts_begin (page);
  sl_page_fact (page, "annotators");
  sl_html_count (page->html, table->n);
  sl_page_fact (page, "answers");
  sl_html_count (page->html, table->answers);
  if (sl_table_has (table->input->table, SL_ANNOTATORS_EXCLUDED))
    {
      sl_page_fact (page, "excluded");
      sl_html_count (page->html, table->n_excluded);
    }
  sl_page_facts_end (page);
  table->chosen = table->order;
  while (table->chosen->column >= 0 && table->chosen->sample.seen == 0)
    table->chosen++;
  if (table->chosen->sample.seen > 0)
    {
      sl_page_grid_begin (page);
      sl_draw_annotator_histogram (page, table);
      if (table->most > table->least)
        sl_draw_annotator_scatter (page, table);
      sl_page_grid_end (page);
    }
  if (table->n_excluded > 0)
    {
      g_autofree char *caption = caption_of ("Excluded", table->n_excluded, table->excluded.n,
                                             "those with the most answers first");
      sl_draw_annotator_rows (page, table, &table->excluded, caption, TRUE);
    }
  draw_kept (page, table);
}

static void
clear (gpointer state)
{
  SlAnnotatorTable *table = state;
  sl_extremes_clear (&table->excluded);
  for (int o = 0; o < SL_ANNOTATOR_ORDERS; o++)
    {
      sl_extremes_clear (&table->order[o].kept);
      sl_sample_clear (&table->order[o].sample);
    }
}

const SlSection sl_section_annotators = {
  .id = "annotators",
  .title = "Annotators",
  .kinds = { &sl_annotators },
  .size = sizeof (SlAnnotatorTable),
  .begin = begin,
  .take = take,
  .draw = draw,
  .clear = clear,
};
