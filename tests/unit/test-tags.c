/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pipeline/base/error.h"
#include "pipeline/table/tag-columns.h"
#include "pipeline/table/types/types.h"
#include "schemas/kinds.h"

#include <string.h>

static const SlColumnSpec numbered_columns[]
    = { { "n", SL_TYPE_INT32, SL_COLUMN_REQUIRED, "a number" }, { NULL, 0, 0, NULL } };
static const SlKind numbered
    = { .name = "numbered", .columns = numbered_columns, .tags_in_rows = TRUE };

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

/* Columns of tags stand behind the kind's, in the order of their keys, however they come in. */
static void
columns (void **state)
{
  (void) state;
  g_autoptr (SlTable) table = sl_table_new (&sl_scores, NULL);
  int first = sl_table_first_tag (table);
  assert_string_equal (sl_scores.columns[first - 1].name, table->spec[first - 1].name);
  assert_true (sl_table_add_tag_column (table, "m", NULL));
  assert_true (sl_table_add_tag_column (table, "a", NULL));
  assert_true (sl_table_add_tag_column (table, "z", NULL));
  assert_true (sl_table_add_tag_column (table, "m", NULL));
  static const char *const names[] = { "tag_a", "tag_m", "tag_z" };
  for (int t = 0; t < 3; t++)
    {
      assert_string_equal (table->spec[first + t].name, names[t]);
      assert_true (sl_table_has (table, first + t));
      assert_int_equal (sl_table_column (table, names[t]), first + t);
    }
  assert_null (table->spec[first + 3].name);
  assert_int_equal (sl_table_tag_column (table, "z"), first + 2);
  assert_int_equal (sl_table_tag_column (table, "b"), -1);
  g_autoptr (GError) error = NULL;
  for (int i = 0; error == NULL && i < 2 * SL_MAX_COLUMNS; i++)
    {
      g_autofree char *key = g_strdup_printf ("k%d", i);
      assert_int_equal (sl_table_add_tag_column (table, key, &error),
                        first + 3 + i < SL_MAX_COLUMNS);
    }
  assert_int_equal (error->code, SL_ERROR_INPUT);
  assert_null (table->spec[SL_MAX_COLUMNS].name);
  sl_table_drop_tag_columns (table);
  assert_null (table->spec[first].name);
  assert_false (sl_table_has (table, first));
}

static const char *
tag_of (const SlBatch *batch, const char *key, gint64 row)
{
  gsize length;
  int column = sl_table_tag_column (batch->table, key);
  if (sl_value_is_missing (batch, column, row))
    return NULL;
  const char *text = sl_text_get (batch->column[column].text, row, &length);
  g_autofree char *own = g_strndup (text, length);
  return g_intern_string (own);
}

/* A row's value is the header's, or its own, or what its former header had, or none. */
static void
fill (void **state)
{
  (void) state;
  g_autoptr (SlTable) from = sl_table_new (&numbered, NULL);
  assert_true (sl_table_add_tag_column (from, "own", NULL));
  assert_true (sl_table_add_tag_column (from, "set", NULL));
  sl_tags_set (&from->tags, "told", "before");
  g_autoptr (SlBuilder) builder = sl_builder_new (from);
  for (int i = 0; i < 2; i++)
    {
      sl_builder_int (builder, 0, i);
      sl_builder_text (builder, sl_table_tag_column (from, "own"), i == 0 ? "x" : "yy",
                       i == 0 ? 1 : 2);
      sl_builder_null (builder, sl_table_tag_column (from, "set"));
    }
  g_autoptr (SlBatch) batch = sl_builder_take (builder, NULL);
  g_autoptr (SlTable) to = sl_table_new (&numbered, NULL);
  static const char *const keys[] = { "told", "set", "own", "none" };
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    assert_true (sl_table_add_tag_column (to, keys[i], NULL));
  sl_tags_set (&to->tags, "set", "now");
  g_autoptr (SlBatch) filled = sl_tag_columns_fill (batch, to, NULL);
  assert_non_null (filled);
  for (gint64 i = 0; i < 2; i++)
    {
      assert_int_equal (filled->column[0].int32[i], i);
      assert_string_equal (tag_of (filled, "own", i), i == 0 ? "x" : "yy");
      assert_string_equal (tag_of (filled, "set", i), "now");
      assert_string_equal (tag_of (filled, "told", i), "before");
      assert_null (tag_of (filled, "none", i));
    }
  assert_true (sl_tag_columns_check (filled, NULL));
  /* Rows that do not have what the header says of all. */
  sl_tags_set (&to->tags, "own", "x");
  g_autoptr (GError) error = NULL;
  assert_false (sl_tag_columns_check (filled, &error));
  assert_non_null (strstr (error->message, "row 2: tag_own is not 'x'"));
}

int
main (void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test (set_and_get), cmocka_unit_test (bad_json),
                                      cmocka_unit_test (columns), cmocka_unit_test (fill) };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
