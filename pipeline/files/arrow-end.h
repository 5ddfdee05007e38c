/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What may follow a table: nothing; in an Arrow file, its footer. */
#pragma once

#include <gio/gio.h>

/* INPUT stands behind the stream's end marker. Errors are SL_ERROR_INPUT, or the input's own. */
gboolean sl_tail_check (GInputStream *input, gboolean is_file_format, GError **error);
