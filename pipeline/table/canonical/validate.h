/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks that an array's values are safe to use: offsets rise and stay within their buffers, codes
 * are in their dictionary, text is UTF-8. */
#pragma once

#include "pipeline/arrow/arrow-types.h"

gboolean sl_validate (GArrowArray *array, GError **error);
