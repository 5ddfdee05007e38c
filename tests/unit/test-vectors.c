/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Word vectors: what is found for which class, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pipeline/base/error.h"
#include "stages/common/classes/word-vectors.h"

#include <math.h>
#include <string.h>

#define TOLERANCE 1e-12

static double *
read_text (const char *text, gsize length, const char *const *classes, GError **error)
{
  g_autoptr (GInputStream) stream
      = g_memory_input_stream_new_from_data (text, (gssize) length, NULL);
  return sl_vectors_read (stream, "words.txt", classes, error);
}

static void
assert_cosines (const char *text, const char *const *classes, const double *expected, int n)
{
  g_autoptr (GError) error = NULL;
  g_autofree double *cosine = read_text (text, strlen (text), classes, &error);
  if (cosine == NULL)
    fail_msg ("%s", error->message);
  for (int i = 0; i < n * n; i++)
    if (!(fabs (cosine[i] - expected[i]) <= TOLERANCE))
      fail_msg ("%d, %d: %.17g, not %.17g", i / n, i % n, cosine[i], expected[i]);
}

static void
assert_refused (const char *text, const char *const *classes, const char *message)
{
  g_autoptr (GError) error = NULL;
  g_autofree double *cosine = read_text (text, strlen (text), classes, &error);
  assert_null (cosine);
  assert_int_equal (error->code, SL_ERROR_INPUT);
  assert_string_equal (error->message, message);
}

static const char *const cat_dog[] = { "Cat", "Dog", NULL };
static const double right_angle[] = { 1, 0, 0, 1 };
static const double half[] = { 1, .6, .6, 1 };

static void
test_forms (void **state)
{
  assert_cosines ("the 1 1\ncat 2 0\ndog 0 .5\n", cat_dog, right_angle, 2);
  /* Header; no end of line at the end. */
  assert_cosines ("3 2\nthe 1 1\ncat 2 0\ndog 3 4", cat_dog, half, 2);
  assert_cosines ("the 1 1\r\ncat 2 0\r\n\r\ndog  3 4 \r\n", cat_dog, half, 2);
  assert_cosines ("the 1e0 -1E+2\ncat\t2\t0\ndog 3 4\n", cat_dog, half, 2);
  /* Squares that vanish or overflow. */
  assert_cosines ("cat 1e-200 0\ndog 3e200 4e200\n", cat_dog, half, 2);
  assert_cosines ("at a b 1 1\ncat 2 0\n. . . 5 6\ndog 3 4\n\xff\xfe 1 2\n", cat_dog, half, 2);
}

static void
test_spellings (void **state)
{
  /* Just so, before lower case, before any other, whatever the order. */
  assert_cosines ("CAT 0 1\ncat 0 1\nCat 1 0\ndog 3 4\n", cat_dog, half, 2);
  assert_cosines ("Cat 1 0\ncat 0 1\nCAT 0 1\ndog 3 4\n", cat_dog, half, 2);
  assert_cosines ("CAT 0 1\ncat 1 0\nDOG 3 4\ncaT 0 1\n", cat_dog, half, 2);
  assert_cosines ("CAT 1 0\ncAT 0 1\nDOG 3 4\n", cat_dog, half, 2);
  /* Of two lines of one word the first. */
  assert_cosines ("cat 1 0\ncat 0 1\ndog 3 4\n", cat_dog, half, 2);
  static const char *const bears[] = { "Eisb\xc3\xa4r", "Dog", NULL };
  assert_cosines ("EISB\xc3\x84R 1 0\ndog 3 4\n", bears, half, 2);
}

static void
test_several_words (void **state)
{
  static const char *const classes[] = { "traffic light", "Fire-Truck", NULL };
  /* The mean of (2, 0) and (0, 2) is (1, 1); that of (1, 0) and (1, 0) is (1, 0). */
  const double expected[] = { 1, sqrt (.5), sqrt (.5), 1 };
  assert_cosines ("traffic 2 0\nlight 0 2\nfire 1 0\ntruck 1 0\n", classes, expected, 2);
  /* The whole name counts before its parts, however it is joined. */
  assert_cosines (
      "traffic 2 0\nlight 2 0\ntraffic_light 1 1\nfire 7 7\ntruck 7 7\nfire-truck 1 0\n", classes,
      expected, 2);
  assert_cosines ("the 1 1\ntraffic light 1 1\nFIRE TRUCK 1 0\n", classes, expected, 2);
}

static void
test_refused (void **state)
{
  static const char *const three[] = { "Cat", "traffic light", "-", NULL };
  assert_refused ("the 1 2\ncat 1 2\n", cat_dog,
                  "words.txt: no vector for \"Dog\"; every class needs one, under its name or that "
                  "of each of its words");
  assert_refused ("the 1 2\nlight 1 2\n", three,
                  "words.txt: no vector for \"Cat\", \"traffic\", \"-\"; every class needs one, "
                  "under its name or that of "
                  "each of its words");
  assert_refused ("", cat_dog,
                  "words.txt: no vector for \"Cat\", \"Dog\"; every class needs one, under its "
                  "name or that of each of "
                  "its words");
  assert_refused ("the 1 2\ncat 1\ndog 1 2\n", cat_dog,
                  "words.txt: line 2: too few numbers; every line needs as many as the first");
  assert_refused ("the 1 2\ncat 1 nan\ndog 1 2\n", cat_dog,
                  "words.txt: line 2: a vector has something in it that is not a number");
  assert_refused ("the 1 2\ncat 0 0\ndog 1 2\n", cat_dog,
                  "words.txt: the vector of \"Cat\" has length 0");
  assert_refused ("{\"cat\": [1, 2]}\n", cat_dog,
                  "words.txt: line 1: expected a word and its numbers, separated by spaces");
  assert_refused ("PAR1", cat_dog,
                  "words.txt: line 1: expected a word and its numbers, separated by spaces");
}

/* Lines across blocks of the reader, and one without end. */
static void
test_long_texts (void **state)
{
  g_autoptr (GString) text = g_string_new ("the 1 1\n");
  while (text->len < (3u << 20))
    g_string_append_printf (text, "word%" G_GSIZE_FORMAT " 0.25 0.5\n", text->len);
  g_string_append (text, "cat 1 0\ndog 3 4\n");
  assert_cosines (text->str, cat_dog, half, 2);

  g_autofree char *endless = g_strnfill (6 << 20, 'x');
  assert_refused (endless, cat_dog, "words.txt: line 1: too long for a line of word vectors");
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_forms),         cmocka_unit_test (test_spellings),
    cmocka_unit_test (test_several_words), cmocka_unit_test (test_refused),
    cmocka_unit_test (test_long_texts),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
