/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was found out about the annotators, as a table of the kind `annotators`. */
#pragma once

#include "census.h"

/* AGREEMENT: with what was asked for of it. */
SlTable *sl_report_table (gboolean agreement);

/* A row for each annotator, in order of first appearance; KNOWS_COMPLETE: whether the input says
 * which sessions reached their end. The end of the table is left to the caller. */
gboolean sl_report_write (SlWriter *writer, SlTable *table, const SlCensus *census,
                          const SlVerdictRule *rule, gboolean knows_complete, GError **error);

/* Notes how many violations and exclusions there are. */
void sl_report_note (SlRun *run, const SlCensus *census);
