/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions as a column a class, `label.cat`, for programs that keep the names of columns but
 * neither metadata nor the order of lists; and back. */
#pragma once

#include "batch.h"

/* SCHEMA, which is TABLE's, and BATCH with every column of distributions in as many as there are
 * classes. */
GArrowSchema *sl_wide_schema (const SlTable *table, GArrowSchema *schema);
GArrowRecordBatch *sl_wide_batch (const SlBatch *batch, GArrowSchema *wide, GError **error);
gboolean sl_table_has_labels (const SlTable *table);

/* Which columns of a schema are distributions of a column a class. */
typedef struct _SlFolding SlFolding;

/* NULL where SCHEMA has no such columns. KIND and CLASSES stand in for missing metadata; without
 * classes the columns name them. */
SlFolding *sl_folding_new (GArrowSchema *schema, const SlKind *kind, const char *const *classes);
void sl_folding_free (SlFolding *folding);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlFolding, sl_folding_free)

const char *const *sl_folding_classes (const SlFolding *folding);

/* SCHEMA, and BATCH of it, whose columns have not been validated, with lists in place of those
 * columns. FIRST_ROW is for messages. */
GArrowSchema *sl_folding_schema (const SlFolding *folding, GArrowSchema *schema, GError **error);
GArrowRecordBatch *sl_folding_batch (const SlFolding *folding, GArrowRecordBatch *batch,
                                     gint64 first_row, GError **error);
