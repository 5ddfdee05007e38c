/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a report shows of one table of annotators. */
#pragma once

#include "extremes.h"
#include "stages/report/report.h"

/* The columns that are listed, beside the answers. */
#define SL_ANNOTATOR_FIGURES 15
extern const int sl_annotator_figures[SL_ANNOTATOR_FIGURES];

/* Those who are kept in the order of one column, the least first (-1: of the answers, the most
 * first), and a sample of all. */
typedef struct
{
  int column;
  SlExtremes kept;
  SlSample sample;
} SlAnnotatorOrder;

#define SL_ANNOTATOR_ORDERS 5

typedef struct
{
  const SlReportInput *input;
  SlAnnotatorOrder order[SL_ANNOTATOR_ORDERS];
  SlAnnotatorOrder *chosen; /* once all rows are in: the first whose column has values */
  gint64 n, n_excluded, answers;
  SlExtremes excluded;
  double least, most; /* answers */
} SlAnnotatorTable;

/* Figures of how annotators are spread by the measure, and over their answers; of the sample, where
 * there are very many. */
void sl_draw_annotator_histogram (SlPage *page, SlAnnotatorTable *table);
void sl_draw_annotator_scatter (SlPage *page, SlAnnotatorTable *table);

/* A table of ROWS, with REASONS why they are excluded. CAPTION is markup. */
void sl_draw_annotator_rows (SlPage *page, const SlAnnotatorTable *table, const SlExtremes *rows,
                             const char *caption, gboolean reasons);
