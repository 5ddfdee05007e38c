/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Class names that a reader would take for the same one: cat and Cat, 3 and 3.0. */
#pragma once

#include <glib.h>

/* What NAME[n] has in common with the names that look like it. Numbers look like their value.
 * Other names look like their letters: upper and lower case, blanks and underscores make no
 * difference. */
char *sl_look_of (const char *name, gsize n);

/* What names of one class have in common, so that nobody need be asked: but for letters, blanks and
 * underscores as above only that 3.0 is 3, as programs write it that know missing values in reals
 * alone. 01 is not 1. */
char *sl_spelling_of (const char *name, gsize n);

/* The groups of CLASSES that look alike, for a message: "'Cat' and 'cat', '3' and '3.0'". NULL if
 * no two do. *FIRST and *SECOND, unless NULL, become the first two. ALIKE[n classes], unless NULL,
 * says of each class whether it looks like another. */
char *sl_look_alikes (char *const *classes, const char **first, const char **second,
                      gboolean *alike);

/* Whether NAME reads as "there is no answer". */
gboolean sl_looks_missing (const char *name);
