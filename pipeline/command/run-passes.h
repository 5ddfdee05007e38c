/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Progress of stages that go over their rows more than once. */
#pragma once

#include "run.h"

/* The stage goes over its rows N times, as far as it knows: it reads run->in again, or writes what
 * it has read. A pass ends where sl_run_next() finds no more rows. Progress tells which pass is at
 * work, and the time left for all, as if each of those to come took as long as this one. */
void sl_run_passes (SlRun *run, gint64 n);
