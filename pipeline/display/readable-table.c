/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "label-bars.h"
#include "pipeline/table/batch.h"
#include "pipeline/table/tag-columns.h"
#include "pipeline/table/types/types.h"
#include "readable-table.h"
#include "terminal.h"
#include "value-text.h"

#include <string.h>

typedef struct
{
  int column; /* of the kind */
  int joined; /* a list of classes shown with it, as "not frog, ship"; -1: none */
  const char *name;
  SlType type;
  SlCellForm form;
  int width; /* 0: left out */
  int decimals;
  gboolean narrow; /* has fewer columns than it can do with */
  char *same;      /* the text that every sampled row has; NULL: they differ */
  SlBars bars;     /* labels */
} Field;

typedef struct
{
  SlTable *table;
  Field field[SL_MAX_COLUMNS];
  int n_fields;
  guint32 kept;  /* bits of the columns that are not left out, however little room there is */
  GString *text; /* the cell at hand */
} ColumnWidths;

#define GAP 2
#define TEXT_LEAST 40  /* columns to which a text may be cut, in its middle */
#define NARROW_LEAST 8 /* and to which anything but a number is, where there is no room for that */
#define LIST_LEAST 24  /* columns that a list of classes keeps when there is little room */
#define LIST_MOST 48   /* and what it gets before columns without news do */

static void
column_widths_init (ColumnWidths *layout, SlTable *table)
{
  *layout = (ColumnWidths){ .table = sl_table_ref (table), .text = g_string_new (NULL) };
  const SlColumnSpec *specs = table->spec;
  for (int i = 0; specs[i].name != NULL; i++)
    {
      if (!sl_table_has (table, i) || sl_tag_column_is_told (table, i))
        continue;
      Field *last = layout->n_fields > 0 ? &layout->field[layout->n_fields - 1] : NULL;
      if (specs[i].type == SL_TYPE_CLASSES && last != NULL && last->type == SL_TYPE_CHOICES)
        last->joined = i;
      else
        layout->field[layout->n_fields++] = (Field){ .column = i,
                                                     .joined = -1,
                                                     .name = specs[i].name,
                                                     .type = specs[i].type,
                                                     .form = sl_cell_form (&specs[i]) };
    }
}

static void
column_widths_clear (ColumnWidths *layout)
{
  for (int f = 0; f < layout->n_fields; f++)
    g_free (layout->field[f].same);
  g_string_free (layout->text, TRUE);
  sl_table_unref (layout->table);
}

static gboolean
is_list (const Field *field)
{
  return field->form == SL_CELL_LIST;
}

static gboolean
field_is_number (const Field *field)
{
  return field->form == SL_CELL_REAL || field->form == SL_CELL_NUMBER;
}

/* The text of a cell, which is no label; "" where the value is missing. Valid until the next
 * call. */
static const char *
column_widths_cell (ColumnWidths *layout, const Field *field, const SlBatch *batch, gint64 row)
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
    sl_display_cut (
        text, 0, is_list (field) || field->narrow ? field->width : MAX (field->width, TEXT_LEAST),
        !is_list (field));
  return text->str;
}

static void
measure_decimals (Field *field, const SlBatch *batch, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    if (!sl_value_is_missing (batch, field->column, i))
      field->decimals
          = MAX (field->decimals, sl_cell_decimals (sl_cell_real (batch, field->column, i)));
}

static void
measure_cells (ColumnWidths *layout, Field *field, const SlBatch *batch, gint64 n, int *width)
{
  for (gint64 i = 0; i < n; i++)
    {
      const char *text = column_widths_cell (layout, field, batch, i);
      *width = MAX (*width, sl_display_width (text, -1));
      if (batch->first_row + i == 0)
        field->same = g_strdup (text);
      else if (field->same != NULL && strcmp (field->same, text) != 0)
        g_clear_pointer (&field->same, g_free);
    }
}

static void
measure_labels (Field *field, const SlBatch *batch, gint64 n)
{
  const double *label = batch->column[field->column].real;
  for (gint64 i = 0; i < n; i++)
    sl_bars_measure (&field->bars, batch->table, label + i * batch->table->n_classes);
}

static void
measure (ColumnWidths *layout, Field *field, const GPtrArray *sample, gint64 n_rows)
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
least_width (const Field *field)
{
  if (field->form == SL_CELL_BARS)
    return MAX (sl_bars_least (&field->bars), (int) strlen (field->name));
  return MIN (field->width, is_list (field) ? LIST_LEAST : TEXT_LEAST);
}

static int
wanted_width (const Field *field)
{
  return is_list (field) ? MIN (field->width, LIST_MOST) : least_width (field);
}

static int
total_width (const ColumnWidths *layout, int (*width) (const Field *))
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
is_no_news (const Field *field)
{
  return field->same != NULL && (field->form == SL_CELL_FLAG || field_is_number (field));
}

/* The column furthest right that can be spared. The first column and those that say what was
 * answered cannot. */
static Field *
find_spare (ColumnWidths *layout, gboolean only_no_news)
{
  for (int f = layout->n_fields - 1; f > 0; f--)
    {
      Field *field = &layout->field[f];
      if (field->width > 0 && field->form != SL_CELL_BARS && !is_list (field)
          && !(layout->kept >> field->column & 1) && (!only_no_news || is_no_news (field)))
        return field;
    }
  return NULL;
}

/* The distribution furthest right that is not the first one: it tells the same once more. */
static Field *
find_second_bars (ColumnWidths *layout)
{
  Field *last = NULL;
  int n = 0;
  for (int f = 0; f < layout->n_fields; f++)
    if (layout->field[f].width > 0 && layout->field[f].form == SL_CELL_BARS && n++ > 0)
      last = &layout->field[f];
  return last;
}

/* One row is the same as itself, which is no reason to leave a value out. */
static void
forget_single_row (ColumnWidths *layout, const GPtrArray *sample)
{
  gint64 n = 0;
  for (guint b = 0; b < sample->len; b++)
    n += ((const SlBatch *) sample->pdata[b])->n_rows;
  for (int f = 0; n < 2 && f < layout->n_fields; f++)
    g_clear_pointer (&layout->field[f].same, g_free);
}

/* Takes the columns that are LACKING from those furthest right first. */
static void
narrow (ColumnWidths *layout, int lacking)
{
  for (int f = layout->n_fields - 1; f >= 0; f--)
    {
      Field *field = &layout->field[f];
      int least = least_width (field), name = (int) strlen (field->name);
      if (field->width == 0)
        continue;
      field->narrow = TRUE;
      field->width = least;
      if (field->form == SL_CELL_BARS)
        field->width = MAX (sl_bars_fit (&field->bars, least - lacking), name);
      else if (!field_is_number (field))
        field->width = MAX (least - lacking, MIN (least, MAX (NARROW_LEAST, name)));
      lacking = MAX (lacking - (least - field->width), 0);
    }
}

/* Fits the columns to WIDTH by the first N_ROWS rows of SAMPLE, which are batches in order. Columns
 * without news go before lists are cut, and lists are cut before other columns go; of these a
 * second distribution goes first. */
static void
column_widths_fit (ColumnWidths *layout, const GPtrArray *sample, gint64 n_rows, int width)
{
  for (int f = 0; f < layout->n_fields; f++)
    measure (layout, &layout->field[f], sample, n_rows);
  forget_single_row (layout, sample);
  Field *spare;
  while (total_width (layout, wanted_width) > width && (spare = find_spare (layout, TRUE)) != NULL)
    spare->width = 0;
  while (total_width (layout, least_width) > width && (spare = find_second_bars (layout)) != NULL)
    spare->width = 0;
  while (total_width (layout, least_width) > width && (spare = find_spare (layout, FALSE)) != NULL)
    spare->width = 0;
  int room = width - total_width (layout, least_width);
  if (room < 0)
    narrow (layout, -room);
  for (int f = 0; room >= 0 && f < layout->n_fields; f++)
    {
      Field *field = &layout->field[f];
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

#define GAP 2
#define SAMPLE_ROWS 1000  /* the layout comes from so many rows */
#define WIDE_ENOUGH 10000 /* where the width is not limited */

#define BOLD "\033[1m"
#define DIM "\033[2m"
#define RESET "\033[0m"

struct _SlRender
{
  SlTable *table;
  int width;
  gboolean color;
  gint64 max_rows, rows, printed;
  gint64 sample_rows; /* rows that the layout comes from */
  GPtrArray *sample;  /* batches held back; NULL once the layout stands */
  ColumnWidths layout;
  int gold; /* the column of the right class; -1: none */
};

SlRender *
sl_render_new (SlTable *table, int width, gboolean color, gint64 max_rows)
{
  SlRender *render = g_new0 (SlRender, 1);
  render->table = sl_table_ref (table);
  render->width = width > 0 ? width : WIDE_ENOUGH;
  render->color = color;
  render->max_rows = max_rows;
  render->sample_rows = max_rows > 0 ? MIN (max_rows, SAMPLE_ROWS) : SAMPLE_ROWS;
  render->sample = g_ptr_array_new_with_free_func ((GDestroyNotify) sl_batch_unref);
  render->gold = sl_table_column (table, "gold");
  column_widths_init (&render->layout, table);
  return render;
}

void
sl_render_keep (SlRender *render, int column)
{
  render->layout.kept |= 1u << column;
}

void
sl_render_free (SlRender *render)
{
  column_widths_clear (&render->layout);
  g_clear_pointer (&render->sample, g_ptr_array_unref);
  sl_table_unref (render->table);
  g_free (render);
}

static void
append_styled (const SlRender *render, GString *out, const char *style, const char *text)
{
  gboolean styled = render->color && *style != '\0';
  g_string_append (out, styled ? style : "");
  g_string_append (out, text);
  g_string_append (out, styled ? RESET : "");
}

static const char *
dot (void)
{
  return sl_display_utf8 () ? "·" : "-";
}

static void
append_count (GString *out, gint64 n, const char *one, const char *many)
{
  sl_display_count (out, n);
  g_string_append_c (out, ' ');
  g_string_append (out, n == 1 ? one : many);
}

/* "tags: model=vgg, seed=1", on a line of its own, cut to the width. */
static void
append_tags (const SlRender *render, GString *out)
{
  if (render->table->tags.n == 0)
    return;
  g_autoptr (GString) tags = g_string_new (NULL), text = g_string_new ("tags: ");
  sl_tags_append_text (&render->table->tags, tags);
  sl_display_text (text, tags->str, (gssize) tags->len);
  sl_display_cut (text, 0, MAX (render->width, 1), FALSE);
  g_string_append_printf (out, "%s\n", text->str);
}

/* "labels · 200 rows · 3 classes: cat, dog, horse", cut to the width. */
static void
append_heading (const SlRender *render, gboolean whole, GString *out)
{
  const SlTable *table = render->table;
  g_autoptr (GString) text = g_string_new (NULL);
  if (whole)
    {
      g_string_append_printf (text, " %s ", dot ());
      append_count (text, render->rows, "row", "rows");
    }
  if (table->n_classes > 0)
    {
      g_string_append_printf (text, " %s ", dot ());
      append_count (text, table->n_classes,
                    "class: ", table->values != NULL ? "ordered classes: " : "classes: ");
    }
  /* No character takes over four bytes; what comes after that many is cut off anyway. */
  for (gint32 k = 0; k < table->n_classes && text->len < (gsize) render->width * 4; k++)
    {
      g_string_append (text, k == 0 ? "" : table->values != NULL ? " < " : ", ");
      sl_display_text (text, table->classes[k], -1);
    }
  sl_display_cut (text, 0, MAX (render->width - (int) strlen (table->kind->name), 1), FALSE);
  append_styled (render, out, BOLD, table->kind->name);
  g_string_append_printf (out, "%s\n", text->str);
  append_tags (render, out);
  g_string_append_c (out, '\n');
}

/* TEXT, which takes OWN columns, in its field. */
static void
append_padded (const SlRender *render, GString *out, const Field *field, int own, const char *style,
               const char *text)
{
  gboolean right = field_is_number (field);
  sl_display_space (out, right ? field->width - own : 0);
  append_styled (render, out, style, text);
  sl_display_space (out, right ? 0 : field->width - own);
}

/* Ends a line without spaces at its end. */
static void
end_line (GString *out)
{
  while (out->len > 0 && out->str[out->len - 1] == ' ')
    g_string_truncate (out, out->len - 1);
  g_string_append_c (out, '\n');
}

static void
append_header (const SlRender *render, GString *out)
{
  for (int f = 0; f < render->layout.n_fields; f++)
    {
      const Field *field = &render->layout.field[f];
      if (field->width == 0)
        continue;
      append_padded (render, out, field, (int) strlen (field->name), BOLD, field->name);
      sl_display_space (out, GAP);
    }
  end_line (out);
}

static void
append_cell (SlRender *render, const Field *field, const SlBatch *batch, gint64 row, GString *out)
{
  if (field->form == SL_CELL_BARS)
    {
      const double *p = batch->column[field->column].real + row * render->table->n_classes;
      gint32 gold = render->gold < 0 ? -1 : batch->column[render->gold].code[row];
      int own = sl_bars_draw (&field->bars, render->table, p, gold, render->color, out);
      sl_display_space (out, field->width - own);
      return;
    }
  const char *text = column_widths_cell (&render->layout, field, batch, row);
  if (*text == '\0')
    append_padded (render, out, field, 1, DIM, dot ());
  else
    append_padded (render, out, field, sl_display_width (text, -1), "", text);
}

static void
print_rows (SlRender *render, const SlBatch *batch, GString *out)
{
  gint64 n = batch->n_rows;
  if (render->max_rows > 0)
    n = MIN (n, render->max_rows - render->printed);
  for (gint64 i = 0; i < n; i++)
    {
      for (int f = 0; f < render->layout.n_fields; f++)
        if (render->layout.field[f].width > 0)
          {
            append_cell (render, &render->layout.field[f], batch, i, out);
            sl_display_space (out, GAP);
          }
      end_line (out);
    }
  render->printed += n;
}

/* Lays the table out by the rows held back, and prints them. */
static void
begin (SlRender *render, gboolean whole, GString *out)
{
  g_autoptr (GPtrArray) sample = g_steal_pointer (&render->sample);
  column_widths_fit (&render->layout, sample, render->sample_rows, render->width);
  append_heading (render, whole, out);
  append_header (render, out);
  for (guint b = 0; b < sample->len; b++)
    print_rows (render, sample->pdata[b], out);
}

void
sl_render_batch (SlRender *render, const SlBatch *batch, GString *out)
{
  render->rows += batch->n_rows;
  if (render->sample == NULL)
    {
      print_rows (render, batch, out);
      return;
    }
  /* Held back, not changed: the count of references is not part of what the caller sees. */
  g_ptr_array_add (render->sample, sl_batch_ref ((SlBatch *) batch));
  if (render->rows >= render->sample_rows)
    begin (render, FALSE, out);
}

/* "left out to fit: seconds, count (all 1)"; without the value once rows were printed that were not
 * sampled. */
static void
append_left_out (const SlRender *render, GString *out)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (int f = 0; f < render->layout.n_fields; f++)
    {
      const Field *field = &render->layout.field[f];
      if (field->width > 0)
        continue;
      g_string_append (text, text->len > 0 ? ", " : "left out to fit: ");
      g_string_append (text, field->name);
      if (field->same != NULL && render->printed > 1 && render->printed <= render->sample_rows)
        g_string_append_printf (text, " (all %s)", *field->same != '\0' ? field->same : "missing");
    }
  if (text->len == 0)
    return;
  g_autoptr (GString) lines = g_string_new (NULL);
  sl_display_wrap (lines, text->str, 2, render->width);
  append_styled (render, out, DIM, lines->str);
  g_string_append_c (out, '\n');
}

void
sl_render_skip (SlRender *render, gint64 n)
{
  render->rows += n;
}

void
sl_render_end (SlRender *render, GString *out)
{
  if (render->sample != NULL)
    begin (render, TRUE, out);
  if (render->rows > render->printed)
    {
      g_autoptr (GString) text = g_string_new (sl_display_utf8 () ? "… " : "... ");
      append_count (text, render->rows - render->printed, "more row, ", "more rows, ");
      sl_display_count (text, render->rows);
      g_string_append (text, " in all");
      g_autoptr (GString) lines = g_string_new (NULL);
      sl_display_wrap (lines, text->str, 2, render->width);
      append_styled (render, out, DIM, lines->str);
      g_string_append_c (out, '\n');
    }
  append_left_out (render, out);
}
