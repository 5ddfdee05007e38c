/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Batches of annotations into labels: which rows get one, the kernel over chunks of them, and what
 * its problems mean. */
#pragma once

#include "../../pipeline/run.h"
#include "kernel.h"

typedef struct
{
  SlRedistribution how;
  gboolean select; /* from the choices alone: sl_select_choices() */
  double smooth;   /* beta of sl_smooth_labels(); 0 for none */
  gboolean drop_repeats;
  /* What was met, for the summary. */
  gint64 n_checks, n_excluded, n_repeats; /* rows left out */
  SlAnswerCounts counts;
} SlConversion;

/* Appends the labels of BATCH to run->out, whose table is TABLE and whose empty BUILDER is
 * BUILDER. */
gboolean sl_convert_batch (SlConversion *conversion, SlRun *run, SlBatch *batch, SlTable *table,
                           SlBuilder *builder, GError **error);
