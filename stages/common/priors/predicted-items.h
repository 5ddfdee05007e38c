/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A model's predictions of items: a table of predictions, or of labels. Several rows of an item,
 * such as of several runs, count as their mean. */
#pragma once

#include "pipeline/base/intern/intern.h"
#include "pipeline/command/run.h"

typedef struct
{
  SlRun *run;
  SlIntern *items;
  gint32 n_classes;
  const gint32 *map; /* of the file's classes to the caller's */
  gboolean meet;     /* further items of the file join ITEMS; else they are left out */
  GArray *sum;       /* of double[n_classes], by item: the sum of the item's rows */
  GArray *rows;      /* of guint32, by item */
  gint64 n_strange;  /* rows left out */
  gsize claimed;
} SlPredictedItems;

/* Opens --predictions PATH; predictions of attacked or corrupted examples are refused. */
SlReader *sl_predictions_open (SlRun *run, const char *path, GError **error);

/* Reads all of READER; RUN, ITEMS, N_CLASSES, MAP and MEET are set. */
gboolean sl_predicted_items_read (SlPredictedItems *predicted, SlReader *reader, GError **error);
void sl_predicted_items_clear (SlPredictedItems *predicted);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlPredictedItems, sl_predicted_items_clear)
