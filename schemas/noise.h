/* SPDX-License-Identifier: GPL-3.0-or-later */
/* noise: one row is how often items of one true class are labelled with one class. */
#pragma once

#include "pipeline/table/table.h"

enum
{
  SL_NOISE_GIVEN,
  SL_NOISE_TRUE,
  SL_NOISE_COUNT,
  SL_NOISE_JOINT,
  SL_NOISE_GIVEN_OF_TRUE,
  SL_NOISE_TRUE_OF_GIVEN,
};

extern const SlKind sl_noise;
