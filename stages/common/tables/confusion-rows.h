/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of confusion, written. */
#pragma once

#include "pipeline/base/intern/intern.h"
#include "pipeline/files/writer.h"

#define SL_NO_COLUMN (-1)

typedef struct
{
  gint32 k, l; /* true, answered */
  double probability;
  double answers, prior;     /* or SL_NO_COLUMN where the table is without it */
  const double *information; /* or NULL, likewise */
} SlConfusionCell;

SlTable *sl_confusion_table (char *const *classes);

/* One row, of the annotator NAME[length]. */
gboolean sl_confusion_write (SlWriter *writer, SlBuilder *builder, const char *name, gsize length,
                             const SlConfusionCell *cell, GError **error);
