/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tags that are for one stage alone. */
#pragma once

#include "run.h"

/* What inputs or the stage say of KEY does not go on to the output. */
void sl_run_take_off_tag (SlRun *run, const char *key);
