/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pipeline/base/error.h"
#include "pipeline/table/tags.h"

static void
set_and_get (void **state)
{
  (void) state;
  SlTags tags = { 0 }, copy = { 0 };
  assert_null (sl_tags_get (&tags, "b"));
  assert_null (sl_tags_to_json (&tags));
  sl_tags_set (&tags, "b", "2");
  sl_tags_set (&tags, "c", "x \"y\"\n");
  sl_tags_set (&tags, "a", "");
  sl_tags_set (&tags, "b", "3");
  sl_tags_set (&tags, "d", NULL);
  sl_tags_copy (&copy, &tags);
  sl_tags_set (&tags, "b", NULL);
  sl_tags_set (&tags, "b", NULL);
  assert_null (sl_tags_get (&tags, "b"));
  assert_int_equal (tags.n, 2);
  assert_string_equal (sl_tags_get (&copy, "b"), "3");
  g_autofree char *json = sl_tags_to_json (&copy);
  assert_string_equal (json, "{\"a\":\"\",\"b\":\"3\",\"c\":\"x \\\"y\\\"\\n\"}");
  g_autoptr (GString) text = g_string_new (NULL);
  sl_tags_append_text (&copy, text);
  assert_string_equal (text->str, "a=, b=3, c=x \"y\"\n");
  assert_true (sl_tags_from_json (&tags, json, NULL));
  assert_int_equal (tags.n, 3);
  assert_string_equal (sl_tags_get (&tags, "c"), "x \"y\"\n");
  sl_tags_clear (&tags);
  sl_tags_clear (&copy);
}

static void
bad_json (void **state)
{
  (void) state;
  static const char *const cases[] = {
    "",
    "[]",
    "{",
    "{}{}",
    "1",
    "\"a\"",
    "null",
    "{\"a\":1}",
    "{\"a\":null}",
    "{\"a\":{\"b\":\"c\"}}",
    "{\"a\":[]}",
    "{\"\":\"b\"}",
    "{\"a b\":\"c\"}",
    "{\"a\":\"\\u0000\"}",
    "{\"a\":\"\\ud800\"}",
    "{\"a\":\"b\"},{\"c\":\"d\"}",
    "{\"a\":\"\xff\"}",
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      SlTags tags = { 0 };
      g_autoptr (GError) error = NULL;
      if (sl_tags_from_json (&tags, cases[i], &error))
        fail_msg ("taken: %s", cases[i]);
      assert_int_equal (error->code, SL_ERROR_INPUT);
      sl_tags_clear (&tags);
    }
  SlTags none = { 0 };
  assert_true (sl_tags_from_json (&none, " {} ", NULL));
  assert_int_equal (none.n, 0);
}

int
main (void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test (set_and_get), cmocka_unit_test (bad_json) };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
