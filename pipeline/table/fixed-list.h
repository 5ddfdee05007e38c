/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fixed-size lists, which Arrow GLib can read but not make. */
#pragma once

#include <arrow-glib/arrow-glib.h>

G_BEGIN_DECLS

/* A fixed-size list array over VALUES (float64, n * size of them). */
GArrowArray *sl_fixed_list_array_new (GArrowArray *values, GArrowDataType *type, gint64 n);

G_END_DECLS
