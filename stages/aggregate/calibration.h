/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How sure --calibrate makes labels: as answers held back or gold classes tell, or as sure as those
 * of another table were made, whose history says it. So a sample of the items tells it for all
 * parts of a large table. */
#pragma once

#include "stages/common/methods/calibrate.h"
#include "stages/aggregate/methods/pool/auto.h"
#include "aggregation.h"

/* As the labels of the file that --calibrate names, which have the CLASSES of the answers; of auto
 * what it DECIDED instead. */
gboolean sl_calibration_read (const SlAggregation *aggregation, char *const *classes,
                              SlCalibration *calibration, SlAuto *decided, GError **error);

/* Finds what is not read so, and tells it: FOUND, members of a JSON object. */
gboolean sl_calibration_choose (const SlAggregation *aggregation, const SlItems *items,
                                const SlAnswers *answers, GString *found,
                                SlCalibration *calibration, GError **error);
