/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text for people's eyes: what is escaped, how wide it is, where it is cut; and bars. */
#include "pipeline/display/charts.h"
#include "pipeline/display/label-bars.h"
#include "pipeline/display/terminal.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct
{
  const char *text, *shown;
  gssize length;
} texts[] = {
  { "plain", "plain", -1 },
  { "a\nb\tc\rd", "a\\nb\\tc\\rd", -1 },
  { "\033[31mred\033[0m\a", "\\x1b[31mred\\x1b[0m\\x07", -1 },
  { "del\177", "del\\x7f", -1 },
  { "c1 \302\233", "c1 \\u009b", -1 },
  { "rtl \342\200\256", "rtl \\u202e", -1 },
  { "zero\342\200\213width", "zero\\u200bwidth", -1 },
  { "line\342\200\250", "line\\u2028", -1 },
  { "tag \363\240\201\201", "tag \\U000e0041", -1 },
  { "caf\303\251 \347\214\253", "caf\303\251 \347\214\253", -1 },
  { "bad \377\376 utf8 \303", "bad \\xff\\xfe utf8 \\xc3", -1 },
  { "private \356\200\200", "private \\ue000", -1 },
  { "nul \0 in", "nul \\x00 in", 8 },
  { "overlong \300\257", "overlong \\xc0\\xaf", -1 },
  { "surrogate \355\240\200", "surrogate \\xed\\xa0\\x80", -1 },
};

static void
test_escapes (void **state)
{
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GString) out = g_string_new ("> ");
      sl_display_text (out, texts[i].text, texts[i].length);
      assert_string_equal (out->str + 2, texts[i].shown);
      assert_true (g_utf8_validate (out->str, -1, NULL));
    }
}

static void
test_width (void **state)
{
  assert_int_equal (sl_display_width ("", -1), 0);
  assert_int_equal (sl_display_width ("abc", -1), 3);
  assert_int_equal (sl_display_width ("abc", 2), 2);
  assert_int_equal (sl_display_width ("caf\303\251", -1), 4);
  assert_int_equal (sl_display_width ("cafe\314\201", -1), 4);
  assert_int_equal (sl_display_width ("\347\214\253x", -1), 3);
}

static const struct
{
  const char *text;
  int width;
  gboolean middle;
  const char *cut;
} cuts[] = {
  { "abcdef", 6, TRUE, "abcdef" },
  { "abcdefg", 6, FALSE, "abcde…" },
  { "abcdefg", 6, TRUE, "abc…fg" },
  { "abcdefg", 1, TRUE, "…" },
  /* A wide character that would be cut in two goes altogether. */
  { "猫犬鳥", 5, FALSE, "猫犬…" },
  { "猫犬鳥", 4, FALSE, "猫…" },
  { "猫犬鳥", 4, TRUE, "猫…" },
  /* A combining mark stays with its letter. */
  { "aaae\314\201bbb", 5, FALSE, "aaae\314\201…" },
  { "aaabbe\314\201b", 5, TRUE, "aa…e\314\201b" },
  { "aaabbe\314\201b", 4, TRUE, "aa…b" },
};

static void
test_cut (void **state)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cuts); i++)
    {
      g_autoptr (GString) out = g_string_new ("> ");
      g_string_append (out, cuts[i].text);
      sl_display_cut (out, 2, cuts[i].width, cuts[i].middle);
      assert_string_equal (out->str + 2, cuts[i].cut);
      assert_in_range (sl_display_width (out->str + 2, -1), 0, cuts[i].width);
    }
}

static void
test_count (void **state)
{
  static const struct
  {
    gint64 n;
    const char *text;
  } counts[] = { { 0, "0" },
                 { 999, "999" },
                 { 1000, "1,000" },
                 { 12345678, "12,345,678" },
                 { -1, "-1" },
                 { -123456, "-123,456" },
                 { G_MAXINT64, "9,223,372,036,854,775,807" } };
  for (gsize i = 0; i < G_N_ELEMENTS (counts); i++)
    {
      g_autoptr (GString) out = g_string_new (NULL);
      sl_display_count (out, counts[i].n);
      assert_string_equal (out->str, counts[i].text);
    }
}

static void
test_wrap (void **state)
{
  g_autoptr (GString) out = g_string_new ("-o  ");
  sl_display_wrap (out, "one two three unbreakablyunbroken end", 4, 13);
  assert_string_equal (out->str, "-o  one two\n    three\n    unbreakablyunbroken\n    end");
  g_string_truncate (out, 0);
  sl_display_wrap (out, "ab cd ef", 0, 5);
  assert_string_equal (out->str, "ab cd\nef");
  g_string_truncate (out, 0);
  sl_display_wrap (out, "ab cd ef", 0, 4);
  assert_string_equal (out->str, "ab\ncd\nef");
}

/* The line for P where WIDTH columns are there; sets *FITTED to what the layout says it takes. */
static char *
draw (const double *p, int n_classes, int width, int *fitted)
{
  char *classes[] = { (char *) "cat", (char *) "dog", (char *) "猫", (char *) "cow", NULL };
  SlTable table = { .classes = classes, .n_classes = n_classes };
  SlBars bars = { 0 };
  sl_bars_measure (&bars, &table, p);
  *fitted = sl_bars_fit (&bars, width);
  GString *out = g_string_new (NULL);
  int drawn = sl_bars_draw (&bars, &table, p, -1, FALSE, out);
  assert_int_equal (drawn, sl_display_width (out->str, -1));
  assert_in_range (drawn, 0, *fitted);
  return g_string_free (out, FALSE);
}

static void
test_bars (void **state)
{
  static const struct
  {
    double p[4];
    int n_classes, width;
    const char *line;
  } lines[] = {
    { { 0.25, 0.75 }, 2, 100, "dog ███████▌   0.75  cat ██▌   0.25" },
    { { 1, 0 }, 2, 100, "cat ██████████ 1.00" },
    /* Equal ones in class order; a wide name takes two columns. */
    { { 0.4, 0.2, 0.4, 0 }, 4, 100, "cat ████       0.40  猫 ████  0.40  dog ██   0.20" },
    { { 0.4, 0.2, 0.4, 0 }, 4, 45, "cat ███▎     0.40  猫 ███▎ 0.40  dog █▋  0.20" },
    { { 0.4, 0.2, 0.4, 0 }, 4, 44, "cat ██▍    0.40  猫 ██▍ 0.40  +1 other 0.20" },
    /* What is left, spread evenly, names no class. */
    { { 0.04, 0.04, 0.04, 0.88 }, 4, 100, "cow ████████▊  0.88  +3 others 0.12" },
    /* So little room that there is none for bars, or for the others. */
    { { 0.4, 0.2, 0.4, 0 }, 4, 24, "cat 0.40  +2 others 0.60" },
    { { 0.4, 0.2, 0.4, 0 }, 4, 10, "cat 0.40" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      int fitted;
      g_autofree char *line = draw (lines[i].p, lines[i].n_classes, lines[i].width, &fitted);
      assert_string_equal (line, lines[i].line);
    }
}

/* What stands behind a bar is in the same column in every row, however many classes a row names. */
static void
test_bars_align (void **state)
{
  static const double p[3][4]
      = { { 0.9, 0.1, 0, 0 }, { 0.02, 0.02, 0.94, 0.02 }, { 0.5, 0.3, 0.15, 0.05 } };
  static const char *const lines[] = {
    "cat █████████  0.90  dog █     0.10",
    "猫  █████████▍ 0.94                                +3 others 0.06",
    "cat █████      0.50  dog ███   0.30  猫 █▌   0.15  +1 other 0.05",
  };
  char *classes[] = { (char *) "cat", (char *) "dog", (char *) "猫", (char *) "cow", NULL };
  SlTable table = { .classes = classes, .n_classes = 4 };
  SlBars bars = { 0 };
  for (int i = 0; i < 3; i++)
    sl_bars_measure (&bars, &table, p[i]);
  sl_bars_fit (&bars, 100);
  for (int i = 0; i < 3; i++)
    {
      g_autoptr (GString) out = g_string_new (NULL);
      sl_bars_draw (&bars, &table, p[i], -1, FALSE, out);
      assert_string_equal (out->str, lines[i]);
    }
}

/* Whatever the probabilities, every row fits what the layout says if that is not more than there
 * is. */
static void
test_bars_fit (void **state)
{
  guint32 x = 1;
  for (int trial = 0; trial < 20000; trial++)
    {
      double p[4], sum = 0;
      for (int k = 0; k < 4; k++)
        {
          x = x * 1664525u + 1013904223u;
          p[k] = (x >> 24) % 5 == 0 ? 0 : (double) (x >> 8);
          sum += p[k];
        }
      for (int k = 0; k < 4 && sum > 0; k++)
        p[k] /= sum;
      int width = 24 + trial % 60, fitted;
      g_autofree char *line = draw (p, 4, width, &fitted);
      assert_in_range (fitted, 0, width);
      assert_in_range (sl_display_width (line, -1), 0, width);
    }
}

static void
check_columns (const double *y, gsize n, double lo, double hi, int width, int height,
               const char *wanted)
{
  g_autoptr (GString) out = g_string_new (NULL);
  sl_chart_columns (out, y, n, lo, hi, width, height, FALSE);
  assert_string_equal (out->str, wanted);
}

static void
test_chart_columns (void **state)
{
  (void) state;
  static const double y[] = { 0, 1, 2, NAN, 4 };
  /* 0 is seen, too; five values in five columns; two columns each where there is room. */
  check_columns (y, 5, 0, 4, 8, 1, "4 ▁▂▄ █\n");
  check_columns (y, 5, 0, 4, 7, 2, "4     █\n0 ▁▄█ █\n");
  check_columns (y, 5, 0, 4, 12, 1, "4 ▁▁▂▂▄▄  ██\n");
  /* Means of what a column stands for: of (0, 1) and of (2, 4), as the third is no number. */
  check_columns (y, 5, 0, 4, 4, 1, "4 ▁▆\n");
  check_columns (y, 1, 3, 3, 20, 1, "3 ██████\n");
  check_columns (y, 0, 0, 1, 20, 2, "1\n0\n");
  check_columns (y, 5, 0, 4, 0, 1, "4 ▄\n");
}

static void
check_axis (gsize n, double lo, double hi, int width, const char *from, const char *to,
            const char *wanted)
{
  g_autoptr (GString) out = g_string_new (NULL);
  sl_chart_axis (out, n, lo, hi, width, from, to);
  assert_string_equal (out->str, wanted);
}

/* Below the columns of check_columns(): the first name at their left end, the second at their
 * right, as far as they fit. */
static void
test_chart_axis (void **state)
{
  (void) state;
  check_axis (5, 0, 4, 12, "1", "5", "  1        5\n");
  check_axis (5, 0, 4, 8, "1", "5", "  1   5\n");
  check_axis (2, 0, 4, 5, "1", "20", "  1\n");
  check_axis (1, 0, 0.125, 3, "10", "20", "");
}

static void
check_bar (double share, double mark, int width, gboolean color, const char *wanted)
{
  g_autoptr (GString) out = g_string_new (NULL);
  sl_chart_bar (out, share, mark, width, color);
  assert_string_equal (out->str, wanted);
}

static void
test_chart_bar (void **state)
{
  (void) state;
  check_bar (0.5, NAN, 4, FALSE, "██  ");
  check_bar (0.53, 0.9, 4, FALSE, "██▏┃");
  check_bar (1, 1, 4, FALSE, "███┃");
  check_bar (7, 0, 4, FALSE, "┃███");
  check_bar (0, -1, 4, FALSE, "┃   ");
  check_bar (0.5, 0.9, 4, TRUE, "\033[36m██\033[0m \033[33m┃\033[0m");
  check_bar (0.5, 0.9, 0, TRUE, "");
}

int
main (void)
{
  if (setlocale (LC_CTYPE, "C.UTF-8") == NULL)
    return 77;
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_escapes),       cmocka_unit_test (test_width),
    cmocka_unit_test (test_cut),           cmocka_unit_test (test_count),
    cmocka_unit_test (test_wrap),          cmocka_unit_test (test_bars),
    cmocka_unit_test (test_bars_align),    cmocka_unit_test (test_bars_fit),
    cmocka_unit_test (test_chart_columns), cmocka_unit_test (test_chart_axis),
    cmocka_unit_test (test_chart_bar),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
