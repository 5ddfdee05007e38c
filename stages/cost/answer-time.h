/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long annotators took. */
#pragma once

#include "pipeline/command/run.h"

/* The median, or the mean, of the seconds of the annotations in PATH, which --time-from names: of
 * all rows that have them, but for attention checks and excluded annotators. */
gboolean sl_answer_time (SlRun *run, const char *path, gboolean mean, double *seconds,
                         GError **error);
