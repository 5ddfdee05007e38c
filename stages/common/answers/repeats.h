/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --repeats of verbs that read answers: which of an annotator's answers to one item count. The
 * others are set aside (SlBatch) in each table that a stage opens: nothing else in the stage needs
 * to know. An attention check, or what an excluded annotator said, is no answer here. */
#pragma once

#include "pipeline/command/run.h"

/* The first and the last go by the order of rows, whatever is marked. SL_COUNTED_UNMARKED goes by
 * the column `repeat`, which `ingest` and the page of `survey` fill in: nothing is looked up. */
typedef enum
{
  SL_COUNTED_ALL,
  SL_COUNTED_FIRST,
  SL_COUNTED_LAST,
  SL_COUNTED_UNMARKED,
  SL_COUNTED_UNMARKED_FIRST /* of those the first; --repeats has no word for it */
} SlCounted;

extern const char *const sl_repeats_names[]; /* NULL-terminated, for --repeats */

/* The row of --repeats in a verb's table of options; its struct has `int repeats`, and the verb
 * `.opened = sl_repeats_opened`. */
#define SL_REPEATS_OPTION                                                                          \
  CHOICE ("repeats", repeats, sl_repeats_names,                                                    \
          "which of an annotator's answers to one item count: all, the first or the last by the "  \
          "order of rows; drop: those that the column `repeat` does not mark")

/* For SlCommand.opened: does as the option --repeats says with what READER reads. */
gboolean sl_repeats_opened (SlRun *run, const char *option, SlReader *reader, GError **error);

/* The same of verbs that repeats do not mislead (`simulate` wants to know of them, `select` hands
 * them on): no warning counts those that are marked and count. */
gboolean sl_repeats_opened_silently (SlRun *run, const char *option, SlReader *reader,
                                     GError **error);

/* The same, by COUNTED and not by the option. SILENT: without that warning. */
gboolean sl_repeats_sift (SlRun *run, const char *option, SlReader *reader, SlCounted counted,
                          gboolean silent, GError **error);
