/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --gold FILE: the items' true classes, from another file than the answers. */
#pragma once

#include "pipeline/command/run.h"
#include "stages/common/classes/class-coder.h"

typedef struct _SlGoldJoin SlGoldJoin;

/* Reads PATH. TABLE is that of the answers. NULL and ERROR where it has gold classes itself, or the
 * file has not. */
SlGoldJoin *sl_gold_join_new (SlRun *run, const char *path, const SlClassTexts *texts,
                              const SlTable *table, GError **error);
void sl_gold_join_free (SlGoldJoin *join);

/* The header of what comes out. */
SlTable *sl_gold_join_table (const SlGoldJoin *join);

/* The rows that BUILDER has, which is emptied, with gold classes. */
SlBatch *sl_gold_join_take (SlGoldJoin *join, SlBuilder *builder, GError **error);

/* At the end: tells how many items got one. */
void sl_gold_join_tell (const SlGoldJoin *join);
