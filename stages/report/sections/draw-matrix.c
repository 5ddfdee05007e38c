/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draw-matrix.h"

#include "stages/report/html-text.h"
#include "stages/report/svg.h"

#include <math.h>
#include <string.h>

#define SIDE 360.0
#define LEFT 92.0 /* of the cells: room for names */
#define NAME 11   /* columns of a name */
#define COLUMN 7.6
#define LISTED 20    /* cells */
#define LEAST 0.0005 /* a share that is listed */

static char *
describe (const double *share, gint32 k, char *const *classes, const SlMatrixTexts *texts)
{
  GString *text = g_string_new (texts->right);
  g_string_append (text, ": ");
  for (gint32 i = 0; i < k; i++)
    {
      g_string_append_printf (text, "%s%s ", i > 0 ? ", " : "", classes[i]);
      sl_html_real (text, share[(gsize) i * (gsize) k + (gsize) i], 2);
    }
  return g_string_free (g_string_append_c (text, '.'), FALSE);
}

/* Room that the names below the columns take: upright where they would cover each other otherwise.
 */
static double
room_below (char *const *classes, gint32 k, gboolean *upright)
{
  int longest = 0;
  for (gint32 j = 0; j < k; j++)
    longest = MAX (longest, MIN (sl_html_columns (classes[j], -1), NAME));
  *upright = longest * COLUMN > (SIDE - LEFT) / k;
  return *upright ? longest * COLUMN + 10 : 20;
}

static void
draw_cells (GString *out, const double *share, gint32 k, char *const *classes,
            const SlMatrixTexts *texts, gboolean upright)
{
  double left = LEFT, top = 20, side = (SIDE - left) / k;
  for (gint32 i = 0; i < k; i++)
    {
      double y = top + i * side;
      sl_svg_text (out, "", left - 6, y + side / 2 + 4, SL_SVG_END, classes[i], NAME);
      for (gint32 j = 0; j < k; j++)
        {
          double p = share[(gsize) i * (gsize) k + (gsize) j], x = left + j * side;
          sl_svg_rect (out, "frame", x, y, side, side);
          if (isnan (p))
            continue;
          if (p > 0)
            sl_svg_cell (out, "heat", x + 0.5, y + 0.5, side - 1, side - 1, 0.75 * p);
          if (k <= SL_MATRIX_NUMBERS && p >= 0.005)
            sl_svg_real (out, i == j ? "name" : "", x + side / 2, y + side / 2 + 4, SL_SVG_MIDDLE,
                         100 * p, 0);
        }
    }
  for (gint32 j = 0; j < k; j++)
    if (upright)
      sl_svg_text_upright (out, "soft", left + (j + 0.5) * side + 4, top + k * side + 5, classes[j],
                           NAME);
    else
      sl_svg_text (out, "soft", left + (j + 0.5) * side, top + k * side + 14, SL_SVG_MIDDLE,
                   classes[j], NAME);
  sl_svg_text (out, "soft", left - 6, 12, SL_SVG_END, "true", 20);
  sl_svg_text (out, "soft", SIDE - 1, 12, SL_SVG_END, texts->in_corner, 40);
}

void
sl_draw_matrix (GString *out, const char *id, const char *title, const double *share, gint32 k,
                char *const *classes, const SlMatrixTexts *texts)
{
  g_autofree char *text = describe (share, k, classes, texts);
  gboolean upright;
  double below = room_below (classes, k, &upright);
  sl_svg_begin (out, SIDE, 20 + (SIDE - LEFT) + below, id, title, text);
  draw_cells (out, share, k, classes, texts, upright);
  sl_svg_end (out);
}

void
sl_draw_confusions (SlPage *page, const char *caption, const double *share, gint32 k,
                    char *const *classes, const SlMatrixTexts *texts)
{
  const char *const heads[] = { "true", texts->of_row, "#share of the true class", NULL };
  gsize side = (gsize) k, best[LISTED], n = 0;
  for (gsize c = 0; c < side * side; c++)
    {
      gsize at = n;
      if (c / side == c % side || !(share[c] >= LEAST))
        continue;
      while (at > 0 && share[c] > share[best[at - 1]])
        at--;
      if (at == LISTED)
        continue;
      n = MIN (n + 1, LISTED);
      memmove (&best[at + 1], &best[at], sizeof *best * (n - 1 - at));
      best[at] = c;
    }
  sl_page_table_begin (page, caption, heads);
  for (gsize i = 0; i < n; i++)
    {
      sl_page_row (page);
      sl_page_row_name (page, classes[best[i] / side], -1);
      sl_page_cell (page, classes[best[i] % side], -1);
      sl_page_cell_figure (page, share[best[i]]);
    }
  sl_page_table_end (page);
}
