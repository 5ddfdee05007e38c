/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pictures that a page shows. */
#pragma once

#include "study.h"

/* ITEM's picture as a file: *TYPE is "png" or "jpeg". What the file of an image says beside its
 * pixels is left out. NULL and ERROR where it cannot be read. */
GByteArray *sl_survey_picture (SlStudy *study, const SlSurveyItem *item, const char **type,
                               GError **error);

/* PIXELS = round (lambda a + (1 - lambda) b), N of each, halves up. */
void sl_survey_mix (const guint8 *a, const guint8 *b, gsize n, double lambda, guint8 *pixels);
