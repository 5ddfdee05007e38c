/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The picture of figures over a number, line by line. */
#pragma once

#include "curve-points.h"

/* A figure of METRIC's POINTS over KEY. NAMES: the lines that have a colour already; new ones are
 * added, so that a line has the same colour in each picture. */
void sl_draw_curves (SlPage *page, const GArray *points, const char *metric, const char *key,
                     GPtrArray *names);
