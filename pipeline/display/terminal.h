/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text for people's eyes: nothing in it can steer a terminal, and its width is known. */
#pragma once

#include <glib.h>

/* Whether the locale's character set is UTF-8; if not, everything below keeps to ASCII. */
gboolean sl_display_utf8 (void);

/* Appends TEXT with all that a terminal would act on or not show (control characters, direction
 * overrides, invisible characters, invalid UTF-8) written as \n, \x1b or \u202e. */
void sl_display_text (GString *out, const char *text, gssize length);

/* The same in UTF-8, whatever the locale: for text that other programs read, too. */
void sl_display_anywhere (GString *out, const char *text, gssize length);

/* The columns that displayed text takes: 2 for a wide character, 0 for a combining one. */
int sl_display_width (const char *text, gssize length);

/* Cuts displayed text from OFFSET on to WIDTH columns, in its middle or at its end. */
void sl_display_cut (GString *text, gsize offset, int width, gboolean middle);

/* Appends N spaces, if N is positive. */
void sl_display_space (GString *out, int n);

/* Appends N with commas: 1,234,567. */
void sl_display_count (GString *out, gint64 n);

/* Appends TEXT in lines of at most WIDTH columns, broken at spaces; all lines but the first begin
 * with INDENT spaces. */
void sl_display_wrap (GString *out, const char *text, int indent, int width);

/* The columns of the terminal on standard output; else $COLUMNS; else 10,000, which is no limit. */
int sl_display_columns (void);

/* Whether standard output is a terminal. */
gboolean sl_display_terminal (void);

/* Whether standard output is a terminal that shows colours, and $NO_COLOR does not forbid them. */
gboolean sl_display_color (void);
