/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which options go together, as the option tables say it (SlOption.with): refusals, and the words
 * of --help and the manual page. */
#pragma once

#include "option.h"

/* Whether OPTION goes with choice number CHOICE of the option DECIDING, which OPTION names as
 * WITH. */
gboolean sl_option_goes_with (const SlOption *option, const SlOption *deciding, int choice);

/* The option of TABLE by its name, which must be there. */
const SlOption *sl_option_find (const SlOption *table, const char *name);

/* "only with --method mace or ebcc", to be freed; NULL where OPTION of TABLE always goes. */
char *sl_option_scope (const SlOption *table, const SlOption *option);

/* Refuses a given option out of its scope. */
gboolean sl_options_check_scope (const SlOptions *options, GError **error);
