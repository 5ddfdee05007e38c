/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exp, log, digamma and log-gamma against GSL and the C library, over all that the kernels give
 * them. */
#include "pipeline/base/vector-math.h"

#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_sf_psi.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void
check (const char *name, double x, double value, double expected, double bound)
{
  if (!(fabs (value - expected) <= bound))
    fail_msg ("%s (%.17g) = %.17g, not %.17g", name, x, value, expected);
}

static void
test_exp (void **state)
{
  (void) state;
  for (double x = -707.9; x < 700; x += 0.0137)
    check ("exp", x, sl_scalar_exp (x), exp (x), exp (x) * DBL_EPSILON);
  assert_true (sl_scalar_exp (0) == 1);
  assert_true (sl_scalar_exp (-708.1) == 0);
  assert_true (sl_scalar_exp (-1e308) == 0);
}

static void
test_log (void **state)
{
  (void) state;
  for (double x = DBL_MIN; x < 1e300; x *= 1.0173)
    check ("log", x, sl_scalar_log (x), log (x), fabs (log (x)) * DBL_EPSILON);
  assert_true (sl_scalar_log (1) == 0);
  check ("log", 0, sl_scalar_log (0), log (DBL_MIN), 1e-12);
}

static void
test_gamma (void **state)
{
  (void) state;
  for (double x = 1e-12; x < 1e12; x *= 1.0173)
    {
      double psi = gsl_sf_psi (x), lgamma = gsl_sf_lngamma (x);
      check ("digamma", x, sl_scalar_digamma (x), psi, 2e-15 * fmax (1, fabs (psi)));
      check ("lgamma", x, sl_scalar_lgamma (x), lgamma, 1e-14 * fmax (1, fabs (lgamma)));
    }
}

/* A product of many is as good as the sum of their logarithms. */
static void
test_exponents (void **state)
{
  (void) state;
  SlVector product = sl_vector (1);
  SlBits exponents = { 0, 0, 0, 0 };
  for (int i = 0; i < 1000; i++)
    product = sl_vector_take_exponents (product * 1e-200, &exponents);
  for (int l = 0; l < 4; l++)
    check ("product", l, log (product[l]) + ((double) exponents[l] - 1023.0 * 1000) * SL_LOG_2,
           1000 * log (1e-200), 1e-7);
}

int
main (void)
{
  cmocka_set_message_output (CM_OUTPUT_TAP);
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_exp),
    cmocka_unit_test (test_log),
    cmocka_unit_test (test_gamma),
    cmocka_unit_test (test_exponents),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
