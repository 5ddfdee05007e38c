/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The completion scripts of shells, made from the verbs and their option tables. */
#pragma once

#include <glib.h>

extern const char *const sl_completion_shells[]; /* ends with NULL */

/* Appends the script of number SHELL of them. */
void sl_completion (int shell, GString *out);
