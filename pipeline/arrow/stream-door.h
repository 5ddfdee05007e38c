/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrow streams and files, opened with what Arrow GLib's own constructors do not offer: a limit of
 * memory, messages that are looked at before they are used, metadata of batches and of footers. */
#pragma once

#include <arrow-glib/arrow-glib.h>

G_BEGIN_DECLS

/* What was found in a stream's messages (digest-chain.h). */
typedef struct
{
  gboolean digested; /* they have digests */
  gboolean ended;    /* the last one has come */
} SlStreamDigests;

/* Reads the stream in INPUT, in which each digest is checked. DIGESTS outlive it. */
GArrowRecordBatchReader *sl_stream_door_from (GInputStream *input, int threads,
                                              SlStreamDigests *digests, GError **error);

/* Reads the Arrow FILE by its footer. *SAYS_DIGESTED: that says that its batches have digests. */
GArrowRecordBatchFileReader *sl_stream_door_file (GArrowSeekableInputStream *file, int threads,
                                                  gboolean *says_digested, GError **error);

/* A writer of an Arrow stream, or of an Arrow file, whose footer says whether it is DIGESTED. */
GArrowRecordBatchWriter *sl_stream_door_to (GArrowSchema *schema, GArrowOutputStream *sink,
                                            gboolean is_file, gboolean digested, GError **error);

/* Writes BATCH, NULL being one without rows, with room for its digest; LAST: the last one. */
gboolean sl_stream_door_write (GArrowRecordBatchWriter *writer, GArrowSchema *schema,
                               GArrowRecordBatch *batch, gboolean last, GError **error);

G_END_DECLS
