/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Zip archives, as exports of annotation tools come in them: a member is read where it lies, in
 * bounded memory, as if it were a file in a folder that is named like the archive,
 * `export.zip/eva.jsonl`. Nothing is unpacked to disk, so what its names are does no harm. */
#pragma once

#include "source.h"

/* Whether PATH is a regular file that begins as a zip archive does. */
gboolean sl_zip_is_archive (const char *path);

/* The archive of which PATH names a member; NULL: it names none. */
char *sl_zip_archive_of (const char *path);

/* The members of ARCHIVE that are files, in its order, as paths, NULL-terminated. */
char **sl_zip_members (const char *archive, GError **error);

/* Opens the member PATH. */
SlSource *sl_zip_open (const char *path, GError **error);
