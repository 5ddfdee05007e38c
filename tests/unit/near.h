/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For tests, after cmocka.h. */
#pragma once

#include <math.h>

static inline void
assert_near (double value, double expected, double bound)
{
  if (!(fabs (value - expected) <= bound))
    fail_msg ("%.12g is not within %.3g of %.12g", value, bound, expected);
}
