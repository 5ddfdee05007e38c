/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which class a distribution is for. */
#pragma once

#include <glib.h>

/* The place of the largest of P[n], of equal ones the first. */
static inline gint32
sl_largest (const double *p, gint32 n)
{
  gint32 first = 0;
  for (gint32 k = 1; k < n; k++)
    first = p[k] > p[first] ? k : first;
  return first;
}
