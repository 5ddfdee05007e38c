/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sink for an Arrow stream, or an Arrow file, which writes message by message: so a digest is put
 * into each one that has a place for it (digest-chain.h). */
#pragma once

#include <gio/gio.h>

/* TO outlives it. */
GOutputStream *sl_message_sink_new (GOutputStream *to, gboolean is_file);
