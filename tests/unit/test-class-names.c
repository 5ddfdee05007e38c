/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What texts of a file stand for: classes, none, percents; and what a file is that is no CSV. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pipeline/text/csv.h"
#include "stages/common/classes/class-coder.h"
#include "stages/common/classes/class-scale.h"
#include "stages/common/classes/look-alikes.h"
#include "stages/ingest/readers/field-values.h"

#include <math.h>
#include <string.h>

static gboolean
same_look (const char *a, const char *b)
{
  g_autofree char *first = sl_look_of (a, strlen (a)), *second = sl_look_of (b, strlen (b));
  return strcmp (first, second) == 0;
}

static void
test_looks (void **state)
{
  (void) state;
  assert_true (same_look ("cat", "Cat"));
  assert_true (same_look (" hot dog", "Hot_Dog"));
  assert_true (same_look ("3", "3.0"));
  assert_true (same_look ("03", "3e0"));
  assert_true (same_look ("0", "-0.0"));
  assert_true (same_look ("caf\xc3\xa9", "CAFE\xcc\x81")); /* é as one character and as two */
  assert_true (same_look ("\xef\xbc\xa1", "a"));           /* a full-width A */
  assert_false (same_look ("C", "C+"));
  assert_false (same_look ("C", "C-"));
  assert_false (same_look ("3", "3.5"));
  assert_false (same_look ("3", "three"));
  assert_false (same_look ("1", "-1"));
  assert_false (same_look ("", "a"));
}

static gboolean
same_spelling (const char *a, const char *b)
{
  g_autofree char *first = sl_spelling_of (a, strlen (a)), *second = sl_spelling_of (b, strlen (b));
  return strcmp (first, second) == 0;
}

static void
test_spellings (void **state)
{
  (void) state;
  assert_true (same_spelling ("hot dog", "Hot_Dog"));
  assert_true (same_spelling ("Stra\xc3\x9f"
                              "e",
                              "STRASSE"));
  assert_true (same_spelling ("3", "3.0"));
  assert_false (same_spelling ("1", "01"));
  assert_false (same_spelling ("3", "3e0"));
  assert_false (same_spelling ("0", "-0.0"));
  assert_false (same_spelling ("3.", "3"));
  assert_false (same_spelling ("1.0.0", "1"));
}

static void
test_groups_of_classes (void **state)
{
  (void) state;
  const char *first = NULL, *second = NULL;
  gboolean alike[6];
  char *classes[] = { "3", "3.0", "CAT", "Cat", "cat", "dog", NULL };
  g_autofree char *text = sl_look_alikes (classes, &first, &second, alike);
  assert_string_equal (text, "'3' and '3.0', 'CAT' and 'Cat' and 'cat'");
  assert_string_equal (first, "3");
  assert_string_equal (second, "3.0");
  for (int i = 0; i < 6; i++)
    assert_int_equal (alike[i], i < 5);
  char *different[] = { "a", "b", NULL }, *none[] = { NULL };
  assert_null (sl_look_alikes (different, NULL, NULL, NULL));
  assert_null (sl_look_alikes (none, NULL, NULL, NULL));
}

static gint32
code (SlCoder *coder, const char *text)
{
  char padded[128] = "";
  g_strlcpy (padded, text, sizeof padded - 16);
  gint32 found = sl_coder_code (coder, padded, strlen (text));
  /* A second time it comes from the cache. */
  assert_int_equal (sl_coder_code (coder, padded, strlen (text)), found);
  return found;
}

static void
test_texts_of_classes (void **state)
{
  (void) state;
  SlClassTexts texts;
  char *renamed[] = { "Cat=cat", "old=a name of more than sixteen bytes", NULL };
  assert_true (sl_class_texts_init (&texts, TRUE, NULL, renamed, NULL));
  SlCoder *coder = sl_coder_new (NULL, &texts);
  assert_int_equal (code (coder, "cat"), 0);
  assert_int_equal (code (coder, " Cat"), 0);
  assert_int_equal (code (coder, "\tcat "), 0);
  assert_int_equal (code (coder, "old"), 1);
  assert_int_equal (code (coder, " a name of more than sixteen bytes "), 1);
  assert_int_equal (code (coder, "NA"), SL_CODE_MISSING);
  assert_int_equal (code (coder, " NaN "), SL_CODE_MISSING);
  assert_int_equal (code (coder, "   "), SL_CODE_MISSING);
  assert_int_equal (code (coder, "none"), 2);
  sl_coder_free (coder);
  g_autoptr (SlIntern) known = sl_intern_new ();
  sl_intern (known, "NA", 2);
  sl_intern (known, " b", 2);
  sl_intern (known, "cat", 3);
  coder = sl_coder_new (known, &texts);
  assert_int_equal (code (coder, "NA"), 0);
  assert_int_equal (code (coder, " NA"), 0);
  assert_int_equal (code (coder, " b"), 1);
  assert_int_equal (code (coder, "Cat"), 2);
  assert_int_equal (code (coder, "null"), SL_CODE_MISSING);
  assert_int_equal (code (coder, "CAT"), SL_CODE_UNKNOWN);
  assert_int_equal (sl_coder_alike (coder, "CAT", 3), 2);
  assert_int_equal (sl_coder_alike (coder, "dog", 3), SL_CODE_UNKNOWN);
  sl_coder_free (coder);
  sl_class_texts_clear (&texts);
  char *wrong[] = { "Cat", NULL }, *missing[] = { "-", NULL }, *alone[] = { "-", "", NULL };
  assert_false (sl_class_texts_init (&texts, FALSE, NULL, wrong, NULL));
  sl_class_texts_clear (&texts);
  assert_true (sl_class_texts_init (&texts, FALSE, missing, NULL, NULL));
  coder = sl_coder_new (NULL, &texts);
  assert_int_equal (code (coder, "NA"), SL_CODE_MISSING);
  assert_int_equal (code (coder, "-"), SL_CODE_MISSING);
  sl_coder_free (coder);
  sl_class_texts_clear (&texts);
  assert_true (sl_class_texts_init (&texts, FALSE, alone, NULL, NULL));
  coder = sl_coder_new (NULL, &texts);
  assert_int_equal (code (coder, "NA"), 0);
  assert_int_equal (code (coder, " NA"), 1);
  assert_int_equal (code (coder, "-"), SL_CODE_MISSING);
  sl_coder_free (coder);
  sl_class_texts_clear (&texts);
}

static void
test_percents (void **state)
{
  (void) state;
  static const struct
  {
    const char *text;
    double of_1, of_100;
  } good[] = {
    { "0.29", 29, 0.29 },  { ".07", 7, 0.07 },  { " 1 ", 100, 1 },    { "0", 0, 0 },
    { "80%", 80, 80 },     { "80 % ", 80, 80 }, { "0.5%", 0.5, 0.5 }, { "7e-1", 70, 0.7 },
    { "-0.3", -30, -0.3 }, { "33", 3300, 33 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (good); i++)
    {
      SlPercentCounts counts = { 0 };
      double percent;
      gsize n = strlen (good[i].text);
      assert_true (sl_percent_read (good[i].text, n, SL_PERCENT_OF_1, &percent, &counts));
      assert_true (percent == good[i].of_1);
      assert_true (sl_percent_read (good[i].text, n, SL_PERCENT_UNSAID, &percent, &counts));
      assert_true (percent == good[i].of_100);
    }
  SlPercentCounts counts = { 0 };
  double percent;
  for (const char *const *bad = (const char *const[]){ "", "%", "0,8", "x", "1e400", NULL };
       *bad != NULL; bad++)
    assert_false (sl_percent_read (*bad, strlen (*bad), SL_PERCENT_OF_1, &percent, &counts));
  assert_true (sl_percent_of_number (0.29, SL_PERCENT_OF_1, &counts) == 29);
  assert_true (sl_percent_of_number (0.29, SL_PERCENT_OF_100, &counts) == 0.29);
}

static void
test_units_of_percents (void **state)
{
  (void) state;
  static const struct
  {
    SlPercentCounts counts;
    SlPercentScale scale;
    gboolean refused, doubted;
  } all[] = {
    { { 0, 0, 0 }, SL_PERCENT_UNSAID, FALSE, FALSE },
    { { 1, 0, 0 }, SL_PERCENT_UNSAID, TRUE, FALSE },
    { { 1, 9, 0 }, SL_PERCENT_UNSAID, TRUE, FALSE },
    { { 0, 9, 0 }, SL_PERCENT_UNSAID, FALSE, TRUE },
    { { 9, 0, 8 }, SL_PERCENT_UNSAID, FALSE, TRUE },
    { { 8, 0, 8 }, SL_PERCENT_UNSAID, FALSE, FALSE },
    { { 9, 9, 0 }, SL_PERCENT_OF_100, FALSE, FALSE },
    { { 9, 9, 0 }, SL_PERCENT_OF_1, FALSE, FALSE },
    { { 9, 9, 1 }, SL_PERCENT_OF_1, FALSE, TRUE },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (all); i++)
    {
      g_autofree char *doubt = NULL;
      g_autofree char *wrong = sl_percent_counts_judge (&all[i].counts, all[i].scale, &doubt);
      assert_int_equal (wrong != NULL, all[i].refused);
      assert_int_equal (doubt != NULL, all[i].doubted);
    }
}

#define OTHER(bytes) sl_csv_find_other_format (bytes, sizeof bytes - 1)

static void
test_encodings (void **state)
{
  (void) state;
  assert_non_null (strstr (OTHER ("\xff\xfei\0t\0"), "UTF-16,"));
  assert_non_null (strstr (OTHER ("\xff\xfe\0\0i\0\0\0"), "UTF-32,"));
  assert_non_null (strstr (OTHER ("\0\0\xfe\xff\0\0\0i"), "UTF-32,"));
  assert_non_null (strstr (OTHER ("i\0t\0e\0m\0"), "UTF-16LE"));
  assert_non_null (strstr (OTHER ("\0i\0t\0e\0m"), "UTF-16BE"));
  assert_non_null (strstr (OTHER ("i\0\0\0t\0\0\0"), "UTF-32LE"));
  assert_non_null (strstr (OTHER ("\0\0\0i\0\0\0t"), "UTF-32BE"));
  assert_null (OTHER ("item,label\n1,cat\n"));
  assert_null (OTHER ("i\0tem,label\n"));
  assert_null (OTHER ("\xe4,b\n"));
  assert_null (OTHER (""));
}

static void
guesses (const char *names, const char *wanted)
{
  g_auto (GStrv) classes = g_strsplit (names, ",", -1);
  g_autofree char *guess = sl_scale_guess (classes);
  if (wanted == NULL)
    assert_null (guess);
  else
    assert_string_equal (guess, wanted);
}

static void
test_guessed_scales (void **state)
{
  (void) state;
  guesses ("1,2,3,4,5", "");
  guesses ("-0.5,0,2.25", "");
  guesses ("0,1", NULL);
  guesses ("3,2,1", NULL);
  guesses ("1,2,three", NULL);
  guesses ("cat,dog,horse", NULL);
  guesses ("Always,Never,Often", "Never,Often,Always");
  guesses ("Agree,Disagree,Neither agree nor disagree,Strongly agree,Strongly_Disagree",
           "Strongly_Disagree,Disagree,Neither agree nor disagree,Agree,Strongly agree");
  guesses ("often,Often,never", NULL); /* two of one step */
  guesses ("low,medium,banana", NULL);
}

static void
test_values_of_classes (void **state)
{
  (void) state;
  char *words[] = { "low", "mid", "high", NULL }, *numbers[] = { "1", "2.5", "10", NULL };
  char *falling[] = { "2", "1", NULL };
  g_autofree double *ranks = sl_scale_values (words, NULL, TRUE, NULL);
  assert_true (ranks[0] == 1 && ranks[1] == 2 && ranks[2] == 3);
  g_autofree double *own = sl_scale_values (numbers, NULL, FALSE, NULL);
  assert_true (own[0] == 1 && own[1] == 2.5 && own[2] == 10);
  g_autofree double *said = sl_scale_values (words, "-1, 0, 4", FALSE, NULL);
  assert_true (said[0] == -1 && said[1] == 0 && said[2] == 4);
  assert_null (sl_scale_values (words, NULL, FALSE, NULL));
  assert_null (sl_scale_values (falling, NULL, TRUE, NULL));
  assert_null (sl_scale_values (words, "1,2", TRUE, NULL));
  assert_null (sl_scale_values (words, "1,2,2", TRUE, NULL));
  assert_null (sl_scale_values (words, "1,2,nan", TRUE, NULL));
}

static void
test_bins (void **state)
{
  (void) state;
  static const char *const wrong[] = { "", "5", "1,1", "2,1", "0..1", "0..1/0", "0..1/x", "a,b" };
  SlBins *bins = sl_bins_parse ("-1,0,2.5", NULL);
  g_auto (GStrv) names = sl_bins_names (bins);
  g_autofree char *middles = sl_bins_middles (bins), *all = g_strjoinv (" ", names);
  assert_string_equal (all, "-1..0 0..2.5");
  assert_string_equal (middles, "-0.5,1.25");
  assert_int_equal (sl_bins_find (bins, "-1", 2), 0);
  assert_int_equal (sl_bins_find (bins, "-0.001", 6), 0);
  assert_int_equal (sl_bins_find (bins, "0", 1), 1);
  assert_int_equal (sl_bins_find (bins, "2.5", 3), 1);
  assert_int_equal (sl_bins_find (bins, "2.51", 4), -1);
  assert_int_equal (sl_bins_find (bins, "-1.1", 4), -1);
  assert_int_equal (sl_bins_find (bins, "one", 3), -1);
  sl_bins_free (bins);
  bins = sl_bins_parse ("0..1/3", NULL);
  assert_int_equal (bins->n, 3);
  assert_true (bins->edge[0] == 0 && bins->edge[1] == 1.0 / 3 && bins->edge[3] == 1);
  sl_bins_free (bins);
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    assert_null (sl_bins_parse (wrong[i], NULL));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_looks),
    cmocka_unit_test (test_spellings),
    cmocka_unit_test (test_groups_of_classes),
    cmocka_unit_test (test_texts_of_classes),
    cmocka_unit_test (test_guessed_scales),
    cmocka_unit_test (test_values_of_classes),
    cmocka_unit_test (test_bins),
    cmocka_unit_test (test_percents),
    cmocka_unit_test (test_units_of_percents),
    cmocka_unit_test (test_encodings),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
