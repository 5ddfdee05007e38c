/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "annotations.h"
#include "features.h"
#include "labels.h"
#include "mixtures.h"
#include "pipeline/base/error.h"
#include "predictions.h"

#include <math.h>

static gboolean
check_confusion (const SlBatch *batch, GError **error)
{
  const double *probability = batch->column[SL_CONFUSION_PROBABILITY].real;
  for (gint64 i = 0; i < batch->n_rows; i++)
    if (!(probability[i] >= 0 && probability[i] <= 1 + 1e-6)) /* so that a NaN fails */
      return sl_error_row (error, batch->first_row + i + 1,
                           "probability is %.9g; it lies between 0 and 1", probability[i]);
  return TRUE;
}

static gboolean
check_pairs (const SlBatch *batch, GError **error)
{
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      double agreement = batch->column[SL_PAIRS_AGREEMENT].real[i];
      if (batch->column[SL_PAIRS_ITEMS].int64[i] < 1)
        return sl_error_row (error, batch->first_row + i + 1, "items is less than 1");
      if (!(agreement >= 0 && agreement <= 1))
        return sl_error_row (error, batch->first_row + i + 1,
                             "agreement is %.9g; it lies between 0 and 1", agreement);
    }
  return TRUE;
}

/* A number is one, or is not there. */
static gboolean
check_scores (const SlBatch *batch, GError **error)
{
  static const int reals[] = { SL_SCORES_VALUE, SL_SCORES_LOWER, SL_SCORES_UPPER, SL_SCORES_SD };
  for (gsize c = 0; c < G_N_ELEMENTS (reals); c++)
    {
      const double *x = batch->column[reals[c]].real;
      for (gint64 i = 0; x != NULL && i < batch->n_rows; i++)
        if (isinf (x[i]))
          return sl_error_row (error, batch->first_row + i + 1, "%s is infinite",
                               sl_scores.columns[reals[c]].name);
    }
  return TRUE;
}

static gboolean
check_simulator (const SlBatch *batch, GError **error)
{
  const double *value = batch->column[SL_SIMULATOR_VALUE].real;
  for (gint64 i = 0; i < batch->n_rows; i++)
    if (!isfinite (value[i]))
      return sl_error_row (error, batch->first_row + i + 1, "value is not a finite number");
  return TRUE;
}

static gboolean
check_costs (const SlBatch *batch, GError **error)
{
  for (int c = SL_COSTS_ANNOTATORS; c <= SL_COSTS_SECONDS; c++)
    for (gint64 i = 0; i < batch->n_rows; i++)
      if (!(batch->column[c].real[i] >= 0 && batch->column[c].real[i] < G_MAXDOUBLE))
        return sl_error_row (error, batch->first_row + i + 1, "%s is %g; it is a number from 0 on",
                             sl_costs.columns[c].name, batch->column[c].real[i]);
  return TRUE;
}

/* clang-format off */
#define REQUIRED SL_COLUMN_REQUIRED
#define OPTIONAL SL_COLUMN_OPTIONAL
#define NULLABLE SL_COLUMN_NULLABLE
#define SCORES SL_COLUMN_SCORES

#define KIND(prefix, kind, ...) static const SlColumnSpec kind##_columns[] = {
#define COLUMN(prefix, number, name, type, flags, meaning) \
  [SL_##prefix##_##number] = { name, SL_TYPE_##type, flags, meaning },
#define END(prefix) { NULL, 0, 0, NULL } };
#include "kinds.def"
#undef KIND
#undef COLUMN
#undef END

#define KIND(prefix, kind, name, row, invariants, check, tags) \
  const SlKind kind = { name, row, invariants, kind##_columns, check, tags };
#define COLUMN(...)
#define END(...)
#include "kinds.def"
#undef KIND

#define KIND(prefix, kind, ...) &kind,
const SlKind *const sl_kinds[] = {
#include "kinds.def"
  NULL,
};
/* clang-format on */
