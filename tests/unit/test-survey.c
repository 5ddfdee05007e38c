/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who is shown what, pictures of mixtures, and files of images without their metadata. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stages/common/figures/vote-figures.h"
#include "stages/common/images/image-file.h"
#include "stages/survey/pictures.h"
#include "stages/survey/plan.h"

#include <math.h>
#include <string.h>

/* CIFAR-10S: 40 batches of 27 trials, 25 items and two repeats; three items of low entropy each. */
static const SlPlan cifar10s = { .seed = 7,
                                 .n_items = 1000,
                                 .n_low = 120,
                                 .n_checks = 5,
                                 .each = 25,
                                 .low_each = 3,
                                 .checks_each = 2,
                                 .repeats = 2,
                                 .n_classes = 10 };

/* Items of high entropy are dealt in turn, so that all of them are seen once in 40 batches. */
static void
every_item_is_dealt (void **state)
{
  (void) state;
  const SlPlan *plan = &cifar10s;
  int seen[1000] = { 0 }, n = sl_plan_trials (plan);
  assert_int_equal (sl_plan_batches (plan), 40);
  assert_int_equal (n, 29);
  for (int batch = 0; batch < 40; batch++)
    {
      SlPlanTrial trials[29];
      sl_plan_order (plan, sl_plan_key ("x", 1), batch, trials);
      for (int t = 0; t < n; t++)
        if (trials[t].kind == SL_TRIAL_ITEM)
          seen[trials[t].item]++;
    }
  for (int i = 0; i < 1000; i++)
    assert_int_equal (seen[i], 1);
}

/* In any order: as many trials of each kind as asked for, no item twice but the repeats, those in
 * the last third and well behind their first time, checks one in each half. */
static void
orders_are_as_asked (void **state)
{
  (void) state;
  SlPlan plan = cifar10s;
  for (int a = 0; a < 400; a++)
    {
      char name[16];
      SlPlanTrial trials[29];
      int first[1000], low = 0, checks = 0, repeats = 0;
      plan.repeats_at_end = a >= 200;
      memset (first, -1, sizeof first);
      g_snprintf (name, sizeof name, "p%d", a);
      sl_plan_order (&plan, sl_plan_key (name, strlen (name)), a % 40, trials);
      for (int t = 0; t < 29; t++)
        {
          gint32 item = trials[t].item;
          if (trials[t].kind == SL_TRIAL_CHECK)
            {
              assert_in_range (item, 1000, 1004);
              checks++;
              assert_true (t > 0);
            }
          else if (trials[t].kind == SL_TRIAL_REPEAT)
            {
              assert_true (first[item] >= 0 && t - first[item] >= 4);
              assert_true (plan.repeats_at_end ? t >= 27 : t >= 18);
              repeats++;
            }
          else
            {
              assert_int_equal (first[item], -1);
              first[item] = t;
              low += item >= 880;
            }
        }
      assert_int_equal (low, 3);
      assert_int_equal (checks, 2);
      assert_int_equal (repeats, 2);
    }
}

/* Numbers have batches in turn; names that are none have one that is drawn, each about as often: of
 * 4,000 names 100 a batch, with a standard deviation of 9.9. */
static void
batches_of_annotators (void **state)
{
  (void) state;
  int n[40] = { 0 };
  assert_int_equal (sl_plan_batch_of (&cifar10s, "1", 1), 0);
  assert_int_equal (sl_plan_batch_of (&cifar10s, "40", 2), 39);
  assert_int_equal (sl_plan_batch_of (&cifar10s, "41", 2), 0);
  assert_int_equal (sl_plan_batch_of (&cifar10s, "999999999", 9), 999999998 % 40);
  for (int a = 0; a < 4000; a++)
    {
      char name[32];
      g_snprintf (name, sizeof name, "5f0%da", a);
      n[sl_plan_batch_of (&cifar10s, name, strlen (name))]++;
    }
  for (int b = 0; b < 40; b++)
    assert_in_range (n[b], 55, 145);
}

/* Where items do not come out even, the first ones of the shuffle come again. */
static void
last_batch_is_full (void **state)
{
  (void) state;
  const SlPlan plan = { .seed = 1, .n_items = 5, .each = 3, .n_classes = 2 };
  SlPlanTrial trials[3];
  int seen[5] = { 0 };
  assert_int_equal (sl_plan_batches (&plan), 2);
  for (int batch = 0; batch < 2; batch++)
    {
      sl_plan_order (&plan, 1, batch, trials);
      for (int t = 0; t < 3; t++)
        seen[trials[t].item]++;
    }
  int twice = 0;
  for (int i = 0; i < 5; i++)
    {
      assert_in_range (seen[i], 1, 2);
      twice += seen[i] == 2;
    }
  assert_int_equal (twice, 1);
}

/* Each class in each place about as often: of 10,000 orders 1,000 times, standard deviation 30. */
static void
class_orders_are_even (void **state)
{
  (void) state;
  int n[10][10] = { { 0 } };
  for (int a = 0; a < 10000; a++)
    {
      gint32 order[10];
      char name[16];
      g_snprintf (name, sizeof name, "%d", a);
      sl_plan_classes (&cifar10s, sl_plan_key (name, strlen (name)), order);
      for (int c = 0; c < 10; c++)
        n[order[c]][c]++;
    }
  for (int c = 0; c < 10; c++)
    for (int place = 0; place < 10; place++)
      assert_in_range (n[c][place], 850, 1150);
}

/* Names that differ in a byte, in length, or in zeros behind them have keys of their own. */
static void
keys_differ (void **state)
{
  (void) state;
  static const char bytes[] = "abcdefgh\0\0abcdefgi";
  guint64 keys[] = { sl_plan_key ("", 0),    sl_plan_key (bytes, 7),  sl_plan_key (bytes, 8),
                     sl_plan_key (bytes, 9), sl_plan_key (bytes, 10), sl_plan_key (bytes + 10, 8),
                     sl_plan_key (bytes, 18) };
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    for (gsize j = 0; j < i; j++)
      assert_true (keys[i] != keys[j]);
}

static void
cover_is_undone (void **state)
{
  (void) state;
  guint8 text[] = "cat/001.png, dog/002.png";
  gsize n = sizeof text - 1;
  sl_plan_cover (9, text, n);
  assert_null (g_strstr_len ((char *) text, (gssize) n, "cat"));
  sl_plan_cover (9, text, n);
  assert_string_equal ((char *) text, "cat/001.png, dog/002.png");
}

/* 0.25 * 200 + 0.75 * 101 = 125.75. */
static void
mixtures_are_rounded (void **state)
{
  (void) state;
  static const guint8 a[4] = { 200, 0, 255, 1 }, b[4] = { 101, 255, 255, 2 };
  guint8 mixed[4];
  sl_survey_mix (a, b, 4, 0.25, mixed);
  assert_int_equal (mixed[0], 126);
  assert_int_equal (mixed[1], 191); /* 191.25 */
  assert_int_equal (mixed[2], 255);
  assert_int_equal (mixed[3], 2); /* 1.75 */
}

/* Three items of two classes. (1,0) and (0,1): scatter 2 - 2/2 = 1. (1,0) twice and (.7,.3): 2.58 -
 * (2.7² + .3²)/3 = .12. One answer: 0. Together 1.12 on three degrees: v = .37333. */
static void
spread_is_worth (void **state)
{
  (void) state;
  static const double sum[8] = { 1, 1, 2.7, 0.3, 0.5, 0.5, 0, 0 };
  static const double square[4] = { 2, 2.58, 0.5, 0 }, answers[4] = { 2, 3, 1, 0 };
  double gain[4], v = 1.12 / 3;
  assert_true (sl_spread_gain (sum, square, answers, 4, 2, gain));
  assert_true (fabs (gain[0] - (v + 1) / 2 / 6) < 1e-15);
  assert_true (fabs (gain[1] - (v + 0.12) / 3 / 12) < 1e-15);
  assert_true (fabs (gain[2] - v / 2) < 1e-15);
  assert_true (isnan (gain[3]));
  assert_false (sl_spread_gain (sum + 4, square + 2, answers + 2, 2, 2, gain));
}

/* A PNG with a text chunk behind its header comes out as it was without. */
static void
texts_of_png_go (void **state)
{
  (void) state;
  static const guint8 pixels[12] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
  static const guint8 text[] = "\0\0\0\x0dtEXtTitle\0a crime\0\0\0\0";
  g_autoptr (GByteArray) png = sl_png_write (pixels, 2, 2, 3, NULL), with = g_byte_array_new ();
  g_byte_array_append (with, png->data, 33);
  g_byte_array_append (with, text, 25);
  g_byte_array_append (with, png->data + 33, png->len - 33);
  g_autoptr (GByteArray) out = sl_image_strip (with->data, with->len, NULL);
  assert_non_null (out);
  assert_int_equal (out->len, png->len);
  assert_memory_equal (out->data, png->data, png->len);
  g_autoptr (GError) error = NULL;
  assert_null (sl_image_strip (with->data, with->len - 4, &error));
  assert_string_equal (error->message, "is damaged, or cut short");
}

/* Comments and places go; of the camera's segment its side that is up stays, in either byte order.
 * */
static void
segments_of_jpeg_go (void **state)
{
  (void) state;
  static const guint8 jpeg[] = {
    0xff, 0xd8, 0xff, 0xe0, 0,   4,   'J', 'F', /* stays */
    0xff, 0xfe, 0,    5,    'c', 'a', 't',      /* a comment */
    0xff, 0xe1, 0,    34,   'E', 'x', 'i', 'f',  0,    0, 'I', 'I',  42,   0, 8, 0, 0,
    0,    1,    0,    0x12, 1,   3,   0,   1,    0,    0, 0,   6,    0,    0, 0, 0, 0,
    0,    0,    0xff, 0xda, 0,   3,   9,   1,    0xff, 0, 2,   0xff, 0xd0, 3, /* a scan */
    0xff, 0xfe, 0,    5,    'd', 'o', 'g', 0xff, 0xda, 0, 3,   8,    4,    5, /* and another */
    0xff, 0xd9, 'x',  'y' /* what follows goes */
  };
  static const guint8 expected[]
      = { 0xff, 0xd8, 0xff, 0xe0, 0,    4,    'J',  'F', 0xff, 0xe1, 0, 34,   'E',
          'x',  'i',  'f',  0,    0,    'M',  'M',  0,   42,   0,    0, 0,    8,
          0,    1,    1,    0x12, 0,    3,    0,    0,   0,    1,    0, 6,    0,
          0,    0,    0,    0,    0,    0xff, 0xda, 0,   3,    9,    1, 0xff, 0,
          2,    0xff, 0xd0, 3,    0xff, 0xda, 0,    3,   8,    4,    5, 0xff, 0xd9 };
  g_autoptr (GByteArray) out = sl_image_strip (jpeg, sizeof jpeg, NULL);
  assert_non_null (out);
  assert_int_equal (out->len, sizeof expected);
  assert_memory_equal (out->data, expected, sizeof expected);
  for (gsize n = 0; n < sizeof jpeg - 2; n++)
    {
      g_autoptr (GError) error = NULL;
      assert_null (sl_image_strip (jpeg, n, &error));
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (every_item_is_dealt),   cmocka_unit_test (orders_are_as_asked),
    cmocka_unit_test (batches_of_annotators), cmocka_unit_test (last_batch_is_full),
    cmocka_unit_test (class_orders_are_even), cmocka_unit_test (keys_differ),
    cmocka_unit_test (spread_is_worth),       cmocka_unit_test (cover_is_undone),
    cmocka_unit_test (mixtures_are_rounded),  cmocka_unit_test (texts_of_png_go),
    cmocka_unit_test (segments_of_jpeg_go),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
