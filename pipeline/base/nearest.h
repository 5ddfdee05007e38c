/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names that were mistyped. */
#pragma once

#include <glib.h>

/* Which of NAMES (NULL-terminated) WORD was meant to be: one that differs by case or - and _ alone,
 * begins with it, is made of words with these initials (ds: dawid-skene), or is a few letters off.
 * NULL: none of them. */
const char *sl_nearest (const char *word, const char *const *names);

/* "; did you mean 'NAME'?" of that one with BEFORE in front of it, or "". */
char *sl_nearest_hint (const char *word, const char *const *names, const char *before);
