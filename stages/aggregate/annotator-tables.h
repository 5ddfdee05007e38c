/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of --annotators and --confusion: what the method learned of each annotator. */
#pragma once

#include "pipeline/base/intern.h"
#include "pipeline/command/run.h"
#include "stages/common/method.h"

typedef struct
{
  SlRun *run;
  SlTable *annotators_table, *confusion_table;
  SlWriter *annotators, *confusion; /* NULL: not wanted */
  SlLearned learned;                /* what the method is to fill */
} SlFindings;

/* Begins the tables that go to the files (NULL: none). CLASSES: NULL-terminated. */
gboolean sl_findings_open (SlFindings *findings, SlRun *run, const char *annotators,
                           const char *confusion, char *const *classes, gboolean knows_gold,
                           GError **error);
void sl_findings_clear (SlFindings *findings);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlFindings, sl_findings_clear)

static inline gboolean
sl_findings_wanted (const SlFindings *findings)
{
  return findings->annotators != NULL || findings->confusion != NULL;
}

/* Makes room for what the method learns. */
gboolean sl_findings_make_room (SlFindings *findings, gint32 n_annotators, gint32 n_classes,
                                GError **error);

/* Writes the tables. The method has set ITEMS' labels and filled findings->learned. */
gboolean sl_findings_write (const SlFindings *findings, const SlItems *items,
                            const SlAnswers *answers, const SlIntern *names, GError **error);
