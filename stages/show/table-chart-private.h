/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is collected of a table for its chart (table-chart.c), and drawn (draw-chart.c). */
#pragma once

#include "stages/common/figures/reliability.h"
#include "table-chart.h"

#define SL_CHART_PARTS 48
#define SL_CHART_LINES 6

/* A split of the log: sums over runs by epoch. */
typedef struct
{
  char *name;
  GArray *loss, *accuracy, *runs; /* double */
} SlChartLine;

struct _SlTableChart
{
  const SlKind *kind;
  SlReliability bins;
  gint64 unknown;                /* predictions without gold */
  double counts[SL_CHART_PARTS]; /* labels by their entropies */
  double most_entropy;
  gint64 n_labels;
  SlChartLine lines[SL_CHART_LINES];
  int n_lines;
};
