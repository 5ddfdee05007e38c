/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What --help and the manual page both say of an option and of a verb. */
#pragma once

#include "pipeline/command/run.h"

/* "-o, --output FILE", to be freed. */
char *sl_help_spell (const SlOption *option);

/* What OPTION of TABLE does, with its values, range, default (in DEFAULTS) and scope; to be freed.
 * COMMAND NULL: for no verb in particular. */
char *sl_help_describe (const SlOption *option, const SlOption *table, gconstpointer defaults,
                        const SlCommand *command);

/* Whether COMMAND refuses an option that other verbs have: text has no --format. */
gboolean sl_help_leaves_out (const SlOption *option, const SlCommand *command);

/* Whether choice CHOICE of OPTION is the first that makes its kind of table. */
gboolean sl_help_new_kind (const SlOption *option, int choice);

/* The kinds of table that COMMAND reads and writes, a sentence each. */
void sl_help_kinds (GString *out, const SlCommand *command);
