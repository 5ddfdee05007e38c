/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run of the stage: what it was told, and the parts that both ways of running it share. */
#pragma once

#include "pipeline/command/run.h"
#include "stages/common/answers/tally.h"
#include "stages/common/answers/votes-of-batch.h"
#include "stages/common/items/row-tags.h"
#include "options.h"

typedef struct
{
  SlRun *run;
  const SlAggregateOptions *options;
  const SlMethod *method;
  SlMethodSettings settings; /* the options', and what the run, files and answers add to them */
  SlPriorFiles priors;
  SlTable *table;    /* the output's */
  gint64 unlabelled; /* items that the method has no label for */
  GArray *quantile;  /* of double: Student's t, by degrees of freedom; NULL before the first */
} SlAggregation;

/* Whether sums are to be the same to the last bit for any order of rows: where they are of labels,
 * and there is more to be made of them than a mean, whose last digit is all that rounding moves. */
gboolean sl_aggregation_is_exact (const SlAggregation *aggregation);

/* Turns the sums of items FIRST .. FIRST + N - 1 of TALLY into labels. KEY: for every item of
 * TALLY; NULL where the settings do not call for it. KEPT, likewise: the classes of items that keep
 * theirs, -1 for others; NULL: none do. */
void sl_aggregation_label (const SlAggregation *aggregation, SlTally *tally, gint32 first, gint32 n,
                           const guint64 *key, const gint32 *kept);

/* Items FIRST .. FIRST + N - 1 of TALLY. */
SlItems sl_aggregation_items (const SlTally *tally, gint32 first, gint32 n, const guint64 *key);

/* Whether METHOD goes by the percents that IN has, not by first choices alone. */
gboolean sl_aggregation_takes_percents (const SlMethod *method, const SlTable *in);

/* FALSE and ERROR where the method does not take answers of this kind, or needs annotators (NAMED)
 * that they do not have. */
gboolean sl_aggregation_check_answers (const SlAggregation *aggregation, const SlTable *in,
                                       gboolean named, GError **error);

/* FALSE: the item has no weight or too much, or lacks the gold class that the method needs. */
gboolean sl_aggregation_check_item (const SlAggregation *aggregation, const SlTally *tally,
                                    gint32 i, const char *name, gsize length, GError **error);

/* Items to be written, as their names[n]: FIRST and on, in TALLY or in the places of PLACE. */
typedef struct
{
  const SlTally *tally;
  const gint32 *place; /* NULL: the same */
  gint32 first, n;
  SlText names;
  const SlRowTags *tags;       /* NULL: none */
  const double *lower, *upper; /* of the items' values, by place; NULL: as the labels tell */
  const double *votes;         /* by place: as sure as so many; NULL: as its weight */
} SlLabelled;

/* Writes their labels. Items without one are left out. */
gboolean sl_aggregation_write (SlAggregation *aggregation, SlBuilder *builder,
                               const SlLabelled *items, GError **error);

/* ---- whole-table.c ---- */

/* Reads everything, then labels and writes all items. Memory: items × (classes + 1) numbers, and
 * the items' names; for methods that must see who gave an answer, 24 bytes an answer besides, and
 * where answers are soft 16 bytes for each class of each. */
gboolean sl_aggregate_whole (SlAggregation *aggregation, GError **error);

/* ---- item-by-item.c ---- */

/* Labels and writes each item as soon as its rows have passed. An item's rows must follow one
 * another. Memory: a batch, and what the method keeps of annotators. */
gboolean sl_aggregate_sorted (SlAggregation *aggregation, GError **error);
