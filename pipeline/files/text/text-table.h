/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table that softlabel wrote as CSV or JSON lines, read back. Text does not say what it is, so
 * the columns' names tell; classes that no column is named by are those of the rows, sorted, for
 * which a file is read twice. */
#pragma once

#include "pipeline/table/table.h"
#include "pipeline/text/source.h"

typedef struct _SlTextTable SlTextTable;

/* Takes SOURCE. PATH: the regular file that it is of, or NULL. KIND, CLASSES: what the user says of
 * it, or NULL. */
SlTextTable *sl_text_table_new (SlSource *source, const char *path, const SlKind *kind,
                                const char *const *classes, GError **error);
void sl_text_table_free (SlTextTable *text);

GArrowSchema *sl_text_table_schema (const SlTextTable *text); /* a new reference */

/* *BATCH is the next one, or NULL at the end. */
gboolean sl_text_table_next (SlTextTable *text, GArrowRecordBatch **batch, GError **error);
