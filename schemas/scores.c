/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scores.h"

#include "pipeline/base/error.h"

#include <math.h>

#define NULLABLE (SL_COLUMN_OPTIONAL | SL_COLUMN_NULLABLE)

static const SlColumnSpec columns[] = {
  [SL_SCORES_GROUP] = { "group", SL_TYPE_TEXT, SL_COLUMN_OPTIONAL,
                        "what of the conditions is told apart: model=vgg, attack=fgsm; empty: "
                        "nothing" },
  [SL_SCORES_METRIC] = { "metric", SL_TYPE_TEXT, SL_COLUMN_REQUIRED, "what was measured" },
  [SL_SCORES_BIN] = { "bin", SL_TYPE_TEXT, SL_COLUMN_OPTIONAL,
                      "of a histogram, the values that are counted; else empty" },
  [SL_SCORES_VALUE] = { "value", SL_TYPE_REAL, SL_COLUMN_REQUIRED | SL_COLUMN_NULLABLE,
                        "the figure; of several runs their mean; missing where the data do not "
                        "have it" },
  [SL_SCORES_LOWER] = { "lower", SL_TYPE_REAL, NULLABLE, "where its interval begins" },
  [SL_SCORES_UPPER] = { "upper", SL_TYPE_REAL, NULLABLE, "where its interval ends" },
  [SL_SCORES_SD] = { "sd", SL_TYPE_REAL, NULLABLE, "standard deviation over runs, with n - 1" },
  [SL_SCORES_P]
  = { "p", SL_TYPE_REAL, NULLABLE, "of a difference: how often chance alone makes one as large" },
  [SL_SCORES_N] = { "n", SL_TYPE_INT64, SL_COLUMN_REQUIRED,
                    "items or answers behind it; of several runs those of the run with the least" },
  [SL_SCORES_RUNS] = { "runs", SL_TYPE_INT32, SL_COLUMN_OPTIONAL, "runs behind it" },
  [SL_SCORES_REASON] = { "reason", SL_TYPE_TEXT, SL_COLUMN_OPTIONAL,
                         "why there is no value, or no interval; else empty" },
  [SL_SCORES_INTERVAL]
  = { "interval", SL_TYPE_TEXT, SL_COLUMN_OPTIONAL,
      "what the interval is: 95 % t over runs, 95 % bootstrap over items; empty: there is none" },
  [SL_SCORES_DEFINITION]
  = { "definition", SL_TYPE_TEXT, SL_COLUMN_OPTIONAL, "how the metric is defined" },
  { NULL, 0, 0, NULL },
};

/* A number is one, or is not there. */
static gboolean
check (const SlBatch *batch, GError **error)
{
  static const int reals[] = { SL_SCORES_VALUE, SL_SCORES_LOWER, SL_SCORES_UPPER, SL_SCORES_SD };
  for (gsize c = 0; c < G_N_ELEMENTS (reals); c++)
    {
      const double *x = batch->column[reals[c]].real;
      for (gint64 i = 0; x != NULL && i < batch->n_rows; i++)
        if (isinf (x[i]))
          return sl_error_row (error, batch->first_row + i + 1, "%s is infinite",
                               columns[reals[c]].name);
    }
  return TRUE;
}

const SlKind sl_scores = {
  .name = "scores",
  .row = "one figure",
  .invariants = "softlabel writes one row for each group and metric; tables that are joined by "
                "`softlabel cat` may have it again. Numbers are finite, or missing.",
  .columns = columns,
  .check = check,
  .tags_in_rows = TRUE,
};
