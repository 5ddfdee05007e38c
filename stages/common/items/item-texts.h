/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --text of what lists items: the texts that stand beside their names, from a tag's column of the
 * table, or from a file with `item` and `text`. In a table they are the tag `text`. */
#pragma once

#include "item-values.h"
#include "row-tags.h"

#define SL_ITEM_TEXT "text" /* the tag's key, and the file's column */

typedef struct
{
  SlItemValues file; /* .items is NULL where a column has them, or nobody asked */
  int column;        /* of the table, which is a tag's; -1: of none */
} SlItemTexts;

/* The row of --text in a verb's table of options; its struct has `char *text`. */
#define SL_TEXT_OPTION(what, ...)                                                                  \
  TEXT ("text", text, "COLUMN|FILE",                                                               \
        what ", from a tag's column of the table (tag_sentence, or sentence), or from FILE (CSV, " \
             "JSON lines, Parquet or Arrow with item and text)",                                   \
        .may_be_file = TRUE, __VA_ARGS__)

/* TEXT is what the option says, or NULL, and TABLE that of READER. Before the output begins. */
gboolean sl_item_texts_open (SlItemTexts *texts, SlRun *run, const char *text, SlReader *reader,
                             GError **error);
void sl_item_texts_clear (SlItemTexts *texts);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlItemTexts, sl_item_texts_clear)

/* What FILE says of ITEM[n], to be freed; NULL: nothing, or there is no file. */
char *sl_item_texts_find (const SlItemTexts *texts, const char *item, gsize n);

/* TAGS of TABLE's rows get the column, if it is one. */
void sl_item_texts_want (const SlItemTexts *texts, SlRowTags *tags, const SlTable *table);

/* Once all ITEMS are known: TAGS get what the file says of them; and TABLE their columns. */
gboolean sl_item_texts_settle (const SlItemTexts *texts, SlRowTags *tags, SlRun *run,
                               const SlIntern *items, SlTable *table, GError **error);

/* A header like TABLE's with the tag; BATCH with what the file says of its rows, of that header. */
SlTable *sl_item_texts_header (const SlTable *table, GError **error);
SlBatch *sl_item_texts_fill (const SlItemTexts *texts, const SlBatch *batch, SlTable *header,
                             GError **error);
