/* SPDX-License-Identifier: GPL-3.0-or-later */
/* simulator: one row is one parameter of a simulator, fitted to what people said. */
#pragma once

#include "pipeline/table/batch.h"

enum
{
  SL_SIMULATOR_GROUP,
  SL_SIMULATOR_NAME,
  SL_SIMULATOR_CLASS,
  SL_SIMULATOR_OTHER,
  SL_SIMULATOR_VALUE,
};

extern const SlKind sl_simulator;
