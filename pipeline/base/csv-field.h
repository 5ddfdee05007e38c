/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A field of CSV (RFC 4180). */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Appends TEXT in quotes. */
void sl_csv_append_quoted (GString *out, const char *text, gsize length);

/* Appends TEXT, in quotes where it must be. */
void sl_csv_append_field (GString *out, const char *text, gsize length);

/* The same of a field that is written for others. */
void sl_csv_write_field (GString *out, const char *text, gsize length);

/* How many of those so far a spreadsheet takes for a formula. */
guint sl_csv_formulas (void);

G_END_DECLS
