/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One answer a row, as `long` has it, for other formats of that shape. */
#pragma once

#include "stages/ingest/readers/row-format.h"

extern const SlColumnRole sl_long_roles[];

/* Reads files whose columns are our own, by their names, and whose percents are as people typed
 * them: in percent, and SL_PERCENT_UNREADABLE where they are no numbers. BEGIN is called when the
 * columns of a file are known, as SlRowFormat.find_more. */
gboolean sl_long_run_own (SlIngest *ingest,
                          gboolean (*begin) (SlRowReading *reading, gboolean first, GError **error),
                          GError **error);
