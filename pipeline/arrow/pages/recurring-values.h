/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether numbers come again so often that a dictionary of them is shorter than they are. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Of N_ROWS rows with LENGTH numbers of SIZE bytes each, 4 or 8, it looks at about 8,192 numbers,
 * in rows, or beginnings of long ones, that lie evenly among all. TRUE: at most one number in 16 is
 * none of those before it. A Parquet dictionary has room for 1 MiB of them, and is given up when it
 * is full: one in 16 is what two million doubles may have. */
gboolean sl_values_recur (gconstpointer values, gsize n_rows, gsize length, gsize size);

G_END_DECLS
