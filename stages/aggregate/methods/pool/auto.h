/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The method for those who do not want to choose one. */
#pragma once

#include "stages/common/calibrate.h"

enum
{
  SL_AUTO_MEMBERS = 4
};

/* What a method has in the pool; weight 0: it was left out. */
typedef struct
{
  const char *name;
  double weight;
  SlCalibration calibration;
} SlAutoMember;

/* As sl_fit_auto(), and tells what it did. */
gboolean sl_auto (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
                  SlLearned *learned, SlAutoMember members[SL_AUTO_MEMBERS], GError **error);
