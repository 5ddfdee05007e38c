/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "column-widths.h"

#include "pipeline/table/tag-columns.h"
#include "pipeline/table/types/types.h"
#include "terminal.h"

#include <string.h>

#define GAP 2
#define TEXT_LEAST 40 /* columns to which a text may be cut, in its middle */
#define LIST_LEAST 24 /* columns that a list of classes keeps when there is little room */
#define LIST_MOST 48  /* and what it gets before columns without news do */

void
sl_column_widths_init (SlColumnWidths *layout, SlTable *table)
{
  *layout
      = (SlColumnWidths){ .table = sl_table_ref (table), .text = g_string_new (NULL), .kept = -1 };
  const SlColumnSpec *specs = table->spec;
  for (int i = 0; specs[i].name != NULL; i++)
    {
      if (!sl_table_has (table, i) || sl_tag_column_is_told (table, i))
        continue;
      SlField *last = layout->n_fields > 0 ? &layout->field[layout->n_fields - 1] : NULL;
      if (specs[i].type == SL_TYPE_CLASSES && last != NULL && last->type == SL_TYPE_CHOICES)
        last->joined = i;
      else
        layout->field[layout->n_fields++] = (SlField){ .column = i,
                                                       .joined = -1,
                                                       .name = specs[i].name,
                                                       .type = specs[i].type,
                                                       .form = sl_cell_form (specs[i].type) };
    }
}

void
sl_column_widths_clear (SlColumnWidths *layout)
{
  for (int f = 0; f < layout->n_fields; f++)
    g_free (layout->field[f].same);
  g_string_free (layout->text, TRUE);
  sl_table_unref (layout->table);
}

static gboolean
is_list (const SlField *field)
{
  return field->form == SL_CELL_LIST;
}

gboolean
sl_field_is_number (const SlField *field)
{
  return field->form == SL_CELL_REAL || field->form == SL_CELL_NUMBER;
}

const char *
sl_column_widths_cell (SlColumnWidths *layout, const SlField *field, const SlBatch *batch,
                       gint64 row)
{
  GString *text = layout->text;
  g_string_truncate (text, 0);
  sl_cell_append (text, batch, field->column, row, field->decimals);
  if (field->joined >= 0 && !sl_value_is_missing (batch, field->joined, row))
    {
      g_string_append (text, text->len > 0 ? "; not " : "not ");
      sl_cell_append (text, batch, field->joined, row, 0);
    }
  /* Unlike a list, a text that is longer than all that were measured moves the rest of its row
   * rather than be cut. */
  if (field->width > 0)
    sl_display_cut (text, 0, is_list (field) ? field->width : MAX (field->width, TEXT_LEAST),
                    !is_list (field));
  return text->str;
}

static void
measure_decimals (SlField *field, const SlBatch *batch, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    if (!sl_value_is_missing (batch, field->column, i))
      field->decimals
          = MAX (field->decimals, sl_cell_decimals (sl_cell_real (batch, field->column, i)));
}

static void
measure_cells (SlColumnWidths *layout, SlField *field, const SlBatch *batch, gint64 n, int *width)
{
  for (gint64 i = 0; i < n; i++)
    {
      const char *text = sl_column_widths_cell (layout, field, batch, i);
      *width = MAX (*width, sl_display_width (text, -1));
      if (batch->first_row + i == 0)
        field->same = g_strdup (text);
      else if (field->same != NULL && strcmp (field->same, text) != 0)
        g_clear_pointer (&field->same, g_free);
    }
}

static void
measure_labels (SlField *field, const SlBatch *batch, gint64 n)
{
  const double *label = batch->column[field->column].real;
  for (gint64 i = 0; i < n; i++)
    sl_bars_measure (&field->bars, batch->table, label + i * batch->table->n_classes);
}

static void
measure (SlColumnWidths *layout, SlField *field, const GPtrArray *sample, gint64 n_rows)
{
  int width = sl_display_width (field->name, -1);
  /* A real's width depends on the decimals that its column turns out to need. */
  for (int pass = field->form == SL_CELL_REAL ? 0 : 1; pass < 2; pass++)
    for (guint b = 0; b < sample->len; b++)
      {
        const SlBatch *batch = sample->pdata[b];
        gint64 n = CLAMP (n_rows - batch->first_row, 0, batch->n_rows);
        if (pass == 0)
          measure_decimals (field, batch, n);
        else if (field->form == SL_CELL_BARS)
          measure_labels (field, batch, n);
        else
          measure_cells (layout, field, batch, n, &width);
      }
  field->width = width;
}

/* The least columns the field can do with, and those for which columns without news make room. */
static int
least_width (const SlField *field)
{
  if (field->form == SL_CELL_BARS)
    return MAX (sl_bars_least (&field->bars), (int) strlen (field->name));
  return MIN (field->width, is_list (field) ? LIST_LEAST : TEXT_LEAST);
}

static int
wanted_width (const SlField *field)
{
  return is_list (field) ? MIN (field->width, LIST_MOST) : least_width (field);
}

static int
total_width (const SlColumnWidths *layout, int (*width) (const SlField *))
{
  int total = -GAP;
  for (int f = 0; f < layout->n_fields; f++)
    if (layout->field[f].width > 0)
      total += width (&layout->field[f]) + GAP;
  return total;
}

/* A flag or number that is the same in every row says little; a name that is (whose answers these
 * are) still tells. */
static gboolean
is_no_news (const SlField *field)
{
  return field->same != NULL && (field->form == SL_CELL_FLAG || sl_field_is_number (field));
}

/* The column furthest right that can be spared. The first column and those that say what was
 * answered cannot. */
static SlField *
find_spare (SlColumnWidths *layout, gboolean only_no_news)
{
  for (int f = layout->n_fields - 1; f > 0; f--)
    {
      SlField *field = &layout->field[f];
      if (field->width > 0 && field->form != SL_CELL_BARS && !is_list (field)
          && field->column != layout->kept && (!only_no_news || is_no_news (field)))
        return field;
    }
  return NULL;
}

/* The distribution furthest right that is not the first one: it tells the same once more. */
static SlField *
find_second_bars (SlColumnWidths *layout)
{
  SlField *last = NULL;
  int n = 0;
  for (int f = 0; f < layout->n_fields; f++)
    if (layout->field[f].width > 0 && layout->field[f].form == SL_CELL_BARS && n++ > 0)
      last = &layout->field[f];
  return last;
}

/* Columns without news go before lists are cut, and lists are cut before other columns go; of these
 * a second distribution goes first. */
void
sl_column_widths_fit (SlColumnWidths *layout, const GPtrArray *sample, gint64 n_rows, int width)
{
  for (int f = 0; f < layout->n_fields; f++)
    measure (layout, &layout->field[f], sample, n_rows);
  SlField *spare;
  while (total_width (layout, wanted_width) > width && (spare = find_spare (layout, TRUE)) != NULL)
    spare->width = 0;
  while (total_width (layout, least_width) > width && (spare = find_second_bars (layout)) != NULL)
    spare->width = 0;
  while (total_width (layout, least_width) > width && (spare = find_spare (layout, FALSE)) != NULL)
    spare->width = 0;
  int room = MAX (width - total_width (layout, least_width), 0);
  for (int f = 0; f < layout->n_fields; f++)
    {
      SlField *field = &layout->field[f];
      if (field->width == 0)
        continue;
      int least = least_width (field);
      if (field->form == SL_CELL_BARS)
        field->width = MAX (sl_bars_fit (&field->bars, least + room), (int) strlen (field->name));
      else if (field->width > least)
        field->width = MIN (field->width, least + room);
      room -= MAX (field->width - least, 0);
    }
}
