/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A matrix as squares, darker where there is more. */
#pragma once

#include "stages/report/page.h"

#define SL_MATRIX_NUMBERS 12 /* classes; of more the squares have no room for numbers */

/* What a matrix is of: texts of a picture, of a list of its cells. */
typedef struct
{
  const char *of_row;    /* "answered": what the columns are */
  const char *in_corner; /* "answered, % of the true class" */
  const char *right;     /* "Share of right answers by class": what the diagonal tells */
} SlMatrixTexts;

/* Appends the picture of SHARE[k][k], 0 to 1, NaN: not known; a row is of a true class. ID and
 * TITLE are as of sl_svg_begin(). */
void sl_draw_matrix (GString *out, const char *id, const char *title, const double *share, gint32 k,
                     char *const *classes, const SlMatrixTexts *texts);

/* A table of the largest shares that are not on the diagonal. CAPTION is markup. */
void sl_draw_confusions (SlPage *page, const char *caption, const double *share, gint32 k,
                         char *const *classes, const SlMatrixTexts *texts);
