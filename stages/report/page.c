/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page.h"

#include "html-text.h"

#include <string.h>

static gboolean
ends_with (const SlPage *page, const char *end)
{
  gsize n = strlen (end);
  return page->html->len >= n && memcmp (page->html->str + page->html->len - n, end, n) == 0;
}

static void
clear_key (gpointer data)
{
  SlPageKey *key = data;
  g_free (key->name);
}

void
sl_page_init (SlPage *page, double width)
{
  page->width = width;
  page->n_ids = 0;
  page->html = g_string_new (NULL);
  page->links = g_string_new (NULL);
  page->keys = g_array_new (FALSE, FALSE, sizeof (SlPageKey));
  g_array_set_clear_func (page->keys, clear_key);
}

void
sl_page_clear (SlPage *page)
{
  g_string_free (page->html, TRUE);
  g_string_free (page->links, TRUE);
  g_array_unref (page->keys);
}

GString *
sl_page_finish (SlPage *page, const char *title, const char *program)
{
  GString *out = g_string_new (
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n"
      "<title>");
  sl_html_text (out, title, -1);
  g_string_append (out, "</title>\n<style>\n");
  g_string_append (out, sl_style);
  g_string_append (out, "</style>\n</head>\n<body>\n"
                        "<a class=\"skip\" href=\"#main\">Skip to the figures</a>\n"
                        "<header>\n<h1><bdi>");
  sl_html_text (out, title, -1);
  g_string_append (out, "</bdi></h1>\n<nav aria-label=\"Sections\"><ul>\n");
  g_string_append_len (out, page->links->str, (gssize) page->links->len);
  g_string_append (out, "</ul></nav>\n</header>\n<main id=\"main\">\n");
  g_string_append_len (out, page->html->str, (gssize) page->html->len);
  g_string_append (out, "</main>\n<footer><p>");
  sl_html_text (out, program, -1);
  g_string_append (out, "</p></footer>\n</body>\n</html>\n");
  g_string_truncate (page->html, 0);
  return out;
}

const char *
sl_page_id (SlPage *page)
{
  g_snprintf (page->id, sizeof page->id, "f%d", ++page->n_ids);
  return page->id;
}

void
sl_page_section_begin (SlPage *page, const char *id, const char *title)
{
  g_string_append_printf (page->html,
                          "<section id=\"%s\" aria-labelledby=\"%s-h\">\n<h2 id=\"%s-h\">%s</h2>\n",
                          id, id, id, title);
  g_string_append_printf (page->links, "<li><a href=\"#%s\">%s</a></li>\n", id, title);
}

void
sl_page_section_end (SlPage *page)
{
  g_string_append (page->html, "</section>\n");
}

void
sl_page_heading (SlPage *page, int level, const char *text)
{
  g_string_append_printf (page->html, "<h%d><bdi>", level);
  sl_html_text (page->html, text, -1);
  g_string_append_printf (page->html, "</bdi></h%d>\n", level);
}

void
sl_page_note (SlPage *page, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_string_append (page->html, "<p>");
  sl_html_vsay (page->html, format, &args);
  g_string_append (page->html, "</p>\n");
  va_end (args);
}

void
sl_page_grid_begin (SlPage *page)
{
  g_string_append (page->html, "<div class=\"grid\">\n");
}

void
sl_page_grid_end (SlPage *page)
{
  g_string_append (page->html, "</div>\n");
}

void
sl_page_figure_begin (SlPage *page)
{
  g_string_append (page->html, "<figure>\n");
}

void
sl_page_caption (SlPage *page, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_string_append (page->html, "<figcaption>");
  sl_html_vsay (page->html, format, &args);
  va_end (args);
}

void
sl_page_figure_end (SlPage *page)
{
  g_string_append (page->html, "</figcaption>\n</figure>\n");
}

void
sl_page_facts_begin (SlPage *page)
{
  g_string_append (page->html, "<dl class=\"facts\">");
}

void
sl_page_fact (SlPage *page, const char *term, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  gboolean first = ends_with (page, "<dl class=\"facts\">");
  g_string_append_printf (page->html, "%s\n<div><dt>%s</dt><dd>", first ? "" : "</dd></div>", term);
  sl_html_vsay (page->html, format, &args);
  va_end (args);
}

void
sl_page_facts_end (SlPage *page)
{
  g_string_append (page->html, "</dd></div>\n</dl>\n");
}

/* The region can be moved by keyboard where it is wider than the screen. */
void
sl_page_table_begin (SlPage *page, const char *caption, const char *const *columns)
{
  const char *id = sl_page_id (page);
  g_string_append_printf (
      page->html,
      "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-labelledby=\"%s\">\n<table>\n"
      "<caption id=\"%s\"><span>%s</span></caption>\n<thead><tr>",
      id, id, caption);
  for (int c = 0; columns[c] != NULL; c++)
    {
      gboolean number = columns[c][0] == '#';
      g_string_append_printf (page->html, "<th scope=\"col\"%s>%s</th>",
                              number ? " class=\"n\"" : "", columns[c] + number);
    }
  g_string_append (page->html, "</tr></thead>\n<tbody>");
}

static void
append_cells (SlPage *page, const char *cells, va_list *args)
{
  for (; *cells != '\0'; cells++)
    if (*cells == 'n')
      sl_html_say (page->html, "<th scope=\"row\">%t</th>", va_arg (*args, char *));
    else if (*cells == 't')
      sl_html_say (page->html, "<td class=\"t\">%t</td>", va_arg (*args, char *));
    else if (*cells == 'f')
      sl_html_say (page->html, "<td class=\"n\">%f</td>", va_arg (*args, double));
    else if (*cells == 'c')
      sl_html_say (page->html, "<td class=\"n\">%n</td>", va_arg (*args, gint64));
    else
      g_string_append (page->html, "<td class=\"n\">–</td>");
}

void
sl_page_row (SlPage *page, const char *cells, ...)
{
  va_list args;
  va_start (args, cells);
  gboolean first = ends_with (page, "<tbody>");
  g_string_append (page->html, first ? "\n<tr>" : "</tr>\n<tr>");
  append_cells (page, cells, &args);
  va_end (args);
}

void
sl_page_cells (SlPage *page, const char *cells, ...)
{
  va_list args;
  va_start (args, cells);
  append_cells (page, cells, &args);
  va_end (args);
}

void
sl_page_table_end (SlPage *page)
{
  gboolean empty = ends_with (page, "<tbody>");
  g_string_append (page->html, empty ? "</tbody>\n" : "</tr>\n</tbody>\n");
  g_string_append (page->html, "</table>\n</div>\n");
}

void
sl_page_fold_begin (SlPage *page, const char *summary)
{
  g_string_append_printf (page->html, "<details>\n<summary>%s</summary>\n", summary);
}

void
sl_page_fold_end (SlPage *page)
{
  g_string_append (page->html, "</details>\n");
}

void
sl_page_key (SlPage *page, int number, const char *name)
{
  SlPageKey key = { .at = page->html->len, .number = number, .name = g_strdup (name) };
  g_array_append_val (page->keys, key);
  g_string_append_printf (page->html,
                          "<svg class=\"chart key\" width=\"12\" height=\"12\" "
                          "aria-hidden=\"true\"><rect class=\"c%d\" width=\"12\" "
                          "height=\"12\"/></svg> ",
                          number);
  sl_html_text (page->html, name, -1);
}
