/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Controls of annotations' items: one label each, where the item is first seen. */
#pragma once

#include "pipeline/command/run.h"
#include "controls.h"

/* Reads run->in to its end, and writes labels of the header TABLE. */
gboolean sl_control_from_answers (SlRun *run, SlTable *table, const SlControl *control,
                                  GError **error);

/* That no gold class of ITEM is known, in the row ROW (from 1). Returns FALSE. */
gboolean sl_control_no_gold (const char *item, gsize length, gint64 row, GError **error);
