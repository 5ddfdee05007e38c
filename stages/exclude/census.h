/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all annotators did: counted over the annotations once, then judged. Memory grows with the
 * annotators and, where duplicates are looked for, with the rows. */
#pragma once

#include "pipeline/base/intern/intern.h"
#include "pipeline/command/run.h"
#include "stages/common/answers/answer-rows.h"
#include "row-digests.h"
#include "rules.h"

/* What makes a row the repetition of an earlier one. */
typedef enum
{
  SL_DEDUPE_OFF,
  SL_DEDUPE_EXACT, /* all that it says */
  SL_DEDUPE_ITEM,  /* annotator and item */
} SlDedupe;

typedef struct
{
  SlIntern *names;      /* the annotators, in order of first appearance */
  GArray *conduct;      /* SlConduct, by the annotator's number */
  GArray *duplicates;   /* gint64, rows that repeat an earlier one, ascending */
  SlDigestSet *digests; /* NULL: duplicates are not looked for */
  SlDedupe dedupe;
  double min_seconds; /* answers that took less are counted */
  gint32 n_classes;   /* 0: nobody asks how often each class is answered */
  GArray *of_class;   /* gint64, [annotators][n_classes] */
  gboolean times;     /* any answer's seconds were met */
  gboolean oddities;  /* the table says which answers are odd */
  guint *grounds;     /* of exclusion, by the annotator's number; sl_verdict() */
  gint32 n_judged, n_excluded;
  gboolean percents;   /* any percent was met */
  gboolean checks;     /* any attention check was met */
  gsize claimed;       /* bytes, of --max-memory */
  SlIntern *items;     /* to tell who agrees with whom; NULL where nobody asks */
  SlCollected answers; /* likewise; the annotators are those of `names` */
} SlCensus;

SlCensus *sl_census_new (SlDedupe dedupe);
void sl_census_free (SlCensus *census);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlCensus, sl_census_free)

/* Also collects who answered what: 12 bytes an answer, 20 where rows have counts. Before the first
 * row. */
void sl_census_ask_agreement (SlCensus *census, gint32 n_classes);

/* Also counts how often each annotator answers each of N_CLASSES: 8 bytes for each pair. Before the
 * first row. */
void sl_census_ask_classes (SlCensus *census, gint32 n_classes);

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

/* Sets the grounds on all annotators. */
void sl_census_judge (SlCensus *census, const SlVerdictRule *rule);

/* Whether everybody is excluded. */
static inline gboolean
sl_census_is_empty (const SlCensus *census)
{
  return census->n_judged > 0 && census->n_excluded == census->n_judged;
}

/* OUT[n_rows] <- whether each row of BATCH is to go: its annotator is excluded, it repeats an
 * earlier row, or it was marked before. Batches come in order; *DUPLICATE starts at 0. An annotator
 * who was not counted is an error. */
gboolean sl_census_sort_out (const SlCensus *census, SlBatch *batch, guint *duplicate, guint8 *out,
                             GError **error);
