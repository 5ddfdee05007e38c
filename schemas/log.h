/* SPDX-License-Identifier: GPL-3.0-or-later */
/* log: one row is what one epoch of training came to, in training or in validation. */
#pragma once

#include "pipeline/table/batch.h"

enum
{
  SL_LOG_RUN,
  SL_LOG_EPOCH,
  SL_LOG_SPLIT,
  SL_LOG_LOSS,
  SL_LOG_ACCURACY,
  SL_LOG_RATE,
  SL_LOG_SECONDS,
  SL_LOG_GRID,
};

extern const SlKind sl_training_log;
