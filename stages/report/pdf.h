/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures as PDF, with their fonts inside, by librsvg and cairo. They are loaded when they are
 * asked for, before the stage locks itself in, as it starts no other program. */
#pragma once

#include <glib.h>

/* Loads the libraries. FALSE and ERROR, a usage error that names OPTION: they are not there. */
gboolean sl_pdf_load (const char *option, GError **error);

/* The folders of fonts that the libraries will read, NULL-terminated; NULL: they are not loaded. */
char *const *sl_pdf_font_folders (void);

/* SVG as a page of WIDTH x HEIGHT points; to be freed. */
GByteArray *sl_pdf_of_svg (const GString *svg, double width, double height, GError **error);
