/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "arrays.h"

#include "pipeline/base/error.h"
#include "pipeline/table/class-values.h"
#include "pipeline/table/types/types.h"
#include "schemas/annotations.h"
#include "schemas/labels.h"

#include <arrow-glib/arrow-glib.h>

static const char *const animals[] = { "cat", "dog", "caterpillar", "Cat \xf0\x9f\x90\xb1", NULL };

static void
test_kinds (void **state)
{
  (void) state;
  assert_ptr_equal (sl_kind_find ("labels"), &sl_labels);
  assert_ptr_equal (sl_kind_find ("annotations"), &sl_annotations);
  assert_null (sl_kind_find ("label"));
  assert_null (sl_kind_find (""));
  for (int k = 0; sl_kinds[k] != NULL; k++)
    {
      assert_ptr_equal (sl_kind_find (sl_kinds[k]->name), sl_kinds[k]);
      assert_non_null (sl_kinds[k]->row);
      assert_non_null (sl_kinds[k]->invariants);
      int n = 0;
      for (; sl_kinds[k]->columns[n].name != NULL; n++)
        {
          assert_non_null (sl_kinds[k]->columns[n].meaning);
          for (int m = 0; m < n; m++)
            assert_string_not_equal (sl_kinds[k]->columns[n].name, sl_kinds[k]->columns[m].name);
        }
      assert_in_range (n, 1, SL_MAX_COLUMNS);
    }
}

static void
test_header (void **state)
{
  (void) state;
  g_autoptr (SlTable) table = sl_table_new (&sl_labels, animals);
  assert_int_equal (table->n_classes, 4);
  assert_true (sl_table_has (table, SL_LABELS_ITEM));
  assert_true (sl_table_has (table, SL_LABELS_LABEL));
  assert_false (sl_table_has (table, SL_LABELS_GOLD));
  assert_int_equal (sl_table_column (table, "gold"), -1);
  sl_table_add (table, SL_LABELS_GOLD);
  assert_true (sl_table_has (table, SL_LABELS_GOLD));
  assert_int_equal (sl_table_column (table, "gold"), SL_LABELS_GOLD);
  assert_int_equal (sl_table_column (table, "item"), SL_LABELS_ITEM);
  assert_int_equal (sl_table_column (table, "annotator"), -1);
  assert_int_equal (sl_table_column (table, "x"), -1);
  g_autoptr (SlTable) none = sl_table_new (&sl_annotators, NULL);
  assert_int_equal (none->n_classes, 0);
  assert_null (none->classes[0]);
  assert_int_equal (sl_table_class (none, "cat", -1), -1);
}

static void
test_class_by_name (void **state)
{
  (void) state;
  g_autoptr (SlTable) table = sl_table_new (&sl_labels, animals);
  for (int i = 0; animals[i] != NULL; i++)
    assert_int_equal (sl_table_class (table, animals[i], -1), i);
  assert_int_equal (sl_table_class (table, "caterpillar", 3), 0);
  assert_int_equal (sl_table_class (table, "caterpillar", 11), 2);
  assert_int_equal (sl_table_class (table, "caterpillar", 4), -1);
  assert_int_equal (sl_table_class (table, "cat", 2), -1);
  assert_int_equal (sl_table_class (table, "CAT", -1), -1);
  assert_int_equal (sl_table_class (table, "", -1), -1);
  assert_int_equal (sl_table_class (table, "dog", 0), -1);
  /* A NUL within is part of the name. */
  assert_int_equal (sl_table_class (table, "cat\0\0\0\0\0\0\0\0\0\0\0\0", 14), -1);
}

static void
test_batch_rows (void **state)
{
  (void) state;
  char *names[4097] = { NULL };
  for (int n_classes = 1; n_classes <= 4096; n_classes *= 2)
    {
      for (int i = 0; i < n_classes; i++)
        if (names[i] == NULL)
          names[i] = g_strdup_printf ("class %d", i);
      g_autoptr (SlTable) table = sl_table_new (&sl_labels, (const char *const *) names);
      gint64 rows = sl_table_batch_rows (table);
      assert_true (rows > 0 && (rows & (rows - 1)) == 0 && rows <= 1 << 16);
      /* An item counts as 16 bytes, a weight as 8: twice the rows would be over 2 MiB, or over
       * 2^16. */
      gint64 row = 24 + 8 * n_classes;
      assert_true (rows * row <= 2 << 20 && (rows == 1 << 16 || 2 * rows * row > 2 << 20));
      sl_table_add (table, SL_LABELS_GOLD);
      assert_true (sl_table_batch_rows (table) <= rows);
      g_autoptr (SlTable) same = sl_table_new (&sl_labels, (const char *const *) names);
      same->provenance = g_strdup ("[]");
      assert_int_equal (sl_table_batch_rows (same), rows);
    }
  for (int i = 0; i < 4097; i++)
    g_free (names[i]);
}

/* A header of every kind, with every column, through an Arrow schema and back. */
static void
test_there_and_back (void **state)
{
  (void) state;
  for (int k = 0; sl_kinds[k] != NULL; k++)
    {
      g_autoptr (SlTable) table = sl_table_new (sl_kinds[k], animals);
      for (int i = 0; sl_kinds[k]->columns[i].name != NULL; i++)
        {
          sl_table_add (table, i);
          if (sl_kinds[k]->columns[i].type == SL_TYPE_TENSOR)
            assert_true (sl_table_set_tensor (table, i, SL_NUMBER_UINT8, 3,
                                              (const gint64[]){ 3, 2, 1 }, NULL));
        }
      table->provenance = g_strdup ("[{\"verb\":\"\\u0001\xc3\xa9\"}]");
      g_autoptr (GArrowSchema) schema = sl_table_to_schema (table);
      g_autoptr (GError) error = NULL;
      g_autoptr (SlTable) back = sl_table_from_schema (schema, NULL, NULL, &error);
      if (back == NULL)
        fail_msg ("%s: %s", sl_kinds[k]->name, error->message);
      assert_ptr_equal (back->kind, table->kind);
      assert_true (sl_table_columns_equal (back, table, NULL));
      assert_true (g_strv_equal ((const char *const *) back->classes, animals));
      assert_string_equal (back->provenance, table->provenance);
    }
}

static void
test_arrow_schema (void **state)
{
  (void) state;
  g_autoptr (SlTable) table
      = sl_table_new (&sl_annotations, (const char *const[]){ "cat", "d\"og", NULL });
  static const int added[]
      = { SL_ANNOTATIONS_CHOICES, SL_ANNOTATIONS_IMPOSSIBLE, SL_ANNOTATIONS_GOLD,
          SL_ANNOTATIONS_REPEAT,  SL_ANNOTATIONS_TRIAL,      SL_ANNOTATIONS_COUNT };
  for (gsize i = 0; i < G_N_ELEMENTS (added); i++)
    sl_table_add (table, added[i]);
  g_autoptr (GArrowSchema) schema = sl_table_to_schema (table);
  g_autofree char *text = garrow_schema_to_string (schema);
  assert_string_equal (text,
                       "item: string not null\n"
                       "choices: list<item: struct<class: dictionary<values=string, indices=int32, "
                       "ordered=0> not null, percent: double> not null> not null\n"
                       "impossible: list<item: dictionary<values=string, indices=int32, ordered=0> "
                       "not null> not null\n"
                       "gold: dictionary<values=string, indices=int32, ordered=0>\n"
                       "repeat: bool not null\n"
                       "trial: int32\n"
                       "count: int64 not null");
  g_autoptr (GHashTable) metadata = garrow_schema_get_metadata (schema);
  assert_int_equal (g_hash_table_size (metadata), 2);
  assert_string_equal (g_hash_table_lookup (metadata, "softlabel.table"), "annotations");
  assert_string_equal (g_hash_table_lookup (metadata, "softlabel.classes"),
                       "[\"cat\",\"d\\\"og\"]");
  g_autoptr (SlTable) labels = sl_table_new (&sl_labels, animals);
  g_autoptr (GArrowSchema) labels_schema = sl_table_to_schema (labels);
  g_autofree char *labels_text = garrow_schema_to_string (labels_schema);
  assert_string_equal (labels_text, "item: string not null\n"
                                    "label: fixed_size_list<item: double not null>[4] not null\n"
                                    "weight: double not null");
}

/* item, label and weight, then more fields "name", type, ..., NULL; KIND and CLASSES as
 * metadata. */
static GArrowSchema *
labels_schema (const char *kind, const char *classes, const char *left_out, ...)
{
  g_autolist (GArrowField) fields = NULL;
  g_autoptr (GArrowDataType) text = TYPE (string);
  g_autoptr (GArrowDataType) real = TYPE (double);
  g_autoptr (GArrowField) item = garrow_field_new ("item", real);
  g_autoptr (GArrowDataType) label
      = GARROW_DATA_TYPE (garrow_fixed_size_list_data_type_new_field (item, 2));
  struct
  {
    const char *name;
    GArrowDataType *type;
  } columns[] = { { "item", text }, { "label", label }, { "weight", real } };
  for (gsize i = 0; i < G_N_ELEMENTS (columns); i++)
    if (g_strcmp0 (columns[i].name, left_out) != 0)
      fields = g_list_append (fields, garrow_field_new (columns[i].name, columns[i].type));
  va_list args;
  va_start (args, left_out);
  for (const char *name; (name = va_arg (args, const char *)) != NULL;)
    {
      g_autoptr (GArrowDataType) type = va_arg (args, GArrowDataType *);
      fields = g_list_append (fields, garrow_field_new (name, type));
    }
  va_end (args);
  return with_metadata (garrow_schema_new (fields), kind, classes, NULL);
}

static void
refuses (GArrowSchema *schema, const SlKind *kind, const char *const *classes, const char *part)
{
  g_autoptr (GArrowSchema) owned = schema;
  g_autoptr (GError) error = NULL;
  g_autoptr (SlTable) table = sl_table_from_schema (owned, kind, classes, &error);
  if (table != NULL)
    fail_msg ("accepted, '%s' expected", part);
  assert_error (&error, SL_ERROR_INPUT, part);
}

static SlTable *
accepts (GArrowSchema *schema, const SlKind *kind, const char *const *classes)
{
  g_autoptr (GArrowSchema) owned = schema;
  g_autoptr (GError) error = NULL;
  SlTable *table = sl_table_from_schema (owned, kind, classes, &error);
  if (table == NULL)
    fail_msg ("%s", error->message);
  return table;
}

static void
test_columns (void **state)
{
  (void) state;
  const char *classes = "[\"cat\",\"dog\"]";
  /* Others are let be. */
  g_autoptr (SlTable) table
      = accepts (labels_schema ("labels", classes, NULL, "note", TYPE (date32), "gold",
                                dictionary_type (TYPE (int8), TYPE (large_string)), NULL),
                 NULL, NULL);
  assert_true (sl_table_has (table, SL_LABELS_GOLD));
  assert_false (sl_table_has (table, SL_LABELS_ANNOTATOR));
  assert_null (table->provenance);
  refuses (labels_schema ("labels", classes, "weight", NULL), NULL, NULL, "no column 'weight'");
  refuses (labels_schema ("labels", classes, "label", "Label", TYPE (double), NULL), NULL, NULL,
           "no column 'label'");
  refuses (labels_schema ("labels", classes, NULL, "weight", TYPE (double), NULL), NULL, NULL,
           "column 'weight' twice");
  refuses (labels_schema ("labels", classes, NULL, "gold", TYPE (double), NULL), NULL, NULL,
           "column 'gold' is double; a table of labels has dictionary<int32, utf8> there");
  refuses (labels_schema ("labels", classes, "label", "label", TYPE (string), NULL), NULL, NULL,
           "column 'label' is string; a table of labels has fixed_size_list<double>[number of "
           "classes] there");
  refuses (labels_schema ("labels", classes, "item", "item", list_type (TYPE (string)), NULL), NULL,
           NULL, "column 'item' is list<");
  refuses (labels_schema ("labels", classes, "weight", "weight", TYPE (boolean), NULL), NULL, NULL,
           "column 'weight' is bool");
}

static void
test_no_metadata (void **state)
{
  (void) state;
  refuses (labels_schema (NULL, NULL, NULL, NULL), NULL, NULL, "does not say what kind");
  refuses (labels_schema (NULL, "[\"a\",\"b\"]", NULL, NULL), NULL, NULL, "does not say what kind");
  refuses (labels_schema ("lables", "[\"a\",\"b\"]", NULL, NULL), NULL, NULL,
           "unknown kind, 'lables'");
  refuses (labels_schema (NULL, NULL, NULL, NULL), &sl_labels, NULL, "softlabel.classes");
  refuses (labels_schema ("labels", "[]", NULL, NULL), NULL, NULL, "softlabel.classes");
  refuses (labels_schema ("labels", NULL, NULL, NULL), NULL, NULL, "softlabel.classes");
  static const char *const two[] = { "x", "y", NULL };
  g_autoptr (SlTable) table = accepts (labels_schema (NULL, NULL, NULL, NULL), &sl_labels, two);
  assert_ptr_equal (table->kind, &sl_labels);
  assert_true (g_strv_equal ((const char *const *) table->classes, two));
  /* Annotators have no class in any column. */
  g_autolist (GArrowField) fields = NULL;
  g_autoptr (GArrowDataType) text = TYPE (large_string);
  g_autoptr (GArrowDataType) integer = TYPE (int16);
  fields = g_list_append (fields, garrow_field_new ("annotator", text));
  fields = g_list_append (fields, garrow_field_new ("answers", integer));
  g_autoptr (SlTable) annotators
      = accepts (with_metadata (garrow_schema_new (fields), "annotators", NULL, NULL), NULL, NULL);
  assert_int_equal (annotators->n_classes, 0);
}

/* Ordered classes: what they stand for goes into the metadata, and comes out of it again. */
static void
test_class_values (void **state)
{
  (void) state;
  static const char *const classes[] = { "low", "high", NULL };
  static const double values[] = { -0.5, 3 };
  static const char *const wrong[] = { "",          "[1]",      "[1,2,3]",   "[1,1]",    "[2,1]",
                                       "[1,\"2\"]", "[1,null]", "[1,1e999]", "{\"a\":1}" };
  g_autoptr (SlTable) table = sl_table_new (&sl_labels, classes);
  assert_false (sl_classes_are_ordered (table));
  sl_table_set_values (table, values);
  g_autoptr (GArrowSchema) schema = sl_table_to_schema (table);
  g_autoptr (GError) error = NULL;
  g_autoptr (SlTable) again = sl_table_from_schema (schema, NULL, NULL, &error);
  assert_null (error);
  assert_true (sl_classes_are_ordered (again));
  assert_memory_equal (sl_class_values (again), values, sizeof values);
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (GError) problem = NULL;
      assert_null (sl_values_from_json (wrong[i], 2, &problem));
      assert_true (g_error_matches (problem, SL_ERROR, SL_ERROR_INPUT));
      assert_non_null (strstr (problem->message, "softlabel.values"));
    }
}

static void
test_class_lists (void **state)
{
  (void) state;
  static const struct
  {
    const char *json, *message;
  } wrong[] = {
    { "", "is not a JSON array" },
    { "cat,dog", "is not a JSON array" },
    { "[\"cat\"", "is not a JSON array" },
    { "{\"cat\":1}", "is not a JSON array" },
    { "\"cat\"", "is not a JSON array" },
    { "[\"cat\",1]", "has a class that is not text" },
    { "[\"cat\",null]", "has a class that is not text" },
    { "[\"cat\",[\"dog\"]]", "has a class that is not text" },
    { "[\"cat\",\"dog\",\"cat\"]", "names a class twice" },
    { "[\"cat\",\"\"]", "has a class without a name" },
    { "[\"cat\",\"d\\ud83dog\"]", "has a text that is not UTF-8" },
    { "[\"cat\",\"d\\ude00og\"]", "has a text that is not UTF-8" },
    { "[\"cat\",\"d\\u0000og\"]", "has a text that is not UTF-8" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autofree char *message = g_strdup_printf ("'softlabel.classes' %s", wrong[i].message);
      refuses (labels_schema ("labels", wrong[i].json, NULL, NULL), NULL, NULL, message);
    }
  g_autoptr (SlTable) table = accepts (
      labels_schema ("labels", " [ \"\\u00e9 \\\"a\\\"\" , \"\xe7\x8c\xab\" ] ", NULL, NULL), NULL,
      NULL);
  assert_int_equal (table->n_classes, 2);
  assert_string_equal (table->classes[0], "\xc3\xa9 \"a\"");
  assert_string_equal (table->classes[1], "\xe7\x8c\xab");
  g_autoptr (GString) many = g_string_new ("[\"0\"");
  for (int i = 1; i <= 1 << 20; i++)
    g_string_append_printf (many, ",\"%d\"", i);
  g_string_append_c (many, ']');
  refuses (labels_schema ("labels", many->str, NULL, NULL), NULL, NULL, "over a million classes");
}

/* Every type has all that is done with values. */
static void
test_type_rows (void **state)
{
  (void) state;
  static const SlColumnSpec one[] = { { "x", SL_TYPE_TENSOR, 0, "" }, { NULL, 0, 0, NULL } };
  static const SlKind kind = { .name = "one", .row = "", .invariants = "", .columns = one };
  g_autoptr (SlTable) table = sl_table_new (&kind, animals);
  assert_true (sl_table_set_tensor (table, 0, SL_NUMBER_UINT8, 2, (const gint64[]){ 2, 3 }, NULL));
  for (SlType type = 0; type < SL_N_TYPES; type++)
    {
      const SlTypeRow *row = &sl_types[type];
      g_autoptr (GArrowDataType) arrow = row->arrow (table, 0);
      assert_non_null (row->name);
      assert_true (row->fits (arrow));
      assert_true (row->n_bytes != NULL ? row->n_bytes (table, 0) > 0 : row->bytes > 0);
      assert_non_null (row->canonical);
      assert_non_null (row->point);
      assert_non_null (row->take);
      assert_non_null (row->copy);
      assert_non_null (row->compare);
      assert_non_null (row->digest);
      assert_non_null (row->csv);
      assert_non_null (row->json);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_kinds),          cmocka_unit_test (test_header),
    cmocka_unit_test (test_class_by_name),  cmocka_unit_test (test_batch_rows),
    cmocka_unit_test (test_there_and_back), cmocka_unit_test (test_arrow_schema),
    cmocka_unit_test (test_columns),        cmocka_unit_test (test_no_metadata),
    cmocka_unit_test (test_class_values),   cmocka_unit_test (test_class_lists),
    cmocka_unit_test (test_type_rows),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
