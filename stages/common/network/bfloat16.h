/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bfloat16: the upper half of a float32. */
#pragma once

#include <glib.h>

#include <string.h>

static inline float
sl_from_bf16 (guint16 x)
{
  guint32 bits = (guint32) x << 16;
  float y;
  memcpy (&y, &bits, sizeof y);
  return y;
}

/* Rounded to the nearest, to even between two; what is no number stays none. */
static inline guint16
sl_bf16 (float x)
{
  guint32 bits;
  memcpy (&bits, &x, sizeof bits);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return (guint16) (bits >> 16 | 0x40);
  return (guint16) ((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
