/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What lies in memory where a value is missing. Readers leave there what they like, and a stream
 * holds it. */
#pragma once

#include "pipeline/table/arrow-types.h"

G_BEGIN_DECLS

/* ARRAY with zeros, and no text, where values are missing: itself where that is so already. */
GArrowArray *sl_clear_missing (GArrowArray *array, GError **error);

G_END_DECLS
