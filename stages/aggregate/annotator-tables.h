/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of --annotators and --confusion: what the method learned of each annotator. */
#pragma once

#include "pipeline/command/run.h"
#include "stages/common/answers/gathering.h"
#include "stages/common/methods/method.h"

typedef struct
{
  SlRun *run;
  SlTable *annotators_table, *confusion_table;
  SlWriter *annotators, *confusion; /* NULL: not wanted */
  SlLearned learned;                /* what the method is to fill */
  gboolean percents;                /* and what it learns of percents, */
  gboolean rated;                   /* of bias and spread */
} SlAnnotatorTables;

/* Begins the tables that go to the files (NULL: none), `percents` and `rated` being set. CLASSES:
 * NULL-terminated. */
gboolean sl_annotator_tables_open (SlAnnotatorTables *tables, SlRun *run, const char *annotators,
                                   const char *confusion, char *const *classes, gboolean knows_gold,
                                   GError **error);
void sl_annotator_tables_clear (SlAnnotatorTables *tables);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlAnnotatorTables, sl_annotator_tables_clear)

static inline gboolean
sl_annotator_tables_wanted (const SlAnnotatorTables *tables)
{
  return tables->annotators != NULL || tables->confusion != NULL;
}

/* Makes room for what the method learns. */
gboolean sl_annotator_tables_make_room (SlAnnotatorTables *tables, gint32 n_annotators,
                                        gint32 n_classes, GError **error);

/* Writes the tables, annotators as they first came; the method has filled tables->learned. */
gboolean sl_annotator_tables_write (const SlAnnotatorTables *tables, const SlItems *items,
                                    const SlAnswers *answers, const SlGathering *crowd,
                                    GError **error);
