/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run's outputs depend on, as JSON text: two runs whose keys are equal write the same bytes.
 *
 *     {"verb":"redistribute","version":"0.1.0","program":"...","options":{"top":2,...},"seed":0,
 *      "tags":null,"history":true,"outputs":{"output":"parquet"},"environment":{...},
 *      "inputs":{"file 1":{"size":123,"xxh3":"..."}}} */
#pragma once

#include "run.h"

/* NULL where RUN cannot be cached, and *WHY says why, to be freed. What stands in standard input is
 * put into a file in FOLDER first, and read from there by whoever reads it. Where it cannot, FOLDER
 * is full or may not be written, it is read all the same, and there is a warning. */
char *sl_cache_key (SlRun *run, const char *folder, char **why);

/* The inputs' part of a key, once more, now; NULL where they cannot be read any more. STAMP is
 * another one than that of the key's time, which the run's cache has, where any of them was
 * changed since. */
char *sl_cache_key_inputs (const SlRun *run, guint64 *stamp);

/* 32 hexadecimal digits, of the program's own file and of all libraries that are loaded; FALSE
 * where that file cannot be read. */
gboolean sl_program_digest (char xxh3[33]);

/* A line about this processor, as far as networks compute otherwise on others. */
void sl_processor_digest (char xxh3[33]);
