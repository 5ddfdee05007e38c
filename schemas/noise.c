/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "noise.h"

#define NULLABLE (SL_COLUMN_REQUIRED | SL_COLUMN_NULLABLE)

static const SlColumnSpec columns[] = {
  [SL_NOISE_GIVEN] = { "given", SL_TYPE_CLASS, SL_COLUMN_REQUIRED, "the label's class" },
  [SL_NOISE_TRUE] = { "true", SL_TYPE_CLASS, SL_COLUMN_REQUIRED, "the class that items have" },
  [SL_NOISE_COUNT] = { "count", SL_TYPE_REAL, SL_COLUMN_REQUIRED,
                       "labelled items that the model is confident of, as that true class" },
  [SL_NOISE_JOINT] = { "joint", SL_TYPE_REAL, SL_COLUMN_REQUIRED,
                       "the estimated share of all items: the counts, brought to the labels' "
                       "shares" },
  [SL_NOISE_GIVEN_OF_TRUE] = { "given_of_true", SL_TYPE_REAL, NULLABLE,
                               "the share of the true class's items that are so labelled" },
  [SL_NOISE_TRUE_OF_GIVEN] = { "true_of_given", SL_TYPE_REAL, NULLABLE,
                               "the share of the given class's items that are truly that" },
  { NULL, 0, 0, NULL },
};

const SlKind sl_noise = {
  .name = "noise",
  .row = "how often items of one true class are labelled with one class",
  .invariants = "There is a row for each two classes; joint sums to 1.",
  .columns = columns,
};
