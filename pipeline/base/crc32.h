/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CRC-32 as PNG and zip have it (ISO 3309, polynomial 0x04c11db7, reflected). */
#pragma once

#include <glib.h>

/* That of BYTES[n] behind what has CRC so far, 0 at first. */
guint32 sl_crc32 (guint32 crc, const guint8 *bytes, gsize n);
