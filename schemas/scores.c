/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scores.h"

static const SlColumnSpec columns[] = {
  [SL_SCORES_METRIC] = { "metric", SL_TYPE_TEXT, SL_COLUMN_REQUIRED, "what was measured" },
  [SL_SCORES_VALUE] = { "value", SL_TYPE_REAL, SL_COLUMN_REQUIRED | SL_COLUMN_NULLABLE,
                        "the figure; missing where the data do not have it" },
  [SL_SCORES_N] = { "n", SL_TYPE_INT64, SL_COLUMN_REQUIRED, "items or answers behind it" },
  { NULL, 0, 0, NULL },
};

const SlKind sl_scores = {
  .name = "scores",
  .row = "one figure",
  .invariants
  = "softlabel writes one row for each metric; tables that are joined by `softlabel cat` "
    "may have it again.",
  .columns = columns,
  .tags_in_rows = TRUE,
};
