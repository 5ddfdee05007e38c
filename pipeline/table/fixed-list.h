/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fixed-size lists, of which Arrow GLib does not offer all. */
#pragma once

#include "arrow-types.h"

G_BEGIN_DECLS

/* An array of N lists of TYPE over VALUES, of which there are N times the size. */
GArrowArray *sl_fixed_list_array_new (GArrowArray *values, GArrowDataType *type, gint64 n);

gint32 sl_fixed_list_size (GArrowDataType *type);

G_END_DECLS
