/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --repeats of what reads answers: which of an annotator's answers to one item count. Tables that a
 * stage opens are given a sieve, which sets the others aside (SlBatch), so that nothing else in the
 * stage need know. An attention check, or what an excluded annotator said, is no answer here. */
#pragma once

#include "pipeline/command/run.h"

/* By the order of rows in the table; SL_COUNTED_UNMARKED: by the column `repeat`, which `ingest`
 * and the page of `survey` fill in, without a table of who has answered what. */
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
  CHOICE (                                                                                         \
      "repeats", repeats, sl_repeats_names,                                                        \
      "of an annotator's several answers to an item all count, the first, or the last, in the "    \
      "order of rows; drop: those that the column `repeat` marks do not")

/* As SlCommand has it: does as the option --repeats says with what READER reads. */
gboolean sl_repeats_opened (SlRun *run, const char *option, SlReader *reader, GError **error);

/* The same where an answer more makes no difference, or is what is looked at: nothing is said of
 * repeats that count. */
gboolean sl_repeats_opened_silently (SlRun *run, const char *option, SlReader *reader,
                                     GError **error);

/* The same, as COUNTED says. SILENT: nothing is said of repeats that count. */
gboolean sl_repeats_sift (SlRun *run, const char *option, SlReader *reader, SlCounted counted,
                          gboolean silent, GError **error);
