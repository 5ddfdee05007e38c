/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where buffers that are needed at different times lie in one piece of memory. */
#pragma once

#include <glib.h>

typedef struct
{
  gsize bytes;
  int first, last; /* both at the same time as another's: they must not overlap */
  gsize offset;    /* found */
} SlPlace;

/* Finds the offsets of PLACES[n], the largest first, each at the lowest offset that is free all the
 * time that it is needed; returns how much memory that takes. */
gsize sl_place (SlPlace *places, int n);
