/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pipeline/base/error.h"
#include "pipeline/command/run-private.h"
#include "stages/select/item-list.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

/* Reads BYTES[length] as a file that is named so; its items one behind the other, or the error's
 * text. */
static char *
read_list (const char *suffix, const char *bytes, gsize length)
{
  g_autofree char *path
      = g_strdup_printf ("%s/test-item-list-%d%s", g_get_tmp_dir (), (int) getpid (), suffix);
  assert_true (g_file_set_contents (path, bytes, (gssize) length, NULL));
  SlRunPrivate priv = { 0 };
  SlCommonOptions values = { 0 };
  const SlOptions common = { .values = &values };
  SlRun run = { .common = &common, .priv = &priv };
  sl_provenance_init (&priv.provenance);
  g_autoptr (SlIntern) items = sl_intern_new ();
  g_autoptr (GError) error = NULL;
  GString *text = g_string_new (NULL);
  if (sl_item_list_read (&run, "items", path, items, &error))
    for (gint32 i = 0; i < sl_intern_size (items); i++)
      {
        gsize n;
        const char *item = sl_intern_get (items, i, &n);
        g_string_append (text, i > 0 ? "|" : "");
        g_string_append_len (text, item, (gssize) n);
      }
  else
    {
      assert_int_equal (error->code, SL_ERROR_INPUT);
      const char *what = strstr (error->message, suffix);
      g_string_append_printf (text, "error%s",
                              what != NULL ? what + strlen (suffix) : error->message);
    }
  sl_provenance_clear (&priv.provenance);
  g_unlink (path);
  return g_string_free (text, FALSE);
}

static void
check (const char *suffix, const char *bytes, gsize length, const char *expected)
{
  g_autofree char *items = read_list (suffix, bytes, length);
  assert_string_equal (items, expected);
}

#define TEXT(suffix, bytes, expected) check (suffix, bytes, sizeof (bytes) - 1, expected)

static void
lines (void **state)
{
  (void) state;
  TEXT (".txt", "b\na\nb\n", "b|a");
  TEXT (".txt", "a\r\n\r\n\nb", "a|b");
  TEXT (".txt",
        "\xef\xbb\xbf"
        "a\n\xef\xbb\xbf"
        "b\n",
        "a|\xef\xbb\xbf"
        "b");
  TEXT (".txt", " a b \n", "a b");
  TEXT (".txt", "", "error: there is no item in it");
  TEXT (".txt", "\n\r\n", "error: there is no item in it");
  TEXT (".txt", "a\n\xff\n", "error: line 2 is not UTF-8 text");
}

/* Lines that pass the end of what is read at a time. */
static void
long_lines (void **state)
{
  (void) state;
  GString *bytes = g_string_new (NULL), *expected = g_string_new (NULL);
  for (int i = 0; i < 5; i++)
    {
      g_autofree char *line = g_strnfill (700000 + (gsize) i, (char) ('a' + i));
      g_string_append_printf (bytes, "%s\n", line);
      g_string_append_printf (expected, "%s%s", i > 0 ? "|" : "", line);
    }
  check (".txt", bytes->str, bytes->len, expected->str);
  g_string_free (bytes, TRUE);
  g_string_free (expected, TRUE);
}

static void
fields (void **state)
{
  (void) state;
  TEXT (".csv", "label,Item\nx,b\ny,\"a,\"\"c\"\"\"\nz,\nx,b\n", "b|a,\"c\"");
  TEXT (".tsv", "task\tn\nb\t1\n", "b");
  TEXT (".csv", "id,question\n1,b\n", "b");
  TEXT (".csv", "id,n\n1,2\n", "1");
  TEXT (".csv", "name,n\n1,2\n", "error: row 1 has no column 'item'");
  TEXT (".csv", "item\n", "error: there is no item in it");
}

/* An array of TYPE and SHAPE with the numbers BYTES[length]. */
static void
array (const char *type, const char *shape, const char *bytes, gsize length, const char *expected)
{
  GString *file = g_string_new_len ("\x93NUMPY\x01\x00\x76\x00", 10);
  g_autofree char *header
      = g_strdup_printf ("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
  g_string_append_printf (file, "%-117s\n", header);
  g_string_append_len (file, bytes, (gssize) length);
  check (".npy", file->str, file->len, expected);
  g_string_free (file, TRUE);
}

#define ARRAY(type, shape, bytes, expected) array (type, shape, bytes, sizeof (bytes) - 1, expected)

static void
numbers (void **state)
{
  (void) state;
  ARRAY ("<i8", "(2,)", "\x05\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff", "5|-1");
  ARRAY (">i2", "(2,)", "\x01\x00\x00\x02", "256|2");
  ARRAY ("|u1", "(3,)", "\xff\x00\xff", "255|0");
  ARRAY ("<i2", "(2,)", "\x01\x00", "error: ends after 1 of its 2 numbers");
  ARRAY ("<i2", "(1,)", "\x01\x00\x02", "error: has bytes after the end of the array");
  ARRAY ("<i8", "(0,)", "", "error: there is no item in it");
  ARRAY ("<i8", "(1,)", "\xff\xff\xff\xff\xff\xff\xff\x7f",
         "error: 9223372036854775808 is too large to be the number of an item");
  ARRAY ("<i2", "(1, 1)", "\x01\x00", "error: the array has 2 dimensions; a list of items has one");
  ARRAY ("<f8", "(1,)", "\0\0\0\0\0\0\xf0\x3f",
         "error: the array has numbers with fractions; .astype('int64') makes numbers of items of "
         "them");
  ARRAY ("|b1", "(1,)", "\x01",
         "error: the array says yes or no; numpy.flatnonzero makes numbers of items of it");
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (lines),
    cmocka_unit_test (long_lines),
    cmocka_unit_test (fields),
    cmocka_unit_test (numbers),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
