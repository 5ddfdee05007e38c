/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all annotators did: counted over the annotations once, then judged. Memory grows with the
 * annotators and, where duplicates are looked for, with the rows. */
#pragma once

#include "pipeline/base/intern/intern.h"
#include "pipeline/command/run.h"
#include "stages/common/answers/answer-rows.h"
#include "row-digests.h"
#include "rules.h"

typedef struct
{
  SlIntern *names;      /* the annotators, in order of first appearance */
  GArray *conduct;      /* SlConduct, by the annotator's number */
  GArray *duplicates;   /* gint64, rows that repeat an earlier one, ascending */
  SlDigestSet *digests; /* NULL: duplicates are not looked for */
  guint *grounds;       /* of exclusion, by the annotator's number; sl_verdict() */
  gint32 n_judged;
  gboolean percents;   /* any percent was met */
  gboolean checks;     /* any attention check was met */
  gsize claimed;       /* bytes, of --max-memory */
  SlIntern *items;     /* to tell who agrees with whom; NULL where nobody asks */
  SlCollected answers; /* likewise; the annotators are those of `names` */
} SlCensus;

SlCensus *sl_census_new (gboolean dedupe);
void sl_census_free (SlCensus *census);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlCensus, sl_census_free)

/* Also collects who answered what: 12 bytes an answer, 20 where rows have counts. Before the first
 * row. */
void sl_census_ask_agreement (SlCensus *census, gint32 n_classes);

/* Once all rows are in: how far each annotator agrees with others. */
gboolean sl_census_find_agreement (SlCensus *census, SlRun *run, GError **error);

/* The annotator NAME is to go. FALSE: there is no such one. */
gboolean sl_census_list (SlCensus *census, const char *name, gsize length);

/* Adds the rows of BATCH that were not marked as excluded before. */
gboolean sl_census_count (SlCensus *census, SlRun *run, SlBatch *batch, GError **error);

typedef enum
{
  SL_KNOWS_GOLD,   /* of some answer that is no attention check */
  SL_KNOWS_OTHERS, /* who answered the same item; once agreement was found */
} SlCensusFact;

/* Whether FACT is known of any annotator. */
gboolean sl_census_knows (const SlCensus *census, SlCensusFact fact);

/* Sets the grounds on all annotators; returns how many are excluded. */
gint32 sl_census_judge (SlCensus *census, const SlVerdictRule *rule);

/* OUT[n_rows] <- whether each row of BATCH is to go: its annotator is excluded, it repeats an
 * earlier row, or it was marked before. Batches come in order; *DUPLICATE starts at 0. An annotator
 * who was not counted is an error. */
gboolean sl_census_sort_out (const SlCensus *census, SlBatch *batch, guint *duplicate, guint8 *out,
                             GError **error);
