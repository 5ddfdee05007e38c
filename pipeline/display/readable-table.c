/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "readable-table.h"

#include "column-widths.h"
#include "terminal.h"

#include <string.h>

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
  SlColumnWidths layout;
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
  sl_column_widths_init (&render->layout, table);
  return render;
}

void
sl_render_keep (SlRender *render, int column)
{
  render->layout.kept = column;
}

void
sl_render_free (SlRender *render)
{
  sl_column_widths_clear (&render->layout);
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
      append_count (text, table->n_classes, "class: ", "classes: ");
    }
  /* No character takes over four bytes; what comes after that many is cut off anyway. */
  for (gint32 k = 0; k < table->n_classes && text->len < (gsize) render->width * 4; k++)
    {
      g_string_append (text, k > 0 ? ", " : "");
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
append_padded (const SlRender *render, GString *out, const SlField *field, int own,
               const char *style, const char *text)
{
  gboolean right = sl_field_is_number (field);
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
      const SlField *field = &render->layout.field[f];
      if (field->width == 0)
        continue;
      append_padded (render, out, field, (int) strlen (field->name), BOLD, field->name);
      sl_display_space (out, GAP);
    }
  end_line (out);
}

static void
append_cell (SlRender *render, const SlField *field, const SlBatch *batch, gint64 row, GString *out)
{
  if (field->form == SL_CELL_BARS)
    {
      const double *p = batch->column[field->column].real + row * render->table->n_classes;
      gint32 gold = render->gold < 0 ? -1 : batch->column[render->gold].code[row];
      int own = sl_bars_draw (&field->bars, render->table, p, gold, render->color, out);
      sl_display_space (out, field->width - own);
      return;
    }
  const char *text = sl_column_widths_cell (&render->layout, field, batch, row);
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
  sl_column_widths_fit (&render->layout, sample, render->sample_rows, render->width);
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
      const SlField *field = &render->layout.field[f];
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
      append_styled (render, out, DIM, text->str);
      g_string_append_c (out, '\n');
    }
  append_left_out (render, out);
}
