/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Items with their labels and a model's predictions of them. */
#pragma once

#include "pipeline/base/intern/intern.h"
#include "pipeline/command/run.h"
#include "stages/common/answers/tally.h"

typedef struct
{
  SlRun *run;
  gsize k;
  SlIntern *items;
  SlTally labels, predictions; /* of the items */
  gsize claimed;
  gint64 n_strange; /* predictions of other items */
  gint32 *item;     /* [n]: those that have both, in order of appearance */
  gint64 n;
  double *t, *p; /* [n][k]: labels and predictions with sum 1, in the tallies' memory */
} SlLabelled;

/* Reads run->in, a table of labels, and PREDICTIONS. HARD: labels become their largest class.
 * INNER: items without predictions are left out, instead of an error. */
gboolean sl_labelled_read (SlLabelled *labelled, SlRun *run, const char *predictions, gboolean hard,
                           gboolean inner, GError **error);
void sl_labelled_clear (SlLabelled *labelled);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlLabelled, sl_labelled_clear)
