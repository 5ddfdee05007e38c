/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A simulator: its parameters as a table. */
#include "schemas/simulator.h"

#include "sections.h"

#include <math.h>

#define ROWS 120

typedef struct
{
  char *group, *name;
  gint32 class, other;
  double value;
} Row;

typedef struct
{
  const SlReportInput *input;
  GArray *rows; /* the first ones */
  gint64 n;
} OneTable;

static void
clear_row (gpointer data)
{
  Row *row = data;
  g_free (row->group);
  g_free (row->name);
}

static gboolean
begin (gpointer state, SlReport *report, const SlReportInput *input, GError **error)
{
  OneTable *table = state;
  *table = (OneTable){ .input = input, .rows = g_array_new (FALSE, FALSE, sizeof (Row)) };
  g_array_set_clear_func (table->rows, clear_row);
  return TRUE;
}

static char *
text_of (const SlBatch *batch, int column, gint64 i)
{
  gsize length;
  const char *text = sl_text_get (batch->column[column].text, i, &length);
  return g_strndup (text, length);
}

static gint32
class_of (const SlBatch *batch, int column, gint64 i)
{
  return batch->column[column].code != NULL ? batch->column[column].code[i] : -1;
}

static gboolean
take (gpointer state, SlReport *report, const SlBatch *batch, GError **error)
{
  OneTable *table = state;
  table->n += batch->n_rows;
  for (gint64 i = 0; i < batch->n_rows && table->rows->len < ROWS; i++)
    {
      Row row = { .group = text_of (batch, SL_SIMULATOR_GROUP, i),
                  .name = text_of (batch, SL_SIMULATOR_NAME, i),
                  .class = class_of (batch, SL_SIMULATOR_CLASS, i),
                  .other = class_of (batch, SL_SIMULATOR_OTHER, i),
                  .value = batch->column[SL_SIMULATOR_VALUE].real[i] };
      g_array_append_val (table->rows, row);
    }
  return TRUE;
}

static void
draw_rows (SlPage *page, const OneTable *table)
{
  static const char *const heads[]
      = { "parameter", "items", "class", "other class", "#value", NULL };
  char *const *classes = table->input->table->classes;
  g_autoptr (GString) caption = g_string_new ("<strong>Parameters</strong>");
  if (table->n > table->rows->len)
    {
      g_string_append (caption, ": the first ");
      sl_html_count (caption, table->rows->len);
      g_string_append (caption, " of ");
      sl_html_count (caption, table->n);
    }
  g_string_append_c (caption, '.');
  sl_page_table_begin (page, caption->str, heads);
  for (guint i = 0; i < table->rows->len; i++)
    {
      const Row *row = &g_array_index (table->rows, Row, i);
      sl_page_row (page);
      sl_page_row_name (page, row->name, -1);
      sl_page_cell (page, row->group, -1);
      sl_page_cell (page, row->class >= 0 ? classes[row->class] : "", -1);
      sl_page_cell (page, row->other >= 0 ? classes[row->other] : "", -1);
      sl_page_cell_figure (page, row->value);
    }
  sl_page_table_end (page);
}

static void
draw (gpointer state, SlReport *report)
{
  const OneTable *table = state;
  if (table->n == 0)
    sl_page_note (&report->page, "The table has no rows.");
  else
    draw_rows (&report->page, table);
}

static void
clear (gpointer state)
{
  OneTable *table = state;
  g_array_unref (table->rows);
}

const SlSection sl_section_simulator = {
  .id = "simulator",
  .title = "Simulator",
  .kinds = { &sl_simulator },
  .size = sizeof (OneTable),
  .begin = begin,
  .take = take,
  .draw = draw,
  .clear = clear,
};
