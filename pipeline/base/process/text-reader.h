/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a person has piped standard output into a program that shows or sorts lines of text. */
#pragma once

#include <glib.h>

/* The name of that program, to be freed; NULL where there is none, or nobody sits at the terminal
 * to be told of it. To be asked before the sandbox hides the other processes. */
char *sl_text_reader (void);
