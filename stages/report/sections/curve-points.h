/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where scores lie over a tag that is a number, or over annotators' time. */
#pragma once

#include "score-rows.h"

typedef struct
{
  const SlScoreRow *row;
  double x;
  char *line; /* what the row's group says beside such keys */
} SlCurvePoint;

/* METRIC's points over the tag KEY (NULL: over seconds an item), line by line. The keys of PASSED[]
 * and KEY itself tell no lines apart; lines with fewer than LEAST places are left out. */
GArray *sl_curve_points (const SlScoreRows *rows, const char *metric, const char *key,
                         const GPtrArray *passed, guint least);

/* Every key that a table's tags or a group have, in order, but those that only tell repetitions
 * apart. */
GPtrArray *sl_curve_keys (const SlScoreRows *rows);

/* Of costs, the keys whose numbers are in the seconds: annotators, or what these were asked for. */
GPtrArray *sl_curve_time_keys (const SlScoreRows *rows);
