/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Labels dealt out anew among the items. */
#pragma once

#include "pipeline/command/run.h"

/* Reads labels from run->in to its end, one an item, and writes them, each with its weight, to
 * another item. TABLE: their header. */
gboolean sl_permute_labels (SlRun *run, SlTable *table, GError **error);
