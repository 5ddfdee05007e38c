/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tags that rows have in columns (tag-columns.h). Those of an item's rows, as of a folder that
 * is partitioned, go on with the item, where all have the same. Attributes are the annotators':
 * all rows of one have the same, or no value. */
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
  gint32 other;     /* the second of its values, a code; its own has the first */
} SlRowTag;

typedef struct
{
  SlRowTag *tag; /* [n] */
  int n;
} SlRowTags; /* all zeros: none */

/* All tags but attributes. */
void sl_row_tags_init (SlRowTags *tags, const SlTable *answers);

/* COLUMN of ANSWERS, too. */
void sl_row_tags_want (SlRowTags *tags, const SlTable *answers, int column);

/* One more by KEY, which is of no column: items are given a VALUE of the last such, or none. */
void sl_row_tags_begin (SlRowTags *tags, const char *key);
void sl_row_tags_put (SlRowTags *tags, gint32 item, const char *value);

void sl_row_tags_clear (SlRowTags *tags);

/* The rows of BATCH are about items, or by annotators, IDS[n_rows]. */
void sl_row_tags_add (SlRowTags *tags, const SlBatch *batch, const gint32 *ids);

/* Once all rows are added: TABLE gets columns for those that no two rows of an item contradict;
 * warns of the others, by an item's name in ITEMS. */
gboolean sl_row_tags_settle (SlRowTags *tags, SlRun *run, const SlIntern *items, SlTable *table,
                             GError **error);

/* Those of items FROM .. TO - 1 go to BUILDER. */
void sl_row_tags_write (const SlRowTags *tags, SlBuilder *builder, const SlTable *table,
                        gint32 from, gint32 to);

/* Items 0 .. N - 1 become the TO[n] of M, several of which may be one. */
void sl_row_tags_merge (SlRowTags *tags, const gint32 *to, gint32 n, gint32 m);

/* Attributes of annotators; all zeros: none. */
typedef struct
{
  SlIntern *annotators;
  SlRowTags tags;
} SlAnnotatorTags;

/* COLUMN of ANSWERS is one that is looked at. */
void sl_annotator_tags_want (SlAnnotatorTags *tags, const SlTable *answers, int column);
void sl_annotator_tags_clear (SlAnnotatorTags *tags);

/* The rows of BATCH are by ANNOTATORS. FALSE and ERROR, about SOURCE, where one has two values. */
gboolean sl_annotator_tags_add (SlAnnotatorTags *tags, const SlBatch *batch, SlText annotators,
                                const char *source, GError **error);

/* The number that NAME's value of the T-th has in its values; -1: NAME has none. */
gint32 sl_annotator_tags_find (const SlAnnotatorTags *tags, int t, const char *name, gsize length);
