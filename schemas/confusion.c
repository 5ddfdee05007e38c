/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "confusion.h"

#include "pipeline/base/error.h"

static const SlColumnSpec columns[] = {
  [SL_CONFUSION_ANNOTATOR] = { "annotator", SL_TYPE_TEXT, SL_COLUMN_REQUIRED, "who" },
  [SL_CONFUSION_TRUE] = { "true", SL_TYPE_CLASS, SL_COLUMN_REQUIRED, "the class an item has" },
  [SL_CONFUSION_ANSWERED]
  = { "answered", SL_TYPE_CLASS, SL_COLUMN_REQUIRED, "the class the annotator names" },
  [SL_CONFUSION_PROBABILITY]
  = { "probability", SL_TYPE_REAL, SL_COLUMN_REQUIRED, "how often: over `answered`, it sums to 1" },
  [SL_CONFUSION_ANSWERS]
  = { "answers", SL_TYPE_REAL, SL_COLUMN_OPTIONAL, "answers behind it, as the labels tell" },
  [SL_CONFUSION_PRIOR]
  = { "prior", SL_TYPE_REAL, SL_COLUMN_OPTIONAL, "share of all items that have the true class" },
  { NULL, 0, 0, NULL },
};

static gboolean
check (const SlBatch *batch, GError **error)
{
  const double *probability = batch->column[SL_CONFUSION_PROBABILITY].real;
  for (gint64 i = 0; i < batch->n_rows; i++)
    if (!(probability[i] >= 0 && probability[i] <= 1 + 1e-6)) /* so that a NaN fails */
      return sl_error_row (error, batch->first_row + i + 1,
                           "probability is %.9g; it lies between 0 and 1", probability[i]);
  return TRUE;
}

const SlKind sl_confusion = {
  .name = "confusion",
  .row = "how often one annotator answers one class where another is true",
  .invariants = "Probabilities lie between 0 and 1.",
  .columns = columns,
  .check = check,
};
