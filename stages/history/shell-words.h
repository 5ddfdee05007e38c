/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words of a command line for bash. */
#pragma once

#include "pipeline/command/options/recorded-options.h"

/* Appends TEXT as one word, quoted where bash would not take it as it is. What a terminal would act
 * on is written as an escape. */
void sl_shell_word (GString *out, const char *text);

/* Appends --NAME and its value as NODE records it: once for each element of an array, and not at
 * all where it is null or FALSE. FORM: how it is said. */
gboolean sl_shell_option (GString *out, const char *name, SlJson value, SlRecordedForm form,
                          GError **error);

/* Appends the name of a file that a command reads. */
void sl_shell_file (GString *out, const char *name);

/* Says that the history is not in the form that softlabel writes; returns FALSE. */
gboolean sl_history_malformed (GError **error);
