/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reals as text and back, the same in every locale. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The shortest decimal text that reads back as VALUE; not NUL-terminated. Returns its length. */
#define SL_REAL_CHARS 32
gsize sl_format_real (char *text, double value);
gsize sl_format_float32 (char *text, float value); /* likewise, as a float */

/* A number that names something: a whole one below 2^53 has all its digits, as the integer has. */
gsize sl_format_name (char *text, double value);

/* Reads one real at the start of TEXT, whatever the locale; returns the characters used, 0 where
 * there is none. */
gsize sl_scan_real (const char *text, gsize length, double *value);

/* One number of TEXT, all of it: FALSE where it is empty, has anything after the number, or is not
 * finite. */
gboolean sl_parse_real (const char *text, gssize length, double *value);
gboolean sl_parse_integer (const char *text, gssize length, gint64 *value);

/* Whether all of TEXT is a number that sl_parse_real() does not take because it is too large; of
 * its sign. */
gboolean sl_is_huge (const char *text, gssize length, double *infinite);

G_END_DECLS
