/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small charts of block characters; in a locale without UTF-8, of ASCII. */
#pragma once

#include <glib.h>

/* Appends HEIGHT lines that show the N values Y, which lie in [LO, HI], as columns side by side,
 * within WIDTH: each the mean of the values that it stands for, or, of few values, several columns
 * one value. Before the first and the last line stand HI and LO. What is not a number is left
 * blank. */
void sl_chart_columns (GString *out, const double *y, gsize n, double lo, double hi, int width,
                       int height, gboolean color);

/* Appends the line below such columns that says what the first and the last one are of: FROM and
 * TO, as far as there is room. */
void sl_chart_axis (GString *out, gsize n, double lo, double hi, int width, const char *from,
                    const char *to);

/* Appends a bar of SHARE (0 to 1) of WIDTH columns, padded to them, with a mark at the share MARK
 * (NaN: none). */
void sl_chart_bar (GString *out, double share, double mark, int width, gboolean color);
