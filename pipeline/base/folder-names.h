/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

/* The names in FOLDER, in no order, but those that begin with one of LEFT_OUT. */
GPtrArray *sl_folder_names (const char *folder, const char *left_out, GError **error);
