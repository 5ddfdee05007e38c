/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

/* A logistic curve through what people see in mixtures. */
typedef struct
{
  gboolean identity; /* there is no fit: shares stay as they are; k and x0 are not set */
  double k, x0;
  double sse; /* sum of squared errors, of the curve or of the identity */
} SlLogistic;
