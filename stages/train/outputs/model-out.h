/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "stages/train/runs/runs.h"

/* Writes the kept runs' networks as the run's output. */
gboolean sl_write_model (const SlTrainRuns *runs, GError **error);
