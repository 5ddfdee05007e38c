/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Record batches of any types and with any buffers, as bytes say: what a reader of Arrow may hand
 * on of a hostile file, which it does not validate. */
#pragma once

#include <glib.h>

typedef struct _GArrowRecordBatch GArrowRecordBatch;

G_BEGIN_DECLS

GArrowRecordBatch *sl_fuzz_made_batch (const guint8 *data, gsize size);

/* Whether Arrow calls it valid; then an Arrow stream of it is in the file PATH. */
gboolean sl_fuzz_write_valid (GArrowRecordBatch *batch, const char *path);

G_END_DECLS
