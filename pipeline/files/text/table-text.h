/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table of Parquet or Arrow, as any program wrote it, read as CSV: so whatever takes CSV takes it
 * too. Texts are as they are, reals are their shortest texts, 2.0 being 2; what is missing is
 * empty. Lists are joined by |, and what one of their members holds by a colon. Columns that have
 * no text (bytes) are left out. */
#pragma once

#include "pipeline/text/source.h"

G_BEGIN_DECLS

SlSource *sl_table_text_open (const char *path, int threads, GError **error);

/* Whether SOURCE, which is still at its start, is Parquet, an Arrow file or an Arrow stream. */
gboolean sl_table_text_fits (SlSource *source, gboolean *fits, GError **error);

/* SOURCE, such a table that is still at its start, as CSV; takes SOURCE. */
SlSource *sl_table_text_new (SlSource *source, int threads, GError **error);

/* The classes that TABLE, of one of these two, names in an order: those of one of our own tables,
 * or those of the column named COLUMN (or NULL) if that is a dictionary with an order. NULL where
 * there are none. Before the first byte is read. */
char **sl_table_text_classes (SlSource *table, const char *column);

G_END_DECLS
