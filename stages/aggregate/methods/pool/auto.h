/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The method for those who do not want to choose one. */
#pragma once

#include "stages/common/methods/calibrate.h"

enum
{
  SL_AUTO_MEMBERS = 4
};

/* What a method has in the pool; weight 0: it is not in it. */
typedef struct
{
  const char *name;
  double weight;
  gboolean left_out; /* for the number of classes or of annotators; the rest is 0 then */
  double gain;       /* largest, of a class's share by it over that by the votes */
  SlCalibration calibration;
} SlAutoMember;

/* As sl_fit_auto(), and tells what it did. */
gboolean sl_auto (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
                  SlLearned *learned, SlAutoMember members[SL_AUTO_MEMBERS], GError **error);
