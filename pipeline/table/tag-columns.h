/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tags as columns: tag KEY is a column of text, `tag_KEY`. Any table may have some, as folders are
 * partitioned by them (partition.h). In the kinds that say so (SlKind.tags_in_rows: predictions,
 * scores) all tags are columns: rows that were made under different conditions keep their own
 * values when tables are joined; a row of a table without the tag has no value. A tag that holds
 * for the whole table is in its header too, and then in every row. */
#pragma once

#include "batch.h"

/* What the names of such columns begin with. */
#define SL_TAG_PREFIX "tag_"

/* A tag whose key begins so is an attribute of the row's annotator, and its column has the key's
 * name: annotator.gender. */
#define SL_ATTRIBUTE_PREFIX "annotator."

/* What such columns are, under the names tag_KEY and annotator.NAME. */
extern const SlColumnSpec sl_tag_spec, sl_attribute_spec;

/* The key of the tag that a column called NAME is of; NULL: of none. */
const char *sl_tag_key_of (const char *name);

/* What the column of tag KEY is called, for good. */
const char *sl_tag_column_name (const char *key);

/* The number of a table's first column of a tag, whether it has one or not. */
int sl_table_first_tag (const SlTable *table);

/* The key of COLUMN, which is one of a tag. */
const char *sl_tag_column_key (const SlTable *table, int column);

/* The column of tag KEY; -1: there is none. */
int sl_table_tag_column (const SlTable *table, const char *key);

/* The column of the attribute NAME of annotators, with or without its prefix. -1 and ERROR, which
 * names those there are, where SOURCE's table has none. */
int sl_table_attribute (const SlTable *table, const char *source, const char *name, GError **error);

/* What OPTION says of an attribute, TEXT, "gender" or "gender=COLUMN": its key, to be freed, and in
 * *COLUMN what the column is called that it comes from. NULL and ERROR: none can have that name. */
char *sl_attribute_parse (const char *option, const char *text, const char **column,
                          GError **error);

/* Whether COLUMN is of a tag that the header has for all rows. */
gboolean sl_tag_column_is_told (const SlTable *table, int column);

/* TABLE gets a column for tag KEY, which is between those it has, as they are in the order of keys:
 * before a builder or a batch is made of it. FALSE where a table has no room for one more. */
gboolean sl_table_add_tag_column (SlTable *table, const char *key, GError **error);

/* TABLE gets, and has, the columns of tags that FROM has, a table of any kind. */
gboolean sl_table_add_tag_columns (SlTable *table, const SlTable *from, GError **error);

/* TABLE has no columns of tags any more. */
void sl_table_drop_tag_columns (SlTable *table);

/* Adds a column for each of SCHEMA that has the name of one, to be matched as the kind's columns
 * are. */
gboolean sl_tag_columns_find (SlTable *table, GArrowSchema *schema, GError **error);

/* Whether every row has the tags that BATCH's header has. */
gboolean sl_tag_columns_check (const SlBatch *batch, GError **error);

/* The header of what is written for TABLE: its own tags as columns, where its kind has them so, and
 * none of those that GIVEN takes off by an empty value. */
SlTable *sl_tag_columns_header (SlTable *table, const SlTags *given, GError **error);

/* N times VALUE as texts; NULL: N missing values. */
GArrowArray *sl_texts_repeat (const char *value, gint64 n, GError **error);

/* BATCH as one of TABLE, a table of the same kind which has the same columns but for those of tags.
 * A row's value of a tag is that of TABLE's header; or else its own; or else that of BATCH's
 * header; or else missing. */
SlBatch *sl_tag_columns_fill (SlBatch *batch, SlTable *table, GError **error);
