/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of one double against exact values (mpmath with 60 digits, rounded once), at the ends
 * of the doubles, and against the vector functions, bit for bit. */
#include "pipeline/base/real-math.h"
#include "pipeline/base/vector-math.h"
#include "stages/common/figures/chances.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_sf_psi.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct
{
  double x, value;
} Value;

static const Value exps[] = {
  { 0x1.0000000000000p+0, 0x1.5bf0a8b145769p+1 },
  { -0x1.0000000000000p+0, 0x1.78b56362cef38p-2 },
  { 0x1.0000000000000p-1, 0x1.a61298e1e069cp+0 },
  { 0x1.56e1fc2f8f359p-997, 0x1.0000000000000p+0 },
  { -0x1.70ef54646d497p-57, 0x1.0000000000000p+0 },
  { 0x1.9c511dc3a41dfp-29, 0x1.0000000ce288fp+0 },
  { 0x1.999999999999ap-4, 0x1.1aec7b35a00d4p+0 },
  { -0x1.4400000000000p+4, 0x1.b93de1e27ca3bp-30 },
  { 0x1.9133333333333p+6, 0x1.a08a5754ae034p+144 },
  { -0x1.62b3333333333p+8, 0x1.35fcf3bf0d0bdp-512 },
  { 0x1.5e00000000000p+9, 0x1.d945df4f8ec8ep+1009 },
  { 0x1.62e3d70a3d70ap+9, 0x1.fe9ce5c4c52b4p+1023 },
  { -0x1.6226666666666p+9, 0x1.19e98b83de7a3p-1022 },
  { -0x1.6840000000000p+9, 0x0.00005cf08fff0p-1022 },
  { -0x1.7433333333333p+9, 0x0.0000000000001p-1022 },
};

static const Value logs[] = {
  { 0x1.0000000000000p+1, 0x1.62e42fefa39efp-1 },
  { 0x1.0000000000000p-1, -0x1.62e42fefa39efp-1 },
  { 0x1.0000000000001p+0, 0x1.fffffffffffffp-53 },
  { 0x1.fffffffffffffp-1, -0x1.0000000000000p-53 },
  { 0x1.6a0902de00d1bp-1, -0x1.62e6b3842a25ep-2 },
  { 0x1.6a0f9096bb98cp+0, 0x1.62f4358c03e8ap-2 },
  { 0x1.8000000000000p+1, 0x1.193ea7aad030bp+0 },
  { 0x1.b7cdfd9d7bdbbp-34, -0x1.7069e2aa2aa5bp+4 },
  { 0x1.2a05f20000000p+33, 0x1.7069e2aa2aa5bp+4 },
  { 0x1.1ccf385ebc8a0p+1023, 0x1.62991d5d62a5ep+9 },
  { 0x1.0000000000000p-1022, -0x1.6232bdd7abcd2p+9 },
  { 0x0.0000000000001p-1022, -0x1.74385446d71c3p+9 },
  { 0x0.03739a252b281p-1022, -0x1.6459f44103e87p+9 },
};

static const Value log1ps[] = {
  { 0x1.0000000000000p+0, 0x1.62e42fefa39efp-1 },
  { -0x1.0000000000000p-1, -0x1.62e42fefa39efp-1 },
  { 0x1.56e1fc2f8f359p-997, 0x1.56e1fc2f8f359p-997 },
  { -0x1.70ef54646d497p-57, -0x1.70ef54646d497p-57 },
  { 0x1.9c511dc3a41dfp-29, 0x1.9c511db943c93p-29 },
  { 0x1.999999999999ap-4, 0x1.8663f793c46c7p-4 },
  { -0x1.ccccccccccccdp-1, -0x1.26bb1bbb55516p+1 },
  { -0x1.ffffde7210be9p-1, -0x1.ba18a998fc064p+3 },
  { 0x1.a3d70a3d70a3dp-2, 0x1.5fd5fabe64085p-2 },
  { 0x1.4000000000000p+1, 0x1.40b512eb53d60p+0 },
  { 0x1.1c37937e08000p+53, 0x1.26bb1bbb55516p+5 },
  { 0x1.1ccf385ebc8a0p+1023, 0x1.62991d5d62a5ep+9 },
  { 0x0.0000000000001p-1022, 0x0.0000000000001p-1022 },
};

static const Value trigammas[] = {
  { 0x1.0624dd2f1a9fcp-10, 0x1.e848348fa1c6dp+19 }, { 0x1.999999999999ap-4, 0x1.95bbb2c5c8286p+6 },
  { 0x1.0000000000000p-1, 0x1.3bd3cc9be45dep+2 },   { 0x1.0000000000000p+0, 0x1.a51a6625307d3p+0 },
  { 0x1.4000000000000p+1, 0x1.f62057f7296c9p-2 },   { 0x1.f99999999999ap+2, 0x1.145697315bf5fp-3 },
  { 0x1.0000000000000p+3, 0x1.10aa239ffbc61p-3 },   { 0x1.e000000000000p+4, 0x1.15ab17f770243p-5 },
  { 0x1.e848000000000p+19, 0x1.0c6f82d72bcaap-20 },
};

static double
unit_of (double x)
{
  int exponent;
  (void) frexp (x, &exponent);
  return ldexp (1, MAX (exponent - 53, -1074));
}

static void
check_values (const char *name, double (*function) (double), const Value *values, gsize n,
              double units)
{
  for (gsize i = 0; i < n; i++)
    {
      double value = function (values[i].x);
      if (!(fabs (value - values[i].value) <= units * unit_of (values[i].value)))
        fail_msg ("%s (%a) = %a, not %a", name, values[i].x, value, values[i].value);
    }
}

static void
test_values (void **state)
{
  (void) state;
  check_values ("exp", sl_exp, exps, G_N_ELEMENTS (exps), 1);
  check_values ("log", sl_log, logs, G_N_ELEMENTS (logs), 1);
  check_values ("log1p", sl_log1p, log1ps, G_N_ELEMENTS (log1ps), 1.5);
  check_values ("trigamma", sl_trigamma, trigammas, G_N_ELEMENTS (trigammas), 16);
}

/* As the C standard's annex F has them. */
static void
test_ends (void **state)
{
  (void) state;
  assert_true (sl_exp (0) == 1 && sl_exp (-0.0) == 1);
  assert_true (sl_exp (-INFINITY) == 0 && sl_exp (INFINITY) == INFINITY);
  assert_true (sl_exp (709.79) == INFINITY && sl_exp (-745.2) == 0 && sl_exp (-DBL_MAX) == 0);
  assert_true (sl_log (1) == 0 && sl_log (0) == -INFINITY && sl_log (-0.0) == -INFINITY);
  assert_true (sl_log (INFINITY) == INFINITY && isnan (sl_log (-1)) && isnan (sl_log (-INFINITY)));
  assert_true (sl_log1p (0) == 0 && signbit (sl_log1p (-0.0)));
  assert_true (sl_log1p (-1) == -INFINITY && isnan (sl_log1p (-1.5)));
  assert_true (sl_log1p (INFINITY) == INFINITY);
  assert_true (isnan (sl_exp (NAN)) && isnan (sl_log (NAN)) && isnan (sl_log1p (NAN)));
}

SL_VECTORS static void
take_rows (double *exp_of, double *log_of, gsize n)
{
  sl_exp_row (exp_of, n);
  sl_log_row (log_of, n, log_of);
}

/* The same bits one at a time, four at a time, and whatever the rest of a row of four is. */
static void
test_rows (void **state)
{
  (void) state;
  enum
  {
    N = 1000
  };
  static double exponents[N], numbers[N], exp_of[N], log_of[N];
  for (int i = 0; i < N; i++)
    {
      exponents[i] = -707 + 1.4 * i;
      numbers[i] = sl_exp (exponents[i]) * (1 + i * 1e-3);
    }
  for (gsize n = 1; n <= N; n += 1 + n / 3)
    {
      memcpy (exp_of, exponents, sizeof exp_of);
      memcpy (log_of, numbers, sizeof log_of);
      take_rows (exp_of, log_of, n);
      for (gsize i = 0; i < n; i++)
        assert_true (exp_of[i] == sl_exp (exponents[i]) && log_of[i] == sl_log (numbers[i]));
      for (gsize i = n; i < N; i++)
        assert_true (exp_of[i] == exponents[i] && log_of[i] == numbers[i]);
    }
}

static void
test_beta (void **state)
{
  (void) state;
  static const struct
  {
    double a, b, value;
  } logs_of[] = {
    { 0.5, 0.5, 0x1.250d048e7a1bdp+0 },
    { 0.01, 3, 0x1.25c65dc103a5ep+2 },
    { 2, 3, -0x1.3e116bcd39e7dp+1 },
    { 7.9, 9, -0x1.6ed06effd900bp+3 },
    { 9, 9, -0x1.8977bf6c366cep+3 },
    { 0.2, 1000000.0, -0x1.3d319baad8707p+0 },
    { 100000.0, 100000.0, -0x1.0ec4f6a9f23dbp+17 },
    { 900000.0, 90, -0x1.cc21ef92e059ap+9 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (logs_of); i++)
    {
      double a = logs_of[i].a, b = logs_of[i].b, wanted = logs_of[i].value;
      double scale = fmax (fmax (1, fabs (wanted)), a * log1p (b / a) + b * log1p (a / b));
      assert_true (fabs (sl_log_beta (a, b) - wanted) <= 1e-14 * scale);
      assert_true (fabs (sl_log_beta (b, a) - wanted) <= 1e-14 * scale);
    }
  static const struct
  {
    double x, a, b, share;
  } shares[] = {
    { 0.5, 2, 3, 0x1.6000000000000p-1 },
    { 0.3, 7.1881, 0.2816, 0x1.10b3dc22ed8cap-16 },
    { 0.01, 0.4155, 1.2503, 0x1.5340939285e74p-3 },
    { 0.5, 100000.0, 100000.0, 0x1.0000000000000p-1 },
    { 0.9, 0.001, 0.002, 0x1.5614cb3bec0b0p-1 },
    { 0.9999, 900000.0, 90, 0x1.f142a12e8ca4bp-2 },
    { 0.8, 800000.0, 200000.0, 0x1.ffcbb5b759693p-2 },
    { 0.301, 300000.0, 700000.0, 0x1.f887dc91553d3p-1 },
    { 0.99, 20, 0.1, 0x1.f32faaf93bd67p-4 },
    { 0.7, 9, 4, 0x1.f8560e0eab7d4p-2 },
    { 0.7, 5, 80, 0x1.0000000000000p+0 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (shares); i++)
    {
      double x = shares[i].x, a = shares[i].a, b = shares[i].b;
      assert_true (fabs (sl_beta_below (x, a, b) - shares[i].share) <= 1e-11);
      assert_true (fabs (sl_beta_below (1 - x, b, a) - (1 - shares[i].share)) <= 1e-10);
      assert_true (sl_beta_below (0, a, b) == 0 && sl_beta_below (1, a, b) == 1);
    }
}

/* GSL's functions, whose last bits go by the processor, for what is made here by hand. */
static void
test_as_gsl (void **state)
{
  (void) state;
  for (double a = 0.01; a < 2e4; a *= 1.7)
    for (double b = 0.02; b < 2e4; b *= 1.9)
      {
        double beta = gsl_sf_lnbeta (a, b);
        double room = fmax (1, fmax (fabs (beta), fmax (a * log1p (b / a), b * log1p (a / b))));
        assert_true (fabs (sl_log_beta (a, b) - beta) <= 1e-13 * room);
        for (double x = 0.001; x < 1; x += 0.0499)
          assert_true (fabs (sl_beta_below (x, a, b) - gsl_cdf_beta_P (x, a, b)) <= 1e-11);
      }
  for (double x = 0.001; x < 1e6; x *= 1.01)
    assert_true (fabs (sl_trigamma (x) / gsl_sf_psi_1 (x) - 1) <= 1e-13);
  for (double n = 1; n < 1e4; n *= 1.3)
    assert_true (fabs (sl_chi_square_quantile (0.025, n) / gsl_cdf_chisq_Pinv (0.025, n) - 1)
                 <= 1e-10);
}

int
main (void)
{
  cmocka_set_message_output (CM_OUTPUT_TAP);
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_values), cmocka_unit_test (test_ends),   cmocka_unit_test (test_rows),
    cmocka_unit_test (test_beta),   cmocka_unit_test (test_as_gsl),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
