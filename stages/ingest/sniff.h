/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which format files look like: --from auto, and what a file may be that could not be read. */
#pragma once

#include "ingestion.h"

/* In place of --from auto comes what PATH looks like, if that is a folder of images: before the
 * files of data in it are looked for. */
void sl_format_settle_folder (SlRun *run, SlIngestOptions *options, const char *path);

/* In place of --from auto comes what FILE looks like; the history, too, names that. */
gboolean sl_format_settle (SlRun *run, SlIngestOptions *options, const char *file, GError **error);

/* A file that could not be read at all may be one of another format: ERROR then says so, too. */
void sl_format_name_other (const SlIngest *ingest, GError **error);
