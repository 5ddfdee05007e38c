/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON for people: indented, numbers as short as they read back, and nothing in it that a terminal
 * would act on. */
#pragma once

#include "pipeline/base/json-value.h"

void sl_history_append_json (GString *out, SlJson value, int indent);
