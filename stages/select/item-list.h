/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A list of items: NumPy's integers (row numbers, as `ingest` calls the rows of an array), a text
 * file with an item a line, a CSV file with a column of items, or any table that has items. */
#pragma once

#include "pipeline/base/intern/intern.h"
#include "pipeline/command/run.h"

/* Adds those of PATH, which OPTION names, to ITEMS; there must be one at least. */
gboolean sl_item_list_read (SlRun *run, const char *option, const char *path, SlIntern *items,
                            GError **error);

/* The column of items of the table that READER reads; -1 and ERROR where it has none. */
int sl_item_column (SlReader *reader, GError **error);
