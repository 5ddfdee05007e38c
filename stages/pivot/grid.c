/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "grid.h"

#include "pipeline/base/csv-field.h"
#include "pipeline/display/terminal.h"

#include <string.h>

#define GAP 2

static void
cell_free (gpointer data)
{
  SlGridCell *cell = data;
  g_free (cell->text);
  g_free (cell);
}

void
sl_grid_init (SlGrid *grid, char *const *row_keys)
{
  *grid = (SlGrid){ g_strdupv ((char **) row_keys),
                    g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev),
                    g_ptr_array_new_with_free_func (g_free),
                    g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, cell_free) };
}

void
sl_grid_clear (SlGrid *grid)
{
  g_strfreev (grid->row_keys);
  g_clear_pointer (&grid->rows, g_ptr_array_unref);
  g_clear_pointer (&grid->columns, g_ptr_array_unref);
  g_clear_pointer (&grid->cells, g_hash_table_unref);
  g_free (grid->said);
}

guint
sl_grid_row (SlGrid *grid, char *const *values)
{
  for (guint r = 0; r < grid->rows->len; r++)
    if (g_strv_equal (grid->rows->pdata[r], (const char *const *) values))
      return r;
  g_ptr_array_add (grid->rows, g_strdupv ((char **) values));
  return grid->rows->len - 1;
}

guint
sl_grid_column (SlGrid *grid, const char *head)
{
  for (guint c = 0; c < grid->columns->len; c++)
    if (strcmp (grid->columns->pdata[c], head) == 0)
      return c;
  g_ptr_array_add (grid->columns, g_strdup (head));
  return grid->columns->len - 1;
}

static gint64
place (guint row, guint column)
{
  return (gint64) row << 32 | column;
}

SlGridCell *
sl_grid_put (SlGrid *grid, guint row, guint column, const char *text)
{
  gint64 at = place (row, column);
  if (g_hash_table_contains (grid->cells, &at))
    return NULL;
  SlGridCell *cell = g_new0 (SlGridCell, 1);
  cell->text = g_strdup (text);
  g_hash_table_insert (grid->cells, g_memdup2 (&at, sizeof at), cell);
  return cell;
}

static guint
n_keys (const SlGrid *grid)
{
  return g_strv_length (grid->row_keys);
}

/* The cell of field F of row R, -1 being the heads; NULL: it is none, or there is nothing in it. */
static const SlGridCell *
cell_at (const SlGrid *grid, int r, guint f)
{
  if (r < 0 || f < n_keys (grid))
    return NULL;
  gint64 at = place ((guint) r, f - n_keys (grid));
  return g_hash_table_lookup (grid->cells, &at);
}

/* Field F of row R: first what tells rows apart, then the cells. */
static const char *
field (const SlGrid *grid, int r, guint f)
{
  guint keys = n_keys (grid);
  const SlGridCell *cell = cell_at (grid, r, f);
  if (f < keys)
    return r < 0 ? grid->row_keys[f] : ((char **) grid->rows->pdata[r])[f];
  return r < 0 ? grid->columns->pdata[f - keys] : cell != NULL ? cell->text : "";
}

char *
sl_grid_note (const SlGrid *grid, gboolean bold)
{
  gboolean best = FALSE, stars = FALSE;
  GHashTableIter iter;
  gpointer data;
  g_hash_table_iter_init (&iter, grid->cells);
  while (g_hash_table_iter_next (&iter, NULL, &data))
    {
      const SlGridCell *cell = data;
      best = best || cell->best;
      stars = stars || cell->stars > 0;
    }
  g_autoptr (GString) note = g_string_new (NULL);
  if (best)
    g_string_append_printf (note, "%s: the best, and those whose interval holds it.",
                            bold ? "Bold" : "*");
  if (stars)
    g_string_append_printf (note, "%s† p < .05, ‡ p < .01, § p < .001.", best ? " " : "");
  if (grid->said != NULL)
    g_string_append_printf (note, "%s%s", note->len > 0 ? " " : "", grid->said);
  return note->len > 0 ? g_string_free (g_steal_pointer (&note), FALSE) : NULL;
}

static const char *const star[SL_GRID_STARS + 1] = { "", "†", "‡", "§" };

/* What stands behind a cell's text where no letter is bold. */
static void
append_marks (GString *out, const SlGridCell *cell)
{
  if (cell == NULL)
    return;
  g_string_append (out, cell->best ? "*" : "");
  g_string_append (out, star[cell->stars]);
}

/* Field F of row R as a terminal may show it; nothing is a dot. */
static char *
shown (const SlGrid *grid, int r, guint f)
{
  const char *text = field (grid, r, f);
  GString *out = g_string_new (NULL);
  if (*text == '\0')
    g_string_append (out, sl_display_utf8 () ? "·" : "-");
  else
    sl_display_text (out, text, -1);
  append_marks (out, cell_at (grid, r, f));
  return g_string_free (out, FALSE);
}

void
sl_grid_print (const SlGrid *grid, GString *out)
{
  guint n = n_keys (grid) + grid->columns->len;
  g_autofree int *width = g_new0 (int, n + 1);
  for (guint f = 0; f < n; f++)
    for (int r = -1; r < (int) grid->rows->len; r++)
      {
        g_autofree char *text = shown (grid, r, f);
        width[f] = MAX (width[f], sl_display_width (text, -1));
      }
  for (int r = -1; r < (int) grid->rows->len; r++)
    {
      for (guint f = 0; f < n; f++)
        {
          g_autofree char *text = shown (grid, r, f);
          int room = width[f] - sl_display_width (text, -1);
          gboolean right = f >= n_keys (grid);
          sl_display_space (out, (f > 0 ? GAP : 0) + (right ? room : 0));
          g_string_append (out, text);
          sl_display_space (out, right || f + 1 == n ? 0 : room);
        }
      g_string_append_c (out, '\n');
    }
  g_autofree char *note = sl_grid_note (grid, FALSE);
  if (note != NULL)
    g_string_append_printf (out, "\n%s\n", note);
}

/* TEXT with nothing in it that steers a terminal. */
static GString *
plain (const char *text)
{
  GString *out = g_string_new (NULL);
  sl_display_anywhere (out, text, -1);
  return out;
}

static void
append_csv (GString *out, const char *text)
{
  g_autoptr (GString) field = plain (text);
  sl_csv_write_field (out, field->str, field->len);
}

/* What Markdown would take for something else is escaped. */
static void
append_markdown (GString *out, const char *text)
{
  g_autofree char *line = g_strdelimit (g_strdup (text), "\r\n", ' ');
  g_autoptr (GString) field = plain (line);
  for (const char *c = field->str; *c != '\0'; c++)
    {
      if (strchr ("\\|*_<>`[]", *c) != NULL)
        g_string_append_c (out, '\\');
      g_string_append_c (out, *c);
    }
}

/* The same of LaTeX; a minus is longer than a hyphen. */
static void
append_latex (GString *out, const char *text)
{
  static const struct
  {
    const char *of, *becomes;
  } escapes[] = { { "\\", "\\textbackslash{}" },
                  { "~", "\\textasciitilde{}" },
                  { "^", "\\textasciicircum{}" },
                  { "&", "\\&" },
                  { "%", "\\%" },
                  { "$", "\\$" },
                  { "#", "\\#" },
                  { "_", "\\_" },
                  { "{", "\\{" },
                  { "}", "\\}" },
                  { "\u00b1", "$\\pm$" },
                  { "\u221e", "$\\infty$" },
                  { "\u2020", "$^{\\dagger}$" },
                  { "\u2021", "$^{\\ddagger}$" },
                  { "\u00a7", "$^{\\S}$" },
                  { "<", "$<$" },
                  { ">", "$>$" } };
  g_autofree char *line = g_strdelimit (g_strdup (text), "\r\n", ' ');
  g_autoptr (GString) field = plain (line);
  /* What follows the end of a row in brackets, or is a star, is a part of that. */
  g_string_append (out, field->str[0] == '[' || field->str[0] == '*' ? "{}" : "");
  for (const char *c = field->str; *c != '\0';)
    {
      gsize i = 0;
      while (i < G_N_ELEMENTS (escapes) && !g_str_has_prefix (c, escapes[i].of))
        i++;
      gboolean minus = *c == '-' && g_ascii_isdigit (c[1])
                       && (c == field->str || c[-1] == ' ' || c[-1] == '[');
      if (i < G_N_ELEMENTS (escapes))
        g_string_append (out, escapes[i].becomes);
      else if (minus)
        g_string_append (out, "$-$");
      else
        g_string_append_c (out, *c);
      c += i < G_N_ELEMENTS (escapes) ? strlen (escapes[i].of) : 1;
    }
}

static void
append_html (GString *out, const char *text)
{
  g_autoptr (GString) field = plain (text);
  g_autofree char *escaped = g_markup_escape_text (field->str, (gssize) field->len);
  g_string_append (out, escaped);
}

/* How a row is written; a form that has no rows of heads of its own has them as other rows. */
static const struct
{
  void (*append) (GString *out, const char *text);
  const char *begin, *between, *end, *head_begin, *head_between, *head_end;
  const char *bold, *bold_end; /* NULL: no letter is bold */
  const char *note, *note_end; /* NULL: nothing stands below */
} forms[] = {
  [SL_GRID_CSV] = { append_csv, "", ",", "\n", "", ",", "\n", NULL, NULL, NULL, NULL },
  [SL_GRID_MARKDOWN]
  = { append_markdown, "| ", " | ", " |\n", "| ", " | ", " |\n", "**", "**", "\n", "\n" },
  [SL_GRID_LATEX] = { append_latex, "", " & ", " \\\\\n", "", " & ", " \\\\\n\\midrule\n",
                      "\\textbf{", "}", "\\par\\smallskip{\\footnotesize ", "\\par}\n" },
  [SL_GRID_HTML] = { append_html, "<tr><td>", "</td><td>", "</td></tr>\n", "<tr><th>", "</th><th>",
                     "</th></tr>\n", "<strong>", "</strong>", "<p>", "</p>\n" },
};

static void
append_field (const SlGrid *grid, SlGridForm form, int r, guint f, GString *out)
{
  const char *text = field (grid, r, f);
  const SlGridCell *cell = cell_at (grid, r, f);
  g_autoptr (GString) marked = g_string_new (text);
  gboolean bold = cell != NULL && cell->best && forms[form].bold != NULL;
  if (bold)
    g_string_append (marked, star[cell->stars]);
  else
    append_marks (marked, cell);
  g_string_append (out, bold ? forms[form].bold : "");
  forms[form].append (out, marked->str);
  g_string_append (out, bold ? forms[form].bold_end : "");
}

static void
append_note (const SlGrid *grid, SlGridForm form, GString *out)
{
  g_autofree char *note = forms[form].note != NULL ? sl_grid_note (grid, TRUE) : NULL;
  if (note == NULL)
    return;
  g_string_append (out, forms[form].note);
  forms[form].append (out, note);
  g_string_append (out, forms[form].note_end);
}

/* What stands before the first row, and, of Markdown, below it: a letter or a rule a column. */
static void
append_columns (const SlGrid *grid, GString *out, const char *of_keys, const char *of_cells)
{
  for (guint f = 0; f < n_keys (grid) + grid->columns->len; f++)
    g_string_append (out, f < n_keys (grid) ? of_keys : of_cells);
}

void
sl_grid_print_as (const SlGrid *grid, SlGridForm form, GString *out)
{
  guint n = n_keys (grid) + grid->columns->len;
  if (form == SL_GRID_LATEX)
    {
      g_string_append (out, "\\begin{tabular}{");
      append_columns (grid, out, "l", "r");
      g_string_append (out, "}\n\\toprule\n");
    }
  g_string_append (out, form == SL_GRID_HTML ? "<table>\n" : "");
  for (int r = -1; r < (int) grid->rows->len; r++)
    {
      g_string_append (out, r < 0 ? forms[form].head_begin : forms[form].begin);
      for (guint f = 0; f < n; f++)
        {
          const char *between = r < 0 ? forms[form].head_between : forms[form].between;
          g_string_append (out, f > 0 ? between : "");
          append_field (grid, form, r, f, out);
        }
      g_string_append (out, r < 0 ? forms[form].head_end : forms[form].end);
      if (r < 0 && form == SL_GRID_MARKDOWN)
        {
          append_columns (grid, out, "| --- ", "| ---: ");
          g_string_append (out, "|\n");
        }
    }
  g_string_append (out, form == SL_GRID_LATEX ? "\\bottomrule\n\\end{tabular}\n" : "");
  g_string_append (out, form == SL_GRID_HTML ? "</table>\n" : "");
  append_note (grid, form, out);
}
