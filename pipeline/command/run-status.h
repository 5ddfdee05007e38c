/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For a stage that goes well and yet has something to tell by its exit status. */
#pragma once

#include "run.h"

/* The status that the program ends with in place of 0; its outputs land all the same. */
void sl_run_set_status (SlRun *run, int status);
