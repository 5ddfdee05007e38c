/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "predictions.h"

#include "pipeline/base/error.h"
#include "labels.h"

#include <math.h>

gboolean
sl_predictions_of_items (const SlTable *table, const char *name, GError **error)
{
  if (sl_predictions_are_changed (table))
    return sl_error_bad_input (error,
                               "%s: its predictions are of attacked or corrupted examples; "
                               "predictions of the examples as they are are wanted",
                               name);
  if (table->kind == &sl_predictions && sl_table_has (table, SL_PREDICTIONS_ANNOTATOR))
    return sl_error_bad_input (error,
                               "%s: its predictions are of what annotators answer; those of the "
                               "classes, by `softlabel predict` without --annotators, are wanted",
                               name);
  return TRUE;
}

gboolean
sl_predictions_check_rows (const SlBatch *batch, GError **error)
{
  const gint32 *run = batch->column[SL_PREDICTIONS_RUN].int32;
  const double *logit = batch->column[SL_PREDICTIONS_LOGIT].real;
  gint64 n_classes = batch->table->n_classes;
  for (gint64 i = 0; run != NULL && i < batch->n_rows; i++)
    if (run[i] < 0)
      return sl_error_row (error, batch->first_row + i + 1, "run is %d; runs count from 0", run[i]);
  for (gint64 i = 0; logit != NULL && i < batch->n_rows * n_classes; i++)
    if (!isfinite (logit[i]))
      return sl_error_row (error, batch->first_row + i / n_classes + 1, "a logit is not finite");
  return sl_labels_check (batch, SL_PREDICTIONS_PROB, error);
}

gboolean
sl_predictions_are_changed (const SlTable *table)
{
  return table->kind == &sl_predictions
         && (sl_table_has (table, SL_PREDICTIONS_ATTACK)
             || sl_table_has (table, SL_PREDICTIONS_CORRUPTION));
}
