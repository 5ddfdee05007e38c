/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Safetensors files: what is written comes back; what is hostile is refused in one line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "near.h"
#include "pipeline/base/error.h"
#include "pipeline/files/safetensors.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

static char *path;

static void
write_bytes (const char *header, gsize n_numbers, guint64 length)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autofree guint8 *numbers = g_new0 (guint8, n_numbers + 1);
  guint64 n = GUINT64_TO_LE (length > 0 ? length : strlen (header));
  g_byte_array_append (bytes, (const guint8 *) &n, 8);
  g_byte_array_append (bytes, (const guint8 *) header, (guint) strlen (header));
  g_byte_array_append (bytes, numbers, (guint) n_numbers);
  assert_true (g_file_set_contents (path, (const char *) bytes->data, bytes->len, NULL));
}

static gboolean
read_all (SlSafetensors *file, GError **error)
{
  return sl_safetensors_open (file, path, error) && sl_safetensors_load (file, error);
}

static void
test_round_trip (void **state)
{
  (void) state;
  const float weight[] = { 1, -2, 3.5f, 0, 1e-30f, 7 };
  const gint64 steps[] = { G_GINT64_CONSTANT (1) << 60 };
  const SlSavedArray arrays[] = {
    { "fc.weight", SL_SAVED_FLOAT32, 2, { 2, 3 }, weight },
    { "steps", SL_SAVED_INT64, 0, { 0 }, steps },
    { "none", SL_SAVED_FLOAT32, 1, { 0 }, weight },
  };
  const char *const metadata[] = { "classes", "[\"Katze\",\"\\u00e4\"]", "model", "softmax", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (SlOutput) output = sl_output_new (path, &error);
  assert_true (sl_safetensors_write (output, metadata, arrays, 3, &error));
  assert_true (sl_output_finish (output, &error) && sl_output_commit (output, &error));
  g_auto (SlSafetensors) file;
  assert_true (read_all (&file, &error));
  assert_int_equal (file.n, 3);
  assert_string_equal (sl_safetensors_text (&file, "classes"), metadata[1]);
  assert_null (sl_safetensors_text (&file, "other"));
  const SlSavedArray *found = sl_safetensors_find (&file, "fc.weight");
  assert_int_equal (found->n_dims, 2);
  assert_int_equal (found->dim[1], 3);
  assert_memory_equal (found->data, weight, sizeof weight);
  found = sl_safetensors_find (&file, "steps");
  assert_memory_equal (found->data, steps, sizeof steps);
  assert_int_equal (sl_saved_size (found), 1);
  assert_int_equal (sl_saved_size (sl_safetensors_find (&file, "none")), 0);
  assert_null (sl_safetensors_find (&file, "bias"));
}

static void
test_narrow_numbers (void **state)
{
  (void) state;
  const guint16 halves[] = { 0x3c00, 0xc000, 0x3555, 0x0001, 0xfc00, 0x8000 },
                brain[] = { 0x3f80, 0xc040 };
  const double expected[] = { 1, -2, 0.333251953125, 0x1p-24 };
  float out[6];
  sl_saved_floats (&(SlSavedArray){ "h", SL_SAVED_FLOAT16, 1, { 6 }, halves }, out);
  for (int i = 0; i < 4; i++)
    assert_near (out[i], expected[i], 0);
  assert_true (isinf (out[4]) && out[4] < 0 && out[5] == 0 && signbit (out[5]));
  sl_saved_floats (&(SlSavedArray){ "b", SL_SAVED_BFLOAT16, 1, { 2 }, brain }, out);
  assert_true (out[0] == 1 && out[1] == -3);
  const gint32 whole[] = { -7, 9 };
  sl_saved_floats (&(SlSavedArray){ "i", SL_SAVED_INT32, 1, { 2 }, whole }, out);
  assert_true (out[0] == -7 && out[1] == 9);
}

#define ARRAY(name, type, shape, offsets)                                                          \
  "\"" name "\":{\"dtype\":\"" type "\",\"shape\":" shape ",\"data_offsets\":" offsets "}"

static void
test_hostile (void **state)
{
  (void) state;
  static const struct
  {
    const char *header;
    gsize n_numbers;
    guint64 length;
    const char *says;
  } cases[] = {
    { "{}", 0, 0, NULL },
    { "{" ARRAY ("a", "F32", "[2]", "[0,8]") "}  ", 8, 0, NULL },
    { "{" ARRAY ("b", "F32", "[1]", "[4,8]") "," ARRAY ("a", "U8", "[4]", "[0,4]") "}", 8, 0,
      NULL },
    { "", 0, 0, "does not begin with its header's length" },
    { "{}", 0, 1000, "does not begin with its header's length" },
    { "{}", 0, G_MAXUINT64, "does not begin with its header's length" },
    { "{} {}", 0, 0, "no JSON object" },
    { "[]", 0, 0, "no JSON text" },
    { "{\"a\":\"\\u0000\"}", 0, 0, "no JSON text" },
    { "{\"a\":1}", 0, 0, "says nothing of the array 'a'" },
    { "{" ARRAY ("a", "F33", "[2]", "[0,8]") "}", 8, 0, "type that is not known" },
    { "{" ARRAY ("a", "F32", "[-2]", "[0,8]") "}", 8, 0, "no sound shape" },
    { "{" ARRAY ("a", "F32", "[2.0]", "[0,8]") "}", 8, 0, "no sound shape" },
    { "{" ARRAY ("a", "F32", "2", "[0,8]") "}", 8, 0, "no sound shape" },
    { "{" ARRAY ("a", "F32", "[1,1,1,1,1,1,1,1,1]", "[0,4]") "}", 4, 0, "no sound shape" },
    { "{" ARRAY ("a", "F32", "[2]", "[8,0]") "}", 8, 0, "no sound shape" },
    { "{" ARRAY ("a", "F32", "[2]", "[0,8,9]") "}", 8, 0, "no sound shape" },
    { "{" ARRAY ("a", "F32", "[3]", "[0,8]") "}", 8, 0, "other than its numbers" },
    { "{" ARRAY ("a", "F32", "[4294967296,4294967296]", "[0,8]") "}", 8, 0, "larger than any" },
    { "{" ARRAY ("a", "U8", "[4611686018427387904]", "[0,4611686018427387904]") "}", 8, 0,
      "cut short" },
    { "{" ARRAY ("a", "F32", "[2]", "[0,8]") "," ARRAY ("b", "F32", "[2]", "[4,12]") "}", 12, 0,
      "lies over another" },
    { "{" ARRAY ("a", "F32", "[2]", "[0,8]") "," ARRAY ("b", "F32", "[1]", "[12,16]") "}", 16, 0,
      "has a gap" },
    { "{" ARRAY ("a", "F32", "[2]", "[4,12]") "}", 12, 0, "has a gap" },
    { "{" ARRAY ("a", "F32", "[2]", "[0,8]") "}", 7, 0, "cut short" },
    { "{" ARRAY ("a", "F32", "[2]", "[0,8]") "}", 9, 0, "after its last number" },
    { "{\"__metadata__\":{\"a\":1}}", 0, 0, "'a' is no text" },
    { "{\"__metadata__\":[]}", 0, 0, "no texts by name" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_auto (SlSafetensors) file;
      write_bytes (cases[i].header, cases[i].n_numbers, cases[i].length);
      gboolean ok = read_all (&file, &error);
      if (ok != (cases[i].says == NULL))
        fail_msg ("case %d: %s", (int) i, error != NULL ? error->message : "was taken");
      if (ok)
        continue;
      assert_int_equal (error->code, SL_ERROR_INPUT);
      if (strstr (error->message, cases[i].says) == NULL || strchr (error->message, '\n') != NULL)
        fail_msg ("case %d says: %s", (int) i, error->message);
    }
}

/* Nested so deep that a parser which calls itself would meet the end of its stack. */
static void
test_deep (void **state)
{
  (void) state;
  g_autoptr (GString) header = g_string_new ("{\"a\":");
  for (int i = 0; i < 1000000; i++)
    g_string_append_c (header, '[');
  g_autoptr (GError) error = NULL;
  g_auto (SlSafetensors) file;
  write_bytes (header->str, 0, 0);
  assert_false (read_all (&file, &error));
  assert_int_equal (error->code, SL_ERROR_INPUT);
}

int
main (void)
{
  path = g_build_filename (g_get_tmp_dir (), "softlabel-test-XXXXXX", NULL);
  close (g_mkstemp (path));
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_round_trip),
    cmocka_unit_test (test_narrow_numbers),
    cmocka_unit_test (test_hostile),
    cmocka_unit_test (test_deep),
  };
  int failed = cmocka_run_group_tests (tests, NULL, NULL);
  g_remove (path);
  g_free (path);
  return failed;
}
