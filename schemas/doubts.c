/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "doubts.h"

static const SlColumnSpec columns[] = {
  [SL_DOUBTS_ITEM] = { "item", SL_TYPE_TEXT, SL_COLUMN_REQUIRED, "what was labelled" },
  [SL_DOUBTS_GIVEN]
  = { "given", SL_TYPE_CLASS, SL_COLUMN_REQUIRED, "the largest class of its label" },
  [SL_DOUBTS_PREDICTED]
  = { "predicted", SL_TYPE_CLASS, SL_COLUMN_REQUIRED, "the model's likeliest class" },
  [SL_DOUBTS_SELF_CONFIDENCE] = { "self_confidence", SL_TYPE_REAL, SL_COLUMN_REQUIRED,
                                  "what label and prediction have in common, from 0 to 1; of a "
                                  "label of one class, that class's probability" },
  [SL_DOUBTS_MARGIN] = { "margin", SL_TYPE_REAL, SL_COLUMN_REQUIRED,
                         "half of 1 and the probability of the label's class less that of the "
                         "likeliest other one, from 0 to 1" },
  [SL_DOUBTS_CONFIDENT] = { "confident", SL_TYPE_CLASS, SL_COLUMN_REQUIRED | SL_COLUMN_NULLABLE,
                            "the class that the model is confident of" },
  [SL_DOUBTS_DOUBTED] = { "doubted", SL_TYPE_BOOL, SL_COLUMN_REQUIRED,
                          "whether it is confident, and of another class than the given one" },
  [SL_DOUBTS_GOLD] = { "gold", SL_TYPE_CLASS, SL_COLUMN_OPTIONAL | SL_COLUMN_NULLABLE,
                       "the true class, where it is known" },
  { NULL, 0, 0, NULL },
};

const SlKind sl_doubts = {
  .name = "doubts",
  .row = "how far a model doubts the label of one item",
  .invariants = "softlabel writes one row for each item, the most doubtful first.",
  .columns = columns,
};
