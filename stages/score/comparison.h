/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What compare knows of its tables, and what it writes of them. */
#pragma once

#include "aligned.h"
#include "metrics/paired.h"

typedef struct
{
  char *against;
  char *gold;
  gboolean inner;
  char *metrics;
  char *items;
  int sort;
  gboolean same_top;
  double clip;
  gint64 bin_size, bins;
  double level;
  gint64 resamples;
} SlCompareOptions;

typedef struct
{
  SlRun *run;
  SlReference first, second, against;
  SlItemValues gold;
  SlAligned aligned;
  SlCasePlan plan;
  gboolean *chosen;
  const SlMetric **metrics; /* [n_metrics], the chosen ones */
  int n_metrics;
  GPtrArray *made; /* SlCases, of which the cases below are */
  SlTable *table;
  SlBuilder *builder;
} SlComparison;

void sl_comparison_clear (SlComparison *comparison);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlComparison, sl_comparison_clear)

/* Whether the two are compared with a third, not with each other. */
static inline gboolean
sl_compare_has_truth (const SlCompareOptions *options)
{
  return options->against != NULL || options->gold != NULL;
}

/* Reads all tables, and finds the metrics. */
gboolean sl_comparison_read (SlComparison *comparison, GError **error);

/* What metrics look at, of predictions PROB beside TARGET, [n][n_classes] both; NULL and ERROR
 * where there is no memory for it. */
const SlScoredItems *sl_comparison_items (SlComparison *comparison, const double *prob,
                                          const double *target, GError **error);

/* ---- comparison-rows.c ---- */

/* The header of the scores. */
void sl_comparison_make_table (SlComparison *comparison);

/* Writes the metrics of ITEMS by themselves, as GROUP; or those of A, of B, and their
 * differences. */
gboolean sl_comparison_write_single (SlComparison *comparison, const SlScoredItems *items,
                                     const char *group, GError **error);
gboolean sl_comparison_write_pair (SlComparison *comparison, const SlScoredItems *a,
                                   const SlScoredItems *b, GError **error);
