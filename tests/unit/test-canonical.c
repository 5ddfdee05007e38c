/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables as pandas, pyarrow, Polars, DuckDB and damaged files have them, made canonical or
 * refused. */
#include "arrays.h"

#include "pipeline/table/missing.h"
#include "schemas/annotations.h"
#include "schemas/labels.h"

#include <arrow-glib/arrow-glib.h>

#define CLASSES "[\"cat\",\"dog\",\"fish\"]"
static const char *const classes[] = { "cat", "dog", "fish", NULL };

/* RAW, taken over, as a canonical batch, checked as the reader does. */
static SlBatch *
canonical (GArrowRecordBatch *raw, GError **error)
{
  g_autoptr (GArrowRecordBatch) owned = raw;
  g_autoptr (GArrowSchema) raw_schema = garrow_record_batch_get_schema (owned);
  g_autoptr (SlTable) table = sl_table_from_schema (raw_schema, NULL, NULL, error);
  if (table == NULL)
    return NULL;
  g_autoptr (GArrowSchema) schema = sl_table_to_schema (table);
  g_autoptr (GArrowRecordBatch) arrow = sl_canonical (table, schema, owned, 100, error);
  if (arrow == NULL)
    return NULL;
  if (!garrow_record_batch_validate_full (arrow, error))
    fail_msg ("what is called canonical is not valid: %s", (*error)->message);
  g_autoptr (SlBatch) batch = sl_batch_new (table, arrow, 100, error);
  return batch != NULL && table->kind->check (batch, error) ? g_steal_pointer (&batch) : NULL;
}

static SlBatch *
accepts (GArrowRecordBatch *raw)
{
  g_autoptr (GError) error = NULL;
  SlBatch *batch = canonical (raw, &error);
  if (batch == NULL)
    fail_msg ("%s", error->message);
  return batch;
}

static void
refuses (GArrowRecordBatch *raw, const char *part)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SlBatch) batch = canonical (raw, &error);
  if (batch != NULL)
    fail_msg ("accepted; expected '%s'", part);
  assert_error (&error, SL_ERROR_INPUT, part);
}

/* Two labels, but for what the columns named here replace. */
static GArrowRecordBatch *
labels (const char *name, GArrowArray *array)
{
  struct
  {
    const char *name;
    GArrowArray *array;
  } columns[] = { { "item", TEXTS ("a", "b") },
                  { "label", make_fixed_list (REALS (.5, .25, .25, 0, 1, 0), 3) },
                  { "weight", REALS (1, 2.5) },
                  { "gold", make_dictionary (INTS (TYPE (int32), 2, MISSING),
                                             TEXTS ("cat", "dog", "fish")) } };
  for (gsize i = 0; i < G_N_ELEMENTS (columns); i++)
    if (g_strcmp0 (columns[i].name, name) == 0)
      {
        g_object_unref (columns[i].array);
        columns[i].array = array;
      }
  /* In another order than the kind's. */
  return make_batch ("labels", CLASSES, "gold", columns[3].array, "weight", columns[2].array,
                     "item", columns[0].array, "label", columns[1].array, NULL);
}

static void
check_labels (GArrowRecordBatch *raw)
{
  g_autoptr (SlBatch) batch = accepts (raw);
  SlLabels view = sl_labels_view (batch);
  assert_int_equal (view.n, 2);
  assert_text (view.item, 0, "a");
  assert_text (view.item, 1, "b");
  static const double wanted[] = { .5, .25, .25, 0, 1, 0 };
  for (gsize i = 0; i < G_N_ELEMENTS (wanted); i++)
    assert_real (view.label[i], wanted[i]);
  assert_real (view.weight[0], 1);
  assert_int_equal (view.gold[0], 2);
  assert_int_equal (view.gold[1], -1);
}

static GArrowArray *
large_list (GArrowArray *list)
{
  g_autoptr (GArrowDataType) type = garrow_array_get_value_data_type (list);
  g_autoptr (GArrowField) field = garrow_list_data_type_get_field (GARROW_LIST_DATA_TYPE (type));
  return cast_to (list, GARROW_DATA_TYPE (garrow_large_list_data_type_new (field)));
}

static void
test_texts (void **state)
{
  (void) state;
  check_labels (labels (NULL, NULL));
  check_labels (labels ("item", cast_to (TEXTS ("a", "b"), TYPE (large_string))));
  check_labels (labels ("item", make_dictionary (INTS (TYPE (int8), 1, 0), TEXTS ("b", "a"))));
  check_labels (labels ("item", make_dictionary (INTS (TYPE (uint32), 1, 0),
                                                 cast_to (TEXTS ("b", "a"), TYPE (large_string)))));
  refuses (labels ("item", TEXTS ("a", NULL)), "row 102: column 'item' has no value");
  refuses (labels ("item", make_dictionary (INTS (TYPE (int8), 0, MISSING), TEXTS ("a"))),
           "row 102: column 'item' has no value");
  refuses (labels ("item", make_dictionary (INTS (TYPE (int8), 0, 1), TEXTS ("a", NULL))),
           "row 102: column 'item' has no value");
  refuses (labels ("item", make_dictionary (INTS (TYPE (int8), 0, 9), TEXTS ("a"))),
           "row 102: column 'item' is damaged");
  refuses (labels ("item", TEXTS ("a", "caf\xe9")), "row 102: column 'item' is not UTF-8");
  refuses (labels ("item", TEXTS ("caf\xe9", "a")), "row 101: column 'item' is not UTF-8");
  /* Numbers for names. */
  g_autoptr (SlBatch) batch = accepts (labels ("item", INTS (TYPE (int16), -7, 12)));
  assert_text (batch->column[SL_LABELS_ITEM].text, 0, "-7");
  assert_text (batch->column[SL_LABELS_ITEM].text, 1, "12");
}

static void
test_gold (void **state)
{
  (void) state;
  check_labels (labels ("gold", make_dictionary (INTS (TYPE (int32), 0, MISSING), TEXTS ("fish"))));
  check_labels (labels (
      "gold", make_dictionary (INTS (TYPE (int8), 0, MISSING), TEXTS ("fish", "dog", "cat"))));
  check_labels (labels (
      "gold", make_dictionary (INTS (TYPE (uint64), 2, MISSING), TEXTS ("cat", "dog", "fish"))));
  check_labels (
      labels ("gold", make_dictionary (INTS (TYPE (int32), 1, MISSING), TEXTS ("horse", "fish"))));
  check_labels (labels ("gold", TEXTS ("fish", NULL)));
  check_labels (labels ("gold", cast_to (TEXTS ("fish", NULL), TYPE (large_string))));
  /* Missing by its entry in the dictionary, not by its code. */
  check_labels (labels ("gold", make_dictionary (INTS (TYPE (int32), 0, 1), TEXTS ("fish", NULL))));
  check_labels (labels (
      "gold", make_dictionary (INTS (TYPE (int32), 2, 3), TEXTS ("cat", "dog", "fish", NULL))));
  refuses (labels ("gold", TEXTS ("fish", "horse")),
           "row 102: column 'gold' has 'horse', which is none of the table's classes");
  refuses (labels ("gold", make_dictionary (INTS (TYPE (int8), 0, 1), TEXTS ("fish", "fis"))),
           "row 102: column 'gold' has 'fis'");
  refuses (
      labels ("gold", make_dictionary (INTS (TYPE (int32), 3, 0), TEXTS ("cat", "dog", "fish"))),
      "column 'gold' is damaged");
  refuses (
      labels ("gold", make_dictionary (INTS (TYPE (int32), 0, -2), TEXTS ("cat", "dog", "fish"))),
      "column 'gold' is damaged");
  refuses (labels ("gold", TEXTS ("fish", "")), "has ''");
}

static void
test_label (void **state)
{
  (void) state;
  check_labels (labels ("label", LIST (REALS (.5, .25, .25, 0, 1, 0), 0, 3, 6)));
  check_labels (labels ("label", large_list (LIST (REALS (.5, .25, .25, 0, 1, 0), 0, 3, 6))));
  check_labels (
      labels ("label", LIST (cast_to (REALS (.5, .25, .25, 0, 1, 0), TYPE (float)), 0, 3, 6)));
  check_labels (labels ("label", LIST (REALS (9, .5, .25, .25, 0, 1, 0, 9), 1, 4, 7)));
  check_labels (
      labels ("label", make_fixed_list (cast_to (REALS (.5, .25, .25, 0, 1, 0), TYPE (float)), 3)));
  g_autoptr (SlBatch) batch
      = accepts (labels ("label", LIST (INTS (TYPE (int64), 0, 1, 0, 0, 0, 1), 0, 3, 6)));
  assert_real (sl_labels_view (batch).label[5], 1);
  /* As float32, a third is not quite one; the sum's tolerance is made for that. */
  g_autoptr (SlBatch) thirds = accepts (labels (
      "label", LIST (cast_to (REALS (1 / 3., 1 / 3., 1 / 3., .1, .2, .7), TYPE (float)), 0, 3, 6)));
  assert_real (sl_labels_view (thirds).label[0], (double) (float) (1 / 3.));
}

static void
test_bad_labels (void **state)
{
  (void) state;
  static const double nan = (double) NAN, inf = (double) INFINITY;
  refuses (labels ("label", LIST (REALS (.5, .5, 0, 1), 0, 3, 4)),
           "row 102: column 'label' has 1 probabilities for 3 classes");
  refuses (labels ("label", LIST (REALS (.5, .5, 0, .5, .5, 0, 0), 0, 3, 7)),
           "row 102: column 'label' has 4 probabilities");
  refuses (labels ("label", LIST (REALS (.5, .5, 0), 0, 3, 3)),
           "row 102: column 'label' has 0 probabilities");
  refuses (labels ("label", make_fixed_list (REALS (.5, .5, 1, 0), 2)),
           "row 101: column 'label' has 2 probabilities for 3 classes");
  refuses (
      labels ("label", make_list_without (REALS (.5, .5, 0), (const gint32[]){ 0, 3, 3 }, 2, 1)),
      "row 102: column 'label' has no value");
  refuses (labels ("label", make_fixed_list (REALS (.5, .5, 0, 1, MISSING_REAL, 0), 3)),
           "row 102: column 'label' has a missing probability");
  refuses (labels ("label", LIST (REALS (.5, MISSING_REAL, .5, 1, 0, 0), 0, 3, 6)),
           "row 101: column 'label' has a missing probability");
  refuses (labels ("label", make_fixed_list (REALS (1, 0, 0, .5, .4, 0), 3)),
           "row 102: label sums to 0.9, not to 1");
  refuses (labels ("label", make_fixed_list (REALS (1, 0, 0, 1, 2e-6, 0), 3)),
           "row 102: label sums to 1.000002, not to 1");
  refuses (labels ("label", make_fixed_list (REALS (0, 0, 0, 1, 0, 0), 3)),
           "row 101: label sums to 0, not to 1");
  refuses (labels ("label", make_fixed_list (REALS (1, 0, 0, nan, 1, 0), 3)),
           "row 102: label sums to nan");
  refuses (labels ("label", make_fixed_list (REALS (inf, 0, 0, 1, 0, 0), 3)),
           "row 101: label sums to inf");
  refuses (labels ("label", make_fixed_list (REALS (inf, -inf, 1, 1, 0, 0), 3)), "row 101: label");
  refuses (labels ("label", make_fixed_list (REALS (1, 0, 0, 1.25, -.25, 0), 3)),
           "row 102: label has a negative probability, -0.25");
  refuses (labels ("label", LIST (TEXTS ("1", "0", "x", "1", "0", "0"), 0, 3, 6)),
           "column 'label'");
}

static void
test_weights (void **state)
{
  (void) state;
  check_labels (labels ("weight", cast_to (REALS (1, 2.5), TYPE (float))));
  g_autoptr (SlBatch) batch = accepts (labels ("weight", INTS (TYPE (int32), 0, 51)));
  assert_real (sl_labels_view (batch).weight[1], 51);
  refuses (labels ("weight", REALS (MISSING_REAL, 1)), "row 101: column 'weight' has no value");
  refuses (labels ("weight", REALS (1, -1)), "row 102: weight is -1");
  refuses (labels ("weight", REALS (1, (double) NAN)), "row 102: weight is nan");
  refuses (labels ("weight", REALS (0x1p-101, 1)), "row 101: weight is 3.9");
  refuses (labels ("weight", REALS (1, 0x1.1p100)), "row 102: weight is 1.3");
  g_autoptr (SlBatch) wide = accepts (labels ("weight", REALS (0x1p-100, 0x1p100)));
  g_autoptr (SlBatch) zero = accepts (labels ("weight", REALS (-0., 0)));
  refuses (labels ("weight", REALS (1, (double) INFINITY)), "row 102: weight is inf");
}

/* What says that values are missing, but not which. */
static void
test_wrong_counts (void **state)
{
  (void) state;
  static const double six[] = { 1, 0, 0, 1, 0, 0 };
  guint8 all[8];
  memset (all, 0xff, sizeof all);
  g_autoptr (GArrowBuffer) values = garrow_buffer_new ((const guint8 *) six, sizeof six);
  g_autoptr (GArrowBuffer) bitmap = garrow_buffer_new (all, sizeof all);
  refuses (labels ("weight", GARROW_ARRAY (garrow_double_array_new (2, values, bitmap, 1))),
           "column 'weight' is damaged");
  GArrowArray *reals = GARROW_ARRAY (garrow_double_array_new (6, values, bitmap, 2));
  refuses (labels ("label", make_fixed_list (reals, 3)), "column 'label' is damaged");
}

/* The last three of four values of TYPE, which is taken over; the second of them is missing,
 * whatever VALUES, of 64 bytes, has there. Bits of no value are set. */
static GArrowArray *
with_leftovers (GArrowDataType *type, int n_buffers, const void *values, const void *texts)
{
  static const guint8 there[64] = { 0xfb }; /* 1, 1, 0, 1 */
  const void *const all[] = { there, values, texts };
  struct ArrowArray c;
  sl_carray_init (&c, 4, n_buffers, 0);
  c.null_count = 1;
  for (int b = 0; b < n_buffers; b++)
    sl_carray_set (&c, b, copy_bytes (all[b], 64));
  g_autoptr (GArrowArray) whole = import_array (&c, type);
  return garrow_array_slice (whole, 1, 3);
}

/* The values of ARRAY, cleared, begin with those of EXPECTED[n] bytes; what is clear stays as it
 * is. / */
static void
clears (GArrowArray *array, const void *expected, gsize n, gsize width)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArrowArray) owned = array;
  g_autoptr (GArrowArray) clear = sl_clear_missing (owned, &error);
  assert_non_null (clear);
  assert_true (garrow_array_equal (owned, clear));
  assert_int_equal (garrow_array_get_n_nulls (clear), 1);
  struct ArrowArray c, same;
  assert_true (sl_carray_export (clear, &c, &error));
  assert_memory_equal ((const char *) c.buffers[1] + (gsize) c.offset * width, expected, n);
  assert_int_equal (*(const guint8 *) c.buffers[0] >> (c.offset + 3), 0);
  g_autoptr (GArrowArray) again = sl_clear_missing (clear, &error);
  assert_true (sl_carray_export (again, &same, &error));
  assert_ptr_equal (same.buffers[1], c.buffers[1]);
  sl_carray_release (&same);
  sl_carray_release (&c);
}

/* Readers leave below missing values what they like. */
static void
test_leftovers (void **state)
{
  (void) state;
  static const double reals[8] = { 5, 1, 77, 3 };
  static const double clear_reals[] = { 1, 0, 3 };
  clears (with_leftovers (TYPE (double), 2, reals, NULL), clear_reals, sizeof clear_reals, 8);
  static const gint32 ints[16] = { 5, 1, -1, 3 };
  static const gint32 clear_ints[] = { 1, 0, 3 };
  clears (with_leftovers (TYPE (int32), 2, ints, NULL), clear_ints, sizeof clear_ints, 4);
  static const gint32 offsets[16] = { 0, 1, 3, 6, 8 };
  static const gint32 clear_offsets[] = { 0, 2, 2, 4 };
  clears (with_leftovers (TYPE (string), 3, offsets,
                          "abbcccdd"
                          "........................................"
                          "................"),
          clear_offsets, sizeof clear_offsets, 4);
}

static void
test_bools_left_over (void **state)
{
  (void) state;
  static const guint8 all[64] = { 0xff };
  g_autoptr (GError) error = NULL;
  g_autoptr (GArrowArray) array = with_leftovers (TYPE (boolean), 2, all, NULL);
  g_autoptr (GArrowArray) clear = sl_clear_missing (array, &error);
  struct ArrowArray c;
  assert_true (sl_carray_export (clear, &c, &error));
  assert_int_equal (*(const guint8 *) c.buffers[1] >> c.offset, 5);
  sl_carray_release (&c);
  g_autoptr (GArrowArray) again = sl_clear_missing (clear, &error);
  assert_true (garrow_array_equal (clear, again));
}

/* Three answers, but for what replaces a column. */
static GArrowRecordBatch *
answers (const char *name, GArrowArray *array)
{
  GArrowArray *choices = g_strcmp0 (name, "choices") == 0
                             ? g_object_ref (array)
                             : LIST (make_pairs ("class",
                                                 make_dictionary (INTS (TYPE (int32), 2, 0, 1, 0),
                                                                  TEXTS ("cat", "dog", "fish")),
                                                 "percent", REALS (60, 30, MISSING_REAL, 100)),
                                     0, 2, 3, 4);
  GArrowArray *impossible
      = g_strcmp0 (name, "impossible") == 0
            ? g_object_ref (array)
            : LIST (make_dictionary (INTS (TYPE (int32), 1, 1, 2), TEXTS ("cat", "dog", "fish")), 0,
                    0, 1, 3);
  g_clear_object (&array);
  return make_batch ("annotations", CLASSES, "impossible", impossible, "choices", choices, "item",
                     TEXTS ("a", "b", "c"), NULL);
}

static void
check_answers (GArrowRecordBatch *raw)
{
  g_autoptr (SlBatch) batch = accepts (raw);
  SlAnnotations view = sl_annotations_view (batch);
  static const gint32 start[] = { 0, 2, 3, 4 }, choice[] = { 2, 0, 1, 0 },
                      out_start[] = { 0, 0, 1, 3 }, out[] = { 1, 1, 2 };
  static const double percent[] = { 60, 30, (double) NAN, 100 };
  assert_int_equal (view.n, 3);
  for (int i = 0; i < 4; i++)
    {
      assert_int_equal (view.start[i] - view.start[0], start[i]);
      assert_int_equal (view.impossible_start[i] - view.impossible_start[0], out_start[i]);
      assert_int_equal (view.choice[view.start[0] + i], choice[i]);
      assert_real (view.percent[view.start[0] + i], percent[i]);
    }
  for (int i = 0; i < 3; i++)
    assert_int_equal (view.impossible[view.impossible_start[0] + i], out[i]);
}

/* PAIRS with the second one missing as a whole. */
static GArrowArray *
without_second (GArrowArray *pairs)
{
  g_autoptr (GArrowArray) owned = pairs;
  g_autoptr (GArrowDataType) type = garrow_array_get_value_data_type (pairs);
  g_autolist (GArrowArray) fields = garrow_struct_array_get_fields (GARROW_STRUCT_ARRAY (pairs));
  static const guint8 bits[] = { 0xfd };
  g_autoptr (GArrowBuffer) bitmap = garrow_buffer_new (bits, 1);
  return GARROW_ARRAY (
      garrow_struct_array_new (type, garrow_array_get_length (pairs), fields, bitmap, 1));
}

static void
test_choices (void **state)
{
  (void) state;
#define NAMES "cat", "dog", "fish"
  check_answers (answers (NULL, NULL));
  check_answers (
      answers ("choices", LIST (make_pairs ("class", TEXTS ("fish", "cat", "dog", "cat"), "percent",
                                            REALS (60, 30, MISSING_REAL, 100)),
                                0, 2, 3, 4)));
  check_answers (answers (
      "choices",
      LIST (make_pairs (
                "percent", cast_to (REALS (60, 30, MISSING_REAL, 100), TYPE (float)), "class",
                make_dictionary (INTS (TYPE (int16), 0, 2, 1, 2), TEXTS ("fish", "dog", "cat"))),
            0, 2, 3, 4)));
  check_answers (answers (
      "choices", large_list (LIST (make_pairs ("class", TEXTS ("fish", "cat", "dog", "cat"),
                                               "percent", INTS (TYPE (int8), 60, 30, MISSING, 100)),
                                   0, 2, 3, 4))));
  /* Members before and after those of the rows at hand. */
  check_answers (answers (
      "choices",
      LIST (make_pairs ("class",
                        make_dictionary (INTS (TYPE (int32), 1, 2, 0, 1, 0, 1), TEXTS (NAMES)),
                        "percent", REALS (1, 60, 30, MISSING_REAL, 100, 2)),
            1, 3, 4, 5)));
  check_answers (answers (
      "choices", LIST (make_pairs ("class", TEXTS ("horse", "fish", "cat", "dog", "cat", "horse"),
                                   "percent", REALS (1, 60, 30, MISSING_REAL, 100, 2)),
                       1, 3, 4, 5)));
  refuses (answers ("choices", LIST (make_pairs ("class", TEXTS ("fish", "cat", "dog", "horse"),
                                                 "percent", REALS (1, 2, 3, 4)),
                                     0, 2, 3, 4)),
           "row 103: column 'choices' has 'horse', which is none of the table's classes");
  refuses (answers ("choices", LIST (make_pairs ("class", TEXTS ("fish", NULL, "dog", "cat"),
                                                 "percent", REALS (1, 2, 3, 4)),
                                     0, 2, 3, 4)),
           "row 101: column 'choices' has a choice without a class");
  refuses (answers ("choices",
                    LIST (without_second (make_pairs ("class", TEXTS ("fish", "", "dog", "cat"),
                                                      "percent", REALS (1, 2, 3, 4))),
                          0, 1, 3, 4)),
           "row 102: column 'choices' has a choice that is missing");
  refuses (answers ("choices", LIST (make_pairs ("class", TEXTS ("fish", "cat", "dog", "cat"),
                                                 "percent", REALS (1, 2, 3, (double) -INFINITY)),
                                     0, 2, 3, 4)),
           "row 103: column 'choices' has a percent that is infinite");
  refuses (answers ("choices",
                    LIST (make_pairs ("class", TEXTS ("fish", "cat"), "percent", REALS (1, 2)), 0,
                          2, 2, 2)),
           "row 102: column 'choices' is empty");
  refuses (answers ("choices", make_list_without (make_pairs ("class", TEXTS ("fish", "cat"),
                                                              "percent", REALS (1, 2)),
                                                  (const gint32[]){ 0, 1, 1, 2 }, 3, 1)),
           "row 102: column 'choices' has a missing list");
  refuses (answers ("choices", LIST (TEXTS ("fish", "cat", "dog"), 0, 1, 2, 3)),
           "column 'choices' is not a list of (class, percent)");
  refuses (answers ("choices", LIST (make_pairs ("class", TEXTS ("fish", "cat", "dog"), "per cent",
                                                 REALS (1, 2, 3)),
                                     0, 1, 2, 3)),
           "column 'choices' lacks 'class' or 'percent'");
  refuses (answers ("choices", LIST (make_pairs ("class", TEXTS ("fish", "cat", "dog"), "percent",
                                                 TEXTS ("1", "2", "x")),
                                     0, 1, 2, 3)),
           "column 'choices'");
}

static void
test_impossible (void **state)
{
  (void) state;
  check_answers (answers ("impossible", LIST (TEXTS ("dog", "dog", "fish"), 0, 0, 1, 3)));
  check_answers (
      answers ("impossible", large_list (LIST (TEXTS ("dog", "dog", "fish"), 0, 0, 1, 3))));
  check_answers (answers (
      "impossible",
      LIST (make_dictionary (INTS (TYPE (int8), 1, 1, 0), TEXTS ("fish", "dog")), 0, 0, 1, 3)));
  check_answers (answers (
      "impossible",
      LIST (cast_to (TEXTS ("cat", "dog", "dog", "fish"), TYPE (large_string)), 1, 1, 2, 4)));
  refuses (answers ("impossible", LIST (TEXTS ("dog", "dog", "horse"), 0, 0, 1, 3)),
           "row 103: column 'impossible' has 'horse'");
  refuses (answers ("impossible", make_list_without (TEXTS ("dog", "dog", "fish"),
                                                     (const gint32[]){ 0, 0, 1, 3 }, 3, 0)),
           "row 101: column 'impossible' has a missing list; an empty one is meant by []");
  refuses (answers ("impossible", LIST (TEXTS ("dog", NULL, "fish"), 0, 0, 1, 3)),
           "row 103: column 'impossible' has a missing class in a list");
  refuses (answers ("impossible",
                    LIST (make_dictionary (INTS (TYPE (int32), 0, MISSING, 1), TEXTS (NAMES)), 0, 0,
                          1, 3)),
           "row 103: column 'impossible' has a missing class in a list");
}

/* All rows from the middle of longer arrays. */
static void
test_slices (void **state)
{
  (void) state;
  GArrowRecordBatch *longer = make_batch (
      "annotations", CLASSES, "item", TEXTS ("z", "a", "b", "c", "z"), "choices",
      LIST (make_pairs ("class",
                        make_dictionary (INTS (TYPE (int16), 1, 0, 2, 1, 2, 1),
                                         TEXTS ("fish", "dog", "cat")),
                        "percent", REALS (1, 60, 30, MISSING_REAL, 100, 2)),
            0, 1, 3, 4, 5, 6),
      "impossible", LIST (TEXTS ("cat", "dog", "dog", "fish", "cat"), 0, 1, 1, 2, 4, 5), NULL);
  check_answers (garrow_record_batch_slice (longer, 1, 3));
  g_object_unref (longer);
  longer = make_batch (
      "labels", CLASSES, "item", TEXTS ("z", "a", "b"), "label",
      make_fixed_list (cast_to (REALS (9, 9, 9, .5, .25, .25, 0, 1, 0), TYPE (float)), 3), "weight",
      REALS (MISSING_REAL, 1, 2.5), "gold", TEXTS ("horse", "fish", NULL), NULL);
  check_labels (garrow_record_batch_slice (longer, 1, 2));
  g_object_unref (longer);
  longer = make_batch (
      "labels", CLASSES, "item", TEXTS ("z", "a", "b"), "label",
      make_fixed_list (REALS (9, 9, 9, .5, .25, .25, 0, 1, 0), 3), "weight",
      REALS (MISSING_REAL, 1, 2.5), "gold",
      make_dictionary (INTS (TYPE (int32), 0, 2, MISSING), TEXTS ("cat", "dog", "fish")), NULL);
  check_labels (garrow_record_batch_slice (longer, 1, 2));
  g_object_unref (longer);
}

static void
test_simple_columns (void **state)
{
  (void) state;
  g_autoptr (SlBatch) batch = accepts (
      make_batch ("annotations", CLASSES, "item", TEXTS ("a", "b"), "class", TEXTS ("dog", "cat"),
                  "repeat", make_bools ("01"), "trial", INTS (TYPE (int64), 5, MISSING), "seconds",
                  cast_to (REALS (1.5, MISSING_REAL), TYPE (float)), "count",
                  INTS (TYPE (uint8), 1, 255), NULL));
  SlAnnotations view = sl_annotations_view (batch);
  assert_int_equal (view.choice[0], 1);
  assert_int_equal (view.repeat[1], 1);
  assert_int_equal (view.trial[0], 5);
  assert_real (view.seconds[0], 1.5);
  assert_real (view.seconds[1], (double) NAN);
  assert_int_equal (view.count[1], 255);
  refuses (make_batch ("annotations", CLASSES, "item", TEXTS ("a"), "class", TEXTS ("dog"), "trial",
                       INTS (TYPE (int64), 1ll << 31), NULL),
           "column 'trial' is int64 and cannot be read as int32");
  refuses (make_batch ("annotations", CLASSES, "item", TEXTS ("a"), "class", TEXTS ("dog"), "count",
                       INTS (TYPE (int64), 0), NULL),
           "row 101: count is 0");
  refuses (make_batch ("annotations", CLASSES, "item", TEXTS ("a"), "class", TEXTS (NULL), NULL),
           "row 101: column 'class' has no value");
  refuses (make_batch ("annotations", CLASSES, "item", TEXTS ("a", "b"), "class",
                       TEXTS ("dog", "dog"), "seconds", REALS (MISSING_REAL, (double) INFINITY),
                       NULL),
           "row 102: column 'seconds' is infinite");
  refuses (make_batch ("annotations", CLASSES, "item", TEXTS ("a"), NULL),
           "this table has neither");
}

/* A NUL, which GLib's own builder of texts cannot even take. */
static void
test_nul_in_text (void **state)
{
  (void) state;
  static const gint32 offsets[] = { 0, 2, 5 };
  g_autoptr (GArrowBuffer) ends
      = garrow_buffer_new ((const guint8 *) (gconstpointer) offsets, sizeof offsets);
  g_autoptr (GArrowBuffer) bytes = garrow_buffer_new ((const guint8 *) "abc\0d", 5);
  refuses (labels ("item", GARROW_ARRAY (garrow_string_array_new (2, ends, bytes, NULL, 0))),
           "row 102: column 'item' has a NUL byte in its text");
}

/* What is canonical already is handed on, not copied. */
static void
test_no_copy (void **state)
{
  (void) state;
  g_autoptr (SlTable) table = sl_table_new (&sl_labels, classes);
  sl_table_add (table, SL_LABELS_GOLD);
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  sl_builder_text (builder, SL_LABELS_ITEM, "a", 1);
  sl_builder_labels (builder, SL_LABELS_LABEL, 1)[1] = 1;
  sl_builder_real (builder, SL_LABELS_WEIGHT, 1);
  sl_builder_class (builder, SL_LABELS_GOLD, 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (SlBatch) batch = sl_builder_take (builder, &error);
  g_autoptr (GArrowSchema) schema = sl_table_to_schema (table);
  g_autoptr (GArrowRecordBatch) arrow = sl_canonical (table, schema, batch->arrow, 0, &error);
  assert_non_null (arrow);
  g_autoptr (SlBatch) same = sl_batch_new (table, arrow, 0, &error);
  for (int c = 0; table->spec[c].name != NULL; c++)
    {
      assert_ptr_equal (same->column[c].text.data, batch->column[c].text.data);
      assert_ptr_equal (same->column[c].real, batch->column[c].real);
      assert_ptr_equal (same->column[c].code, batch->column[c].code);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_texts),     cmocka_unit_test (test_gold),
    cmocka_unit_test (test_label),     cmocka_unit_test (test_bad_labels),
    cmocka_unit_test (test_weights),   cmocka_unit_test (test_wrong_counts),
    cmocka_unit_test (test_leftovers), cmocka_unit_test (test_bools_left_over),
    cmocka_unit_test (test_choices),   cmocka_unit_test (test_impossible),
    cmocka_unit_test (test_slices),    cmocka_unit_test (test_simple_columns),
    cmocka_unit_test (test_no_copy),   cmocka_unit_test (test_nul_in_text),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
