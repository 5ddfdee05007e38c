/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stages/common/figures/vote-figures.h"
#include "stages/report/html-text.h"
#include "stages/report/page.h"
#include "stages/report/pictures.h"
#include "stages/report/plot.h"
#include "stages/report/extremes.h"
#include "stages/report/svg.h"

#include <math.h>
#include <png.h>
#include <string.h>

static void
check_ticks (double lo, double hi, int most, int n, double first, double last, int decimals)
{
  SlTicks ticks = sl_ticks (lo, hi, most);
  assert_int_equal (ticks.n, n);
  assert_float_equal (sl_tick (&ticks, 0), first, fabs (first) * 1e-12);
  assert_float_equal (sl_tick (&ticks, n - 1), last, fabs (last) * 1e-12);
  assert_int_equal (sl_tick_decimals (&ticks), decimals);
}

static void
ticks (void **state)
{
  (void) state;
  check_ticks (0, 1, 6, 6, 0, 1, 1);
  check_ticks (0, 10, 6, 6, 0, 10, 0);
  check_ticks (0, 2.302585, 6, 5, 0, 2, 1);
  check_ticks (0.93, 0.97, 6, 5, 0.93, 0.97, 2);
  check_ticks (-0.3, 0.3, 4, 3, -0.2, 0.2, 1);
  check_ticks (0, 4437, 6, 5, 0, 4000, 0);
  check_ticks (1e-8, 3e-8, 6, 5, 1e-8, 3e-8, 9);
  check_ticks (0, 3e12, 4, 4, 0, 3e12, 0);
  check_ticks (1e6, 1e6 + 1, 6, 6, 1e6, 1e6 + 1, 1);
  /* No range, or one the wrong way round. */
  check_ticks (5, 5, 6, 1, 0, 0, 0);
  check_ticks (2, 1, 6, 1, 0, 0, 0);
}

/* Whatever the range: as many ticks as are asked for at most, in it, and one step apart. */
static void
ticks_of_any_range (void **state)
{
  (void) state;
  for (int e = -12; e <= 12; e++)
    for (int m = 1; m < 40; m++)
      for (int most = 2; most <= 8; most++)
        {
          double lo = (m % 7 - 3) * 0.37 * exp10 (e), hi = lo + m * 0.21 * exp10 (e);
          SlTicks got = sl_ticks (lo, hi, most);
          double room = (hi - lo) * 1e-6;
          assert_in_range (got.n, 1, most);
          assert_true (sl_tick (&got, 0) >= lo - room);
          assert_true (sl_tick (&got, got.n - 1) <= hi + room);
          if (most >= 6)
            assert_true (got.n >= 3);
        }
}

static void
widened_ranges (void **state)
{
  (void) state;
  double lo = 0.13, hi = 0.94;
  sl_ticks_widen (&lo, &hi, 6);
  assert_float_equal (lo, 0, 1e-12);
  assert_float_equal (hi, 1, 1e-12);
  lo = hi = 5;
  sl_ticks_widen (&lo, &hi, 6);
  assert_true (lo < 5 && hi > 5);
  lo = hi = 0;
  sl_ticks_widen (&lo, &hi, 6);
  assert_true (lo < 0 && hi > 0);
  SlAxisRange range = SL_RANGE_EMPTY;
  sl_range_add (&range, NAN);
  sl_range_add (&range, INFINITY);
  range = sl_range_round (range);
  assert_float_equal (range.lo, 0, 0);
  assert_float_equal (range.hi, 1, 0);
}

static void
check_text (const char *text, gssize length, int most, const char *wanted)
{
  g_autoptr (GString) out = g_string_new (NULL);
  sl_html_cut (out, text, length, most);
  assert_string_equal (out->str, wanted);
}

static void
texts (void **state)
{
  (void) state;
  check_text ("<b a='1' b=\"2\">&amp;", -1, 99, "&lt;b a=&#39;1&#39; b=&quot;2&quot;&gt;&amp;amp;");
  check_text ("a\xe2\x80\xae"
              "b\x01\n",
              -1, 99, "a\\u202eb\\u0001\\u000a");
  check_text ("a\xff"
              "b",
              3, 99,
              "a\xef\xbf\xbd"
              "b");
  /* Emoji are made with joiners, which stay; tags that nobody sees do not. */
  check_text ("\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x9a\x80", -1, 99,
              "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x9a\x80");
  check_text ("\xf3\xa0\x80\xa1", -1, 99, "\\U000e0021");
  check_text ("abcdef", -1, 6, "abcdef");
  check_text ("abcdefg", -1, 6, "abcde…");
  check_text ("日本語", -1, 5, "日本…");
  check_text ("abc", 2, 99, "ab");
  check_text ("", 0, 3, "");
}

typedef void (*PutReal) (GString *out, double value);

static void
check_number (PutReal put, double value, const char *wanted)
{
  g_autoptr (GString) out = g_string_new (NULL);
  put (out, value);
  assert_string_equal (out->str, wanted);
}

static void
numbers (void **state)
{
  (void) state;
  check_number (sl_html_figure, 0.87314, "0.8731");
  check_number (sl_html_figure, -1.5, "−1.500");
  check_number (sl_html_figure, 12.345, "12.35");
  check_number (sl_html_figure, 1234567, "1,234,567");
  check_number (sl_html_figure, 1234567.25, "1,234,567.2");
  check_number (sl_html_figure, 0, "0");
  check_number (sl_html_figure, -0.0, "0");
  check_number (sl_html_figure, 0.000012, "1.20e-05");
  check_number (sl_html_figure, NAN, "–");
  check_number (sl_html_figure, -INFINITY, "−∞");
  check_number (sl_html_figure, 1e300, "1.00e+300");
  check_number (sl_html_share, 0.1234, "12.3 %");
  check_number (sl_html_share, 1, "100 %");
  check_number (sl_html_share, NAN, "–");
  g_autoptr (GString) out = g_string_new (NULL);
  sl_html_real (out, -0.001, 2);
  sl_html_many (out, 1, " item", "items");
  sl_html_many (out, -1234, "item", "items");
  assert_string_equal (out->str, "0.001  item−1,234 items");
}

static void
pictures_in_svg (void **state)
{
  (void) state;
  g_autoptr (GString) out = g_string_new (NULL);
  sl_svg_begin (out, 100, 50.5, "f1", "a<b", "c&d");
  sl_svg_line (out, "grid", 0, -0.001, 1.005, 1.0 / 3);
  sl_svg_rect (out, "c1", 1, 2, -3, 4);
  sl_svg_text (out, "", 1, 2, SL_SVG_END, "</svg>", 3);
  SlSvgPath path = sl_svg_path_begin (out, "line");
  sl_svg_path_to (&path, 0, 1);
  sl_svg_path_to (&path, 2, NAN);
  sl_svg_path_to (&path, 3, 4);
  sl_svg_path_to (&path, 5, 1e300);
  sl_svg_path_end (&path);
  sl_svg_end (out);
  assert_string_equal (
      out->str,
      "<svg class=\"chart\" viewBox=\"0 0 100 50.5\" width=\"100\" height=\"50.5\" role=\"img\" "
      "aria-labelledby=\"f1-t f1-d\"><title id=\"f1-t\">a&lt;b</title>"
      "<desc id=\"f1-d\">c&amp;d</desc>\n"
      "<line class=\"grid\" x1=\"0\" y1=\"0\" x2=\"1\" y2=\"0.33\"/>\n"
      "<rect class=\"c1\" x=\"1\" y=\"2\" width=\"0\" height=\"4\"/>\n"
      "<text class=\"\" x=\"1\" y=\"2\" text-anchor=\"end\">&lt;/…</text>\n"
      "<path class=\"line\" d=\"M0 1M3 4L5 1000000\"/>\n</svg>\n");
}

/* Names at the ends of lines that meet stand a line apart, in the lines' order. */
static void
names_apart (void **state)
{
  (void) state;
  g_autoptr (GString) out = g_string_new (NULL);
  SlPlotForm form = { .id = "f1",
                      .title = "",
                      .description = "",
                      .x = { 0, 1 },
                      .y = { 0, 1 },
                      .x_label = "",
                      .y_label = "",
                      .right = 80 };
  SlPlot plot = sl_plot_begin (out, &form);
  const double y[] = { 0.5, 0.52, 0, NAN };
  char *names[] = { (char *) "b", (char *) "a", (char *) "c", (char *) "d" };
  const char *const marks[] = { "x", "x", "x", "x" };
  g_string_truncate (out, 0);
  sl_plot_end_names (&plot, 4, y, names, marks);
  double at[4];
  const char *text = out->str;
  for (int i = 0; i < 4; i++)
    {
      text = strstr (text, " y=\"") + 4;
      at[i] = g_ascii_strtod (text, NULL);
    }
  assert_true (at[0] >= at[1] + 13 - 0.01);
  assert_true (at[2] > at[0] + 13 - 0.01);
  assert_true (fabs (at[3] - at[2]) >= 13 - 0.01);
  assert_true (MAX (at[2], at[3]) <= plot.bottom + 4);
}

static void
axes_of_any_range (void **state)
{
  (void) state;
  static const SlAxisRange ranges[] = { { 0, 0 },          { 1, 0 },        { NAN, NAN },
                                        { -1e308, 1e308 }, { 0, INFINITY }, { 5e-324, 1e-323 } };
  for (gsize r = 0; r < G_N_ELEMENTS (ranges); r++)
    {
      g_autoptr (GString) out = g_string_new (NULL);
      SlPlotForm form = { .id = "f1",
                          .title = "",
                          .description = "",
                          .x = ranges[r],
                          .y = ranges[r],
                          .x_label = "",
                          .y_label = "",
                          .whole_x = TRUE };
      SlPlot plot = sl_plot_begin (out, &form);
      sl_plot_end (&plot);
      assert_null (strstr (out->str, "nan"));
      assert_null (strstr (out->str, "inf"));
      assert_true (out->len < 10000);
    }
}

/* What libpng makes of the picture is what went in. */
static void
images (void **state)
{
  (void) state;
  enum
  {
    SIDE = 200
  };
  g_autofree guint8 *planes = g_malloc (3 * SIDE * SIDE);
  for (int i = 0; i < 3 * SIDE * SIDE; i++)
    planes[i] = (guint8) (i / (SIDE * SIDE) * 80 + i % 7);
  g_autoptr (GString) text = g_string_new (NULL);
  sl_picture_append (text, planes, 3, SIDE, SIDE);
  static const char head[] = "data:image/png;base64,";
  assert_true (g_str_has_prefix (text->str, head));
  gsize size;
  g_autofree guint8 *bytes = g_base64_decode (text->str + strlen (head), &size);
  png_image image = { .version = PNG_IMAGE_VERSION };
  assert_true (png_image_begin_read_from_memory (&image, bytes, size));
  assert_int_equal (image.width, 67);
  assert_int_equal (image.height, 67);
  image.format = PNG_FORMAT_RGB;
  g_autofree guint8 *pixels = g_malloc (PNG_IMAGE_SIZE (image));
  assert_true (png_image_finish_read (&image, NULL, pixels, 0, NULL));
  guint32 sum = 0;
  for (int y = 0; y < 3; y++)
    for (int x = 0; x < 3; x++)
      sum += planes[SIDE * SIDE + y * SIDE + x];
  assert_int_equal (pixels[1], (sum + 4) / 9);
  /* The last ones stand for what is left of the edge: 2 × 2. */
  sum = 0;
  for (int y = SIDE - 2; y < SIDE; y++)
    for (int x = SIDE - 2; x < SIDE; x++)
      sum += planes[2 * SIDE * SIDE + y * SIDE + x];
  assert_int_equal (pixels[67 * 67 * 3 - 1], (sum + 2) / 4);
}

static void
grey_images (void **state)
{
  (void) state;
  const float values[] = { -1, 0, 1, 3 };
  guint8 grey[4];
  sl_picture_stretch (values, 4, grey);
  assert_int_equal (grey[0], 0);
  assert_int_equal (grey[1], 64);
  assert_int_equal (grey[3], 255);
  g_autoptr (GString) text = g_string_new (NULL);
  sl_picture_append (text, grey, 1, 2, 2);
  gsize size;
  g_autofree guint8 *bytes = g_base64_decode (strchr (text->str, ',') + 1, &size);
  png_image image = { .version = PNG_IMAGE_VERSION };
  assert_true (png_image_begin_read_from_memory (&image, bytes, size));
  image.format = PNG_FORMAT_GRAY;
  guint8 pixels[4];
  assert_int_equal (PNG_IMAGE_SIZE (image), 4);
  assert_true (png_image_finish_read (&image, NULL, pixels, 0, NULL));
  assert_memory_equal (pixels, grey, 4);
  const float same[] = { 2, 2 };
  sl_picture_stretch (same, 2, grey);
  assert_int_equal (grey[0], 128);
}

static void
extremes (void **state)
{
  (void) state;
  SlExtremes few;
  sl_extremes_init (&few, 3);
  static const double keys[] = { 5, 2, 9, 2, 1, 7, 2 };
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      char name[] = { (char) ('a' + i), 0 };
      SlExtreme *place = sl_extremes_add (&few, keys[i], 100 - i, name, 1);
      if (place != NULL)
        place->values = g_new0 (double, 1);
    }
  assert_int_equal (few.n, 3);
  assert_string_equal (few.of[0].name, "e");
  assert_string_equal (few.of[1].name, "g");
  assert_string_equal (few.of[2].name, "d");
  sl_extremes_clear (&few);
}

/* The sample is the same in any order. */
static void
samples (void **state)
{
  (void) state;
  SlSample forth, back;
  sl_sample_init (&forth, 10);
  sl_sample_init (&back, 10);
  for (guint64 i = 0; i < 1000; i++)
    {
      sl_sample_add (&forth, i * 7919 % 1009, (double) i, 0, 0);
      sl_sample_add (&back, (999 - i) * 7919 % 1009, (double) (999 - i), 0, 0);
    }
  sl_sample_finish (&forth);
  sl_sample_finish (&back);
  assert_int_equal (forth.points->len, 10);
  assert_int_equal (forth.seen, 1000);
  for (guint i = 0; i < 10; i++)
    assert_float_equal (g_array_index (forth.points, SlSampled, i).x,
                        g_array_index (back.points, SlSampled, i).x, 0);
  sl_sample_clear (&forth);
  sl_sample_clear (&back);
}

static void
reliability (void **state)
{
  (void) state;
  SlReliability bins = { .n = 10 };
  sl_reliability_add (&bins, 0.95, TRUE);
  sl_reliability_add (&bins, 1, TRUE);
  sl_reliability_add (&bins, 0.55, FALSE);
  sl_reliability_add (&bins, 0.5, TRUE);
  assert_int_equal (sl_reliability_all (&bins), 4);
  assert_int_equal (bins.count[9], 2);
  assert_int_equal (bins.count[5], 2);
  assert_float_equal (sl_reliability_accuracy (&bins), 0.75, 1e-15);
  assert_float_equal (sl_reliability_confidence (&bins), 0.75, 1e-15);
  /* (|2 - 1.95| + |1 - 1.05|) / 4 */
  assert_float_equal (sl_reliability_error (&bins), 0.025, 1e-12);
  double lower, upper;
  /* Wilson's interval of 8 of 10: Brown, Cai & DasGupta 2001, formula (4). */
  sl_share_interval (8, 10, &lower, &upper);
  assert_float_equal (lower, 0.4901625, 1e-6);
  assert_float_equal (upper, 0.9433178, 1e-6);
  sl_share_interval (0, 5, &lower, &upper);
  assert_float_equal (lower, 0, 0);
  assert_float_equal (upper, 0.4344825, 1e-6);
}

static void
pages (void **state)
{
  (void) state;
  SlPage page = { 0 };
  sl_page_init (&page, SL_PAGE_WIDTH);
  sl_page_section_begin (&page, "a", "A");
  sl_page_facts_begin (&page);
  sl_page_fact (&page, "x", "%n", (gint64) 1);
  sl_page_fact (&page, "y", "%f%s", 2.0, "");
  sl_page_facts_end (&page);
  sl_page_section_end (&page);
  g_autoptr (GString) text = sl_page_finish (&page, "<t>", "p");
  assert_non_null (strstr (text->str, "<title>&lt;t&gt;</title>"));
  assert_non_null (strstr (text->str, "<li><a href=\"#a\">A</a></li>"));
  assert_non_null (
      strstr (text->str, "<div><dt>x</dt><dd>1</dd></div>\n<div><dt>y</dt><dd>2</dd></div>\n"));
  assert_null (strstr (text->str, "http://"));
  sl_page_clear (&page);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (ticks),          cmocka_unit_test (ticks_of_any_range),
    cmocka_unit_test (widened_ranges), cmocka_unit_test (texts),
    cmocka_unit_test (numbers),        cmocka_unit_test (pictures_in_svg),
    cmocka_unit_test (names_apart),    cmocka_unit_test (axes_of_any_range),
    cmocka_unit_test (images),         cmocka_unit_test (grey_images),
    cmocka_unit_test (extremes),       cmocka_unit_test (samples),
    cmocka_unit_test (reliability),    cmocka_unit_test (pages),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
