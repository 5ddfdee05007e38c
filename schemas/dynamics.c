/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dynamics.h"

#define NULLABLE (SL_COLUMN_OPTIONAL | SL_COLUMN_NULLABLE)

static const SlColumnSpec columns[] = {
  [SL_DYNAMICS_ITEM] = { "item", SL_TYPE_TEXT, SL_COLUMN_REQUIRED, "what was learned" },
  [SL_DYNAMICS_CLASS]
  = { "class", SL_TYPE_CLASS, SL_COLUMN_REQUIRED, "its label's largest class, which is looked at" },
  [SL_DYNAMICS_SEEN] = { "seen", SL_TYPE_INT64, SL_COLUMN_REQUIRED, "epochs it was met in" },
  [SL_DYNAMICS_CONFIDENCE] = { "confidence", SL_TYPE_REAL, SL_COLUMN_REQUIRED,
                               "mean over epochs of the probability of its class" },
  [SL_DYNAMICS_VARIABILITY] = { "variability", SL_TYPE_REAL, SL_COLUMN_REQUIRED,
                                "standard deviation of that: ambiguous items have much of it" },
  [SL_DYNAMICS_MARGIN]
  = { "margin", SL_TYPE_REAL, SL_COLUMN_REQUIRED,
      "mean of the class's logit less the largest other one: mislabelled items have little" },
  [SL_DYNAMICS_WAUM]
  = { "waum", SL_TYPE_REAL, NULLABLE,
      "the answers' margins in probability, by what their annotators are worth" },
  { NULL, 0, 0, NULL },
};

const SlKind sl_dynamics = {
  .name = "dynamics",
  .row = "how training went on one item",
  .invariants = "Each item is in one row.",
  .columns = columns,
};
