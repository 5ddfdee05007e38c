/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What programs that watch over jobs are told of a run: --run-log, a line of JSON at the end of a
 * file that runs share; --run-metrics, a file of its own in Prometheus' text form. */
#pragma once

#include "run.h"

/* After the command line, before anything is read: that neither file can be written is known now.
 * They are no outputs that land: a run that fails is told of, too. */
gboolean sl_run_log_open (SlRun *run, GError **error);

/* The run is over, with STATUS: tells of it, and returns the program's status, which is another one
 * where that cannot be told. */
int sl_run_log_end (SlRun *run, int status);

void sl_run_log_clear (SlRun *run);

/* The file of --run-log, or of SOFTLABEL_RUN_LOG; NULL: there is none. */
const char *sl_run_log_path (const SlRun *run);
