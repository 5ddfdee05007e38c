/* SPDX-License-Identifier: GPL-3.0-or-later */
/* costs: one row is one figure, and the time of annotators behind it. */
#pragma once

#include "pipeline/table/table.h"

enum
{
  SL_COSTS_METRIC,
  SL_COSTS_GROUP,
  SL_COSTS_ANNOTATORS,
  SL_COSTS_SECONDS_EACH,
  SL_COSTS_SECONDS,
  SL_COSTS_VALUE,
  SL_COSTS_LOWER,
  SL_COSTS_UPPER,
};

extern const SlKind sl_costs;
