/* SPDX-License-Identifier: GPL-3.0-or-later */
/* predictions: one row is what one model says of one example. */
#pragma once

#include "pipeline/table/batch.h"

enum
{
  SL_PREDICTIONS_ITEM,
  SL_PREDICTIONS_RUN,
  SL_PREDICTIONS_PROB,
  SL_PREDICTIONS_LOGIT,
  SL_PREDICTIONS_GOLD,
  SL_PREDICTIONS_ANNOTATOR,
  SL_PREDICTIONS_ATTACK,
  SL_PREDICTIONS_EPSILON,
  SL_PREDICTIONS_STEP,
  SL_PREDICTIONS_LOSS,
  SL_PREDICTIONS_CORRUPTION,
  SL_PREDICTIONS_SEVERITY,
};

extern const SlKind sl_predictions;

/* Whether TABLE has predictions of attacked or corrupted examples, not of examples as they are. */
gboolean sl_predictions_are_changed (const SlTable *table);
