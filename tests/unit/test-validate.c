/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "arrays.h"

#include "pipeline/table/canonical/validate.h"

#include <arrow-glib/arrow-glib.h>

/* Over static memory, whose size is known to Arrow (that of imported memory is not). */
#define BUFFER(memory) garrow_buffer_new ((const guint8 *) (memory), sizeof (memory))

static void
valid (GArrowArray *array)
{
  g_autoptr (GArrowArray) owned = array;
  g_autoptr (GError) error = NULL;
  if (!sl_validate (owned, &error))
    fail_msg ("%s", error->message);
  for (gint64 n = garrow_array_get_length (owned), i = 0; i <= n; i++)
    {
      g_autoptr (GArrowArray) slice = garrow_array_slice (owned, i, n - i);
      if (!sl_validate (slice, &error))
        fail_msg ("from %d on: %s", (int) i, error->message);
    }
}

static void
invalid (GArrowArray *array)
{
  g_autoptr (GArrowArray) owned = array;
  g_autoptr (GError) error = NULL;
  assert_false (sl_validate (owned, &error));
  assert_non_null (error);
}

static GArrowArray *
texts_over (gint64 n, const gint32 *offsets, gsize offset_bytes, const char *data, gsize length)
{
  g_autoptr (GArrowBuffer) offset
      = garrow_buffer_new ((const guint8 *) offsets, (gint64) offset_bytes);
  g_autoptr (GArrowBuffer) bytes = garrow_buffer_new ((const guint8 *) data, (gint64) length);
  return GARROW_ARRAY (garrow_string_array_new (n, offset, bytes, NULL, 0));
}

static void
test_texts (void **state)
{
  (void) state;
  valid (TEXTS ("a", "", "bc", "d"));
  valid (TEXTS ("\xc3\xa9", NULL, "\xf0\x9f\x90\xb1", ""));
  valid (make_texts (NULL, 0));
  static const gint32 right[] = { 0, 1, 1, 4 }, falling[] = { 0, 3, 1, 4 },
                      negative[] = { -1, 1, 2, 4 }, beyond[] = { 0, 1, 2, 5 },
                      inside[] = { 0, 9, 9, 4 }, split[] = { 0, 1, 2, 2 };
  valid (texts_over (3, right, sizeof right, "abcd", 4));
  invalid (texts_over (3, falling, sizeof falling, "abcd", 4));
  invalid (texts_over (3, negative, sizeof negative, "abcd", 4));
  invalid (texts_over (3, beyond, sizeof beyond, "abcd", 4));
  invalid (texts_over (3, inside, sizeof inside, "abcd", 4));
  invalid (texts_over (3, right, sizeof right - 4, "abcd", 4));
  invalid (texts_over (3, right, sizeof right,
                       "ab\xff"
                       "d",
                       4));
  /* Each character whole, but cut by the offsets. */
  invalid (texts_over (3, split, sizeof split, "\xc3\xa9", 2));
}

static void
test_codes (void **state)
{
  (void) state;
  valid (make_dictionary (INTS (TYPE (int32), 0, 1, 1), TEXTS ("a", "b")));
  valid (make_dictionary (INTS (TYPE (int32), 0, MISSING, 1), TEXTS ("a", "b")));
  valid (make_dictionary (INTS (TYPE (int8), 1, 0), TEXTS ("a", "b")));
  valid (make_dictionary (INTS (TYPE (uint64), 1, 0), TEXTS ("a", "b")));
  invalid (make_dictionary (INTS (TYPE (int32), 0, 1, 2), TEXTS ("a", "b")));
  invalid (make_dictionary (INTS (TYPE (int32), 0, -1, 1), TEXTS ("a", "b")));
  invalid (make_dictionary (INTS (TYPE (int32), 0, MISSING, 2), TEXTS ("a", "b")));
  invalid (make_dictionary (INTS (TYPE (int8), 100, 0), TEXTS ("a", "b")));
  invalid (make_dictionary (INTS (TYPE (int32), 0), make_texts (NULL, 0)));
  static const gint32 falling[] = { 0, 3, 1 };
  invalid (make_dictionary (INTS (TYPE (int32), 0, 1),
                            texts_over (2, falling, sizeof falling, "abcd", 4)));
}

static void
test_lists (void **state)
{
  (void) state;
  valid (LIST (REALS (1, 2, 3), 0, 2, 2, 3));
  valid (LIST (TEXTS ("a", "b", "c"), 1, 2, 3));
  invalid (LIST (REALS (1, 2, 3), 0, 2, 1, 3));
  invalid (LIST (REALS (1, 2, 3), 0, 2, 3, 4));
  invalid (LIST (REALS (1, 2, 3), -1, 2, 3));
  invalid (LIST (REALS (1, 2, 3), 0, 4, 3));
  invalid (LIST (make_dictionary (INTS (TYPE (int32), 0, 5), TEXTS ("a")), 0, 1, 2));
  invalid (LIST (make_pairs ("class", make_dictionary (INTS (TYPE (int32), 0, 5), TEXTS ("a")),
                             "percent", REALS (1, 2)),
                 0, 2));
  valid (LIST (make_pairs ("class", make_dictionary (INTS (TYPE (int32), 0, 0), TEXTS ("a")),
                           "percent", REALS (1, 2)),
               0, 2));
}

static void
test_fixed_lists (void **state)
{
  (void) state;
  valid (make_fixed_list (REALS (1, 2, 3, 4, 5, 6), 3));
  valid (make_fixed_list (TEXTS ("a", "\xc3\xa9"), 2));
  static const gint32 falling[] = { 0, 3, 1 };
  invalid (make_fixed_list (texts_over (2, falling, sizeof falling, "abcd", 4), 1));
  /* Three lists of two, but five values. */
  g_autoptr (GArrowDataType) real = TYPE (double);
  g_autoptr (GArrowField) field = garrow_field_new ("item", real);
  g_autoptr (GArrowDataType) type
      = GARROW_DATA_TYPE (garrow_fixed_size_list_data_type_new_field (field, 2));
  g_autoptr (GArrowArray) values = REALS (1, 2, 3, 4, 5);
  invalid (GARROW_ARRAY (garrow_fixed_size_list_array_new (type, 3, values, NULL, 0)));
}

static void
test_numbers (void **state)
{
  (void) state;
  static const double reals[] = { 1, 2, 3 };
  g_autoptr (GArrowBuffer) buffer = BUFFER (reals);
  valid (GARROW_ARRAY (garrow_double_array_new (3, buffer, NULL, 0)));
  invalid (GARROW_ARRAY (garrow_double_array_new (4, buffer, NULL, 0)));
  static const guint8 bits[] = { 0x7 };
  g_autoptr (GArrowBuffer) bitmap = BUFFER (bits);
  valid (GARROW_ARRAY (garrow_boolean_array_new (3, bitmap, NULL, 0)));
  invalid (GARROW_ARRAY (garrow_boolean_array_new (9, bitmap, NULL, 0)));
  /* More rows than the bitmap of those that are there has. */
  static const double nine[9];
  g_autoptr (GArrowBuffer) zeros = BUFFER (nine);
  invalid (GARROW_ARRAY (garrow_double_array_new (9, zeros, bitmap, 6)));
  /* Not as many missing as it says. */
  valid (GARROW_ARRAY (garrow_double_array_new (8, zeros, bitmap, 5)));
  invalid (GARROW_ARRAY (garrow_double_array_new (8, zeros, bitmap, 4)));
  invalid (GARROW_ARRAY (garrow_double_array_new (3, zeros, bitmap, 1)));
  valid (LIST (REALS (1, MISSING_REAL, 2), 0, 2, 3));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_texts),   cmocka_unit_test (test_codes),
    cmocka_unit_test (test_lists),   cmocka_unit_test (test_fixed_lists),
    cmocka_unit_test (test_numbers),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
