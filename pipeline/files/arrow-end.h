/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks what follows a table's end marker: nothing in a stream, the footer in an Arrow file.
 * Bytes that do not belong there are an error, and so is a cut footer. */
#pragma once

#include <gio/gio.h>

/* INPUT stands behind the stream's end marker. Errors are SL_ERROR_INPUT, or the input's own. */
gboolean sl_arrow_end_check (GInputStream *input, gboolean is_file_format, GError **error);
