/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NumPy headers and numbers, by numpy.lib.format and IEEE 754. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pipeline/base/error.h"
#include "stages/common/files/npy.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static gboolean
parse (const char *text, SlNpy *npy)
{
  g_autoptr (GError) error = NULL;
  *npy = (SlNpy){ 0 };
  gboolean ok = sl_npy_parse (text, strlen (text), npy, &error);
  assert_int_equal (ok, error == NULL);
  if (!ok)
    assert_int_equal (error->code, SL_ERROR_INPUT);
  return ok;
}

static void
test_headers (void **state)
{
  (void) state;
  static const struct
  {
    const char *text;
    char kind;
    gsize width;
    gboolean big, fortran;
    gint64 n_rows, n_columns;
  } cases[] = {
    { "{'descr': '<i8', 'fortran_order': False, 'shape': (10000, 10), }   \n", 'i', 8, FALSE, FALSE,
      10000, 10 },
    { "{'descr': '>f4', 'fortran_order': True, 'shape': (3, 2)}", 'f', 4, TRUE, TRUE, 3, 2 },
    { "{\"shape\": (1,1,), \"descr\": \"|u1\", \"fortran_order\": False}\n", 'u', 1, FALSE, FALSE,
      1, 1 },
    { "{ 'shape' : ( 5L , 7L ) , 'fortran_order' : False , 'descr' : '|b1' , }", 'b', 1, FALSE,
      FALSE, 5, 7 },
    { "{'descr': '>u2', 'fortran_order': False, 'shape': (0, 4), }", 'u', 2, TRUE, FALSE, 0, 4 },
    { "{'descr': '=f2', 'fortran_order': False, 'shape': (9223372036854775807, 4), }", 'f', 2,
      FALSE, FALSE, G_MAXINT64, 4 },
    { "{'descr': '<i8', 'fortran_order': False, 'shape': (7000,), }", 'i', 8, FALSE, FALSE, 7000,
      1 },
    { "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3, 4), }", 'u', 1, FALSE, FALSE, 2,
      3 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      SlNpy npy;
      assert_true (parse (cases[i].text, &npy));
      assert_int_equal (npy.kind, cases[i].kind);
      assert_int_equal (npy.width, cases[i].width);
      gboolean swapped = cases[i].big == (G_BYTE_ORDER == G_LITTLE_ENDIAN);
      assert_int_equal (npy.swapped, swapped && cases[i].big);
      assert_int_equal (npy.fortran, cases[i].fortran);
      assert_int_equal (npy.dim[0], cases[i].n_rows);
      assert_int_equal (npy.dim[1], cases[i].n_columns);
      /* Each but the first dimension has a comma before it. */
      const char *shape = strchr (cases[i].text, '('), *end = strchr (cases[i].text, ')');
      int n_commas = 0;
      for (const char *c = shape; c + 1 < end; c++)
        n_commas += *c == ',';
      assert_int_equal (npy.n_dims, n_commas + 1);
    }
}

static void
test_refused_headers (void **state)
{
  (void) state;
  static const char *const cases[] = {
    "",
    "{",
    "{}",
    "[]",
    "{'descr': '<i8', 'fortran_order': False}",
    "{'descr': '<i8', 'shape': (1, 2)}",
    "{'fortran_order': False, 'shape': (1, 2)}",
    "{'descr': '|O', 'fortran_order': False, 'shape': (1, 2), }",
    "{'descr': '|O8', 'fortran_order': False, 'shape': (1, 2), }",
    "{'descr': '<c16', 'fortran_order': False, 'shape': (1, 2), }",
    "{'descr': '<U5', 'fortran_order': False, 'shape': (1, 2), }",
    "{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (1, 2), }",
    "{'descr': '<f16', 'fortran_order': False, 'shape': (1, 2), }",
    "{'descr': '<i3', 'fortran_order': False, 'shape': (1, 2), }",
    "{'descr': '<i-8', 'fortran_order': False, 'shape': (1, 2), }",
    "{'descr': '<b8', 'fortran_order': False, 'shape': (1, 2), }",
    "{'descr': 'i8', 'fortran_order': False, 'shape': (1, 2), }",
    "{'descr': '', 'fortran_order': False, 'shape': (1, 2), }",
    "{'descr': [('a', '<i8')], 'fortran_order': False, 'shape': (1, 2), }",
    "{'descr': '<i8', 'fortran_order': False, 'shape': (), }",
    "{'descr': '<i8', 'fortran_order': False, 'shape': (1, 2, 3, 4, 5), }",
    "{'descr': '<i8', 'fortran_order': False, 'shape': (-1, 2), }",
    "{'descr': '<i8', 'fortran_order': False, 'shape': (1 2), }",
    "{'descr': '<i8', 'fortran_order': False, 'shape': 5, }",
    "{'descr': '<i8', 'fortran_order': False, 'shape': (9223372036854775808, 2), }",
    "{'descr': '<i8', 'fortran_order': Maybe, 'shape': (1, 2), }",
    "{'descr': '<i8', 'fortran_order': False, 'shape': (1, 2), 'more': 1}",
    "{'descr': '<i8', 'descr': '<i8', 'fortran_order': False, 'shape': (1, 2), }",
    "{'descr': '<i8', 'fortran_order': False, 'shape': (1, 2), } x",
    "{'descr': '<i8', 'fortran_order': False, 'shape': (1, 2)",
    "{'descr': '<i8' 'fortran_order': False, 'shape': (1, 2)}",
    "{'descr: '<i8', 'fortran_order': False, 'shape': (1, 2)}",
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      SlNpy npy;
      if (parse (cases[i], &npy))
        fail_msg ("accepted: %s", cases[i]);
    }
}

static void
test_four_dimensions (void **state)
{
  (void) state;
  SlNpy npy;
  assert_true (
      parse ("{'descr': '|u1', 'fortran_order': False, 'shape': (50000, 32, 16, 3), }", &npy));
  static const gint64 dim[SL_NPY_DIMS] = { 50000, 32, 16, 3 };
  assert_int_equal (npy.n_dims, 4);
  assert_memory_equal (npy.dim, dim, sizeof dim);
}

/* Every beginning of a header is refused, and none is read beyond its end. */
static void
test_cut_headers (void **state)
{
  (void) state;
  static const char text[] = "{'descr': '<i8', 'fortran_order': False, 'shape': (10, 2), }";
  for (gsize n = 0; n < sizeof text - 1; n++)
    {
      g_autofree char *cut = g_memdup2 (text, n + 1);
      SlNpy npy;
      cut[n] = '\0';
      assert_false (parse (cut, &npy));
    }
}

static double
value (char kind, gsize width, gboolean swapped, guint64 bits)
{
  guint8 bytes[8];
  SlNpy npy = { .kind = kind, .width = width, .swapped = swapped };
  for (gsize i = 0; i < width; i++)
    {
      gboolean low_first = (G_BYTE_ORDER == G_LITTLE_ENDIAN) != swapped;
      bytes[i] = (guint8) (bits >> (8 * (low_first ? i : width - 1 - i)));
    }
  return sl_npy_value (&npy, bytes);
}

static void
test_numbers (void **state)
{
  (void) state;
  static const struct
  {
    char kind;
    gsize width;
    guint64 bits;
    double value;
  } cases[] = {
    { 'u', 1, 200, 200 },
    { 'i', 1, 200, -56 },
    { 'u', 2, 51000, 51000 },
    { 'i', 2, 51000, -14536 },
    { 'u', 4, 4000000000, 4000000000 },
    { 'i', 4, 4294967295, -1 },
    { 'i', 8, 1234567890123, 1234567890123.0 },
    { 'i', 8, G_MAXUINT64, -1 },
    { 'u', 8, G_MAXUINT64, 18446744073709551615.0 },
    { 'b', 1, 1, 1 },
    { 'b', 1, 0, 0 },
    { 'f', 4, 0x42280000, 42 },
    { 'f', 8, G_GUINT64_CONSTANT (0xc045000000000000), -42 },
    /* IEEE 754 half precision: 51, 1, -2, the least subnormal, the greatest number. */
    { 'f', 2, 0x5260, 51 },
    { 'f', 2, 0x3c00, 1 },
    { 'f', 2, 0xc000, -2 },
    { 'f', 2, 0x0001, 0x1p-24 },
    { 'f', 2, 0x7bff, 65504 },
    { 'f', 2, 0x7c00, (double) INFINITY },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (int swapped = 0; swapped < 2; swapped++)
      if (value (cases[i].kind, cases[i].width, swapped, cases[i].bits) != cases[i].value)
        fail_msg ("%c%d %s", cases[i].kind, (int) cases[i].width, swapped ? "swapped" : "");
  assert_true (isnan (value ('f', 2, FALSE, 0x7e00)));
  assert_true (isnan (value ('f', 4, FALSE, 0x7fc00000)));
}

static void
test_counts (void **state)
{
  (void) state;
  gint64 count = -1;
  assert_null (sl_npy_count (0, &count));
  assert_int_equal (count, 0);
  assert_null (sl_npy_count (51, &count));
  assert_int_equal (count, 51);
  assert_null (sl_npy_count (9007199254740991.0, &count));
  assert_int_equal (count, G_GINT64_CONSTANT (9007199254740991));
  assert_string_equal (sl_npy_count (-1, &count), "is negative");
  assert_string_equal (sl_npy_count (0.5, &count), "is not a whole number");
  assert_string_equal (sl_npy_count ((double) NAN, &count), "is not a number");
  assert_string_equal (sl_npy_count ((double) INFINITY, &count), "is too large");
  assert_string_equal (sl_npy_count (-(double) INFINITY, &count), "is negative");
  assert_null (sl_npy_count (9007199254740992.0, &count));
  assert_string_equal (sl_npy_count (9007199254740994.0, &count), "is too large");
  assert_null (sl_npy_count (-0.0, &count));
}

static gboolean
read_header (const char *bytes, gsize n, SlNpy *npy)
{
  g_autofree char *path = NULL;
  int fd = g_file_open_tmp ("test-npy-XXXXXX", &path, NULL);
  assert_int_equal (write (fd, bytes, n), n);
  close (fd);
  g_autoptr (GError) error = NULL;
  g_autoptr (SlSource) source = sl_source_open (path, &error);
  gboolean npy_begins;
  assert_non_null (source);
  assert_true (sl_source_begins (source, SL_NPY_MAGIC, SL_NPY_MAGIC_BYTES, &npy_begins, NULL));
  assert_int_equal (npy_begins, n >= SL_NPY_MAGIC_BYTES
                                    && memcmp (bytes, SL_NPY_MAGIC, SL_NPY_MAGIC_BYTES) == 0);
  gboolean ok = sl_npy_read_header (source, npy, &error);
  assert_int_equal (ok, error == NULL);
  g_unlink (path);
  return ok;
}

/* What has been looked at is read none the less, in parts of any size. */
static void
test_peeked_bytes (void **state)
{
  (void) state;
  static const char bytes[] = "0123456789abcdefghij";
  g_autofree char *path = NULL;
  int fd = g_file_open_tmp ("test-npy-XXXXXX", &path, NULL);
  assert_int_equal (write (fd, bytes, sizeof bytes - 1), sizeof bytes - 1);
  close (fd);
  for (gsize part = 1; part <= 25; part++)
    {
      g_autoptr (SlSource) source = sl_source_open (path, NULL);
      g_autoptr (GString) read = g_string_new (NULL);
      gboolean begins;
      char text[32];
      assert_true (sl_source_begins (source, "0123", 4, &begins, NULL) && begins);
      assert_true (sl_source_begins (source, "0123456", 7, &begins, NULL) && begins);
      assert_true (sl_source_begins (source, "1", 1, &begins, NULL) && !begins);
      for (gsize n = 1; n > 0; g_string_append_len (read, text, (gssize) n))
        assert_true (sl_source_read (source, text, part, &n, NULL));
      assert_string_equal (read->str, bytes);
    }
  g_unlink (path);
}

static GString *
file_of_version (int version)
{
  static const char text[] = "{'descr': '<i4', 'fortran_order': False, 'shape': (3, 2), }";
  GString *file = g_string_new (SL_NPY_MAGIC);
  gsize n = sizeof text - 1;
  g_string_append_c (file, (char) version);
  g_string_append_c (file, 0);
  for (int i = 0; i < (version == 1 ? 2 : 4); i++)
    g_string_append_c (file, (char) (n >> (8 * i)));
  return g_string_append_len (file, text, (gssize) n);
}

static void
test_versions (void **state)
{
  (void) state;
  for (int version = 0; version <= 4; version++)
    {
      SlNpy npy;
      GString *file = file_of_version (version);
      assert_int_equal (read_header (file->str, file->len, &npy), version >= 1 && version <= 3);
      if (version >= 1 && version <= 3)
        assert_int_equal (npy.dim[0] * 10 + npy.dim[1], 32);
      for (gsize n = 0; n < file->len; n++)
        assert_false (read_header (file->str, n, &npy));
      file->str[0] = 'X';
      assert_false (read_header (file->str, file->len, &npy));
      g_string_free (file, TRUE);
    }
}

static void
test_huge_header (void **state)
{
  (void) state;
  static const char bytes[] = SL_NPY_MAGIC "\x02\x00\xff\xff\xff\xff{";
  SlNpy npy;
  assert_false (read_header (bytes, sizeof bytes - 1, &npy));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_headers),         cmocka_unit_test (test_refused_headers),
    cmocka_unit_test (test_cut_headers),     cmocka_unit_test (test_numbers),
    cmocka_unit_test (test_counts),          cmocka_unit_test (test_versions),
    cmocka_unit_test (test_four_dimensions), cmocka_unit_test (test_huge_header),
    cmocka_unit_test (test_peeked_bytes),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
