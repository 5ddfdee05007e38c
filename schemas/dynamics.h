/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dynamics: one row is how training went on one item. */
#pragma once

#include "pipeline/table/batch.h"

enum
{
  SL_DYNAMICS_ITEM,
  SL_DYNAMICS_CLASS,
  SL_DYNAMICS_SEEN,
  SL_DYNAMICS_CONFIDENCE,
  SL_DYNAMICS_VARIABILITY,
  SL_DYNAMICS_MARGIN,
  SL_DYNAMICS_WAUM,
};

extern const SlKind sl_dynamics;
