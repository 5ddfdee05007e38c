/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a row of scores or costs was found under. */
#pragma once

#include "pipeline/table/batch.h"
#include "pipeline/table/tags.h"

/* CONDITIONS, empty before, <- the tags of BATCH's header; over these those that row ROW has in
 * columns; over these the ones of its column `group`. FALSE where that is no list of conditions. */
gboolean sl_row_conditions (SlTags *conditions, const SlBatch *batch, gint64 row);

/* Adds one condition to TEXT. */
void sl_group_append (GString *text, const char *key, const char *value);
