/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes JSON so that it is JSON still: a value that is taken out, put elsewhere, there twice, or
 * of another type. A fuzzer that changes bytes hardly ever does. */
#pragma once

#include <glib.h>

/* Changes DATA[size], in a room of MOST; returns its new size, 0 where it cannot. */
gsize sl_fuzz_mutate_json (guint8 *data, gsize size, gsize most, guint32 seed);
