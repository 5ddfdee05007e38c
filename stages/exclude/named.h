/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The annotators that the user names. */
#pragma once

#include "census.h"

/* The names in PATH, a text file with one a line or a table of annotators (.parquet, .arrow,
 * .arrows, .feather), of which those that it says are excluded, if it says so of any. Before the
 * output begins: PATH is part of its history. NULL and ERROR where it cannot be read. */
GPtrArray *sl_named_read (SlRun *run, const char *path, GError **error);

/* Once all rows are counted: those of NAMES are to go. Names that nobody has are told of. */
void sl_named_list (const GPtrArray *names, SlCensus *census, SlRun *run, const char *path);
