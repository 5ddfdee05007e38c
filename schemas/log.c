/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "log.h"

#define NULLABLE (SL_COLUMN_OPTIONAL | SL_COLUMN_NULLABLE)

static const SlColumnSpec columns[] = {
  [SL_LOG_RUN] = { "run", SL_TYPE_INT32, SL_COLUMN_REQUIRED, "which run, from 0" },
  [SL_LOG_EPOCH] = { "epoch", SL_TYPE_INT32, SL_COLUMN_REQUIRED, "which epoch, from 1" },
  [SL_LOG_SPLIT] = { "split", SL_TYPE_TEXT, SL_COLUMN_REQUIRED, "training or validation" },
  [SL_LOG_LOSS]
  = { "loss", SL_TYPE_REAL, SL_COLUMN_REQUIRED,
      "mean over examples: of training what is lowered, of validation cross-entropy" },
  [SL_LOG_ACCURACY]
  = { "accuracy", SL_TYPE_REAL, SL_COLUMN_REQUIRED, "share of examples whose class is right" },
  [SL_LOG_RATE] = { "rate", SL_TYPE_REAL, NULLABLE, "learning rate of the last batch" },
  [SL_LOG_SECONDS] = { "seconds", SL_TYPE_REAL, NULLABLE, "that the epoch took" },
  [SL_LOG_GRID] = { "grid", SL_TYPE_TEXT, SL_COLUMN_OPTIONAL, "the options that were tried" },
  { NULL, 0, 0, NULL },
};

const SlKind sl_training_log = {
  .name = "log",
  .row = "what one epoch of training came to, in training or in validation",
  .invariants = "Runs count from 0, epochs from 1.",
  .columns = columns,
};
