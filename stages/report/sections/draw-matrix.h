/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A matrix as squares, darker where there is more. */
#pragma once

#include <glib.h>

#define SL_MATRIX_NUMBERS 12 /* classes; of more the squares have no room for numbers */

/* Appends the picture of SHARE[k][k], 0 to 1, NaN: not known; a row is of a true class. ID and
 * TITLE are as of sl_svg_begin(). */
void sl_draw_matrix (GString *out, const char *id, const char *title, const double *share, gint32 k,
                     char *const *classes);
