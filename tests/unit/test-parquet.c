/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "own-folder.h"

#include "pipeline/arrow/pages/lists.h"
#include "pipeline/files/reader.h"
#include "pipeline/files/writer.h"
#include "pipeline/arrow/reading-memory.h"
#include "pipeline/arrow/threads.h"
#include "schemas/features.h"
#include "schemas/labels.h"

#define LEVELS(n_rows, length, definition, ...)                                                    \
  has_levels (n_rows, length, definition, (const guint8[]){ __VA_ARGS__ },                         \
              sizeof ((const guint8[]){ __VA_ARGS__ }))

static void
has_levels (gsize n_rows, gsize length, guint8 definition, const guint8 *expected, gsize n)
{
  g_autofree guint8 *levels = g_malloc0 (SL_LIST_LEVELS_MOST (n_rows * length));
  assert_int_equal (sl_list_levels_write (levels, n_rows, length, definition), n);
  assert_memory_equal (levels, expected, n);
}

/* By hand, from the format's description: runs are N << 1 and the value, packed bits are the number
 * of bytes << 1 | 1 and the bytes, the first value in the lowest bit. */
static void
test_levels_by_hand (void **state)
{
  (void) state;
  LEVELS (3, 1, 1, 2, 0, 0, 0, 6, 0, 2, 0, 0, 0, 6, 1);
  LEVELS (3, 2, 1, 2, 0, 0, 0, 3, 0x2a, 2, 0, 0, 0, 12, 1);
  LEVELS (2, 10, 2, 4, 0, 0, 0, 7, 0xfe, 0xfb, 0x0f, 2, 0, 0, 0, 40, 2);
  LEVELS (1, 16, 1, 3, 0, 0, 0, 5, 0xfe, 0xff, 2, 0, 0, 0, 32, 1);
}

/* Headers of several bytes, and every bit. */
static void
test_long_levels (void **state)
{
  (void) state;
  static const gsize lengths[] = { 2, 3, 7, 8, 9, 10, 64, 1000 };
  for (gsize i = 0; i < G_N_ELEMENTS (lengths); i++)
    {
      const gsize length = lengths[i], n = 1000 * length, bytes = (n + 7) / 8;
      g_autofree guint8 *levels = g_malloc0 (SL_LIST_LEVELS_MOST (1000 * length));
      const gsize size = sl_list_levels_write (levels, 1000, length, 1);
      const guint8 *at = levels + 4;
      gsize header = 0;
      for (int shift = 0;; shift += 7)
        {
          header |= (gsize) (*at & 0x7f) << shift;
          if ((*at++ & 0x80) == 0)
            break;
        }
      assert_int_equal (header, bytes << 1 | 1);
      for (gsize j = 0; j < 8 * bytes; j++)
        assert_int_equal (at[j / 8] >> j % 8 & 1, j < n && j % length != 0);
      assert_true (size <= SL_LIST_LEVELS_MOST (1000 * length));
      assert_int_equal (levels[size - 1], 1);
    }
}

/* Of N rows of LENGTH numbers, those whose number is a multiple of EACH are new. */
static gboolean
recur (gsize n, gsize length, gsize each, gsize size)
{
  g_autofree double *doubles = g_new0 (double, n *length);
  g_autofree float *floats = g_new0 (float, n *length);
  for (gsize i = 0; i < n * length; i++)
    {
      doubles[i] = i % each == 0 ? (double) (i + 1) : 0.25;
      floats[i] = (float) doubles[i];
    }
  return sl_lists_recur (size == 8 ? (gconstpointer) doubles : floats, n, length, size);
}

static void
test_values_that_recur (void **state)
{
  (void) state;
  for (gsize size = 4; size <= 8; size += 4)
    {
      assert_true (recur (10, 10, 101, size)); /* 2 numbers of 100 */
      assert_false (recur (10, 10, 1, size));
      assert_true (recur (8192, 1, 17, size));
      assert_false (recur (8192, 1, 15, size));
      assert_true (
          recur (50000, 10, 30, size)); /* whole rows: one in three begins with a new one */
      assert_false (recur (50000, 10, 10, size));
      assert_true (recur (3, 20000, 100, size)); /* of a long row only the beginning */
      assert_false (recur (3, 20000, 10, size));
    }
  /* Zeros of both signs, and NaN, are numbers as any other. */
  const double few[]
      = { 0, -0., NAN, NAN, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
          0, 0,   0,   0,   0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
  assert_true (sl_lists_recur (few, 48, 1, 8));
  assert_false (sl_lists_recur (few, 47, 1, 8));
  assert_true (sl_lists_recur (few, 0, 10, 8));
}

/* Distributions over 200 classes, of which each row group of 16,384 rows has its own sort: all
 * different, a few that recur, or first those and then others. */
static SlBatch *
many_labels (gint64 n)
{
  g_auto (GStrv) classes = g_new0 (char *, 201);
  for (int k = 0; k < 200; k++)
    classes[k] = g_strdup_printf ("class %d", k);
  g_autoptr (SlTable) table = sl_table_new (&sl_labels, (const char *const *) classes);
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  assert_int_equal (sl_table_batch_rows (table), 1024);
  for (gint64 i = 0; i < n; i++)
    {
      g_autofree char *item = g_strdup_printf ("%d", (int) (i % 700));
      sl_builder_text (builder, SL_LABELS_ITEM, item, strlen (item));
      double *label = sl_builder_labels (builder, SL_LABELS_LABEL, 1);
      const gint64 sort = i / 16384;
      const double p = sort == 0 || (sort == 2 && i % 16384 > 1024) ? 1 / (2. + (double) i) : 0.25;
      label[i % 200] += p;
      label[(i + 1) % 200] += 1 - p;
      sl_builder_real (builder, SL_LABELS_WEIGHT, 1);
    }
  g_autoptr (GError) error = NULL;
  return sl_builder_take (builder, &error);
}

/* Vectors of 40 numbers, of items with names of any length. */
static SlBatch *
vectors (SlNumber number, gint64 n)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SlTable) table = sl_table_new (&sl_features, NULL);
  if (!sl_table_set_tensor (table, SL_FEATURES_X, number, 1, (const gint64[]){ 40 }, &error))
    fail_msg ("%s", error->message);
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  for (gint64 i = 0; i < n; i++)
    {
      g_autofree char *item = g_strdup_printf ("%0*d", (int) i % 40, (int) i);
      sl_builder_text (builder, SL_FEATURES_ITEM, item, strlen (item));
      void *x = sl_builder_tensors (builder, SL_FEATURES_X, 1);
      for (int j = 0; j < 40; j++)
        if (number == SL_NUMBER_FLOAT32)
          ((float *) x)[j] = (float) (i * 40 + j) / 7;
        else
          ((guint8 *) x)[j] = (guint8) (i * 41 + j * j);
    }
  return sl_builder_take (builder, &error);
}

static GBytes *
write_batch (SlBatch *batch, int threads, gboolean digested)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SlWriter) writer = sl_writer_new ("x.parquet", SL_FORMAT_AUTO, threads, &error);
  if (writer != NULL && !digested)
    sl_writer_leave_undigested (writer);
  if (writer == NULL || !sl_writer_start (writer, batch->table, &error)
      || !sl_writer_write (writer, batch, &error) || !sl_writer_finish (writer, &error)
      || !sl_writer_commit (writer, &error))
    fail_msg ("%s", error->message);
  char *bytes;
  gsize n;
  assert_true (g_file_get_contents ("x.parquet", &bytes, &n, NULL));
  return g_bytes_new_take (bytes, n);
}

static GBytes *
written (SlBatch *batch, int threads)
{
  return write_batch (batch, threads, TRUE);
}

/* With little memory row groups are large, and read piece by piece. */
static SlReader *
reader_of (int threads, gboolean in_pieces)
{
  g_autoptr (GError) error = NULL;
  sl_reading_set_most (in_pieces ? 1 : -1);
  SlReader *reader = sl_reader_open ("x.parquet", &(SlReaderOptions){ .threads = threads }, &error);
  if (reader == NULL)
    fail_msg ("%s", error->message);
  return reader;
}

/* The rows of x.parquet are those of BATCH. */
static void
reads_as (SlBatch *batch, int threads, gboolean in_pieces)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SlReader) reader = reader_of (threads, in_pieces);
  gint64 at = 0;
  for (;;)
    {
      g_autoptr (SlBatch) next = NULL;
      if (!sl_reader_next (reader, &next, &error))
        fail_msg ("%s", error->message);
      if (next == NULL)
        break;
      g_autoptr (GArrowRecordBatch) part
          = garrow_record_batch_slice (batch->arrow, at, next->n_rows);
      if (!garrow_record_batch_equal (part, next->arrow))
        fail_msg ("rows from %d on are others", (int) at);
      at += next->n_rows;
    }
  assert_int_equal (at, batch->n_rows);
}

/* What is read is what was written, and the file is the same for any number of threads. */
static void
comes_back (SlBatch *batch)
{
  g_autoptr (GBytes) one = written (batch, 1);
  for (int threads = 2; threads <= 5; threads += 3)
    {
      g_autoptr (GBytes) more = written (batch, threads);
      assert_true (g_bytes_equal (one, more));
    }
  for (int threads = 1; threads <= 2; threads++)
    {
      reads_as (batch, threads, FALSE);
      reads_as (batch, threads, TRUE);
    }
}

static void
test_labels_come_back (void **state)
{
  (void) state;
  static const gint64 rows[] = { 0, 1, 1023, 1024, 3000, 16384, 3 * 16384 + 1025 };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (SlBatch) batch = many_labels (rows[i]);
      comes_back (batch);
    }
}

static void
test_vectors_come_back (void **state)
{
  (void) state;
  static const SlNumber numbers[] = { SL_NUMBER_FLOAT32, SL_NUMBER_UINT8 };
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      g_autoptr (SlBatch) batch = vectors (numbers[i], 70000); /* too many for one piece */
      comes_back (batch);
    }
}

/* Numbers that recur are written with a dictionary, which is far shorter. */
static void
test_recurring_labels_are_short (void **state)
{
  (void) state;
  g_autoptr (SlBatch) batch = many_labels (2 * 16384);
  g_autoptr (GArrowRecordBatch) other = garrow_record_batch_slice (batch->arrow, 0, 16384);
  g_autoptr (GArrowRecordBatch) same = garrow_record_batch_slice (batch->arrow, 16384, 16384);
  g_autoptr (GError) error = NULL;
  g_autoptr (SlBatch) others = sl_batch_new (batch->table, other, 0, &error);
  g_autoptr (SlBatch) sames = sl_batch_new (batch->table, same, 0, &error);
  g_autoptr (GBytes) long_file = written (others, 1);
  g_autoptr (GBytes) short_file = written (sames, 1);
  assert_in_range (g_bytes_get_size (long_file), 16384 * 10, 16384 * 30);
  assert_in_range (g_bytes_get_size (short_file), 1000, 16384 * 2);
}

/* Where Thrift's compact form has N, of 8,192 to 1,048,575, as the next field's i64: the first or
 * the last such place from FROM on. */
static guint8 *
find_number (guint8 *bytes, gsize size, gsize from, gboolean last, guint64 n)
{
  const guint64 zigzag = n << 1;
  const guint8 field[]
      = { 0x16, (guint8) (zigzag | 0x80), (guint8) (zigzag >> 7 | 0x80), (guint8) (zigzag >> 14) };
  guint8 *found = NULL;
  for (gsize i = from; i + sizeof field <= size && (last || found == NULL); i++)
    if (memcmp (bytes + i, field, sizeof field) == 0)
      found = bytes + i;
  assert_non_null (found);
  return found;
}

static gint64
rows_until_refused (int threads, gboolean in_pieces, GError **error)
{
  g_autoptr (SlReader) reader = reader_of (threads, in_pieces);
  for (gint64 rows = 0;;)
    {
      g_autoptr (SlBatch) batch = NULL;
      if (!sl_reader_next (reader, &batch, error))
        return rows;
      if (batch == NULL)
        return -1;
      rows += batch->n_rows;
    }
}

/* The footer says of the table and of its one row group that they have a row more than the columns
 * have. Arrow's own reader ends such a group in peace. */
static void
test_groups_of_too_few_rows (void **state)
{
  (void) state;
  const gint64 n = 9000;
  g_autoptr (SlBatch) batch = many_labels (n);
  g_autoptr (GBytes) bytes = write_batch (batch, 1, FALSE);
  gsize size = g_bytes_get_size (bytes);
  g_autofree guint8 *damaged = g_memdup2 (g_bytes_get_data (bytes, NULL), size);
  guint32 footer;
  memcpy (&footer, damaged + size - 8, sizeof footer);
  const gsize from = size - 8 - footer;
  find_number (damaged, size, from, FALSE, (guint64) n)[1] += 2;
  assert_true (g_file_set_contents ("x.parquet", (char *) damaged, (gssize) size, NULL));
  g_autoptr (GError) other = NULL;
  assert_null (sl_reader_open ("x.parquet", &(SlReaderOptions){ .threads = 1 }, &other));
  assert_error (&other, SL_ERROR_INPUT, "is not a whole Parquet file");
  find_number (damaged, size, from, TRUE, (guint64) n)[1] += 2;
  assert_true (g_file_set_contents ("x.parquet", (char *) damaged, (gssize) size, NULL));
  for (int threads = 1; threads <= 2; threads++)
    for (int in_pieces = 0; in_pieces <= 1; in_pieces++)
      {
        g_autoptr (GError) error = NULL;
        assert_in_range (rows_until_refused (threads, in_pieces, &error), 0, n);
        assert_non_null (strstr (error->message, "is damaged after row"));
      }
}

/* Rows of a shard are those of the file. */
static void
test_rows_of_shards (void **state)
{
  (void) state;
  g_autoptr (GError) error = NULL;
  g_autoptr (SlBatch) batch = many_labels (3 * 16384 + 5);
  g_autoptr (GBytes) bytes = written (batch, 1);
  for (int threads = 1; threads <= 2; threads++)
    {
      const SlReaderOptions options = { .threads = threads, .shard = 2, .shards = 2 };
      g_autoptr (SlReader) reader = sl_reader_open ("x.parquet", &options, &error);
      g_autoptr (SlBatch) first = NULL, second = NULL;
      assert_true (sl_reader_next (reader, &first, &error));
      assert_true (sl_reader_next (reader, &second, &error));
      g_autoptr (GError) problem = NULL;
      assert_false (sl_error_row (&problem, second->first_row + 1, "is odd"));
      sl_reader_name_rows (reader, &problem);
      assert_string_equal (problem->message, "x.parquet: row 33793: is odd"); /* 2 * 16384 + 1025 */
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_levels_by_hand),
    cmocka_unit_test (test_long_levels),
    cmocka_unit_test (test_values_that_recur),
    cmocka_unit_test_setup_teardown (test_labels_come_back, setup, teardown),
    cmocka_unit_test_setup_teardown (test_vectors_come_back, setup, teardown),
    cmocka_unit_test_setup_teardown (test_recurring_labels_are_short, setup, teardown),
    cmocka_unit_test_setup_teardown (test_groups_of_too_few_rows, setup, teardown),
    cmocka_unit_test_setup_teardown (test_rows_of_shards, setup, teardown),
  };
  sl_arrow_init ();
  return cmocka_run_group_tests (tests, NULL, NULL);
}
