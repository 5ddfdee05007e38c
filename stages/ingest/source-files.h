/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that the arguments of a command name: themselves, or what is in them. */
#pragma once

#include <glib.h>

/* In place of each of PATHS that is a folder or a zip archive come the files in it whose names end
 * as those of data do (json, jsonl, csv, tsv, ...), in the order of their names, numbers by their
 * size. NULL and ERROR: a folder or archive cannot be read, or has none. */
char **sl_source_files (const char *const *paths, GError **error);
