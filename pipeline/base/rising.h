/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>
#include <math.h>

/* Whether VALUES[n] are finite, and each is greater than the one before. */
static inline gboolean
sl_values_rise (const double *values, gint32 n)
{
  for (gint32 k = 0; k < n; k++)
    if (!isfinite (values[k]) || (k > 0 && !(values[k] > values[k - 1])))
      return FALSE;
  return TRUE;
}
