/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Corruptions: small cases by hand, and the moments of noise within bounds from its deviation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stages/predict/corruptions/corruption.h"
#include "stages/predict/corruptions/filters.h"

#include <math.h>
#include <string.h>

#define SIDE 32
#define PLANE (SIDE * SIDE)

static const SlCorruption *
find (const char *name)
{
  const SlCorruption *corruption = sl_corruptions;
  while (strcmp (corruption->name, name) != 0)
    corruption++;
  return corruption;
}

static void
apply (const char *name, int severity, guint64 item, int channels, int height, int width,
       const float *x, float *to)
{
  g_autofree double *room = g_new (double, sl_corruption_room (channels, height, width));
  sl_corruption_apply (find (name), severity, 1, item, channels, height, width, x, room, to);
}

static void
fill (float *x, int n, int level)
{
  for (int i = 0; i < n; i++)
    x[i] = (float) (level / 255.0);
}

/* Mean and deviation of noise on 64 pictures of one level, before they are rounded: N = 64 x 3 x
 * 1024 numbers. */
static void
check_moments (void (*corrupt) (SlPicture *picture), int severity, int level, double deviation)
{
  static double x[3 * PLANE];
  double sum = 0, squares = 0, n = 64.0 * 3 * PLANE, variance = deviation * deviation;
  for (guint64 item = 0; item < 64; item++)
    {
      SlPicture picture = { 3, SIDE, SIDE, x, NULL, severity, sl_random (1, 2, item, 0, 0) };
      for (int i = 0; i < 3 * PLANE; i++)
        x[i] = level / 255.0;
      corrupt (&picture);
      for (int i = 0; i < 3 * PLANE; i++)
        {
          double d = x[i] - level / 255.0;
          sum += d;
          squares += d * d;
        }
    }
  /* Five deviations of a mean, and of a variance (of normal numbers; Poisson's are near to that).
   */
  assert_true (fabs (sum / n) < 5 * sqrt (variance / n));
  assert_true (fabs (squares / n - variance) < 5 * variance * sqrt (2.3 / n));
}

static void
noise (void **state)
{
  (void) state;
  check_moments (sl_corrupt_gaussian_noise, 1, 128, 0.04);
  check_moments (sl_corrupt_gaussian_noise, 5, 128, 0.10);
  check_moments (sl_corrupt_speckle_noise, 3, 102, 0.4 * 0.12);
  /* Of Poisson (x c) / c the variance is x / c; means above and below 10. */
  check_moments (sl_corrupt_shot_noise, 1, 128, sqrt (128 / 255.0 / 500));
  check_moments (sl_corrupt_shot_noise, 2, 10, sqrt (10 / 255.0 / 250));
}

static void
impulses (void **state)
{
  (void) state;
  static float x[3 * PLANE], to[3 * PLANE];
  int low = 0, high = 0, n = 64 * 3 * PLANE;
  fill (x, 3 * PLANE, 100);
  for (guint64 item = 0; item < 64; item++)
    {
      apply ("impulse_noise", 5, item, 3, SIDE, SIDE, x, to);
      for (int i = 0; i < 3 * PLANE; i++)
        {
          low += to[i] == 0;
          high += to[i] == 1;
          assert_true (to[i] == 0 || to[i] == 1 || fabsf (to[i] - x[i]) < 1e-6f);
        }
    }
  double bound = 5 * sqrt (n * 0.035 * 0.965);
  assert_true (fabs (low - n * 0.035) < bound);
  assert_true (fabs (high - n * 0.035) < bound);
}

/* What changes nothing in a picture of one level: blurs, zoom, contrast, pixelation, moving about.
 */
static void
flat_pictures (void **state)
{
  (void) state;
  static const char *const names[]
      = { "gaussian_blur", "defocus_blur", "glass_blur",        "motion_blur",
          "zoom_blur",     "contrast",     "elastic_transform", "pixelate" };
  static float x[3 * PLANE], to[3 * PLANE];
  fill (x, 3 * PLANE, 77);
  for (gsize k = 0; k < G_N_ELEMENTS (names); k++)
    for (int severity = 1; severity <= 5; severity++)
      {
        apply (names[k], severity, 9, 3, SIDE, SIDE, x, to);
        for (int i = 0; i < 3 * PLANE; i++)
          if (fabs (to[i] * 255 - 77) > 1e-3)
            fail_msg ("%s %d: %g", names[k], severity, to[i] * 255);
      }
}

/* Contrast 0.5: levels 10, 50, 60, 80 with mean 50 become 30, 50, 55, 65; of each channel apart. */
static void
contrast (void **state)
{
  (void) state;
  static const float levels[] = { 10, 50, 60, 80 }, expected[] = { 30, 50, 55, 65 };
  float x[4], to[4];
  for (int i = 0; i < 4; i++)
    x[i] = levels[i] / 255;
  apply ("contrast", 2, 0, 1, 2, 2, x, to);
  for (int i = 0; i < 4; i++)
    assert_true (fabsf (to[i] * 255 - expected[i]) < 1e-3f);
}

/* Brightness 0.2 (51 levels): the largest channel 100 becomes 151, the others keep their shares of
 * it: 50 becomes 75.5, rounded down. Saturation times 0.1: the least, 20, has s = 0.8, then 0.08,
 * so 100 (1 - 0.08) = 92; 50, 3/8 of the way up, 95. */
static void
colours (void **state)
{
  (void) state;
  static const float x[3] = { 100 / 255.0f, 50 / 255.0f, 20 / 255.0f };
  static const int bright[3] = { 151, 75, 30 }, pale[3] = { 100, 95, 92 };
  float to[3];
  apply ("brightness", 4, 0, 3, 1, 1, x, to);
  for (int c = 0; c < 3; c++)
    assert_int_equal (lrintf (to[c] * 255), bright[c]);
  apply ("saturate", 2, 0, 3, 1, 1, x, to);
  for (int c = 0; c < 3; c++)
    assert_int_equal (lrintf (to[c] * 255), pale[c]);
}

/* A Gaussian of sigma 1 on a point: weights exp (-x²/2) over their sum, 2.506621..., cut at 4. */
static void
gaussian (void **state)
{
  (void) state;
  double plane[11 * 11] = { 0 }, room[11 * 11];
  plane[5 * 11 + 5] = 1;
  sl_gaussian (plane, 11, 11, 1, 4, SL_EDGE_NEAREST, room);
  double sum = 1 + 2 * (exp (-0.5) + exp (-2) + exp (-4.5) + exp (-8));
  assert_true (fabs (plane[5 * 11 + 5] - 1 / (sum * sum)) < 1e-15);
  assert_true (fabs (plane[5 * 11 + 7] - exp (-2) / (sum * sum)) < 1e-15);
  assert_true (fabs (plane[4 * 11 + 6] - exp (-1) / (sum * sum)) < 1e-15);
}

static void
edges (void **state)
{
  (void) state;
  static const int nearest[] = { 0, 0, 0, 1, 2, 2, 2 }, reflect[] = { 1, 0, 0, 1, 2, 2, 1 },
                   reflect101[] = { 2, 1, 0, 1, 2, 1, 0 };
  for (int i = 0; i < 7; i++)
    {
      assert_int_equal (sl_edge (i - 2, 3, SL_EDGE_NEAREST), nearest[i]);
      assert_int_equal (sl_edge (i - 2, 3, SL_EDGE_REFLECT), reflect[i]);
      assert_int_equal (sl_edge (i - 2, 3, SL_EDGE_REFLECT101), reflect101[i]);
    }
}

/* A blur along the row: pixel i has weights exp (-j²/2) of pixels i + j, the last one beyond the
 * edge. */
static void
motion (void **state)
{
  (void) state;
  double row[4] = { 0, 0, 1, 0 }, room[4], w[5] = { 1, exp (-0.5), exp (-2), exp (-4.5), exp (-8) };
  double sum = w[0] + w[1] + w[2] + w[3] + w[4];
  sl_motion_blur (row, 1, 4, 2, 1, 0, room);
  assert_true (fabs (row[0] - w[2] / sum) < 1e-14);
  assert_true (fabs (row[1] - w[1] / sum) < 1e-14);
  assert_true (fabs (row[2] - w[0] / sum) < 1e-14);
  assert_true (fabs (row[3]) < 1e-14);
}

/* Twice as large: of 4 pixels the middle two, whose corners stay corners: 1, 4/3, 5/3, 2. */
static void
zoom (void **state)
{
  (void) state;
  static const double plane[16] = { 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3 };
  double to[16];
  sl_clipped_zoom (plane, 4, 4, 2, to);
  for (int i = 0; i < 16; i++)
    assert_true (fabs (to[i] - (1 + (i % 4) / 3.0)) < 1e-14);
}

/* Severity 5 of a ramp by 8 levels a column, as NumPy has the mean over its 26 factors. */
static void
zoom_blur (void **state)
{
  (void) state;
  static const double expected[] = { 9.48148148, 16.63769415, 23.79390681, 30.95011947 };
  static double x[PLANE], room[2 * PLANE];
  for (int i = 0; i < PLANE; i++)
    x[i] = i % SIDE * 8;
  SlPicture picture = { 1, SIDE, SIDE, x, room, 5, sl_random (1, 2, 0, 0, 0) };
  sl_corrupt_zoom_blur (&picture);
  for (int i = 0; i < 4; i++)
    assert_true (fabs (x[i] - expected[i]) < 1e-7);
}

/* 32 pixels become 20 and 32 again: blocks of one or two pixels alike. */
static void
pixels (void **state)
{
  (void) state;
  float x[PLANE], to[PLANE];
  for (int i = 0; i < PLANE; i++)
    x[i] = (float) (((i % SIDE) * 8) / 255.0);
  apply ("pixelate", 5, 0, 1, SIDE, SIDE, x, to);
  int distinct = 1;
  for (int i = 1; i < SIDE; i++)
    distinct += to[i] > to[i - 1];
  assert_int_equal (distinct, 20);
  assert_memory_equal (to, to + SIDE, sizeof (float) * SIDE);
}

/* Every corruption changes a picture, gives 256 levels, comes again alike for the same item and,
 * where it draws, differs for another. More severe ones are further from the picture, on average.
 */
static void
all_of_them (void **state)
{
  (void) state;
  static float x[3 * PLANE], to[3 * PLANE], again[3 * PLANE], other[3 * PLANE];
  for (int i = 0; i < 3 * PLANE; i++)
    x[i] = (float) ((40 + (i % PLANE) * 150 / PLANE + ((i * 7919) % 60)) / 255.0);
  static const char *const fixed
      = "gaussian_blur defocus_blur zoom_blur contrast brightness saturate "
        "pixelate jpeg_compression";
  for (const SlCorruption *c = sl_corruptions; c->name != NULL; c++)
    {
      double far[6] = { 0 };
      for (int severity = 1; severity <= 5; severity++)
        {
          apply (c->name, severity, 5, 3, SIDE, SIDE, x, to);
          apply (c->name, severity, 5, 3, SIDE, SIDE, x, again);
          apply (c->name, severity, 6, 3, SIDE, SIDE, x, other);
          assert_memory_equal (to, again, sizeof to);
          gboolean draws = strstr (fixed, c->name) == NULL;
          if ((memcmp (to, other, sizeof to) != 0) != draws)
            fail_msg ("%s: %s", c->name, draws ? "draws nothing" : "draws");
          for (int i = 0; i < 3 * PLANE; i++)
            {
              assert_true (to[i] >= 0 && to[i] <= 1);
              assert_true (fabs (to[i] * 255 - rint (to[i] * 255)) < 1e-3);
              far[severity] += fabs (to[i] - x[i]);
            }
          assert_true (far[severity] > 0);
        }
      if (strcmp (c->name, "saturate") != 0 && strcmp (c->name, "spatter") != 0
          && strcmp (c->name, "elastic_transform") != 0 && far[5] <= far[1])
        fail_msg ("%s: severity 5 is no further than 1", c->name);
    }
}

/* Grey pictures, and such as are not square. */
static void
other_shapes (void **state)
{
  (void) state;
  static float x[3 * 24 * 17], to[3 * 24 * 17];
  fill (x, 3 * 24 * 17, 90);
  for (const SlCorruption *c = sl_corruptions; c->name != NULL; c++)
    for (int severity = 1; severity <= 5; severity++)
      for (int channels = c->coloured ? 3 : 1; channels <= 3; channels += 2)
        apply (c->name, severity, 3, channels, 24, 17, x, to);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (noise),     cmocka_unit_test (impulses),    cmocka_unit_test (flat_pictures),
    cmocka_unit_test (contrast),  cmocka_unit_test (colours),     cmocka_unit_test (gaussian),
    cmocka_unit_test (edges),     cmocka_unit_test (motion),      cmocka_unit_test (zoom),
    cmocka_unit_test (pixels),    cmocka_unit_test (all_of_them), cmocka_unit_test (other_shapes),
    cmocka_unit_test (zoom_blur),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
