/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classes that are steps of a scale: what --ordered, --values and --bins say of them, and how they
 * look where nothing is said. */
#pragma once

#include "class-coder.h"

/* The row of --values in a verb's table of options. */
#define SL_VALUES_OPTION                                                                           \
  TEXT ("values", values, "1,2,3",                                                                 \
        "what the ordered classes stand for, in their order; without it the numbers that they "    \
        "are, or their ranks",                                                                     \
        .with = "ordered")

/* --ordered may stand alone; it may be "yes", "no", or the classes in their order. */
gboolean sl_scale_wanted (const char *ordered);
gboolean sl_scale_is_list (const char *ordered);

/* What CLASSES stand for, to be freed: VALUES, the text of --values, or, where it is NULL, the
 * numbers that they are, or their ranks from 1. TOLD: somebody has put them into this order. NULL
 * and ERROR where words are in no order, or the numbers do not rise. */
double *sl_scale_values (char *const *classes, const char *values, gboolean told, GError **error);

/* Where CLASSES look like a scale, of which nobody has said so: the value of --ordered that makes
 * them one, to be freed. NULL where they do not. */
char *sl_scale_guess (char *const *classes);

/* Intervals of numbers as classes: 0,10,20 are 0..10, from 0 up to below 10, and 10..20, up to 20;
 * 0..100/5 are five that are alike. NULL and ERROR where TEXT is no such list. */
SlBins *sl_bins_parse (const char *text, GError **error);

char **sl_bins_names (const SlBins *bins);
char *sl_bins_middles (const SlBins *bins); /* as --values has them */
