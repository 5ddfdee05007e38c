/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tags that are for one stage alone. */
#pragma once

#include "run.h"

/* sl_run_add_tags() of what OPTION says: KEY is VALUE. NULL: it says nothing. */
gboolean sl_run_add_tag (SlRun *run, const char *option, const char *key, const char *value,
                         GError **error);

/* What inputs or the stage say of KEY does not go on to the output. */
void sl_run_take_off_tag (SlRun *run, const char *key);
