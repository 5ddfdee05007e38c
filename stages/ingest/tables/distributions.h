/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the formats `labels` and `predictions` have in common: distributions over the classes that
 * are there already. */
#pragma once

#include "stages/ingest/ingestion.h"
#include "stages/common/answers/seen-pairs.h"

typedef struct
{
  SlIngest *ingest;
  const SlKind *kind;
  const SlColumnRole *roles; /* item, annotator, weight, gold, run */
  int item, values, gold;    /* columns of the table */
  int annotator, weight;     /* weight of labels; -1: such a table has none */
  int run;                   /* of predictions; -1 */
  SlBuilder *rows;
  gint64 n_rows; /* read so far: items without names are numbered */
  char **items;  /* of --items; NULL: none */
  gint64 n_items;
  SlSeenPairs *seen; /* which item's row was read, of whom; of numbered items none */
} SlDistributions;

/* One row; what is not there is NULL, NaN or -1. */
typedef struct
{
  const char *item;
  gsize item_length;
  const char *annotator;
  const char *gold;
  double weight;
  gint64 run;
} SlDistributionRow;

/* The table begins, with the columns of the bits of OPTIONAL beside those that it always has. */
gboolean sl_distributions_start (SlDistributions *to, guint32 optional, GError **error);

/* The numbers P[n classes] of a row, in the unit of --percent-scale, become probabilities. Returns
 * NULL, or what is wrong with them. */
char *sl_distributions_check (const SlDistributions *to, double *p);

/* Adds a row whose probabilities are P. */
gboolean sl_distributions_add (SlDistributions *to, const SlDistributionRow *row, const double *p,
                               GError **error);

/* *AGAIN: a row of the same item was there before, of the same annotator or run. */
gboolean sl_distributions_again (SlDistributions *to, const SlDistributionRow *row, gboolean *again,
                                 GError **error);

/* The name of row N where the file has none; NULL: there are fewer names in --items. */
const char *sl_distributions_item (const SlDistributions *to, gint64 n, char room[24]);

/* Reads SOURCE, CSV or another form of a table, which it takes. */
gboolean sl_distributions_read_csv (SlDistributions *to, const char *path, SlSource *source,
                                    GError **error);
