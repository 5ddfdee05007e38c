/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "options.h"
#include "pipeline/command/run.h"

/* Prints every network with its size, for the shape of --features, or of small colour images and
 * ten classes. */
gboolean sl_list_models (SlRun *run, const SlTrainOptions *options, GError **error);
