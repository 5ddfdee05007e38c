/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON text, appended piece by piece. (json-glib reads; it writes reals with 17 digits, 0.1 as
 * 0.10000000000000001.) */
#pragma once

#include <glib.h>

void sl_json_string (GString *json, const char *text, gssize length);
/* The shortest text that reads back the same; null if not finite. */
void sl_json_real (GString *json, double value);

/* How deep arrays and objects nest in TEXT, which must be one JSON array and nothing else. Returns
 * 0 where it is not, or nests too deep to be parsed. JSON-GLib alone would not do: its parser
 * recurses without limit, and it accepts comments, 'texts' and several arrays in a row. */
int sl_json_array_depth (const char *text);

/* Whether the texts in TEXT[n] are UTF-8 without a NUL once they are read: JSON-GLib also takes
 * \u0000, half a surrogate pair, and escapes that are not JSON's. */
gboolean sl_json_has_fit_texts (const char *text, gsize n);

/* Appends TEXT as a string, or null where it is NULL. */
void sl_json_text_or_null (GString *json, const char *text);

/* Appends "NAME": with a comma before it unless it is the first member of its object. */
void sl_json_member (GString *json, const char *name);
