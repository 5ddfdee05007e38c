/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "own-folder.h"

#include "pipeline/files/partition.h"
#include "pipeline/files/parts.h"

#define PATHS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void
test_plain_files (void **state)
{
  (void) state;
  g_autoptr (GError) error = NULL;
  /* Whether a file is there is for its reader to say. */
  g_auto (GStrv) files = sl_part_files (PATHS ("b", "nowhere", "b"), &error);
  assert_null (error);
  assert_true (g_strv_equal ((const char *const *) files, PATHS ("b", "nowhere", "b")));
  g_auto (GStrv) none = sl_part_files ((const char *const[]){ NULL }, &error);
  assert_null (none[0]);
}

static void
test_folder (void **state)
{
  (void) state;
  g_autoptr (GError) error = NULL;
  assert_int_equal (g_mkdir ("d", 0777), 0);
  static const char *const names[]
      = { "d/part-10", "d/part-9", "d/part-1", "d/_SUCCESS", "d/.crc" };
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    put (names[i], "");
  g_auto (GStrv) files = sl_part_files (PATHS ("x", "d", "a"), &error);
  assert_null (error);
  assert_true (g_strv_equal ((const char *const *) files,
                             PATHS ("x", "d/part-1", "d/part-9", "d/part-10", "a")));
}

static void
refused (const char *path, const char *part)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) files = sl_part_files (PATHS (path), &error);
  assert_null (files);
  assert_error (&error, SL_ERROR_INPUT, part);
}

static void
test_folders_that_are_no_table (void **state)
{
  (void) state;
  assert_int_equal (g_mkdir_with_parents ("empty", 0777), 0);
  refused ("empty", "empty: is an empty folder: no table");
  put ("empty/.hidden", "");
  refused ("empty", "is an empty folder");
  assert_int_equal (g_mkdir_with_parents ("outer/inner", 0777), 0);
  put ("outer/a", "");
  refused ("outer",
           "outer: has the folder 'inner'; a folder that is one table has files, or folders "
           "such as 'dt=2026-11-20'");
  assert_int_equal (g_mkdir_with_parents ("hive/year=2020", 0777), 0);
  refused ("hive", "hive/year=2020: is an empty folder");
  put ("hive/year=2020/a", "");
  g_auto (GStrv) parted = sl_part_files (PATHS ("hive"), NULL);
  assert_true (g_strv_equal ((const char *const *) parted, PATHS ("hive/year=2020/a")));
  /* One that is hidden is nobody's part. */
  assert_int_equal (g_mkdir_with_parents ("log/_delta_log", 0777), 0);
  put ("log/a", "");
  g_auto (GStrv) files = sl_part_files (PATHS ("log"), NULL);
  assert_true (g_strv_equal ((const char *const *) files, PATHS ("log/a")));
}

static void
partition_is (const char *path, const char *text)
{
  SlTags tags = { 0 };
  assert_true (sl_partition_find (path, &tags, NULL));
  g_autoptr (GString) found = g_string_new (NULL);
  sl_tags_append_text (&tags, found);
  assert_string_equal (found->str, text);
  sl_tags_clear (&tags);
}

/* As Hive escapes them; a file's own name says nothing. */
static void
test_partitions (void **state)
{
  (void) state;
  partition_is ("raw/a=b.csv", "");
  partition_is ("raw/dt=2026-11-20/hour=7/a.csv", "dt=2026-11-20, hour=7");
  partition_is ("/p/city=S%C3%A3o%20Paulo%2FSP/a", "city=S\u00e3o Paulo/SP");
  partition_is ("x=" SL_PARTITION_MISSING "/a", "x=");
  partition_is ("x=a=b/a", "x=a=b");
  SlTags tags = { 0 };
  g_autoptr (GError) error = NULL;
  assert_false (sl_partition_find ("1x=2/a", &tags, &error));
  assert_error (&error, SL_ERROR_INPUT, "neither a column's name nor a value");
  assert_false (sl_partition_find ("x=%FF/a", &tags, &error));
  assert_error (&error, SL_ERROR_INPUT, "neither a column's name nor a value");
  sl_tags_clear (&tags);
  static const char *const pairs[][2] = { { "2026-11-20", "x=2026-11-20" },
                                          { "a/b=c%", "x=a%2Fb%3Dc%25" },
                                          { "", "x=" SL_PARTITION_MISSING } };
  for (gsize i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      g_autofree char *name = sl_partition_name ("x", pairs[i][0]);
      assert_string_equal (name, pairs[i][1]);
    }
}

/* The shards have each unit once, in order; one shard has as many as another, or one more. */
static void
test_units (void **state)
{
  (void) state;
  for (gint64 n = 0; n <= 25; n++)
    for (gint64 shards = 1; shards <= 11; shards++)
      {
        gint64 next = 0;
        for (gint64 i = 1; i <= shards; i++)
          {
            gint64 from, to;
            sl_shard_units (n, i, shards, &from, &to);
            assert_int_equal (from, next);
            assert_in_range (to - from, n / shards, n / shards + (n % shards > 0));
            next = to;
          }
        assert_int_equal (next, n);
      }
  /* Ten in four: 3, 3, 2, 2. */
  static const gint64 ends[] = { 0, 3, 6, 8, 10 };
  for (gint64 i = 1; i <= 4; i++)
    {
      gint64 from, to;
      sl_shard_units (10, i, 4, &from, &to);
      assert_int_equal (from, ends[i - 1]);
      assert_int_equal (to, ends[i]);
    }
  gint64 from, to;
  sl_shard_units (G_MAXINT64, 1000000, 1000000, &from, &to);
  assert_int_equal (to, G_MAXINT64);
}

static void
test_shard_texts (void **state)
{
  (void) state;
  gint64 i = 0, shards = 0;
  g_autoptr (GError) error = NULL;
  assert_true (sl_shard_parse ("2/8", &i, &shards, &error));
  assert_int_equal (i, 2);
  assert_int_equal (shards, 8);
  assert_true (sl_shard_parse ("1/1", &i, &shards, &error));
  assert_true (sl_shard_parse ("1000000/1000000", &i, &shards, &error));
  static const char *const bad[]
      = { "",     "2",         "2/",  "/8",    "0/8",  "9/8",   "2/8/1", "-1/8",
          "1/-8", "1/1000001", "a/8", "1.0/8", " 1/8", "1 / 8", "1/8 ",  "99999999999999999999/8",
          "1\\8", "\xff/8" };
  for (gsize b = 0; b < G_N_ELEMENTS (bad); b++)
    {
      assert_false (sl_shard_parse (bad[b], &i, &shards, &error));
      assert_error (&error, SL_ERROR_USAGE, "is not I/N, as 2/8");
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown (test_plain_files, setup, teardown),
    cmocka_unit_test_setup_teardown (test_folder, setup, teardown),
    cmocka_unit_test_setup_teardown (test_folders_that_are_no_table, setup, teardown),
    cmocka_unit_test (test_partitions),
    cmocka_unit_test (test_units),
    cmocka_unit_test (test_shard_texts),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
