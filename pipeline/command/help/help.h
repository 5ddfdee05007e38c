/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Help and manual pages, made from the command table. */
#pragma once

#include "pipeline/command/run.h"

void sl_help_overview (GString *out);
void sl_help_family (GString *out, const char *word); /* the verbs that begin with WORD */
void sl_help_command (GString *out, const SlCommand *command);
/* Whether OPTION, of every verb, does nothing for COMMAND. */
gboolean sl_help_is_unused (const SlOption *option, const SlCommand *command);
void sl_help_man (GString *out, const SlCommand *command); /* NULL: softlabel(1) itself */
