/* SPDX-License-Identifier: GPL-3.0-or-later */
/* annotations: one row is one judgement of one item by one annotator. */
#pragma once

#include "kinds.h"
#include "records.h"

/* Up to here every whole number is a double of its own, and 1024 of them have a sum in 64 bits. */
#define SL_COUNT_MOST (G_GINT64_CONSTANT (1) << 53)

/* What a percent that could not be read is kept as: outside [0, 100], as `exclude` counts it. */
#define SL_PERCENT_UNREADABLE (-1.0)

/* Both forms of the table (`class`; `choices` and `impossible`) as one: row i names the classes
 * choice[j] with percent[j], start[i] <= j < start[i + 1], in rank order, and rules out
 * impossible[j], impossible_start[i] <= j < .... A plain vote is one choice with no percent. A
 * pointer is NULL where the table lacks the column. start, choice, percent and impossible_start are
 * always there. */
typedef struct
{
  gint64 n;
  SlText item;
  SlText annotator; /* .offset is NULL where there are no annotators */
  const gint32 *start, *choice;
  const double *percent; /* NaN: not given */
  const gint32 *impossible_start, *impossible;
  const gint32 *gold;     /* -1: not known */
  const guint8 *repeat;   /* the annotator had seen the item before */
  const guint8 *check;    /* an attention check, not a judgement of the item */
  const guint8 *repaired; /* a first percent of 0, or none, was replaced by 100 */
  const guint8 *complete; /* the annotator's session reached its end */
  const gint32 *trial;
  const double *seconds;  /* NaN: not known */
  const gint64 *count;    /* identical votes behind the row */
  const guint8 *excluded; /* the annotator was excluded, the row only marked */
  const guint8 *placed;   /* the trial is known; NULL: all are */
  SlText odd;             /* .offset is NULL where the table does not say; empty: nothing is */
} SlAnnotations;

/* keep[n_rows], to be freed: whether each row of BATCH, of any kind, is a judgement that counts: no
 * attention check, nor marked as excluded, nor set aside. NULL: all are. */
guint8 *sl_annotations_counted (const SlBatch *batch);

/* The view lives as long as BATCH, and takes no memory of its own. */
SlAnnotations sl_annotations_view (SlBatch *batch);

static inline SlRecords
sl_annotations_records (const SlAnnotations *view)
{
  return (SlRecords){ view->start, view->choice, view->percent, view->impossible_start,
                      view->impossible };
}

/* The invariants of rows. */
gboolean sl_annotations_check_rows (const SlBatch *batch, GError **error);
