/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "arrays.h"

#include "pipeline/table/builder-private.h"
#include "pipeline/table/rechunk.h"
#include "pipeline/table/types/types.h"
#include "schemas/annotations.h"

#include <arrow-glib/arrow-glib.h>

#define GONE ((double) NAN)

/* A kind with a column of each type, and of each that may be missing. */
enum
{
  TEXT,
  TEXT_OR_NOT,
  CLASS,
  CLASS_OR_NOT,
  CLASSES,
  CHOICES,
  LABEL,
  BOOL,
  BOOL_OR_NOT,
  INT32,
  INT32_OR_NOT,
  INT64,
  INT64_OR_NOT,
  REAL,
  REAL_OR_NOT,
  FLOAT32,
  FLOAT32_OR_NOT,
  PIXELS,
  VECTOR,
  BINARY,
  BINARY_OR_NOT,
  ABSENT,
  N_COLUMNS,
};

static const SlColumnSpec columns[] = {
  [TEXT] = { "text", SL_TYPE_TEXT, SL_COLUMN_REQUIRED, "" },
  [TEXT_OR_NOT] = { "text?", SL_TYPE_TEXT, SL_COLUMN_NULLABLE, "" },
  [CLASS] = { "class", SL_TYPE_CLASS, SL_COLUMN_REQUIRED, "" },
  [CLASS_OR_NOT] = { "class?", SL_TYPE_CLASS, SL_COLUMN_NULLABLE, "" },
  [CLASSES] = { "classes", SL_TYPE_CLASSES, SL_COLUMN_REQUIRED, "" },
  [CHOICES] = { "choices", SL_TYPE_CHOICES, SL_COLUMN_REQUIRED, "" },
  [LABEL] = { "label", SL_TYPE_LABEL, SL_COLUMN_REQUIRED, "" },
  [BOOL] = { "bool", SL_TYPE_BOOL, SL_COLUMN_REQUIRED, "" },
  [BOOL_OR_NOT] = { "bool?", SL_TYPE_BOOL, SL_COLUMN_NULLABLE, "" },
  [INT32] = { "int32", SL_TYPE_INT32, SL_COLUMN_REQUIRED, "" },
  [INT32_OR_NOT] = { "int32?", SL_TYPE_INT32, SL_COLUMN_NULLABLE, "" },
  [INT64] = { "int64", SL_TYPE_INT64, SL_COLUMN_REQUIRED, "" },
  [INT64_OR_NOT] = { "int64?", SL_TYPE_INT64, SL_COLUMN_NULLABLE, "" },
  [REAL] = { "real", SL_TYPE_REAL, SL_COLUMN_REQUIRED, "" },
  [REAL_OR_NOT] = { "real?", SL_TYPE_REAL, SL_COLUMN_NULLABLE, "" },
  [FLOAT32] = { "float", SL_TYPE_FLOAT32, SL_COLUMN_REQUIRED, "" },
  [FLOAT32_OR_NOT] = { "float?", SL_TYPE_FLOAT32, SL_COLUMN_NULLABLE, "" },
  [PIXELS] = { "pixels", SL_TYPE_TENSOR, SL_COLUMN_REQUIRED, "" },
  [VECTOR] = { "vector", SL_TYPE_TENSOR, SL_COLUMN_REQUIRED, "" },
  [BINARY] = { "binary", SL_TYPE_BINARY, SL_COLUMN_REQUIRED, "" },
  [BINARY_OR_NOT] = { "binary?", SL_TYPE_BINARY, SL_COLUMN_NULLABLE, "" },
  [ABSENT] = { "absent", SL_TYPE_TEXT, SL_COLUMN_OPTIONAL, "" },
  { NULL, 0, 0, NULL },
};

static const SlKind all_types
    = { .name = "all types", .row = "", .invariants = "", .columns = columns };
static const char *const classes[] = { "cat", "dog", "fish", NULL };
#define K 3

/* Tensors of 2 x 3 pixels, and of 2 floats. */
static SlTable *
new_table (void)
{
  g_autoptr (SlTable) table = sl_table_new (&all_types, classes);
  assert_true (
      sl_table_set_tensor (table, PIXELS, SL_NUMBER_UINT8, 2, (const gint64[]){ 2, 3 }, NULL));
  assert_true (
      sl_table_set_tensor (table, VECTOR, SL_NUMBER_FLOAT32, 1, (const gint64[]){ 2 }, NULL));
  return g_steal_pointer (&table);
}

static SlBuilder *
new_builder (void)
{
  g_autoptr (SlTable) table = new_table ();
  return sl_builder_new (table);
}

/* What row I has: every third value is missing where one may be; lists have I % 4 members; texts I
 * % 5 bytes. */
static gboolean
there (gint64 i)
{
  return i % 3 != 1;
}

static const char *
text_of (gint64 i)
{
  static const char *const texts[] = { "", "a", "\xc3\xa9", "\xe7\x8c\xab", "\xf0\x9f\x90\xb1" };
  return texts[i % 5];
}

static double
label_of (gint64 i, int k)
{
  return k == i % K ? 0.75 : 0.125;
}

static void
build_lists (SlBuilder *builder, gint64 i)
{
  for (gint64 j = 0; j < i % 4; j++)
    {
      sl_builder_member (builder, CLASSES, (gint32) ((i + j) % K));
      sl_builder_choice (builder, CHOICES, (gint32) ((i + j) % K),
                         j % 2 == 1 ? GONE : (double) (i + j));
    }
  sl_builder_end_list (builder, CLASSES);
  sl_builder_end_list (builder, CHOICES);
}

static void
build_tensors (SlBuilder *builder, gint64 i)
{
  guint8 *pixels = sl_builder_tensors (builder, PIXELS, 1);
  for (gint64 j = 0; j < 6; j++)
    pixels[j] = (guint8) (i + j);
  float *vector = sl_builder_tensors (builder, VECTOR, 1);
  vector[0] = (float) i / 8;
  vector[1] = -0.1f;
}

/* Of any bytes, 0 to 4 of them. */
static void
build_bytes (SlBuilder *builder, gint64 i)
{
  const char bytes[] = { (char) i, '\0', (char) 0xff, (char) i };
  sl_builder_text (builder, BINARY, bytes, (gsize) (i % 5));
  if (there (i))
    sl_builder_text (builder, BINARY_OR_NOT, bytes, (gsize) (i % 5));
  else
    sl_builder_null (builder, BINARY_OR_NOT);
}

static void
build_row (SlBuilder *builder, gint64 i)
{
  sl_builder_text (builder, TEXT, text_of (i), strlen (text_of (i)));
  if (there (i))
    sl_builder_text (builder, TEXT_OR_NOT, text_of (i), strlen (text_of (i)));
  else
    sl_builder_null (builder, TEXT_OR_NOT);
  sl_builder_class (builder, CLASS, (gint32) (i % K));
  sl_builder_class (builder, CLASS_OR_NOT, there (i) ? (gint32) (i % K) : -1);
  build_lists (builder, i);
  double *label = sl_builder_labels (builder, LABEL, 1);
  for (int k = 0; k < K; k++)
    label[k] = label_of (i, k);
  sl_builder_bool (builder, BOOL, i % 7 == 0);
  sl_builder_int (builder, INT32, -i);
  sl_builder_int (builder, INT64, i << 33);
  sl_builder_real (builder, REAL, i == 2 ? GONE : 0.5 * (double) i);
  sl_builder_real (builder, REAL_OR_NOT, there (i) ? 0.1 * (double) i : GONE);
  sl_builder_float32 (builder, FLOAT32, i == 2 ? (float) GONE : 0.1f * (float) i);
  sl_builder_float32 (builder, FLOAT32_OR_NOT, there (i) ? (float) i : (float) GONE);
  build_tensors (builder, i);
  build_bytes (builder, i);
  if (there (i))
    {
      sl_builder_bool (builder, BOOL_OR_NOT, i % 2);
      sl_builder_int (builder, INT32_OR_NOT, i);
      sl_builder_int (builder, INT64_OR_NOT, -(i << 33));
    }
  else
    {
      sl_builder_null (builder, BOOL_OR_NOT);
      sl_builder_null (builder, INT32_OR_NOT);
      sl_builder_null (builder, INT64_OR_NOT);
    }
}

static void
check_lists (const SlBatch *batch, gint64 row, gint64 i)
{
  const SlColumn *members = &batch->column[CLASSES], *choices = &batch->column[CHOICES];
  assert_int_equal (members->start[row + 1] - members->start[row], i % 4);
  assert_int_equal (choices->start[row + 1] - choices->start[row], i % 4);
  for (gint64 j = 0; j < i % 4; j++)
    {
      assert_int_equal (members->code[members->start[row] + j], (i + j) % K);
      assert_int_equal (choices->code[choices->start[row] + j], (i + j) % K);
      assert_real (choices->real[choices->start[row] + j], j % 2 == 1 ? GONE : (double) (i + j));
    }
}

static void
check_bytes (const SlColumn *column, gint64 row, gint64 i)
{
  gsize length;
  const char *bytes = sl_text_get (column->text, row, &length);
  assert_int_equal (length, i % 5);
  if (length > 0)
    assert_int_equal ((guint8) bytes[0], (guint8) i);
  if (length > 2)
    assert_int_equal ((guint8) bytes[2], 0xff);
}

static void
check_new_types (const SlBatch *batch, gint64 row, gint64 i)
{
  const SlColumn *column = batch->column;
  assert_real (column[FLOAT32].float32[row], i == 2 ? GONE : (double) (0.1f * (float) i));
  assert_real (column[FLOAT32_OR_NOT].float32[row], there (i) ? (double) i : GONE);
  for (gint64 j = 0; j < 6; j++)
    assert_int_equal (column[PIXELS].uint8[row * 6 + j], (guint8) (i + j));
  assert_null (column[PIXELS].float32);
  assert_real (column[VECTOR].float32[row * 2], (double) i / 8);
  assert_real (column[VECTOR].float32[row * 2 + 1], (double) -0.1f);
  assert_null (column[VECTOR].uint8);
  check_bytes (&column[BINARY], row, i);
  if (there (i))
    check_bytes (&column[BINARY_OR_NOT], row, i);
}

static void
check_missing (const SlBatch *batch, gint64 row, gint64 i)
{
  static const int nullable[] = { TEXT_OR_NOT,  CLASS_OR_NOT, BOOL_OR_NOT,    INT32_OR_NOT,
                                  INT64_OR_NOT, REAL_OR_NOT,  FLOAT32_OR_NOT, BINARY_OR_NOT };
  for (gsize c = 0; c < G_N_ELEMENTS (nullable); c++)
    {
      const guint8 *valid = batch->column[nullable[c]].valid;
      assert_int_equal (valid == NULL || valid[row] != 0, there (i));
    }
}

/* Row ROW of BATCH is what build_row() makes of I. */
static void
check_row (const SlBatch *batch, gint64 row, gint64 i)
{
  const SlColumn *column = batch->column;
  assert_text (column[TEXT].text, row, text_of (i));
  assert_text (column[TEXT_OR_NOT].text, row, there (i) ? text_of (i) : "");
  assert_int_equal (column[CLASS].code[row], i % K);
  assert_int_equal (column[CLASS_OR_NOT].code[row], there (i) ? i % K : -1);
  check_lists (batch, row, i);
  for (int k = 0; k < K; k++)
    assert_real (column[LABEL].real[row * K + k], label_of (i, k));
  assert_int_equal (column[BOOL].flag[row], i % 7 == 0);
  assert_int_equal (column[BOOL_OR_NOT].flag[row], there (i) ? i % 2 : 0);
  assert_int_equal (column[INT32].int32[row], -i);
  assert_int_equal (column[INT32_OR_NOT].int32[row], there (i) ? i : 0);
  assert_true (column[INT64].int64[row] == i << 33);
  assert_true (column[INT64_OR_NOT].int64[row] == (there (i) ? -(i << 33) : 0));
  assert_real (column[REAL].real[row], i == 2 ? GONE : 0.5 * (double) i);
  assert_real (column[REAL_OR_NOT].real[row], there (i) ? 0.1 * (double) i : GONE);
  check_new_types (batch, row, i);
  check_missing (batch, row, i);
}

static SlBatch *
take (SlBuilder *builder)
{
  g_autoptr (GError) error = NULL;
  SlBatch *batch = sl_builder_take (builder, &error);
  if (batch == NULL)
    fail_msg ("%s", error->message);
  return batch;
}

static SlBatch *
build (gint64 n)
{
  g_autoptr (SlBuilder) builder = new_builder ();
  for (gint64 i = 0; i < n; i++)
    build_row (builder, i);
  return take (builder);
}

static void
test_every_type (void **state)
{
  (void) state;
  for (gint64 n = 1; n <= 1000; n = n * 2 + 1)
    {
      g_autoptr (SlBatch) batch = build (n);
      assert_int_equal (batch->n_rows, n);
      assert_int_equal (garrow_record_batch_get_n_rows (batch->arrow), n);
      assert_int_equal (garrow_record_batch_get_n_columns (batch->arrow), N_COLUMNS - 1);
      assert_null (batch->column[ABSENT].array);
      for (gint64 i = 0; i < n; i++)
        check_row (batch, i, i);
      for (int c = 0; c < ABSENT; c++)
        {
          g_autoptr (GError) error = NULL;
          if (!garrow_array_validate_full (batch->column[c].array, &error))
            fail_msg ("%s: %s", columns[c].name, error->message);
        }
    }
}

/* Rows collected apart, in pieces of any size, are the same rows; bitmaps are there only where they
 * are needed. */
static void
test_appended (void **state)
{
  (void) state;
  g_autoptr (SlBuilder) builder = new_builder (), piece = new_builder ();
  gint64 n = 0;
  builder->batch_rows = 1000;
  for (gint64 size = 0; size < 40; size += 3)
    {
      for (gint64 i = 0; i < size; i++)
        build_row (piece, n + i);
      if (size % 2 == 0)
        sl_builder_shrink (piece);
      for (gint64 first = 0; first < size;)
        first = sl_builder_append (builder, piece, first, sl_builder_rows (piece));
      n += size;
      sl_builder_clear (piece);
      assert_int_equal (sl_builder_rows (piece), 0);
      assert_int_equal (sl_builder_rows (builder), n);
    }
  g_autoptr (SlBatch) batch = take (builder), whole = build (n);
  for (gint64 i = 0; i < n; i++)
    check_row (batch, i, i);
  for (int c = 0; c < ABSENT; c++)
    for (gint64 i = 0; i < n; i++)
      assert_int_equal (sl_value_compare (batch, i, whole, i, c), 0);
  /* Rows 2 and 3 have all there is, rows 1 and 4 have not. */
  for (gint64 i = 0; i < 5; i++)
    build_row (piece, i);
  sl_builder_append (builder, piece, 2, sl_builder_rows (piece));
  g_autoptr (SlBatch) some = take (builder);
  assert_int_equal (some->n_rows, 3);
  assert_non_null (some->column[CLASS_OR_NOT].valid);
  for (gint64 i = 0; i < 3; i++)
    check_row (some, i, i + 2);
}

static void
test_recoded (void **state)
{
  (void) state;
  static const gint32 next[] = { 1, 2, 0 }, before[] = { 2, 0, 1 };
  static const int with_classes[] = { CLASS, CLASS_OR_NOT, CLASSES, CHOICES };
  g_autoptr (SlBuilder) builder = new_builder (), other = new_builder ();
  for (gint64 i = 0; i < 100; i++)
    {
      build_row (builder, i);
      build_row (other, i);
    }
  for (gsize c = 0; c < G_N_ELEMENTS (with_classes); c++)
    {
      sl_builder_recode (builder, with_classes[c], next);
      sl_builder_recode (other, with_classes[c], next);
      sl_builder_recode (other, with_classes[c], before);
    }
  g_autoptr (SlBatch) batch = take (builder), same = take (other);
  for (gint64 i = 0; i < 100; i++)
    {
      assert_int_equal (batch->column[CLASS].code[i], (i + 1) % K);
      assert_int_equal (batch->column[CLASS_OR_NOT].code[i], there (i) ? (i + 1) % K : -1);
      check_row (same, i, i);
    }
}

/* Texts that lie anywhere in a block, short ones and long ones. */
static void
test_spans (void **state)
{
  (void) state;
  static const char data[] = "short, a text that is longer than sixteen bytes are, \xc3\xa4,,end"
                             "................";
  static const guint32 start[] = { 0, 7, 53, 56, 57 }, end[] = { 5, 51, 55, 56, 60 };
  g_autoptr (SlTable) table = sl_table_new (&sl_annotations, classes);
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  sl_builder_spans (builder, SL_ANNOTATIONS_ITEM, data, start, end, 5);
  sl_builder_spans (builder, SL_ANNOTATIONS_ITEM, data, start, end, 0);
  sl_builder_spans (builder, SL_ANNOTATIONS_ITEM, data, start + 1, end + 1, 2);
  g_autoptr (SlBatch) batch = take (builder);
  SlText text = batch->column[SL_ANNOTATIONS_ITEM].text;
  static const char *const expected[]
      = { "short", "a text that is longer than sixteen bytes are", "\xc3\xa4", "",
          "end",   "a text that is longer than sixteen bytes are", "\xc3\xa4" };
  assert_int_equal (batch->n_rows, 7);
  for (gint64 i = 0; i < 7; i++)
    assert_text (text, i, expected[i]);
}

/* Where nothing is missing there is no bitmap, and nothing to look up. */
static void
test_none_missing (void **state)
{
  (void) state;
  g_autoptr (SlBatch) batch = build (1);
  for (int c = 0; c < ABSENT; c++)
    {
      assert_null (batch->column[c].valid);
      assert_int_equal (garrow_array_get_n_nulls (batch->column[c].array), 0);
    }
}

static void
test_no_rows (void **state)
{
  (void) state;
  g_autoptr (SlBatch) batch = build (0);
  assert_int_equal (batch->n_rows, 0);
  for (int c = 0; c < ABSENT; c++)
    assert_int_equal (garrow_array_get_length (batch->column[c].array), 0);
  assert_int_equal (batch->column[TEXT].text.offset[0], 0);
  assert_int_equal (batch->column[CHOICES].start[0], 0);
  g_autoptr (GError) error = NULL;
  g_autoptr (SlBatch) same = sl_batch_filter (batch, (const guint8 *) "", &error);
  assert_non_null (same);
  assert_int_equal (same->n_rows, 0);
}

/* A builder gives batch after batch; those given live on. */
static void
test_again (void **state)
{
  (void) state;
  g_autoptr (SlBuilder) builder = new_builder ();
  SlBatch *batches[5];
  for (gint64 b = 0; b < 5; b++)
    {
      assert_int_equal (sl_builder_rows (builder), 0);
      for (gint64 i = 0; i < 100 * b; i++)
        build_row (builder, i + b);
      assert_int_equal (sl_builder_rows (builder), 100 * b);
      batches[b] = take (builder);
    }
  for (gint64 b = 0; b < 5; b++)
    {
      assert_int_equal (batches[b]->n_rows, 100 * b);
      for (gint64 i = 0; i < 100 * b; i++)
        check_row (batches[b], i, i + b);
      sl_batch_unref (batches[b]);
    }
}

static const SlColumnSpec two_columns[] = { { "a", SL_TYPE_TEXT, SL_COLUMN_REQUIRED, "" },
                                            { "b", SL_TYPE_CLASS, SL_COLUMN_NULLABLE, "" },
                                            { NULL, 0, 0, NULL } };
static const SlKind two = { .name = "two", .row = "", .invariants = "", .columns = two_columns };

static void
test_room (void **state)
{
  (void) state;
  g_autoptr (SlTable) table = sl_table_new (&two, classes);
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  gint64 full = sl_table_batch_rows (table);
  assert_int_equal (sl_builder_room (builder), full);
  for (gint64 i = 0; i < full + 10; i++)
    {
      assert_int_equal (sl_builder_room (builder), MAX (full - i, 0));
      sl_builder_text (builder, 0, "x", 1);
      sl_builder_class (builder, 1, 0);
    }
  g_autoptr (SlBatch) batch = take (builder);
  assert_int_equal (batch->n_rows, full + 10);
  assert_int_equal (sl_builder_room (builder), full);
}

/* A batch is full by its text too; what no batch can hold is an error when it is taken. */
static void
test_full_of_text (void **state)
{
  (void) state;
  g_autoptr (SlTable) table = sl_table_new (&two, classes);
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  builder->full = 10;
  builder->most = 15;
  const SlText texts = { (const gint32[]){ 0, 4, 12 }, "fourand eight" };
  sl_builder_texts (builder, 0, texts, 0, 1);
  sl_builder_text (builder, 0, "five!", 5);
  assert_true (sl_builder_room (builder) > 0);
  sl_builder_text (builder, 0, "x", 1);
  assert_int_equal (sl_builder_room (builder), 0);
  for (int i = 0; i < 3; i++)
    sl_builder_class (builder, 1, 0);
  g_autoptr (SlBatch) batch = take (builder);
  assert_int_equal (batch->n_rows, 3);
  assert_true (sl_builder_room (builder) > 0);
  g_autoptr (GError) error = NULL;
  sl_builder_texts (builder, 0, texts, 0, 2);
  sl_builder_text (builder, 0, "four", 4);
  assert_int_equal (sl_builder_room (builder), 0);
  assert_null (sl_builder_take (builder, &error));
  assert_true (g_error_matches (error, SL_ERROR, SL_ERROR_INPUT));
}

/* Rows with I % 7 bytes of text, FROM <= I < TO. */
static SlBatch *
rows_of_text (SlBuilder *builder, int from, int to)
{
  for (int i = from; i < to; i++)
    {
      sl_builder_text (builder, 0, "sixsix", (gsize) (i % 7));
      sl_builder_class (builder, 1, 0);
    }
  return take (builder);
}

/* Where chunks end does not depend on how the rows came. */
static void
test_chunks_of_text (void **state)
{
  (void) state;
  g_autoptr (SlTable) table = sl_table_new (&two, classes);
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  for (int step = 1; step <= 40; step++)
    {
      SlRechunk chunks;
      int next = 0;
      sl_rechunk_init (&chunks, 6);
      chunks.full = 14;
      for (int from = 0; from < 40; from += step)
        {
          g_autoptr (SlBatch) rows = rows_of_text (builder, from, MIN (from + step, 40));
          sl_rechunk_push (&chunks, rows->arrow);
          for (;;)
            {
              g_autoptr (GArrowRecordBatch) chunk = NULL;
              assert_true (sl_rechunk_pop (&chunks, from + step >= 40, &chunk, NULL));
              if (chunk == NULL)
                break;
              int n = 0, bytes = 0;
              for (; n < 6 && next + n < 40 && bytes + (next + n) % 7 <= 14; n++)
                bytes += (next + n) % 7;
              assert_int_equal (garrow_record_batch_get_n_rows (chunk), n);
              next += n;
            }
        }
      assert_int_equal (next, 40);
      sl_rechunk_clear (&chunks);
    }
}

/* Many at once are the same as one by one. */
static void
test_many_at_once (void **state)
{
  (void) state;
  static const gint32 some[] = { 2, 0, 1, 1 }, gaps[] = { 1, -1, 0, -5 };
  static const gint32 offset[] = { 5, 5, 8, 8, 10 }; /* "", "abc", "", "de" */
  SlText texts = { offset, "01234abcde" };
  g_autoptr (SlTable) table = sl_table_new (&two, classes);
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  sl_builder_texts (builder, 0, texts, 0, 0);
  sl_builder_classes (builder, 1, some, 0);
  assert_int_equal (sl_builder_rows (builder), 0);
  sl_builder_texts (builder, 0, texts, 0, 4);
  sl_builder_classes (builder, 1, some, 4);
  sl_builder_texts (builder, 0, texts, 1, 2);
  sl_builder_texts (builder, 0, texts, 3, 1);
  sl_builder_text (builder, 0, "x\0y", 3);
  sl_builder_classes (builder, 1, gaps, 4);
  sl_builder_texts (builder, 0, texts, 0, 4);
  sl_builder_classes (builder, 1, some, 4);
  g_autoptr (SlBatch) batch = take (builder);
  assert_int_equal (batch->n_rows, 12);
  static const char *const wanted_text[]
      = { "", "abc", "", "de", "abc", "", "de", NULL, "", "abc", "", "de" };
  static const gint32 wanted_code[] = { 2, 0, 1, 1, 1, -1, 0, -1, 2, 0, 1, 1 };
  for (int i = 0; i < 12; i++)
    {
      if (wanted_text[i] != NULL)
        assert_text (batch->column[0].text, i, wanted_text[i]);
      assert_int_equal (batch->column[1].code[i], wanted_code[i]);
    }
  gsize n;
  assert_memory_equal (sl_text_get (batch->column[0].text, 7, &n), "x\0y", 3);
  assert_int_equal (n, 3);
}

static void
test_labels_begin_at_zero (void **state)
{
  (void) state;
  static const SlColumnSpec label[]
      = { { "l", SL_TYPE_LABEL, SL_COLUMN_REQUIRED, "" }, { NULL, 0, 0, NULL } };
  static const SlKind kind = { .name = "l", .row = "", .invariants = "", .columns = label };
  g_autoptr (SlTable) table = sl_table_new (&kind, classes);
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  for (int round = 0; round < 3; round++)
    {
      double *values = sl_builder_labels (builder, 0, 5000);
      for (int j = 0; j < 5000 * K; j++)
        assert_real (values[j], 0);
      memset (values, 0xff, sizeof (double) * 5000 * K);
      values = sl_builder_labels (builder, 0, 2);
      for (int j = 0; j < 2 * K; j++)
        assert_real (values[j], 0);
      g_autoptr (SlBatch) batch = take (builder);
      assert_int_equal (batch->n_rows, 5002);
      assert_true (isnan (batch->column[0].real[5000 * K - 1]));
      assert_real (batch->column[0].real[5000 * K], 0);
    }
}

/* Columns of another batch, taken over as they are; mixed with new ones; after the other batch is
 * gone. */
static void
test_shared (void **state)
{
  (void) state;
  SlBatch *from = build (50);
  g_autoptr (SlBuilder) builder = sl_builder_new (from->table);
  SlBatch *batches[2];
  for (int round = 0; round < 2; round++)
    {
      for (int c = 0; c < ABSENT; c++)
        sl_builder_share (builder, c, from, c);
      assert_int_equal (sl_builder_rows (builder), 50);
      batches[round] = take (builder);
    }
  assert_ptr_equal (batches[0]->column[LABEL].real, from->column[LABEL].real);
  assert_ptr_equal (batches[0]->column[TEXT].text.data, from->column[TEXT].text.data);
  sl_batch_unref (from);
  for (int round = 0; round < 2; round++)
    {
      for (gint64 i = 0; i < 50; i++)
        check_row (batches[round], i, i);
      sl_batch_unref (batches[round]);
    }
  g_autoptr (SlTable) table = sl_table_new (&two, classes);
  g_autoptr (SlBatch) source = build (3);
  g_autoptr (SlBuilder) mixed = sl_builder_new (table);
  sl_builder_share (mixed, 0, source, TEXT_OR_NOT);
  for (int i = 0; i < 3; i++)
    sl_builder_class (mixed, 1, i - 1);
  g_autoptr (SlBatch) batch = take (mixed);
  assert_text (batch->column[0].text, 2, text_of (2));
  assert_int_equal (batch->column[1].code[0], -1);
  assert_int_equal (batch->column[1].code[2], 1);
  /* A builder that is freed with something shared in it lets go of it. */
  sl_builder_share (mixed, 0, source, TEXT);
}

static void
test_filter (void **state)
{
  (void) state;
  g_autoptr (SlBatch) batch = build (200);
  for (int mode = 0; mode < 4; mode++)
    {
      guint8 keep[200], alternate[200];
      gint64 rows[200], n = 0;
      for (int i = 0; i < 200; i++)
        {
          static const guint8 all[] = { 0, 255 };
          keep[i] = (guint8) (mode < 2 ? all[mode] : mode == 2 ? 2 * (i % 5 == 0) : i > 150);
          alternate[i] = i % 2;
          if (keep[i])
            rows[n++] = i;
        }
      g_autoptr (GError) error = NULL;
      g_autoptr (SlBatch) kept = sl_batch_filter (batch, keep, &error);
      assert_non_null (kept);
      assert_int_equal (kept->n_rows, n);
      for (gint64 row = 0; row < n; row++)
        check_row (kept, row, rows[row]);
      g_autoptr (SlBatch) twice = sl_batch_filter (kept, alternate, &error);
      assert_non_null (twice);
      assert_int_equal (twice->n_rows, n / 2);
      for (gint64 row = 0; row < n / 2; row++)
        check_row (twice, row, rows[2 * row + 1]);
    }
}

/* A batch over a slice of a record batch, whose arrays begin in the middle of their memory. */
static void
test_slices (void **state)
{
  (void) state;
  g_autoptr (SlBatch) whole = build (100);
  for (gint64 offset = 0; offset < 100; offset += 13)
    for (gint64 n = 0; n + offset <= 100; n += 29)
      {
        g_autoptr (GArrowRecordBatch) slice = garrow_record_batch_slice (whole->arrow, offset, n);
        g_autoptr (GError) error = NULL;
        g_autoptr (SlBatch) batch = sl_batch_new (whole->table, slice, offset, &error);
        assert_non_null (batch);
        assert_int_equal (batch->n_rows, n);
        assert_int_equal (batch->first_row, offset);
        for (gint64 i = 0; i < n; i++)
          check_row (batch, i, offset + i);
        /* And on from there: shared, filtered. */
        g_autoptr (SlBuilder) builder = sl_builder_new (whole->table);
        for (int c = 0; c < ABSENT; c++)
          sl_builder_share (builder, c, batch, c);
        g_autoptr (SlBatch) copy = take (builder);
        guint8 keep[100];
        for (int i = 0; i < 100; i++)
          keep[i] = i % 2;
        g_autoptr (SlBatch) odd = sl_batch_filter (copy, keep, &error);
        assert_non_null (odd);
        assert_int_equal (odd->n_rows, n / 2);
        for (gint64 row = 0; row < odd->n_rows; row++)
          check_row (odd, row, offset + 2 * row + 1);
      }
}

static void
test_bytes (void **state)
{
  (void) state;
  g_autoptr (SlTable) table = sl_table_new (&two, classes);
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  for (int i = 0; i < 10; i++)
    {
      sl_builder_text (builder, 0, "12345", 5);
      sl_builder_class (builder, 1, 0);
    }
  g_autoptr (SlBatch) batch = take (builder);
  assert_int_equal (sl_batch_bytes (batch), 10 * (4 + 5) + 10 * 4);
  g_autoptr (SlBatch) large = build (1000);
  /* 3 labels, 3 integers of 8 bytes and two reals a row are more than half of it. */
  assert_in_range (sl_batch_bytes (large), 1000 * (3 * 8 + 4 * 8), 1000 * 256);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_every_type),   cmocka_unit_test (test_appended),
    cmocka_unit_test (test_recoded),      cmocka_unit_test (test_spans),
    cmocka_unit_test (test_none_missing), cmocka_unit_test (test_no_rows),
    cmocka_unit_test (test_again),        cmocka_unit_test (test_room),
    cmocka_unit_test (test_full_of_text), cmocka_unit_test (test_chunks_of_text),
    cmocka_unit_test (test_many_at_once), cmocka_unit_test (test_labels_begin_at_zero),
    cmocka_unit_test (test_shared),       cmocka_unit_test (test_filter),
    cmocka_unit_test (test_slices),       cmocka_unit_test (test_bytes),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
