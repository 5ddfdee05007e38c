/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mixtures: one row is one mixture of two items, or what one person saw in it. */
#pragma once

#include "kinds.h"

/* That TABLE, read from NAME, has the columns of the bits of COLUMNS. */
gboolean sl_mixtures_require (const SlTable *table, guint32 columns, const char *name,
                              GError **error);

/* The invariants of rows. */
gboolean sl_mixtures_check_rows (const SlBatch *batch, GError **error);
