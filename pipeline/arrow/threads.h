/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrow's threads. Arrow GLib has no call that says how many they may be. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Arrow's own thread pool; 1 for none beside the caller's. */
void sl_arrow_set_threads (int threads);

/* Before anything is read. What C++ would end the program on, a thread that cannot be had, ends it
 * in one line. */
void sl_arrow_init (void);

G_END_DECLS
