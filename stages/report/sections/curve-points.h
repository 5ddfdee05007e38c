/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where scores lie over a tag that is a number. */
#pragma once

#include "score-rows.h"

typedef struct
{
  const SlScoreRow *row;
  double x;
  char *line; /* what the row's group says beside the tag */
} SlCurvePoint;

/* METRIC's points over the tag KEY, line by line; lines of few points are left out. */
GArray *sl_curve_points (const SlScoreRows *rows, const char *metric, const char *key);

/* Every key that a table's tags or a group have, in order, but those that only tell repetitions
 * apart. */
GPtrArray *sl_curve_keys (const SlScoreRows *rows);
