/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --repeats of what reads answers: those that the column `repeat` of annotations marks, an
 * annotator's further answers to an item, count as others do, or are left out, so that the first
 * counts. `ingest` marks them (stages/ingest/readers/seen-pairs.h). */
#pragma once

#include "pipeline/command/run.h"

enum
{
  SL_MARKED_KEEP,
  SL_MARKED_DROP
};

extern const char *const sl_marked_names[]; /* NULL-terminated, for --repeats */

/* What --repeats means, for --help. */
#define SL_MARKED_HELP                                                                             \
  "an annotator's further answers to an item, where the column `repeat` marks them: keep them as " \
  "others, or drop them, so that the first counts"

/* Warns of --repeats drop (DROP) where IN does not say which rows are repeats. */
void sl_marked_check (SlRun *run, const SlTable *in, gboolean drop);

/* Once all rows are in: says what became of N repeats, and warns where nobody has said what should.
 */
void sl_marked_tell (SlRun *run, gint64 n, gboolean drop);
