/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What Parquet says of lists that all have one length, in front of a page's values: for each value
 * whether it begins a list (its repetition level is 0) or goes on with one (1), and that it is
 * there (the definition level is the same for all).
 *
 * Both are written as the format's hybrid of runs and packed bits has them, each after its number
 * of bytes: https://parquet.apache.org/docs/file-format/data-pages/encodings/#RLE */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Bytes that N values take at most: a bit each, two numbers of bytes and two headers. */
#define SL_LIST_LEVELS_MOST(n) ((n) / 8 + 32)

/* Writes them to TO, with DEFINITION for each value; returns how many bytes they are. LENGTH: 1 or
 * more. */
gsize sl_list_levels_write (guint8 *to, gsize n_rows, gsize length, guint8 definition);

/* Whether numbers come again so often that a dictionary of them is shorter than they are. Of N_ROWS
 * lists of LENGTH numbers of SIZE bytes, 4 or 8, about 8,192 numbers are looked at, in lists, or
 * beginnings of long ones, that lie evenly among all; at most one in 16 may be new. A Parquet
 * dictionary has room for 1 MiB, and is given up when it is full: one in 16 is what two million
 * doubles may have. */
gboolean sl_lists_recur (gconstpointer values, gsize n_rows, gsize length, gsize size);

G_END_DECLS
