/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The batches of an Arrow stream or an Arrow file, and the one place where it is found that what
 * was written is cut, damaged, or goes on after its end. */
#pragma once

#include "input.h"

#include "pipeline/arrow/arrow-types.h"

typedef struct _SlStreamSource SlStreamSource;

/* Reads what INPUT has, whose name is PATH, or NULL. An Arrow file is an Arrow stream between a
 * magic and a footer, and is read as one: INPUT stands behind the magic. */
SlStreamSource *sl_stream_source_new (SlInput *input, const char *path, gboolean is_file,
                                      int threads, GError **error);
void sl_stream_source_free (SlStreamSource *source);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlStreamSource, sl_stream_source_free)

GArrowSchema *sl_stream_source_schema (SlStreamSource *source);

/* *BATCH is the next one, after ROWS rows; NULL at the end of a whole table. */
gboolean sl_stream_source_next (SlStreamSource *source, gint64 rows, GArrowRecordBatch **batch,
                                GError **error);

/* Known at the end. */
gboolean sl_stream_source_is_digested (const SlStreamSource *source);

/* An Arrow file without a stream, as Polars writes them, is read by its footer, from any place. */
gboolean sl_stream_source_is_by_footer (const SlStreamSource *source);
