/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gold classes from a file: a table with a column of them, or CSV with the columns item and
 * gold. */
#pragma once

#include "pipeline/base/intern/intern.h"
#include "pipeline/command/run.h"

typedef struct
{
  char *name;
  SlIntern *items;
  GArray *gold; /* gint32, [items]: codes of TABLE's classes; -1: not known */
} SlGoldFile;

gboolean sl_gold_file_read (SlGoldFile *gold, SlRun *run, const char *path, const SlTable *table,
                            GError **error);
void sl_gold_file_clear (SlGoldFile *gold);
