/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A whole table, between reading and writing (whole-table.c), where its labels are made
 * (whole-fit.c). */
#pragma once

#include "stages/common/answers/gathering.h"
#include "aggregation.h"
#include "annotator-tables.h"

typedef struct
{
  const SlAggregation *aggregation;
  SlGathering gathering;
  SlPriors priors;
  SlAnnotatorTables tables;
  SlMethodSettings settings;
  double *prior, *start, *start_prior; /* memory behind the settings' */
  gint32 *known_gold;                  /* of the items, from a file; NULL: none */
  guint64 *key;                        /* of the items */
} SlWholeTable;

/* The classes of items that keep theirs; NULL: none do. */
static inline const gint32 *
sl_whole_kept_gold (const SlWholeTable *whole)
{
  return !whole->settings.fix_gold   ? NULL
         : whole->known_gold != NULL ? whole->known_gold
                                     : whole->gathering.tally.gold;
}

/* Items at a time for one thread, where each is for itself. */
#define SL_WHOLE_SHARE 4096

/* Calls WORK for every share of the items, on all threads: each is for itself. */
void sl_whole_each_share (SlWholeTable *whole, void (*work) (int share, gpointer data));

/* Of share number SHARE, its first item; *N becomes how many there are. */
static inline gint32
sl_whole_share (const SlWholeTable *whole, int share, gint32 *n)
{
  gint32 first = share * SL_WHOLE_SHARE;
  *n = MIN (SL_WHOLE_SHARE, whole->gathering.tally.n_items - first);
  return first;
}

/* Labels by what the sums say. */
void sl_whole_label (SlWholeTable *whole);

/* What files say of annotators, as the method wants it. */
gboolean sl_whole_read_priors (SlWholeTable *whole, GError **error);

/* Labels by what the answers say, and by whom. */
gboolean sl_whole_fit (SlWholeTable *whole, const SlItems *items, const SlAnswers *answers,
                       GError **error);
