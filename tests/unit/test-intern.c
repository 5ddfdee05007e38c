/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/base/intern/intern.h"
#include "pipeline/base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* A column of texts. */
typedef struct
{
  GArray *offset;
  GString *data;
} Column;

static Column
column_new (void)
{
  gint32 zero = 0;
  Column column = { g_array_new (FALSE, FALSE, sizeof (gint32)), g_string_new (NULL) };
  g_array_append_val (column.offset, zero);
  return column;
}

static void
column_add (Column *column, const char *text, gsize length)
{
  g_string_append_len (column->data, text, (gssize) length);
  gint32 end = (gint32) column->data->len;
  g_array_append_val (column->offset, end);
}

static SlText
column_texts (const Column *column)
{
  return (SlText){ (const gint32 *) (gpointer) column->offset->data, column->data->str };
}

static gint64
column_rows (const Column *column)
{
  return (gint64) column->offset->len - 1;
}

static void
column_free (Column *column)
{
  g_array_unref (column->offset);
  g_string_free (column->data, TRUE);
}

/* N texts of every length from 0 to 40, many of them alike, some with NUL bytes, that differ at
 * the beginning or at the end; runs of equal neighbours; DISTINCT different ones or a few fewer. */
static Column
mixed_column (gint64 n, guint64 distinct)
{
  Column column = column_new ();
  SlRandom random = sl_random (5, 0, 0, 0, 0);
  for (gint64 i = 0; i < n;)
    {
      guint64 k = sl_random_below (&random, distinct), run = 1 + sl_random_below (&random, 3);
      char text[41];
      memset (text, k % 3 == 0 ? '\0' : 'x', sizeof text);
      gsize length = k % 41 < 8 ? MIN (k, 1) * 8 : k % 41;
      memcpy (text + (k % 2 == 0 || length == 0 ? 0 : length - 8), &k, sizeof k);
      for (; run > 0 && i < n; run--, i++)
        column_add (&column, text, length);
    }
  return column;
}

/* What the numbers should be, found out with GLib's hash table. */
static gint32 *
reference (const Column *column, gint32 *n_distinct)
{
  g_autoptr (GHashTable) seen
      = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, NULL);
  gint32 *ids = g_new (gint32, column_rows (column));
  for (gint64 i = 0; i < column_rows (column); i++)
    {
      gsize length;
      const char *text = sl_text_get (column_texts (column), i, &length);
      g_autoptr (GBytes) key = g_bytes_new (text, length);
      if (!g_hash_table_contains (seen, key))
        g_hash_table_insert (seen, g_bytes_ref (key),
                             GINT_TO_POINTER ((gint32) g_hash_table_size (seen)));
      ids[i] = GPOINTER_TO_INT (g_hash_table_lookup (seen, key));
    }
  *n_distinct = (gint32) g_hash_table_size (seen);
  return ids;
}

static void
check_texts (const SlIntern *intern, const Column *column, const gint32 *ids)
{
  for (gint64 i = 0; i < column_rows (column); i++)
    {
      gsize length, stored_length;
      const char *text = sl_text_get (column_texts (column), i, &length);
      const char *stored = sl_intern_get (intern, ids[i], &stored_length);
      assert_int_equal (stored_length, length);
      assert_memory_equal (stored, text, length);
      assert_int_equal (sl_intern_find (intern, text, length), ids[i]);
    }
}

static void
check_column (gint64 n, guint64 distinct, int threads, gint64 piece)
{
  Column column = mixed_column (n, distinct);
  gint32 n_distinct;
  g_autofree gint32 *expected = reference (&column, &n_distinct);
  g_autofree gint32 *ids = g_new (gint32, n);
  g_autoptr (SlIntern) intern = sl_intern_new ();
  sl_intern_set_threads (intern, threads);
  SlText texts = column_texts (&column);
  for (gint64 first = 0; first < n; first += piece)
    sl_intern_column (intern, (SlText){ texts.offset + first, texts.data }, MIN (piece, n - first),
                      ids + first);
  assert_int_equal (sl_intern_size (intern), n_distinct);
  assert_memory_equal (ids, expected, (gsize) n * sizeof *ids);
  check_texts (intern, &column, ids);
  column_free (&column);
}

static void
test_column (void **state)
{
  (void) state;
  for (int threads = 1; threads <= 5; threads += 2)
    {
      check_column (100000, 100000, threads, 100000); /* mostly new: tables grow within a block */
      check_column (100000, 50, threads, 30000);
      check_column (5000, 3000, threads, 7);
      check_column (1, 1, threads, 1);
    }
}

static void
test_single (void **state)
{
  (void) state;
  Column column = mixed_column (20000, 5000);
  gint32 n_distinct;
  g_autofree gint32 *expected = reference (&column, &n_distinct);
  g_autoptr (SlIntern) intern = sl_intern_new ();
  assert_int_equal (sl_intern_find (intern, "x", 1), -1);
  for (gint64 i = 0; i < column_rows (&column); i++)
    {
      gsize length;
      const char *text = sl_text_get (column_texts (&column), i, &length);
      assert_int_equal (sl_intern (intern, text, length), expected[i]);
    }
  check_texts (intern, &column, expected);
  assert_int_equal (sl_intern_find (intern, "not there", 9), -1);
  column_free (&column);
}

/* A part of the texts comes out as a column with offsets of its own. */
static void
test_texts (void **state)
{
  (void) state;
  g_autoptr (SlIntern) intern = sl_intern_new ();
  sl_intern (intern, "zero", 4);
  sl_intern (intern, "", 0);
  sl_intern (intern, "two", 3);
  sl_intern (intern, "three", 5);
  gint32 offset[4];
  SlText texts = sl_intern_texts (intern, 1, 3, offset);
  static const gint32 expected[] = { 0, 0, 3, 8 };
  assert_memory_equal (offset, expected, sizeof expected);
  assert_memory_equal (texts.data, "twothree", 8);
  texts = sl_intern_texts (intern, 4, 0, offset);
  assert_int_equal (texts.offset[0], 0);
  gsize open = sl_intern_bytes (intern), length;
  sl_intern_close (intern);
  assert_true (sl_intern_bytes (intern) < open);
  assert_memory_equal (sl_intern_get (intern, 3, &length), "three", 5);
}

/* Texts are all of one length, and then they are not. */
static void
test_lengths (void **state)
{
  (void) state;
  g_autoptr (SlIntern) intern = sl_intern_new ();
  gsize length;
  for (gint32 i = 0; i < 70000; i++)
    {
      g_autofree char *text = g_strdup_printf (i < 50000 ? "%08d" : "longer %08d", i);
      assert_int_equal (sl_intern (intern, text, strlen (text)), i);
      if (i < 49990 || i > 50010)
        continue;
      const char *stored = sl_intern_get (intern, i, &length);
      assert_int_equal (length, strlen (text));
      assert_memory_equal (stored, text, length);
    }
  assert_int_equal (sl_intern_find (intern, "00000777", 8), 777);
  assert_int_equal (sl_intern_find (intern, "longer 00069999", 15), 69999);
  gint32 offset[3];
  SlText texts = sl_intern_texts (intern, 49999, 2, offset);
  assert_int_equal (offset[1], 8);
  assert_int_equal (offset[2], 23);
  assert_memory_equal (texts.data, "00049999longer 00050000", 23);
}

static void
test_bytes (void **state)
{
  (void) state;
  g_autoptr (SlIntern) intern = sl_intern_new ();
  gsize empty = sl_intern_bytes (intern);
  for (int i = 0; i < 100000; i++)
    {
      g_autofree char *text = g_strdup_printf ("text number %06d", i);
      sl_intern (intern, text, 18);
    }
  /* Text, perhaps offset, and a slot in tables that are at least a quarter full. */
  gsize least = 100000 * (18 + 8), most = 2 * 100000 * (18 + 8) + 4 * 100000 * 8;
  assert_in_range (sl_intern_bytes (intern) - empty, least, most);
}

/* Look-ups of many texts at once find what single ones do, on any number of threads. */
static void
test_find (void **state)
{
  (void) state;
  Column known = mixed_column (100000, 40000), asked = mixed_column (150000, 80000);
  gint64 n = column_rows (&asked);
  g_autofree gint32 *ids = g_new (gint32, n);
  g_autoptr (SlIntern) intern = sl_intern_new ();
  sl_intern_column (intern, column_texts (&known), column_rows (&known), ids);
  gint32 size = sl_intern_size (intern);
  for (int threads = 1; threads <= 3; threads += 2)
    {
      gint64 n_absent = 0;
      memset (ids, 0x7f, (gsize) n * sizeof *ids);
      sl_intern_find_column (intern, column_texts (&asked), n, threads, ids);
      for (gint64 i = 0; i < n; i++)
        {
          gsize length;
          const char *text = sl_text_get (column_texts (&asked), i, &length);
          assert_int_equal (ids[i], sl_intern_find (intern, text, length));
          n_absent += ids[i] < 0;
        }
      assert_in_range (n_absent, n / 10, n - n / 10);
    }
  assert_int_equal (sl_intern_size (intern), size);
  sl_intern_find_column (intern, column_texts (&asked), 0, 1, NULL);
  column_free (&known);
  column_free (&asked);
}

/* Texts in the order of their numbers are told from others: of one length, of several, cut short,
 * and with the same bytes parted otherwise. */
static void
test_follows (void **state)
{
  static const char *const alike[] = { "aa", "bb", "cc" }, *const several[] = { "a", "bbc", "c" };
  static const char *const *const kinds[] = { alike, several };
  for (int kind = 0; kind < 2; kind++)
    {
      g_autoptr (SlIntern) intern = sl_intern_new ();
      GString *all = g_string_new (NULL);
      gint32 offset[4] = { 0 };
      for (int i = 0; i < 3; i++)
        {
          sl_intern (intern, kinds[kind][i], strlen (kinds[kind][i]));
          g_string_append (all, kinds[kind][i]);
          offset[i + 1] = (gint32) all->len;
        }
      const SlText texts = { offset, all->str }, rest = { offset + 1, all->str };
      assert_true (sl_intern_follows (intern, 0, texts, 3));
      assert_true (sl_intern_follows (intern, 0, texts, 2));
      assert_true (sl_intern_follows (intern, 1, rest, 2));
      assert_true (sl_intern_follows (intern, 3, texts, 0));
      assert_false (sl_intern_follows (intern, 1, texts, 2));
      assert_false (sl_intern_follows (intern, 1, texts, 3));
      offset[1]++;
      assert_false (sl_intern_follows (intern, 0, texts, 3));
      offset[1]--;
      all->str[0] = 'x';
      assert_false (sl_intern_follows (intern, 0, texts, 3));
      g_string_free (all, TRUE);
    }
}

/* In whatever order texts come: shorter ones first, equally long ones by their bytes, also those
 * that differ far behind, or nowhere but in their lengths. */
static void
test_order (void **state)
{
  (void) state;
  static const char *const sorted[] = { "i",
                                        "i1",
                                        "i2",
                                        "i\xc3",
                                        "i10",
                                        "i1234567a1",
                                        "i1234567a2",
                                        "i1234567b1",
                                        "i1234567890123456789a",
                                        "i1234567890123456789b",
                                        "i1234567890123456790a" };
  g_autoptr (SlIntern) in_order = sl_intern_new ();
  for (gsize i = 0; i < G_N_ELEMENTS (sorted); i++)
    sl_intern (in_order, sorted[i], strlen (sorted[i]));
  assert_null (sl_intern_order (in_order));
  for (gsize turn = 1; turn < G_N_ELEMENTS (sorted); turn++)
    {
      g_autoptr (SlIntern) intern = sl_intern_new ();
      for (gsize i = 0; i < G_N_ELEMENTS (sorted); i++)
        {
          const char *text = sorted[(turn * 7 + i * 3) % G_N_ELEMENTS (sorted)];
          sl_intern (intern, text, strlen (text));
        }
      g_autofree gint32 *order = sl_intern_order (intern);
      for (gsize i = 0; i < G_N_ELEMENTS (sorted); i++)
        {
          gsize length;
          const char *text = sl_intern_get (intern, order[i], &length);
          assert_int_equal (length, strlen (sorted[i]));
          assert_memory_equal (text, sorted[i], length);
        }
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_order), cmocka_unit_test (test_column),  cmocka_unit_test (test_single),
    cmocka_unit_test (test_texts), cmocka_unit_test (test_lengths), cmocka_unit_test (test_bytes),
    cmocka_unit_test (test_find),  cmocka_unit_test (test_follows),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
