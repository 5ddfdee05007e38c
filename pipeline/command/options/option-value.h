/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a text of the command line means as an option's value. */
#pragma once

#include "option.h"

/* VALUE, of OPTION, becomes what TEXT says; where the option may be given again and again, that is
 * added to it. Refuses what is no such value, or out of the option's range. A flag has no text. */
gboolean sl_option_set (const SlOption *option, gpointer value, const char *text, GError **error);
