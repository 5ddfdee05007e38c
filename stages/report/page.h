/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One HTML page that needs nothing else: no script, no network. Sections append to it; the list of
 * contents comes from their headings. */
#pragma once

#include <glib.h>

/* What colour NUMBER stands for is said at this byte of the page. */
typedef struct
{
  gsize at;
  int number;
  char *name;
} SlPageKey;

typedef struct
{
  GString *html;  /* the sections so far */
  GString *links; /* items of the list of contents */
  GArray *keys;   /* of SlPageKey, in their order */
  double width;   /* of plots and bars */
  char id[16];
  int n_ids;
} SlPage;

#define SL_PAGE_WIDTH 360.0 /* of plots on a phone */

void sl_page_init (SlPage *page, double width);
void sl_page_clear (SlPage *page);

/* The whole page as text; its sections are gone from PAGE then. */
GString *sl_page_finish (SlPage *page, const char *title, const char *program);

/* "f7": a new one each time, valid until the next. */
const char *sl_page_id (SlPage *page);

/* What is between begin and end belongs together. ID is the section's own, of letters. */
void sl_page_section_begin (SlPage *page, const char *id, const char *title);
void sl_page_section_end (SlPage *page);

void sl_page_heading (SlPage *page, int level, const char *text);
void sl_page_note (SlPage *page, const char *format, ...); /* a paragraph, by sl_html_say() */

/* Figures one beside the other, as many as there is room for. A figure's caption begins with what
 * sl_html_say() makes of FORMAT. */
void sl_page_grid_begin (SlPage *page);
void sl_page_grid_end (SlPage *page);
void sl_page_figure_begin (SlPage *page);
void sl_page_caption (SlPage *page, const char *format, ...); /* from here on, to the end */
void sl_page_figure_end (SlPage *page);

/* What colour NUMBER stands for: a square of it, and NAME. */
void sl_page_key (SlPage *page, int number, const char *name);

/* Figures with a name each: begin, for each its term and what sl_html_say() makes, end. */
void sl_page_facts_begin (SlPage *page);
void sl_page_fact (SlPage *page, const char *term, const char *format, ...);
void sl_page_facts_end (SlPage *page);

/* A table. COLUMNS: headings, NULL-terminated, of numbers with '#' first. CAPTION is markup. */
void sl_page_table_begin (SlPage *page, const char *caption, const char *const *columns);
/* Begins a row. CELLS has a letter for each cell: n the row's own heading, a text; t a text; f a
 * double, a figure; c a gint64, a count; - none. More of the row's cells come by the other. */
void sl_page_row (SlPage *page, const char *cells, ...);
void sl_page_cells (SlPage *page, const char *cells, ...);
void sl_page_table_end (SlPage *page);

/* What is between begin and end is folded away until it is asked for. SUMMARY is markup. */
void sl_page_fold_begin (SlPage *page, const char *summary);
void sl_page_fold_end (SlPage *page);

/* The style sheet of the page, and that of a picture alone (style.c). */
extern const char sl_style[], sl_figure_style[];
