/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "figures.h"

#include "html-text.h"
#include "pdf.h"
#include "svg.h"

#include <string.h>

#define PICTURE "<svg class=\"chart\" viewBox=\"0 0 "
#define ONE_COLUMN 88.0 /* mm, of SL_PAGE_WIDTH */
#define LEGEND_LINE 17.0
#define COLUMN 6.4      /* about the width of a character */
#define NAME_COLUMNS 48 /* of a part of a file's name */

/* Where one picture is in the page's text. */
typedef struct
{
  const char *section, *from, *to;
  double width, height;
} Place;

/* The picture from FROM on. */
static Place
place_of (const char *section, const char *from)
{
  Place place = { .section = section, .from = from };
  char *next;
  place.width = g_ascii_strtod (from + strlen (PICTURE), &next);
  place.height = g_ascii_strtod (next, NULL);
  place.to = strstr (from, "</svg>\n");
  return place;
}

/* What stands between AFTER and BEFORE, from FROM on and up to END; LENGTH -1: there is none. */
static const char *
between (const char *from, const char *end, const char *after, const char *before, gssize *length)
{
  const char *at = g_strstr_len (from, end - from, after);
  *length = -1;
  if (at == NULL)
    return NULL;
  at += strlen (after);
  const char *to = g_strstr_len (at, end - at, before);
  if (to != NULL)
    *length = to - at;
  return at;
}

/* Appends a part of a file's name: letters and digits of TEXT, and dashes between them. */
static void
append_slug (GString *name, const char *text, gssize length)
{
  if (length <= 0)
    return;
  g_autofree char *own = g_strndup (text, (gsize) length), *ascii = g_str_to_ascii (own, "C");
  gsize begin = name->len;
  for (const char *c = ascii; *c != '\0' && name->len < begin + NAME_COLUMNS; c++)
    if (g_ascii_isalnum (*c) || *c == '_')
      g_string_append_c (name, g_ascii_tolower (*c));
    else if (*c == '&')
      c = strchr (c, ';') != NULL ? strchr (c, ';') : c; /* an entity */
    else if (name->len > 0 && name->str[name->len - 1] != '-')
      g_string_append_c (name, '-');
  while (name->len > 0 && name->str[name->len - 1] == '-')
    g_string_truncate (name, name->len - 1);
}

/* The file's name without its end: another one than those of USED. */
static char *
name_of (const Place *place, GHashTable *used)
{
  gssize n_section, n_heading = -1, n_title;
  const char *section = between (place->section, place->from, "\"", "\"", &n_section);
  const char *title = strstr (place->from, "<title"), *heading = NULL;
  title = between (title, place->to, ">", "</title>", &n_title);
  const char *last = g_strrstr_len (place->section, place->from - place->section, "<h3><bdi>");
  if (last != NULL)
    heading = between (last, place->from, "<bdi>", "</bdi>", &n_heading);
  g_autoptr (GString) name = g_string_new (NULL);
  append_slug (name, section, n_section);
  g_string_append_c (name, '-');
  append_slug (name, heading, n_heading);
  g_string_append (name, n_heading > 0 ? "-" : "");
  append_slug (name, title, n_title);
  char *own = g_strdup (name->str);
  for (int again = 2; g_hash_table_contains (used, own); again++)
    {
      g_free (own);
      own = g_strdup_printf ("%s-%d", name->str, again);
    }
  g_hash_table_add (used, g_strdup (own));
  return own;
}

/* The keys of PLACE's picture: those of the caption that follows, or else those that the section
 * has before. */
static gboolean
is_key_of (const SlPage *page, const Place *place, const SlPageKey *key)
{
  const char *at = page->html->str + key->at;
  const char *end = strstr (place->to, "</figure>"), *next = strstr (place->to, PICTURE);
  if (end != NULL && (next == NULL || end < next))
    return at > place->to && at < end;
  return at > place->section && at < place->from;
}

/* Appends what PLACE's colours stand for, below the picture. Returns the height of all. */
static double
append_legend (GString *out, const SlPage *page, const Place *place)
{
  double x = 8, y = place->height;
  for (guint k = 0; k < page->keys->len; k++)
    {
      const SlPageKey *key = &g_array_index (page->keys, SlPageKey, k);
      if (!is_key_of (page, place, key))
        continue;
      double width = 24 + COLUMN * sl_html_columns (key->name, -1);
      if (x > 8 && x + width > place->width)
        {
          x = 8;
          y += LEGEND_LINE;
        }
      g_autofree char *mark = g_strdup_printf ("c%d", key->number);
      sl_svg_rect (out, mark, x, y + 3, 10, 10);
      sl_svg_text (out, "", x + 14, y + 12, SL_SVG_START, key->name,
                   (int) ((place->width - x - 14) / COLUMN));
      x += width;
    }
  return x > 8 ? y + LEGEND_LINE : y;
}

static void
append_millimetres (GString *out, const char *name, double length)
{
  g_string_append_printf (out, " %s=\"", name);
  sl_svg_number (out, "", length * ONE_COLUMN / SL_PAGE_WIDTH);
  g_string_append (out, "mm\"");
}

/* PLACE's picture as an SVG file, with LEGEND below it; both together are HEIGHT high. */
static GString *
draw_alone (const Place *place, const GString *legend, double height)
{
  const char *role = strstr (place->from, " role="), *marks = strstr (role, "</desc>\n");
  marks += strlen ("</desc>\n");
  GString *out = g_string_new ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                               "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" "
                               "viewBox=\"0 0 ");
  sl_svg_number (out, "", place->width);
  g_string_append_c (out, ' ');
  sl_svg_number (out, "", height);
  g_string_append_c (out, '"');
  append_millimetres (out, "width", place->width);
  append_millimetres (out, "height", height);
  g_string_append_len (out, role, marks - role);
  g_string_append_printf (out, "<style>\n%s</style>\n", sl_figure_style);
  sl_svg_rect (out, "paper", 0, 0, place->width, height);
  g_string_append_len (out, marks, place->to - marks);
  g_string_append_len (out, legend->str, (gssize) legend->len);
  sl_svg_end (out);
  return out;
}

/* Writes PLACE's picture as NAME.svg, NAME.pdf or both. */
static gboolean
write_picture (SlFolder *folder, const SlPage *page, const Place *place, const char *name,
               SlFiguresAs as, GError **error)
{
  static const double points = ONE_COLUMN / SL_PAGE_WIDTH * 72 / 25.4;
  g_autoptr (GString) legend = g_string_new (NULL);
  double height = append_legend (legend, page, place);
  g_autoptr (GString) svg = draw_alone (place, legend, height);
  g_autofree char *svg_file = g_strconcat (name, ".svg", NULL),
                  *pdf_file = g_strconcat (name, ".pdf", NULL);
  if (as != SL_FIGURES_PDF && !sl_folder_write (folder, svg_file, svg->str, svg->len, error))
    return FALSE;
  if (as == SL_FIGURES_SVG)
    return TRUE;
  g_autoptr (GByteArray) pdf = sl_pdf_of_svg (svg, place->width * points, height * points, error);
  return pdf != NULL && sl_folder_write (folder, pdf_file, pdf->data, pdf->len, error);
}

int
sl_figures_write (SlFolder *folder, const SlPage *page, SlFiguresAs as, GError **error)
{
  gboolean wide = page->width > SL_PAGE_WIDTH;
  g_autoptr (GHashTable) used = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  const char *section = page->html->str, *next = strstr (section, "<section id=");
  int n = 0;
  for (const char *at = section; (at = strstr (at, PICTURE)) != NULL;)
    {
      for (; next != NULL && next < at; next = strstr (next + 1, "<section id="))
        section = next;
      const Place place = place_of (section, at);
      g_autofree char *name = name_of (&place, used);
      at = place.to;
      if (wide && place.width <= SL_PAGE_WIDTH)
        continue;
      g_autofree char *whole = g_strconcat (name, wide ? "-wide" : NULL, NULL);
      if (!write_picture (folder, page, &place, whole, as, error))
        return -1;
      n++;
    }
  return n;
}
