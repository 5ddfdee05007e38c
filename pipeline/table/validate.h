/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether the values of an array may be used without fear: offsets that rise and stay within, codes
 * that are in their dictionary, text that is UTF-8. */
#pragma once

#include <arrow-glib/arrow-glib.h>

gboolean sl_validate (GArrowArray *array, GError **error);
