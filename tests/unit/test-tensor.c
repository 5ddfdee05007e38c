/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of tensors: what a table from elsewhere says they are, and how they become ours. */
#include "arrays.h"

#include "pipeline/files/text/csv-json-out.h"
#include "pipeline/table/digest.h"
#include "pipeline/table/rechunk.h"
#include "pipeline/table/types/types.h"
#include "schemas/features.h"

#include <arrow-glib/arrow-glib.h>

static void
test_shapes (void **state)
{
  (void) state;
  SlTensor tensor;
  g_autoptr (GError) error = NULL;
  assert_true (sl_tensor_init (&tensor, SL_NUMBER_UINT8, 3, (const gint64[]){ 3, 32, 32 }, &error));
  assert_int_equal (tensor.size, 3072);
  assert_int_equal (sl_tensor_width (&tensor), 1);
  g_autofree char *text = sl_tensor_text (&tensor);
  assert_string_equal (text, "uint8 3x32x32");
  static const struct
  {
    int n_dims;
    gint64 dim[3];
    const char *message;
  } wrong[] = {
    { 0, { 0 }, "have 0 dimensions" },
    { 9, { 0 }, "have 9 dimensions" },
    { 2, { 3, 0 }, "have no numbers" },
    { 1, { -1 }, "have no numbers" },
    { 1, { 1 << 27 }, "over 256 MiB" },
    { 2, { 1 << 20, 1 << 20 }, "over 256 MiB" },
    { 3, { G_MAXINT64, G_MAXINT64, 2 }, "over 256 MiB" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      assert_false (
          sl_tensor_init (&tensor, SL_NUMBER_FLOAT32, wrong[i].n_dims, wrong[i].dim, &error));
      assert_error (&error, SL_ERROR_INPUT, wrong[i].message);
    }
}

/* Items "0", "1", ... with X, whose field says METADATA (NULL: nothing). */
static GArrowRecordBatch *
features (GArrowArray *x, const char *metadata)
{
  gint64 n = garrow_array_get_length (x);
  g_autofree const char **names = g_new0 (const char *, n + 1);
  g_auto (GStrv) owned = g_new0 (char *, n + 1);
  for (gint64 i = 0; i < n; i++)
    names[i] = owned[i] = g_strdup_printf ("%d", (int) i);
  g_autoptr (GArrowRecordBatch) bare
      = make_batch ("features", NULL, "item", make_texts (names, n), "x", x, NULL);
  g_autoptr (GArrowSchema) schema = garrow_record_batch_get_schema (bare);
  g_autoptr (GArrowField) field = garrow_schema_get_field (schema, 1);
  g_autoptr (GHashTable) said = g_hash_table_new (g_str_hash, g_str_equal);
  if (metadata != NULL)
    {
      g_hash_table_insert (said, (gpointer) "ARROW:extension:name",
                           (gpointer) "arrow.fixed_shape_tensor");
      g_hash_table_insert (said, (gpointer) "ARROW:extension:metadata", (gpointer) metadata);
    }
  g_autoptr (GArrowField) told = garrow_field_with_metadata (field, said);
  g_autoptr (GError) error = NULL;
  g_autoptr (GArrowSchema) whole = garrow_schema_replace_field (schema, 1, told, &error);
  g_autolist (GArrowArray) arrays = NULL;
  for (int c = 1; c >= 0; c--)
    arrays = g_list_prepend (arrays, garrow_record_batch_get_column_data (bare, c));
  return garrow_record_batch_new (whole, (guint32) n, arrays, &error);
}

/* RAW as the reader makes it. */
static SlBatch *
canonical (GArrowRecordBatch *raw, GError **error)
{
  g_autoptr (GArrowRecordBatch) owned = raw;
  g_autoptr (GArrowSchema) raw_schema = garrow_record_batch_get_schema (owned);
  g_autoptr (SlTable) table = sl_table_from_schema (raw_schema, NULL, NULL, error);
  if (table == NULL || !sl_table_settle (table, owned, error))
    return NULL;
  assert_true (sl_table_is_settled (table));
  g_autoptr (GArrowSchema) schema = sl_table_to_schema (table);
  g_autoptr (GArrowRecordBatch) arrow = sl_canonical (table, schema, owned, 100, error);
  if (arrow == NULL)
    return NULL;
  if (!garrow_record_batch_validate_full (arrow, error))
    fail_msg ("what is called canonical is not valid: %s", (*error)->message);
  g_autoptr (SlBatch) batch = sl_batch_new (table, arrow, 100, error);
  return batch != NULL && table->kind->check (batch, error) ? g_steal_pointer (&batch) : NULL;
}

/* That X becomes tensors of FORM with the numbers WANTED. */
static void
accepts (GArrowArray *x, const char *metadata, const char *form, const double *wanted)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SlBatch) batch = canonical (features (x, metadata), &error);
  if (batch == NULL)
    fail_msg ("%s: %s", form, error->message);
  SlFeatures view = sl_features_view (batch);
  g_autofree char *text = sl_tensor_text (view.tensor);
  assert_string_equal (text, form);
  for (gint64 i = 0; i < view.n * view.tensor->size; i++)
    assert_real (view.pixels != NULL ? view.pixels[i] : (double) view.numbers[i], wanted[i]);
}

static void
refuses (GArrowArray *x, const char *metadata, const char *part)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SlBatch) batch = canonical (features (x, metadata), &error);
  if (batch != NULL)
    fail_msg ("accepted; expected '%s'", part);
  assert_error (&error, SL_ERROR_INPUT, part);
}

static GArrowArray *
pixels (void)
{
  return INTS (TYPE (uint8), 0, 1, 2, 3, 4, 5, 250, 251, 252, 253, 254, 255);
}

static const double pixel_values[] = { 0, 1, 2, 3, 4, 5, 250, 251, 252, 253, 254, 255 };

static void
test_from_fixed_lists (void **state)
{
  (void) state;
  static const double reals[] = { 0.5, -1, 0, 3, 1e10, 5 };
  static const double rounded[] = { 0.5, -1, 0, 3, (double) 1e10f, 5 };
  accepts (make_fixed_list (pixels (), 6), NULL, "uint8 6", pixel_values);
  accepts (make_fixed_list (pixels (), 6), "{\"shape\":[3,2]}", "uint8 3x2", pixel_values);
  accepts (make_fixed_list (pixels (), 6),
           " {\"dim_names\":[\"H\",\"W\"],\"shape\":[1,3,1,2],\"permutation\":null}",
           "uint8 1x3x1x2", pixel_values);
  accepts (make_fixed_list (make_fixed_list (pixels (), 3), 2), NULL, "uint8 2x3", pixel_values);
  accepts (make_fixed_list (make_reals (reals, 6), 3), NULL, "float 3", rounded);
  accepts (make_fixed_list (cast_to (make_reals (reals, 6), TYPE (float)), 2),
           "{\"shape\":[2,1],\"permutation\":[0,1]}", "float 2x1", rounded);
  accepts (make_fixed_list (INTS (TYPE (int16), -300, 7, 300, 4), 2), NULL, "float 2",
           (const double[]){ -300, 7, 300, 4 });
  /* A slice of a longer array. */
  g_autoptr (GArrowArray) whole = make_fixed_list (pixels (), 3);
  accepts (garrow_array_slice (whole, 2, 2), NULL, "uint8 3", pixel_values + 6);
}

static void
test_from_lists (void **state)
{
  (void) state;
  accepts (LIST (pixels (), 0, 4, 8, 12), NULL, "uint8 4", pixel_values);
  accepts (LIST (REALS (.5, 1, 2, 3), 0, 2, 4), NULL, "float 2", (const double[]){ .5, 1, 2, 3 });
  refuses (LIST (REALS (.5, 1, 2), 0, 2, 3), NULL,
           "row 102: column 'x' has 1 numbers; the rows before have 2");
  refuses (LIST (REALS (.5, 1), 0, 0, 2), NULL, "row 1: column 'x': its tensors have no numbers");
  refuses (make_list_without (REALS (.5, 1), (const gint32[]){ 0, 1, 2 }, 2, 1), NULL,
           "row 102: column 'x' has no value");
  g_autoptr (GArrowRecordBatch) none = features (LIST (REALS (1), 0), NULL);
  g_autoptr (GArrowSchema) schema = garrow_record_batch_get_schema (none);
  g_autoptr (SlTable) table = sl_table_from_schema (schema, NULL, NULL, NULL);
  assert_true (sl_table_settle (table, none, NULL));
  assert_false (sl_table_is_settled (table));
}

/* Arrow's own example: 2 x 3 as it lies is seen as 3 x 2. */
static void
test_permuted (void **state)
{
  (void) state;
  accepts (make_fixed_list (pixels (), 6), "{\"shape\":[2,3],\"permutation\":[1,0]}", "uint8 3x2",
           (const double[]){ 0, 3, 1, 4, 2, 5, 250, 253, 251, 254, 252, 255 });
  /* Pixel after pixel, as NumPy has images: channels come first in what is seen. */
  accepts (make_fixed_list (pixels (), 12), "{\"shape\":[2,2,3],\"permutation\":[2,0,1]}",
           "uint8 3x2x2", (const double[]){ 0, 3, 250, 253, 1, 4, 251, 254, 2, 5, 252, 255 });
  accepts (make_fixed_list (REALS (0, 1, 2, 3, 4, 5), 6),
           "{\"shape\":[1,2,3],\"permutation\":[2,1,0]}", "float 3x2x1",
           (const double[]){ 0, 3, 1, 4, 2, 5 });
}

static void
test_wrong_metadata (void **state)
{
  (void) state;
  static const struct
  {
    const char *json, *message;
  } wrong[] = {
    { "", "is not a JSON object" },
    { "[3,2]", "is not a JSON object" },
    { "{\"shape\":[3,2]},{}", "is not a JSON object" },
    { "{\"shape\":[3,2]", "is not a JSON object" },
    { "{}", "has no shape" },
    { "{\"shape\":6}", "has no shape" },
    { "{\"shape\":[]}", "has no shape" },
    { "{\"shape\":[3,\"2\"]}", "has no shape" },
    { "{\"shape\":[3,2.0]}", "has no shape" },
    { "{\"shape\":[1,1,1,1,1,1,1,2,3]}", "has no shape" },
    { "{\"shape\":[3,3]}", "says 9 numbers, its type 6" },
    { "{\"shape\":[-3,-2]}", "have no numbers" },
    { "{\"shape\":[4294967296,4294967298]}", "over 256 MiB" },
    { "{\"shape\":[3,2],\"permutation\":[0]}", "a permutation that is none" },
    { "{\"shape\":[3,2],\"permutation\":[0,0]}", "a permutation that is none" },
    { "{\"shape\":[3,2],\"permutation\":[0,2]}", "a permutation that is none" },
    { "{\"shape\":[3,2],\"permutation\":[0,-1]}", "a permutation that is none" },
    { "{\"shape\":[3,2],\"permutation\":\"01\"}", "has no shape" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    refuses (make_fixed_list (pixels (), 6), wrong[i].json, wrong[i].message);
}

static void
test_wrong_values (void **state)
{
  (void) state;
  refuses (make_fixed_list (REALS (1, 2, MISSING_REAL, 4), 2), NULL,
           "row 102: column 'x' has a missing number in a tensor");
  refuses (make_fixed_list (REALS (1, 2, 3, (double) NAN), 2), NULL,
           "row 102: number 2 of x is not a number");
  refuses (make_fixed_list (REALS (1, -(double) INFINITY, 3, 4), 2), NULL,
           "row 101: number 2 of x is infinite");
  /* Not a float: it is infinite as one. */
  refuses (make_fixed_list (REALS (1, 2, 1e300, 4), 2), NULL, "row 102: number 1 of x is infinite");
  refuses (make_fixed_list (INTS (TYPE (int64), 1, 1 << 30 | 1), 2), NULL, "cannot be read as");
  refuses (make_fixed_list (TEXTS ("1", "2"), 2), NULL, "a table of features has arrow.fixed");
  refuses (REALS (1, 2), NULL, "column 'x' is double; a table of features has arrow.fixed");
}

static SlBatch *
small (void)
{
  g_autoptr (GError) error = NULL;
  return canonical (features (make_fixed_list (pixels (), 6), "{\"shape\":[1,3,2]}"), &error);
}

static void
test_as_text (void **state)
{
  (void) state;
  g_autoptr (SlBatch) batch = small ();
  g_autoptr (GString) text = g_string_new (NULL);
  sl_csv_append_header (text, batch->table);
  sl_csv_append (text, batch, 1);
  assert_string_equal (text->str, "item,x.0,x.1,x.2,x.3,x.4,x.5\n1,250,251,252,253,254,255\n");
  g_string_truncate (text, 0);
  sl_jsonl_append (text, batch, 0);
  assert_string_equal (text->str, "{\"item\":\"0\",\"x\":[[[0,1],[2,3],[4,5]]]}\n");
  g_autoptr (GError) error = NULL;
  g_autoptr (SlBatch) vectors
      = canonical (features (make_fixed_list (REALS (.1, -1e-10, 3, 4), 2), NULL), &error);
  g_string_truncate (text, 0);
  sl_jsonl_append (text, vectors, 0);
  sl_csv_append (text, vectors, 0);
  assert_string_equal (text->str, "{\"item\":\"0\",\"x\":[0.1,-1e-10]}\n0,0.1,-1e-10\n");
}

static char *
digest (SlBatch *batch)
{
  g_autoptr (SlTableDigest) all = sl_table_digest_new (batch->table);
  sl_table_digest_add (all, batch);
  return sl_table_digest_text (all);
}

/* The same numbers of another shape are another table; the same tensors by another way are not. */
static void
test_digests (void **state)
{
  (void) state;
  static const char *const forms[]
      = { "{\"shape\":[2,3]}", "{\"shape\":[3,2]}", "{\"shape\":[6]}", "{\"shape\":[6,1]}" };
  g_auto (GStrv) found = g_new0 (char *, G_N_ELEMENTS (forms) + 1);
  g_autoptr (GError) error = NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      g_autoptr (SlBatch) batch
          = canonical (features (make_fixed_list (pixels (), 6), forms[i]), &error);
      found[i] = digest (batch);
      for (gsize j = 0; j < i; j++)
        assert_string_not_equal (found[i], found[j]);
    }
  g_autoptr (SlBatch) listed = canonical (features (LIST (pixels (), 0, 6, 12), NULL), &error);
  g_autofree char *as_listed = digest (listed);
  assert_string_equal (as_listed, found[2]);
  g_autoptr (SlBatch) zero = canonical (features (make_fixed_list (REALS (0, 1), 2), NULL), &error);
  g_autoptr (SlBatch) minus
      = canonical (features (make_fixed_list (REALS (-0., 1), 2), NULL), &error);
  g_autofree char *a = digest (zero), *b = digest (minus);
  assert_string_equal (a, b);
}

/* About 2 MiB a batch, down to one tensor. */
static void
test_batch_rows (void **state)
{
  (void) state;
  static const struct
  {
    SlNumber number;
    gint64 side, rows;
  } cases[] = { { SL_NUMBER_UINT8, 32, 512 },
                { SL_NUMBER_FLOAT32, 32, 128 },
                { SL_NUMBER_UINT8, 224, 8 },
                { SL_NUMBER_FLOAT32, 1024, 1 },
                { SL_NUMBER_UINT8, 1, 1 << 16 } };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (SlTable) table = sl_table_new (&sl_features, NULL);
      const gint64 dim[] = { 3, cases[i].side, cases[i].side };
      assert_true (sl_table_set_tensor (table, SL_FEATURES_X, cases[i].number, 3, dim, NULL));
      assert_int_equal (sl_table_batch_rows (table), cases[i].rows);
    }
}

static void
test_single_values (void **state)
{
  (void) state;
  g_autoptr (SlBatch) batch = small ();
  assert_int_equal (sl_value_compare (batch, 0, batch, 0, SL_FEATURES_X), 0);
  assert_true (sl_value_compare (batch, 0, batch, 1, SL_FEATURES_X) < 0);
  assert_true (sl_value_compare (batch, 1, batch, 0, SL_FEATURES_X) > 0);
  g_autoptr (SlBuilder) builder = sl_builder_new (batch->table);
  for (gint64 i = 1; i >= 0; i--)
    {
      sl_value_copy (builder, SL_FEATURES_ITEM, batch, i);
      sl_value_copy (builder, SL_FEATURES_X, batch, i);
    }
  g_autoptr (GError) error = NULL;
  g_autoptr (SlBatch) turned = sl_builder_take (builder, &error);
  assert_int_equal (turned->column[SL_FEATURES_X].uint8[0], 250);
  assert_int_equal (turned->column[SL_FEATURES_X].uint8[11], 5);
  assert_int_equal (sl_batch_bytes (turned), 2 * (4 + 6) + 2);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_shapes),         cmocka_unit_test (test_from_fixed_lists),
    cmocka_unit_test (test_from_lists),     cmocka_unit_test (test_permuted),
    cmocka_unit_test (test_wrong_metadata), cmocka_unit_test (test_wrong_values),
    cmocka_unit_test (test_as_text),        cmocka_unit_test (test_digests),
    cmocka_unit_test (test_batch_rows),     cmocka_unit_test (test_single_values),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
