/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From an item's answers to rows of the output. */
#pragma once

#include "pool.h"

typedef struct
{
  guint64 seed;
  gint64 annotators;   /* answers chosen an item; 0: all */
  gint64 draws;        /* 0: none */
  gint64 hard_samples; /* 0: none */
  gboolean votes;
} SlSampling;

/* Answers that ROW, of annotations, stands for. */
gint64 sl_row_count (SlRow row);

/* Appends ROW to the output N times, as single votes. */
gboolean sl_write_votes (SlRun *run, SlBuilder *builder, const SlTable *table, SlRow row, gint64 n,
                         GError **error);

/* Reads all of RUN's input and writes what SAMPLING says to its output, which is TABLE. */
gboolean sl_sample (SlRun *run, SlTable *table, const SlSampling *sampling, GError **error);
