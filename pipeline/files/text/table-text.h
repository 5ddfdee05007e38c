/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table of Parquet or Arrow, as any program wrote it, read as CSV: so whatever takes CSV takes it
 * too. Texts are as they are, reals are their shortest texts, 2.0 being 2; what is missing is
 * empty. Lists are joined by |, and what one of their members holds by a colon. Columns that have
 * no text (bytes) are left out. */
#pragma once

#include "pipeline/text/source.h"

G_BEGIN_DECLS

SlSource *sl_table_text_open (const char *path, int threads, GError **error);

/* The classes that PATH names in an order: those of one of our own tables, or those of the column
 * named COLUMN (or NULL) if that is a dictionary with an order. *CLASSES is NULL where there are
 * none. */
gboolean sl_table_text_classes (const char *path, const char *column, int threads, char ***classes,
                                GError **error);

G_END_DECLS
