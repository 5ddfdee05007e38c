/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pool of four methods, five where classes are ordered, each with what it is worth here. */
#pragma once

#include "gold-correction.h"
#include "pipeline/base/json-value.h"
#include "stages/common/methods/common-errors.h"

enum
{
  SL_AUTO_MEMBERS = 5
};

/* What a method has in the pool; weight 0: it is not in it. */
typedef struct
{
  const char *name;
  double weight;
  gboolean left_out; /* for the number of classes or of annotators, or as it is of no use; the rest
                        is 0 then */
  double gain;       /* largest, of a class's share by it over that by the votes */
  SlCalibration calibration;
} SlAutoMember;

typedef struct SlAuto
{
  SlAutoMember member[SL_AUTO_MEMBERS];
  double excess;                     /* of common-errors.h */
  double corrections[SL_GOLD_TRIES]; /* their weights; all 0 without gold classes */
} SlAuto;

/* *DECIDED <- what another run decided, by what it FOUND (its history): how answers go together,
 * each member's sureness, and what its weight goes by. FALSE: FOUND has no pool. */
gboolean sl_auto_decided (SlJson found, SlAuto *decided);

/* As sl_fit_auto(), and tells what it did. */
gboolean sl_auto (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
                  SlLearned *learned, SlAuto *told, GError **error);
