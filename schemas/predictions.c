/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "predictions.h"

#include "pipeline/base/error.h"
#include "labels.h"

#include <math.h>

static const SlColumnSpec columns[] = {
  [SL_PREDICTIONS_ITEM] = { "item", SL_TYPE_TEXT, SL_COLUMN_REQUIRED, "what is predicted" },
  [SL_PREDICTIONS_RUN] = { "run", SL_TYPE_INT32, SL_COLUMN_OPTIONAL,
                           "which model, from 0, where several were asked; 0 where absent" },
  [SL_PREDICTIONS_PROB]
  = { "prob", SL_TYPE_LABEL, SL_COLUMN_REQUIRED, "the probability of each class, in class order" },
  [SL_PREDICTIONS_LOGIT] = { "logit", SL_TYPE_LABEL, SL_COLUMN_OPTIONAL | SL_COLUMN_SCORES,
                             "what the softmax made the probabilities from" },
  [SL_PREDICTIONS_GOLD] = { "gold", SL_TYPE_CLASS, SL_COLUMN_OPTIONAL | SL_COLUMN_NULLABLE,
                            "the true class, where it is known" },
  [SL_PREDICTIONS_ANNOTATOR] = { "annotator", SL_TYPE_TEXT, SL_COLUMN_OPTIONAL,
                                 "whose answer it predicts, of a model of single annotators" },
  [SL_PREDICTIONS_ATTACK]
  = { "attack", SL_TYPE_TEXT, SL_COLUMN_OPTIONAL, "how the example was changed: fgsm, pgd" },
  [SL_PREDICTIONS_EPSILON] = { "epsilon", SL_TYPE_REAL, SL_COLUMN_OPTIONAL,
                               "how far the attack may move a pixel, of 1 for the whole range" },
  [SL_PREDICTIONS_STEP]
  = { "step", SL_TYPE_INT32, SL_COLUMN_OPTIONAL, "steps of the attack before this row" },
  [SL_PREDICTIONS_LOSS]
  = { "loss", SL_TYPE_REAL, SL_COLUMN_OPTIONAL, "what the attack raises, at this row" },
  [SL_PREDICTIONS_CORRUPTION]
  = { "corruption", SL_TYPE_TEXT, SL_COLUMN_OPTIONAL, "how the example was corrupted" },
  [SL_PREDICTIONS_SEVERITY]
  = { "severity", SL_TYPE_INT32, SL_COLUMN_OPTIONAL, "how much, from 1 to 5" },
  { NULL, 0, 0, NULL },
};

static gboolean
check (const SlBatch *batch, GError **error)
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

const SlKind sl_predictions = {
  .name = "predictions",
  .row = "what one model says of one example",
  .invariants = "Every prob is 0 or more in each class and sums to 1 within 1e-6; logits are "
                "finite; runs count from 0.",
  .columns = columns,
  .check = check,
  .tags_in_rows = TRUE,
};

gboolean
sl_predictions_are_changed (const SlTable *table)
{
  return table->kind == &sl_predictions
         && (sl_table_has (table, SL_PREDICTIONS_ATTACK)
             || sl_table_has (table, SL_PREDICTIONS_CORRUPTION));
}
