/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One answer to the survey form, as typed and as read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pipeline/base/error.h"
#include "schemas/annotations.h"
#include "stages/ingest/exports/answer-form.h"

#include <math.h>
#include <string.h>

static SlAnswerFormRules rules;
static SlJsonParser *parser;

static int
setup (void **state)
{
  (void) state;
  static char *replace[] = { (char *) "8p=80", (char *) "a=b=7.5", NULL };
  parser = sl_json_parser_new ();
  return sl_answer_form_rules_init (&rules, replace, SL_ZERO_HUNDRED, SL_PERCENT_OF_100, NULL) ? 0
                                                                                               : -1;
}

static int
teardown (void **state)
{
  (void) state;
  sl_answer_form_rules_clear (&rules);
  sl_json_parser_free (parser);
  return 0;
}

/* "first:percent/second:percent2 !impossible,..." with * for a repaired percent and + for a second
 * percent left out; or what is wrong; or "other form". */
static char *
read_with (const char *json, SlZeroPercent zero)
{
  SlAnswerForm form;
  rules.zero = zero;
  const char *problem = sl_answer_form_parse (parser, json, strlen (json), &rules, &form);
  GString *text = g_string_new (problem);
  if (problem == NULL && !form.is_form)
    g_string_append (text, "other form");
  else if (problem == NULL)
    {
      g_string_append_printf (text, "%s:%g%s", form.first, form.percent, form.repaired ? "*" : "");
      if (form.second != NULL)
        g_string_append_printf (text, "/%s:%g", form.second, form.percent2);
      else
        assert_true (isnan (form.percent2));
      if (form.percent2_alone)
        g_string_append_c (text, '+');
      for (guint i = 0; i < form.impossible->len; i++)
        g_string_append_printf (text, "%s%s", i == 0 ? " !" : ",",
                                (char *) form.impossible->pdata[i]);
    }
  sl_answer_form_clear (&form);
  return g_string_free (text, FALSE);
}

static void
check (const char *json, const char *expected)
{
  g_autofree char *read = read_with (json, SL_ZERO_HUNDRED);
  assert_string_equal (read, expected);
}

static void
test_choices (void **state)
{
  (void) state;
  check ("{\"classSelect\":\"mostProbDeer\",\"prob\":\"80\",\"classSelect2\":\"secondProbDog\","
         "\"prob2\":\"20\"}",
         "Deer:80/Dog:20");
  check ("{\"classSelect\":\"mostProbDeer\",\"prob\":\"100\",\"classSelect2\":\"secondProbNo\","
         "\"prob2\":\"\"}",
         "Deer:100");
  check ("{\"classSelect\":\"mostProbDeer\",\"prob\":\"90\",\"classSelect2\":\"secondProbNo\","
         "\"prob2\":\"10\"}",
         "Deer:90+");
  check ("{\"classSelect\":\"mostProbDeer\",\"prob\":\"80\",\"classSelect2\":\"secondProbDog\","
         "\"prob2\":\"\"}",
         "Deer:80/Dog:nan");
  check ("{\"classSelect\":\"mostProbDeer\",\"prob\":\"75\",\"classSelect2\":\"secondProbDeer\","
         "\"prob2\":\"25\"}",
         "Deer:75/Deer:25");
  check ("{\"classSelect\":\"mostProbDeer\",\"prob\":\"100\",\"classSelect2\":\"secondProbDog\","
         "\"prob2\":\"0\"}",
         "Deer:100/Dog:0");
  check ("{\"classSelect\":\"mostProbNo\",\"prob\":\"60\"}", "No:60");
  check ("{\"classSelect\":\"Deer\",\"prob\":\"60\",\"classSelect2\":\"no\"}", "Deer:60");
  check ("{\"classSelect\":\"Deer\",\"prob\":\"60\",\"classSelect2\":\"\"}", "Deer:60");
  check ("{\"classSelect\":\"mostProbDeer\",\"prob\":\"1\",\"classSelect\":\"mostProbDog\"}",
         "Dog:1");
}

static void
test_percents (void **state)
{
  (void) state;
  static const struct
  {
    const char *typed, *read;
  } cases[] = {
    { "\"80\"", "80" },     { "\" 80\"", "80" },  { "\"80 \"", "80" },   { "\"80%\"", "80" },
    { "\"80.5\"", "80.5" }, { "\"1e1\"", "10" },  { "80", "80" },        { "80.5", "80.5" },
    { "\"150\"", "150" },   { "\"-5\"", "-5" },   { "\"8p\"", "80" },    { "\" 8p\"", "80" },
    { "\"a=b\"", "7.5" },   { "\"8 p\"", "-1" },  { "\"abc\"", "-1" },   { "\"80,5\"", "-1" },
    { "\"nan\"", "-1" },    { "\"inf\"", "-1" },  { "\"0x50\"", "-1" },  { "\"%\"", "-1" },
    { "true", "-1" },       { "[80]", "-1" },     { "\"\"", "100*" },    { "\"  \"", "100*" },
    { "null", "100*" },     { "\"0\"", "100*" },  { "\"0.0\"", "100*" }, { "\"-0\"", "100*" },
    { "0", "100*" },        { "\"0.1\"", "0.1" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *json
          = g_strdup_printf ("{\"classSelect\":\"mostProbA\",\"prob\":%s}", cases[i].typed);
      g_autofree char *expected = g_strdup_printf ("A:%s", cases[i].read);
      check (json, expected);
    }
  check ("{\"classSelect\":\"mostProbA\"}", "A:100*");
  check ("{\"classSelect\":\"mostProbA\",\"prob\":\"80\\u0000\"}",
         "the response has an escape that stands for no character");
  assert_true (SL_PERCENT_UNREADABLE == -1);
}

static void
test_zero_percents (void **state)
{
  (void) state;
  static const struct
  {
    const char *prob;
    SlZeroPercent zero;
    const char *expected;
  } cases[] = {
    { "\"0\"", SL_ZERO_HUNDRED, "A:100*" }, { "\"\"", SL_ZERO_HUNDRED, "A:100*" },
    { "\"5\"", SL_ZERO_HUNDRED, "A:5" },    { "\"0\"", SL_ZERO_MISSING, "A:nan" },
    { "\"\"", SL_ZERO_MISSING, "A:nan" },   { "\"5\"", SL_ZERO_MISSING, "A:5" },
    { "\"0\"", SL_ZERO_KEEP, "A:0" },       { "\"\"", SL_ZERO_KEEP, "A:nan" },
    { "\"x\"", SL_ZERO_KEEP, "A:-1" },      { "\"x\"", SL_ZERO_HUNDRED, "A:-1" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *json
          = g_strdup_printf ("{\"classSelect\":\"mostProbA\",\"prob\":%s}", cases[i].prob);
      g_autofree char *read = read_with (json, cases[i].zero);
      assert_string_equal (read, cases[i].expected);
    }
}

static void
test_ticks (void **state)
{
  (void) state;
  check ("{\"classSelect\":\"mostProbA\",\"prob\":\"5\",\"improbClassSelectB\":\"1\","
         "\"improbClassSelectC\":\"on\"}",
         "A:5 !B,C");
  check ("{\"improbClassSelectA\":\"1\",\"classSelect\":\"mostProbA\",\"prob\":\"5\"}", "A:5 !A");
  check ("{\"classSelect\":\"mostProbA\",\"prob\":\"5\",\"improbClassSelectB\":true,"
         "\"improbClassSelectC\":1}",
         "A:5 !B,C");
  check ("{\"classSelect\":\"mostProbA\",\"prob\":\"5\",\"improbClassSelectB\":\"\","
         "\"improbClassSelectC\":\"0\","
         "\"improbClassSelectD\":false,\"improbClassSelectE\":null,\"improbClassSelectF\":"
         "\"false\",\"improbClassSelectG\":0}",
         "A:5");
  check ("{\"classSelect\":\"mostProbA\",\"prob\":\"5\",\"improbClassSelectsea lion\":\"1\"}",
         "A:5 !sea lion");
}

static void
test_array (void **state)
{
  (void) state;
  check ("[{\"name\":\"classSelect\",\"value\":\"mostProbA\"},{\"name\":\"prob\",\"value\":\"70\"},"
         "{\"name\":\"improbClassSelectB\",\"value\":\"1\"},{\"name\":3,\"value\":4},5,{\"name\":"
         "\"prob2\"}]",
         "A:70 !B");
  check ("[]", "other form");
}

static void
test_not_answers (void **state)
{
  (void) state;
  check ("{}", "other form");
  check ("{\"age\":\"30\",\"comment\":\"[[[[[[[[[[\"}", "other form");
  check ("{\"prob\":\"80\"}", "no first class (classSelect) in the response");
  check ("{\"classSelect\":\"mostProb\",\"prob\":\"80\"}",
         "no first class (classSelect) in the response");
  check ("{\"classSelect\":3,\"prob\":\"80\"}", "no first class (classSelect) in the response");
  check ("", "the response is not a JSON object");
  check ("{\"classSelect\":", "the response is not a JSON object");
  check ("\"classSelect\"", "the response is not a JSON object");
  check ("null", "the response is not a JSON object");
  check ("[[[[[[[[[1]]]]]]]]]", "the response is nested too deeply");
  check ("{\"classSelect\":\"mostProbA\\\"[[[[[[[[[\",\"prob\":\"5\"}", "A\"[[[[[[[[[:5");
  g_autofree char *deep = g_strnfill (100000, '[');
  check (deep, "the response is not a JSON object");
}

static void
test_bad_rules (void **state)
{
  (void) state;
  static const char *const bad[] = { "8p", "=80", "8p=", "8p=x", "8p=80x", "" };
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;
      char *replace[] = { (char *) bad[i], NULL };
      SlAnswerFormRules made;
      assert_false (
          sl_answer_form_rules_init (&made, replace, SL_ZERO_KEEP, SL_PERCENT_OF_100, &error));
      assert_int_equal (error->code, SL_ERROR_USAGE);
      sl_answer_form_rules_clear (&made);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_choices),       cmocka_unit_test (test_percents),
    cmocka_unit_test (test_zero_percents), cmocka_unit_test (test_ticks),
    cmocka_unit_test (test_array),         cmocka_unit_test (test_not_answers),
    cmocka_unit_test (test_bad_rules),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, setup, teardown);
}
