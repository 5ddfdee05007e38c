/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A batch as a batch of another table: fewer columns, or the same classes in another order. */
#pragma once

#include "pipeline/table/batch.h"

/* BATCH's rows with TABLE's columns, all of which it has; code k becomes map[k] (one to one),
 * nothing where SAME is set. BUILDER is one for TABLE, and empty. */
SlBatch *sl_recode (SlBuilder *builder, const SlTable *table, const SlBatch *batch,
                    const gint32 *map, gboolean same, GError **error);
