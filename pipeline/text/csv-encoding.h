/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What people pass in place of CSV in UTF-8. */
#pragma once

#include <glib.h>

/* What DATA[n], the beginning of a file, is and how to convert it, "is UTF-16 ..."; NULL where it
 * may be CSV in UTF-8. */
const char *sl_csv_find_other_format (const char *data, gsize n);
