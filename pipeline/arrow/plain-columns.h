/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of types that Arrow GLib has no class for end the program where they are touched: views
 * of texts, as Polars writes them, and views of lists. They are made into plain ones before they
 * get there; where Arrow casts none of their type, all their values are missing. */
#pragma once

#include "arrow-types.h"

G_BEGIN_DECLS

/* SCHEMA with plain columns; NULL where it has no others. */
GArrowSchema *sl_plain_schema (GArrowSchema *schema);

/* BATCH, whose plain schema is SCHEMA. */
GArrowRecordBatch *sl_plain_batch (GArrowRecordBatch *batch, GArrowSchema *schema, GError **error);

G_END_DECLS
