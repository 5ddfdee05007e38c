/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tags that an item's rows have in columns (tag-columns.h), as those of a folder that is
 * partitioned: they go on with the item, where all of its rows have the same. */
#pragma once

#include "pipeline/base/intern/intern.h"
#include "pipeline/command/run.h"

typedef struct
{
  char *key;
  int column;       /* of the answers' table */
  SlIntern *values; /* missing ones have no number */
  GArray *code;     /* of gint32, [items]: 0: not met; 1: missing; else of value code - 2 */
  gint32 mixed;     /* the first item that has several; -1: none */
} SlItemTag;

typedef struct
{
  SlItemTag *tag; /* [n] */
  int n;
} SlItemTags; /* all zeros: none */

void sl_item_tags_init (SlItemTags *tags, const SlTable *answers);
void sl_item_tags_clear (SlItemTags *tags);

/* The rows of BATCH are about items IDS[n_rows]. */
void sl_item_tags_add (SlItemTags *tags, const SlBatch *batch, const gint32 *ids);

/* Once all rows are added: TABLE gets columns for those that no two rows of an item contradict;
 * warns of the others, by an item's name in ITEMS. */
gboolean sl_item_tags_settle (SlItemTags *tags, SlRun *run, const SlIntern *items, SlTable *table,
                              GError **error);

/* Those of items FROM .. TO - 1 go to BUILDER. */
void sl_item_tags_write (const SlItemTags *tags, SlBuilder *builder, const SlTable *table,
                         gint32 from, gint32 to);
