/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compare --items: a row for each item. */
#pragma once

#include "aligned.h"

/* The names of what rows can be sorted by, NULL-terminated: columns of comparisons. */
extern const char *const sl_item_sorts[];

/* The figures that rows are made of, as bits. */
guint64 sl_item_table_figures (void);

/* Writes the rows to PATH: those whose largest class is the same in both, with SAME_TOP; the
 * largest first by SORT, one of the names, or -1: in the first table's order. */
gboolean sl_item_table_write (SlRun *run, const char *path, const SlReference *first,
                              const SlAligned *aligned, const SlScoredItems *items, int sort,
                              gboolean same_top, GError **error);
