/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a file that has been written holds what is there already. */
#pragma once

#include <glib.h>

/* Whether the regular file PATH holds the bytes of FD, all of them and no more. FALSE where it
 * cannot be read, or is no such file. */
gboolean sl_same_content (int fd, const char *path);
