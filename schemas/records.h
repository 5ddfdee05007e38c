/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What answers say, as plain arrays, for kernels that know nothing of tables. */
#pragma once

#include <glib.h>

/* Record i names the classes choice[j] with percent[j] (NaN: not given), start[i] <= j < start[i +
 * 1], best first, and rules out impossible[j], impossible_start[i] <= j < .... */
typedef struct
{
  const gint32 *start, *choice;
  const double *percent;
  const gint32 *impossible_start, *impossible;
} SlRecords;
