/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What lies in memory where a value is missing, and in the last byte of bits. Readers leave there
 * what they like, and a stream holds it. */
#pragma once

#include "pipeline/arrow/arrow-types.h"

/* ARRAY with zeros, and no text, where values are missing, and zeros behind the last of its bits.
 * Its own buffers, where they have these already. */
GArrowArray *sl_clear_missing (GArrowArray *array, GError **error);

/* The same of all columns. */
GArrowRecordBatch *sl_clear_missing_columns (GArrowRecordBatch *batch, GError **error);
