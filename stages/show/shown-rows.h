/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows that are shown, on their way: those that fit, as they come or sorted. */
#pragma once

#include "stages/common/tables/condition.h"
#include "sorting.h"

typedef struct
{
  SlRun *run;
  GArray *conditions; /* SlCondition */
  SlSorting *sorting; /* NULL: as they come */
  gint64 read, fit;
  /* What is done with each batch of those that fit, in the table's order (LOOK, or NULL), and with
   * those that are shown, in theirs. */
  void (*look) (gpointer data, const SlBatch *batch);
  void (*show) (gpointer data, const SlBatch *batch);
  gpointer data;
} SlShownRows;

/* The conditions of TEXTS (NULL: none) for run->in; NULL and ERROR where one cannot be. */
GArray *sl_shown_rows_conditions (SlRun *run, char *const *texts, GError **error);

/* Reads run->in to its end even where few rows are shown: to count the rows, and because a table
 * that breaks off must not look like a whole one. */
gboolean sl_shown_rows_go (SlShownRows *rows, GError **error);
