/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text from a file as part of a message. */
#pragma once

#include <glib.h>

/* TEXT[n] for a message: printable, and not too long. */
char *sl_shown (const char *text, gsize n);
