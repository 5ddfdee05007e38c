/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is packed by gzip, zstd, bzip2 or lz4, unpacked by Arrow as it is read. */
#pragma once

#include "source.h"

/* How many first bytes tell what packed a source. */
#define SL_PACKED_BYTES 6

typedef struct _SlUnpacking SlUnpacking;

/* SOURCE has its first SL_PACKED_BYTES bytes in its head. *UNPACKING stays NULL where nothing is
 * packed; FALSE and ERROR for what no codec unpacks. SOURCE must be there as long. */
gboolean sl_unpacking_new (SlSource *source, SlUnpacking **unpacking, GError **error);
void sl_unpacking_free (SlUnpacking *unpacking);

/* MOST bytes; fewer where the packed source ends, which *ENDED tells then. */
gboolean sl_unpacking_read (SlUnpacking *unpacking, char *to, gsize most, gsize *n, gboolean *ended,
                            GError **error);
