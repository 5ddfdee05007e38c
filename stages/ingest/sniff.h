/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which format a file looks like. */
#pragma once

#include <glib.h>

/* What --from calls it, and WHY ("its header has HITId"), neither to be freed; NULL where nothing
 * is known, or where PATH cannot be read twice. */
const char *sl_sniff (const char *path, const char **why);
