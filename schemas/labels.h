/* SPDX-License-Identifier: GPL-3.0-or-later */
/* labels: one row is one distribution over the classes, of one annotator or of several together. */
#pragma once

#include "kinds.h"

/* How far a label's sum may be from 1 in a table that is read. */
#define SL_LABEL_TOLERANCE 1e-6

/* Beyond such weights sums of weights times probabilities overflow or lose digits. */
#define SL_LABELS_MOST_WEIGHT 0x1p+100

typedef struct
{
  gint64 n;
  gint32 n_classes;
  SlText item;
  SlText annotator;     /* .offset is NULL where there are none */
  const double *label;  /* [n][n_classes] */
  const double *weight; /* annotators behind each */
  const gint32 *gold;   /* -1: not known; NULL where there is none */
} SlLabels;

SlLabels sl_labels_view (const SlBatch *batch);

/* That TABLE, read from NAME, has labels of items, not of single annotators. */
gboolean sl_labels_check_whole (const SlTable *table, const char *name, GError **error);

/* Whether COLUMN of BATCH holds numbers of answers: 0, or between 2^-100 and 2^100. */
gboolean sl_labels_check_weights (const SlBatch *batch, int column, GError **error);

/* Whether COLUMN of BATCH holds distributions: 0 or more in each class, with sum 1. */
gboolean sl_labels_check (const SlBatch *batch, int column, GError **error);

/* The invariants of rows. */
gboolean sl_labels_check_rows (const SlBatch *batch, GError **error);
