/* SPDX-License-Identifier: GPL-3.0-or-later */
/* confusion: one row is how often one annotator answers one class where another is true. */
#pragma once

#include "pipeline/table/batch.h"

enum
{
  SL_CONFUSION_ANNOTATOR,
  SL_CONFUSION_TRUE,
  SL_CONFUSION_ANSWERED,
  SL_CONFUSION_PROBABILITY,
  SL_CONFUSION_ANSWERS,
  SL_CONFUSION_PRIOR,
};

extern const SlKind sl_confusion;
