/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reader of JSON records, on files that arrive in pieces of every size, so that they are cut
 * everywhere; and the values of a record. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pipeline/base/error.h"
#include "pipeline/text/json-reader.h"
#include "pipeline/text/made-source.h"

#include <math.h>

typedef struct
{
  const char *text;
  gsize at, piece;
} Pieces;

static gboolean
more (gpointer data, GString *text, GError **error)
{
  (void) error;
  Pieces *pieces = data;
  gsize n = MIN (pieces->piece, strlen (pieces->text) - pieces->at);
  g_string_append_len (text, pieces->text + pieces->at, (gssize) n);
  pieces->at += n;
  return TRUE;
}

/* The records of TEXT, "KEY=RECORD\n" each; behind them the error. */
static char *
read_all (const char *text, gsize piece, gboolean members)
{
  static const SlSourceMaker maker = { more, g_free };
  Pieces *pieces = g_new (Pieces, 1);
  *pieces = (Pieces){ text, 0, piece };
  g_autoptr (GError) error = NULL;
  GString *all = g_string_new (NULL);
  g_autoptr (SlJsonReader) reader
      = sl_json_reader_new (sl_source_new_made ("f", &maker, pieces), members, &error);
  const SlJsonRecord *record = NULL;
  while (reader != NULL && sl_json_reader_next (reader, &record, &error) && record != NULL)
    g_string_append_printf (all, "%s%s%.*s\n", record->key != NULL ? record->key : "",
                            record->key != NULL ? "=" : "", (int) record->n, record->text);
  if (error != NULL)
    g_string_append (all, error->message);
  return g_string_free (all, FALSE);
}

static void
check_pieces (const char *text, gboolean members, const char *wanted)
{
  for (gsize piece = 1; piece <= strlen (text) + 1; piece++)
    {
      g_autofree char *found = read_all (text, piece, members);
      assert_string_equal (found, wanted);
    }
}

static void
records_are_found (void **state)
{
  (void) state;
  check_pieces ("[ {\"a\":[1,{\"b\":\"]}\\\"\"}]} , 3,\n\"x\" ]", FALSE,
                "{\"a\":[1,{\"b\":\"]}\\\"\"}]}\n3\n\"x\"\n");
  check_pieces ("\xef\xbb\xbf{\"a\":1}\n{\"a\":2}\r\n\n{}", FALSE, "{\"a\":1}\n{\"a\":2}\n{}\n");
  check_pieces ("[] [{}]", FALSE, "{}\n");
  check_pieces ("{\"k\\u00e9\":{\"w\":1}, \"l\" : null}", TRUE, "ké={\"w\":1}\nl=null\n");
  check_pieces ("{}", TRUE, "");
}

static void
mistakes_are_told (void **state)
{
  (void) state;
  static const struct
  {
    const char *text;
    gboolean members;
    const char *wanted;
  } mistakes[] = {
    { "[{}", FALSE, "{}\nf: row 2: the file ends in the middle of it: was it written to its end?" },
    { "[{\"a\":\"", FALSE,
      "f: row 1: the file ends in the middle of it: was it written to its end?" },
    { "[{},]", FALSE, "{}\nf: row 2: ']' where a value should be: is it JSON?" },
    { "[{} {}]", FALSE, "{}\nf: row 2: '{' where a comma or ] should be: is it JSON?" },
    { "{\"a\" 1}", TRUE, "f: row 1: '1' where a colon should be: is it JSON?" },
    { "{a:1}", TRUE, "f: row 1: 'a' where a key in quotation marks should be: is it JSON?" },
    { "{\"a\":\"\\ud800\"}", FALSE, "f: row 1: an escape that stands for no character" },
    { "{\"a\":\"\xff\"}", FALSE, "f: row 1: not UTF-8" },
    { "{\"a\":1e999}", FALSE, "f: row 1: a number that is none of JSON's, or too large" },
    { "x", FALSE, "f: is not JSON: it begins neither with [ nor with {" },
    { " \n", FALSE, "f: is empty: was it written to its end, and is it the right file?" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (mistakes); i++)
    check_pieces (mistakes[i].text, mistakes[i].members, mistakes[i].wanted);
}

static void
depth_has_an_end (void **state)
{
  (void) state;
  g_autofree char *deep = g_strnfill (100000, '[');
  g_autofree char *found = read_all (deep, 1000, FALSE);
  assert_string_equal (found, "f: row 1: nested deeper than 256 levels");
}

static void
values (void **state)
{
  (void) state;
  char room[SL_JSON_ROOM];
  SlJson value;
  g_autoptr (SlJsonParser) parser = sl_json_parser_new ();
  static const char text[]
      = "{\"a\":{\"b\":[1,\"2.5\",true,null,0.1,18446744073709551615]},\"e\\\"\":\"\\u00e9\"}";
  assert_null (sl_json_parse_cell (parser, (SlCell){ text, strlen (text) }, &value));
  assert_int_equal (sl_json_type (value), SL_JSON_OBJECT);
  assert_int_equal (sl_json_length (value), 2);
  assert_true (sl_cell_is (sl_json_text (sl_json_get (value, "e\"")), "é"));
  assert_int_equal (sl_json_type (sl_json_get (value, "x")), SL_JSON_ABSENT);
  assert_int_equal (sl_json_type (sl_json_get (sl_json_get (value, "x"), "y")), SL_JSON_ABSENT);
  SlJson list = sl_json_get (sl_json_get (value, "a"), "b");
  static const char *const scalars[] = { "1", "2.5", "true", NULL, "0.1", "18446744073709551615" };
  gsize i = 0;
  for (SlJsonEach each = sl_json_each (list); sl_json_each_next (&each); i++)
    {
      SlCell scalar = sl_json_scalar (each.value, room);
      assert_true (scalars[i] == NULL ? scalar.text == NULL : sl_cell_is (scalar, scalars[i]));
      assert_int_equal (sl_json_is_true (each.value), i == 2);
      double number = sl_json_number (each.value);
      assert_true (i == 0   ? number == 1
                   : i == 1 ? number == 2.5
                   : i == 4 ? number == 0.1
                   : i == 5 ? number == 0x1p64
                            : isnan (number));
    }
  assert_int_equal (i, 6);
}

/* What names an item or annotator keeps all digits: 64 bits hold 19 of them, doubles 15. */
static void
names_keep_their_digits (void **state)
{
  (void) state;
  static const char *const texts[][2] = {
    { "98765432109876543210", "98765432109876543210" },
    { "-9223372036854775809", "-9223372036854775809" },
    { "1e15", "1000000000000000" },
    { "1000000000000000.0", "1000000000000000" },
    { "1e300", "1e+300" },
    { "0.5", "0.5" },
  };
  g_autoptr (SlJsonParser) parser = sl_json_parser_new ();
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      char room[SL_JSON_ROOM];
      SlJson value;
      g_autofree char *text
          = g_strdup_printf ("{\"a\\\" 98765432109876543210\":1.5e2,\"id\":[%s,123]}", texts[i][0]);
      assert_null (sl_json_parse_cell (parser, (SlCell){ text, strlen (text) }, &value));
      SlJsonEach each = sl_json_each (sl_json_get (value, "id"));
      assert_true (sl_json_each_next (&each));
      assert_true (sl_cell_is (sl_json_scalar (each.value, room), texts[i][1]));
      assert_true (sl_json_number (sl_json_get (value, "a\" 98765432109876543210")) == 150);
    }
  SlJson value;
  assert_non_null (
      sl_json_parse_cell (parser, (SlCell){ "[00098765432109876543210]", 25 }, &value));
  assert_non_null (sl_json_parse_cell (parser, (SlCell){ "[98765432109876543210x]", 23 }, &value));
}

/* JSON as CSV: the columns are the members of the first thousand records, and of their members. */
static char *
as_csv (const char *text)
{
  static const SlSourceMaker maker = { more, g_free };
  Pieces *pieces = g_new (Pieces, 1);
  *pieces = (Pieces){ text, 0, 7 };
  g_autoptr (GError) error = NULL;
  g_autoptr (SlSource) source
      = sl_source_new_json_text (sl_source_new_made ("f", &maker, pieces), &error);
  assert_non_null (source);
  g_autofree char *csv = g_malloc0 (1 << 20);
  gsize n;
  if (!sl_source_read (source, csv, (1 << 20) - 1, &n, &error))
    return g_strdup (error->message);
  return g_strndup (csv, n);
}

static void
json_as_csv (void **state)
{
  (void) state;
  g_autofree char *mixed = as_csv (
      "[{\"a\":1,\"b\":{\"c\":\"x,y\"}},{\"d\":[\"p\",\"q\"],\"a\":null},"
      "{\"d\":[{\"class\":\"cat\",\"percent\":80},{\"class\":\"dog\",\"percent\":null}]}]");
  assert_string_equal (mixed, "a,b.c,d\n1,\"x,y\",\n,,p|q\n,,cat:80|dog\n");
  g_autoptr (GString) many = g_string_new (NULL);
  for (int i = 0; i < 1000; i++)
    g_string_append (many, "{\"a\":1}\n");
  g_string_append (many, "{\"a\":2,\"b\":null}\n{\"a\":2,\"b\":3}\n");
  g_autofree char *late = as_csv (many->str);
  assert_string_equal (late, "f: row 1002: the member 'b' is in none of the first 1000 records, "
                             "which are the columns");
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (records_are_found),       cmocka_unit_test (mistakes_are_told),
    cmocka_unit_test (depth_has_an_end),        cmocka_unit_test (values),
    cmocka_unit_test (names_keep_their_digits), cmocka_unit_test (json_as_csv),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
