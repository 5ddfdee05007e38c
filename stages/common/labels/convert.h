/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns batches of annotations into labels: chooses the rows that get one, runs the kernel
 * (redistribution.h) over chunks of them, and puts its problems into words. */
#pragma once

#include "pipeline/command/run.h"
#include "redistribution.h"
#include "schemas/annotations.h"

typedef struct
{
  SlRedistribution how;
  gboolean select; /* from the choices alone: sl_select_choices() */
  double smooth;   /* beta of sl_smooth_labels(); 0 for none */
  gboolean clamp;  /* percents out of range count as 0, or as 100 */
  /* What was met, for the summary. */
  gint64 n_checks, n_excluded; /* rows left out */
  SlAnswerCounts counts;
} SlConversion;

/* The rows of BATCH that get a label; KEEP[n_rows] says which they are. */
SlBatch *sl_convert_choose (SlConversion *conversion, SlBatch *batch, guint8 *keep, GError **error);

/* label[n_rows][n_classes] of ROWS, which were chosen so from BATCH. */
gboolean sl_convert_fill (SlConversion *conversion, const SlRun *run, SlBatch *batch,
                          const guint8 *keep, SlBatch *rows, double *label, GError **error);

/* The same of the rows of VIEW; ROW tells the table's row, counted from 1, behind row I of it. */
gboolean sl_convert_view (SlConversion *conversion, int threads, const SlAnnotations *view,
                          gint32 n_classes, double *label,
                          gint64 (*row) (gconstpointer data, gint64 i), gconstpointer data,
                          GError **error);

/* Appends the labels of BATCH to run->out, whose table is TABLE; BUILDER is empty. */
gboolean sl_convert_batch (SlConversion *conversion, SlRun *run, SlBatch *batch, SlTable *table,
                           SlBuilder *builder, GError **error);
