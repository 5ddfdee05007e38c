/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "costs.h"

#include "pipeline/base/error.h"
#include "pipeline/table/batch.h"

#define NULLABLE (SL_COLUMN_OPTIONAL | SL_COLUMN_NULLABLE)

static const SlColumnSpec columns[] = {
  [SL_COSTS_METRIC] = { "metric", SL_TYPE_TEXT, SL_COLUMN_REQUIRED, "what was measured" },
  [SL_COSTS_GROUP]
  = { "group", SL_TYPE_TEXT, SL_COLUMN_OPTIONAL, "what of the conditions the scores tell apart" },
  [SL_COSTS_ANNOTATORS] = { "annotators", SL_TYPE_REAL, SL_COLUMN_REQUIRED, "annotators an item" },
  [SL_COSTS_SECONDS_EACH] = { "seconds_each", SL_TYPE_REAL, SL_COLUMN_REQUIRED,
                              "seconds that one of them takes for an item" },
  [SL_COSTS_SECONDS]
  = { "seconds", SL_TYPE_REAL, SL_COLUMN_REQUIRED, "seconds an item: the product of the two" },
  [SL_COSTS_VALUE] = { "value", SL_TYPE_REAL, SL_COLUMN_REQUIRED | SL_COLUMN_NULLABLE,
                       "the figure; missing where the data do not have it" },
  [SL_COSTS_LOWER] = { "lower", SL_TYPE_REAL, NULLABLE, "where its interval begins" },
  [SL_COSTS_UPPER] = { "upper", SL_TYPE_REAL, NULLABLE, "where its interval ends" },
  { NULL, 0, 0, NULL },
};

static gboolean
check (const SlBatch *batch, GError **error)
{
  for (int c = SL_COSTS_ANNOTATORS; c <= SL_COSTS_SECONDS; c++)
    for (gint64 i = 0; i < batch->n_rows; i++)
      if (!(batch->column[c].real[i] >= 0 && batch->column[c].real[i] < G_MAXDOUBLE))
        return sl_error_row (error, batch->first_row + i + 1, "%s is %g; it is a number from 0 on",
                             columns[c].name, batch->column[c].real[i]);
  return TRUE;
}

const SlKind sl_costs = {
  .name = "costs",
  .row = "one figure, and the time of annotators behind it",
  .invariants = "Annotators and seconds are 0 or more.",
  .columns = columns,
  .check = check,
  .tags_in_rows = TRUE,
};
