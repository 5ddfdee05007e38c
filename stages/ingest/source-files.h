/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which files the arguments of `ingest` stand for. */
#pragma once

#include <glib.h>

/* In place of each of PATHS that is a folder or a zip archive, but for NumPy's, come those files in
 * it whose names end as those of data do (json, jsonl, csv, tsv, ...), in the order of their names,
 * numbers by their size. NULL and ERROR: a folder or archive cannot be read, or has none. With
 * OR_NONE there may be none, and files without a byte are left out. */
char **sl_ingest_source_files (const char *const *paths, gboolean or_none, GError **error);
