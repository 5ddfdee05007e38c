/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulator.h"

#include "pipeline/base/error.h"

#include <math.h>

#define NULLABLE (SL_COLUMN_OPTIONAL | SL_COLUMN_NULLABLE)

static const SlColumnSpec columns[] = {
  [SL_SIMULATOR_GROUP] = { "group", SL_TYPE_TEXT, SL_COLUMN_REQUIRED,
                           "the items it is for: all, high or low (entropy)" },
  [SL_SIMULATOR_NAME] = { "name", SL_TYPE_TEXT, SL_COLUMN_REQUIRED, "which parameter" },
  [SL_SIMULATOR_CLASS] = { "class", SL_TYPE_CLASS, NULLABLE, "of a class, or of a pair" },
  [SL_SIMULATOR_OTHER] = { "other", SL_TYPE_CLASS, NULLABLE, "of a pair of classes" },
  [SL_SIMULATOR_VALUE] = { "value", SL_TYPE_REAL, SL_COLUMN_REQUIRED, "the parameter" },
  { NULL, 0, 0, NULL },
};

static gboolean
check (const SlBatch *batch, GError **error)
{
  const double *value = batch->column[SL_SIMULATOR_VALUE].real;
  for (gint64 i = 0; i < batch->n_rows; i++)
    if (!isfinite (value[i]))
      return sl_error_row (error, batch->first_row + i + 1, "value is not a finite number");
  return TRUE;
}

const SlKind sl_simulator = {
  .name = "simulator",
  .row = "one parameter of a simulator",
  .invariants = "Values are finite.",
  .columns = columns,
  .check = check,
};
