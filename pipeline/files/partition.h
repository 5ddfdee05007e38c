/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Folders that Hive, Spark, DuckDB and Polars partition a table by: what `dt=2026-11-20/part-0` is
 * called says a value of all its rows. */
#pragma once

#include "pipeline/table/table.h"

/* The value that a missing one has in such a folder's name. */
#define SL_PARTITION_MISSING "__HIVE_DEFAULT_PARTITION__"

/* TAGS get what the folders in PATH say, KEY=VALUE by KEY=VALUE; an empty value is a missing one.
 * FALSE and ERROR for a name that can be no key, or a value that is no text. */
gboolean sl_partition_find (const char *path, SlTags *tags, GError **error);

/* Puts those of FILES first whose rows may fit all the conditions WHERE (condition.h), as their
 * TAGS have it, and returns how many they are; both parts stay in their order. A condition on
 * anything else, or one that is none, is for others to judge. */
guint sl_partition_sort (char **files, SlTags *tags, char *const *where);

/* "dt=2026-11-20", with what a file's name cannot have in %XX; VALUE NULL: a missing one. To be
 * freed. */
char *sl_partition_name (const char *key, const char *value);

/* SCHEMA with a column for each of TAGS that it has not yet: of its kind's, or of a tag. KIND
 * stands in where its metadata does not say that. */
GArrowSchema *sl_partition_schema (GArrowSchema *schema, const SlTags *tags, const SlKind *kind,
                                   GError **error);

/* BATCH with those columns; SCHEMA is what sl_partition_schema() made. */
GArrowRecordBatch *sl_partition_batch (GArrowRecordBatch *batch, GArrowSchema *schema,
                                       const SlTags *tags, GError **error);
