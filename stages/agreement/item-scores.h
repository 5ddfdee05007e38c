/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "stages/common/answers/gathering.h"
#include "stages/common/priors/prior-files.h"

/* ActiveLab's scores of all items; those that only the predictions know join CROWD's items as the
 * last. TEMPERATURE: of the predictions; NaN: to be found. */
double *sl_item_scores (SlGathering *crowd, SlPriors *priors, double temperature, GError **error);
