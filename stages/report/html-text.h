/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts and numbers of a page, the same in every locale. What comes from a file cannot become
 * markup, and cannot turn the direction of the text around it. */
#pragma once

#include <glib.h>

/* Appends TEXT[length] (-1: to its NUL) with HTML's characters as entities, and what would not be
 * seen or would reorder its surroundings (control characters, direction marks, invalid UTF-8) as
 * \u202e. */
void sl_html_text (GString *out, const char *text, gssize length);

char *sl_html_escaped (const char *text); /* the same of TEXT alone, to be freed */

/* The same, cut to MOST columns; wide characters take two. */
void sl_html_cut (GString *out, const char *text, gssize length, int most);

/* Columns that TEXT takes, about. */
int sl_html_columns (const char *text, gssize length);

void sl_html_count (GString *out, gint64 n);                  /* 1,234,567 */
void sl_html_real (GString *out, double value, int decimals); /* never "-0.00"; "–" for NaN */
void sl_html_figure (GString *out, double value); /* with as many decimals as it is worth */
void sl_html_share (GString *out, double share);  /* 12.5 % */
void sl_html_many (GString *out, gint64 n, const char *one,
                   const char *many); /* "1 item", "2,000 items" */

/* Of ALL rows SHOWN are: appends BEFORE, "10 of 200"; nothing where all of them are. */
void sl_html_first (GString *out, const char *before, gint64 shown, gint64 all);

/* Appends FORMAT with, in the place of %n a gint64 as of sl_html_count(), %f a double as of
 * sl_html_figure(), %2 one with two decimals, %p one as of sl_html_share(), %m what sl_html_many()
 * makes of a gint64 and two texts, %s a text as it is, %t one as of sl_html_text() in a <bdi>, %c
 * the same cut to an int of columns. */
void sl_html_say (GString *out, const char *format, ...);
void sl_html_vsay (GString *out, const char *format, va_list *args);
