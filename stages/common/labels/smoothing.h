/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

/* Label smoothing: what the share P of one of K classes becomes, (1 - BETA) P + BETA / K. */
static inline double
sl_smooth (double p, double beta, gsize k)
{
  return (1 - beta) * p + beta / (double) k;
}
