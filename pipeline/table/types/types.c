/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "types.h"

#include "types-private.h"

#include <arrow-glib/arrow-glib.h>
#include <math.h>

/* Arrow's types. */

static GArrowDataType *
arrow_text (const SlTable *table, int column)
{
  return GARROW_DATA_TYPE (garrow_string_data_type_new ());
}

static GArrowDataType *
arrow_class (const SlTable *table, int column)
{
  g_autoptr (GArrowDataType) index = GARROW_DATA_TYPE (garrow_int32_data_type_new ());
  g_autoptr (GArrowDataType) value = GARROW_DATA_TYPE (garrow_string_data_type_new ());
  return GARROW_DATA_TYPE (garrow_dictionary_data_type_new (index, value, FALSE));
}

static GArrowDataType *
list_of (GArrowDataType *type)
{
  g_autoptr (GArrowField) item = garrow_field_new_full ("item", type, FALSE);
  return GARROW_DATA_TYPE (garrow_list_data_type_new (item));
}

static GArrowDataType *
arrow_classes (const SlTable *table, int column)
{
  g_autoptr (GArrowDataType) class = arrow_class (table, column);
  return list_of (class);
}

static GArrowDataType *
arrow_choices (const SlTable *table, int column)
{
  g_autoptr (GArrowDataType) class = arrow_class (table, column);
  g_autoptr (GArrowDataType) real = GARROW_DATA_TYPE (garrow_double_data_type_new ());
  g_autoptr (GArrowField) class_field = garrow_field_new_full ("class", class, FALSE);
  g_autoptr (GArrowField) percent_field = garrow_field_new_full ("percent", real, TRUE);
  g_autoptr (GList) fields = g_list_append (g_list_append (NULL, class_field), percent_field);
  g_autoptr (GArrowDataType) choice = GARROW_DATA_TYPE (garrow_struct_data_type_new (fields));
  return list_of (choice);
}

static GArrowDataType *
arrow_label (const SlTable *table, int column)
{
  g_autoptr (GArrowDataType) real = GARROW_DATA_TYPE (garrow_double_data_type_new ());
  g_autoptr (GArrowField) item = garrow_field_new_full ("item", real, FALSE);
  return GARROW_DATA_TYPE (garrow_fixed_size_list_data_type_new_field (item, table->n_classes));
}

static GArrowDataType *
arrow_bool (const SlTable *table, int column)
{
  return GARROW_DATA_TYPE (garrow_boolean_data_type_new ());
}

static GArrowDataType *
arrow_int32 (const SlTable *table, int column)
{
  return GARROW_DATA_TYPE (garrow_int32_data_type_new ());
}

static GArrowDataType *
arrow_int64 (const SlTable *table, int column)
{
  return GARROW_DATA_TYPE (garrow_int64_data_type_new ());
}

static GArrowDataType *
arrow_real (const SlTable *table, int column)
{
  return GARROW_DATA_TYPE (garrow_double_data_type_new ());
}

static GArrowDataType *
arrow_float32 (const SlTable *table, int column)
{
  return GARROW_DATA_TYPE (garrow_float_data_type_new ());
}

/* As pyarrow makes the lists of its tensors: of numbers that may be missing. */
static GArrowDataType *
arrow_tensor (const SlTable *table, int column)
{
  const SlTensor *tensor = &table->tensor[column];
  g_autoptr (GArrowDataType) number = sl_tensor_number_type (tensor);
  g_autoptr (GArrowField) item = garrow_field_new_full ("item", number, TRUE);
  return GARROW_DATA_TYPE (garrow_fixed_size_list_data_type_new_field (item, tensor->size));
}

static GHashTable *
metadata_tensor (const SlTable *table, int column)
{
  return sl_tensor_metadata (&table->tensor[column]);
}

static GArrowDataType *
arrow_binary (const SlTable *table, int column)
{
  return GARROW_DATA_TYPE (garrow_binary_data_type_new ());
}

/* What the types of a column may be in a table from elsewhere; the reader makes them canonical. A
 * column of nothing but missing values has no type in pandas, which also keeps integers of which
 * some are missing as reals. */

static gboolean
fits_text (GArrowDataType *type)
{
  return GARROW_IS_STRING_DATA_TYPE (type) || GARROW_IS_LARGE_STRING_DATA_TYPE (type)
         || GARROW_IS_DICTIONARY_DATA_TYPE (type) || GARROW_IS_NULL_DATA_TYPE (type)
         || GARROW_IS_INTEGER_DATA_TYPE (type);
}

static gboolean
fits_list (GArrowDataType *type)
{
  return GARROW_IS_LIST_DATA_TYPE (type) || GARROW_IS_LARGE_LIST_DATA_TYPE (type);
}

static gboolean
fits_label (GArrowDataType *type)
{
  return fits_list (type) || GARROW_IS_FIXED_SIZE_LIST_DATA_TYPE (type);
}

static gboolean
fits_bool (GArrowDataType *type)
{
  return GARROW_IS_NULL_DATA_TYPE (type) || GARROW_IS_BOOLEAN_DATA_TYPE (type);
}

static gboolean
fits_number (GArrowDataType *type)
{
  return GARROW_IS_NULL_DATA_TYPE (type) || GARROW_IS_NUMERIC_DATA_TYPE (type)
         || GARROW_IS_DECIMAL_DATA_TYPE (type);
}

static gboolean
fits_binary (GArrowDataType *type)
{
  return (GARROW_IS_BINARY_DATA_TYPE (type) && !GARROW_IS_STRING_DATA_TYPE (type))
         || (GARROW_IS_LARGE_BINARY_DATA_TYPE (type) && !GARROW_IS_LARGE_STRING_DATA_TYPE (type))
         || (GARROW_IS_FIXED_SIZE_BINARY_DATA_TYPE (type) && !GARROW_IS_DECIMAL_DATA_TYPE (type));
}

static gboolean
learn_tensor (SlTable *table, int column, GArrowField *field, GError **error)
{
  if (sl_tensor_learn (&table->tensor[column], field, error))
    return TRUE;
  g_prefix_error (error, "column '%s': ", table->spec[column].name);
  return FALSE;
}

/* Bytes that the table tells. */

static gint64
n_bytes_label (const SlTable *table, int column)
{
  return 8 * (gint64) table->n_classes;
}

static gint64
n_bytes_tensor (const SlTable *table, int column)
{
  const SlTensor *tensor = &table->tensor[column];
  return (gint64) sl_tensor_width (tensor) * tensor->size;
}

#define FIXED(member) .storage = SL_STORAGE_FIXED, .values = G_STRUCT_OFFSET (SlColumn, member)

static const gint32 no_class = -1;
static const double no_real = (double) NAN;
static const float no_float32 = NAN;

const SlTypeRow sl_types[SL_N_TYPES] = {
  [SL_TYPE_TEXT] = {
    .name = "utf8",
    .storage = SL_STORAGE_BYTES, .bytes = 16,
    .arrow = arrow_text, .fits = fits_text, .canonical = sl_canonical_text,
    .point = sl_point_text, .take = sl_take_text, .copy = sl_copy_text,
    .compare = sl_compare_text, .digest = sl_digest_text,
    .csv = sl_csv_text, .json = sl_json_of_text,
    .read = sl_read_text,
  },
  [SL_TYPE_CLASS] = {
    .name = "dictionary<int32, utf8>",
    FIXED (code), .bytes = 4,
    .arrow = arrow_class, .fits = fits_text, .canonical = sl_canonical_class,
    .point = sl_point_fixed, .take = sl_take_class, .copy = sl_copy_value,
    .missing = &no_class, .is_missing = sl_is_missing_class,
    .compare = sl_compare_fixed, .map = sl_map_class, .digest = sl_digest_class,
    .csv = sl_csv_class, .json = sl_json_of_class,
    .read = sl_read_class,
  },
  [SL_TYPE_CLASSES] = {
    .name = "list<dictionary<int32, utf8>>",
    .storage = SL_STORAGE_LISTS, .bytes = 24,
    .arrow = arrow_classes, .fits = fits_list, .canonical = sl_canonical_list,
    .point = sl_point_classes, .take = sl_take_classes, .copy = sl_copy_classes,
    .is_missing = sl_is_missing_list,
    .compare = sl_compare_classes, .map = sl_map_classes, .digest = sl_digest_classes,
    .csv = sl_csv_classes, .json = sl_json_of_classes,
    .read = sl_read_classes,
  },
  [SL_TYPE_CHOICES] = {
    .name = "list<struct<class: dictionary<int32, utf8>, percent: double>>",
    .storage = SL_STORAGE_LISTS, .bytes = 32,
    .arrow = arrow_choices, .fits = fits_list, .canonical = sl_canonical_list,
    .point = sl_point_choices, .take = sl_take_choices, .copy = sl_copy_choices,
    .is_missing = sl_is_missing_list,
    .compare = sl_compare_choices, .map = sl_map_choices, .digest = sl_digest_choices,
    .csv = sl_csv_choices, .json = sl_json_of_choices,
    .read = sl_read_choices,
  },
  [SL_TYPE_LABEL] = {
    .name = "fixed_size_list<double>[number of classes]",
    FIXED (real), .n_bytes = n_bytes_label,
    .arrow = arrow_label, .fits = fits_label, .canonical = sl_canonical_label,
    .point = sl_point_label, .take = sl_take_fixed_list, .copy = sl_copy_label,
    .compare = sl_compare_fixed, .map = sl_map_label, .digest = sl_digest_real,
    .csv_names = sl_csv_names_label, .csv = sl_csv_label, .json = sl_json_of_label,
    .read = sl_read_label,
  },
  [SL_TYPE_BOOL] = {
    .name = "bool",
    FIXED (flag), .bytes = 1,
    .arrow = arrow_bool, .fits = fits_bool, .canonical = sl_canonical_plain,
    .point = sl_point_bool, .take = sl_take_bool, .copy = sl_copy_value,
    .compare = sl_compare_fixed, .digest = sl_digest_fixed,
    .csv = sl_csv_bool, .json = sl_csv_bool,
    .read = sl_read_bool,
  },
  [SL_TYPE_INT32] = {
    .name = "int32",
    FIXED (int32), .bytes = 4,
    .arrow = arrow_int32, .fits = fits_number, .canonical = sl_canonical_plain,
    .point = sl_point_fixed, .take = sl_take_numbers, .copy = sl_copy_value,
    .compare = sl_compare_fixed, .digest = sl_digest_fixed,
    .csv = sl_csv_integer, .json = sl_csv_integer,
    .read = sl_read_integer,
  },
  [SL_TYPE_INT64] = {
    .name = "int64",
    FIXED (int64), .bytes = 8,
    .arrow = arrow_int64, .fits = fits_number, .canonical = sl_canonical_plain,
    .point = sl_point_fixed, .take = sl_take_numbers, .copy = sl_copy_value,
    .compare = sl_compare_fixed, .digest = sl_digest_fixed,
    .csv = sl_csv_integer, .json = sl_csv_integer,
    .read = sl_read_integer,
  },
  [SL_TYPE_REAL] = {
    .name = "double",
    FIXED (real), .bytes = 8,
    .arrow = arrow_real, .fits = fits_number, .canonical = sl_canonical_plain,
    .point = sl_point_fixed, .take = sl_take_numbers, .copy = sl_copy_value,
    .missing = &no_real, .is_missing = sl_is_missing_real,
    .compare = sl_compare_fixed, .digest = sl_digest_real,
    .csv = sl_csv_real, .json = sl_json_of_real,
    .read = sl_read_real,
  },
  [SL_TYPE_FLOAT32] = {
    .name = "float",
    FIXED (float32), .bytes = 4,
    .arrow = arrow_float32, .fits = fits_number, .canonical = sl_canonical_plain,
    .point = sl_point_fixed, .take = sl_take_numbers, .copy = sl_copy_value,
    .missing = &no_float32, .is_missing = sl_is_missing_float32,
    .compare = sl_compare_fixed, .digest = sl_digest_float32,
    .csv = sl_csv_float32, .json = sl_json_of_float32,
    .read = sl_read_float32,
  },
  [SL_TYPE_TENSOR] = {
    .name = "arrow.fixed_shape_tensor<uint8 or float>",
    FIXED (float32), .n_bytes = n_bytes_tensor,
    .arrow = arrow_tensor, .metadata = metadata_tensor,
    .fits = sl_tensor_fits, .learn = learn_tensor, .canonical = sl_canonical_tensor,
    .point = sl_point_tensor, .take = sl_take_fixed_list, .copy = sl_copy_tensor,
    .compare = sl_compare_fixed, .digest = sl_digest_float32,
    .csv_names = sl_csv_names_tensor, .csv = sl_csv_tensor, .json = sl_json_of_tensor,
  },
  [SL_TYPE_BINARY] = {
    .name = "binary",
    .storage = SL_STORAGE_BYTES, .bytes = 1 << 14, /* a small encoded image */
    .arrow = arrow_binary, .fits = fits_binary, .canonical = sl_canonical_plain,
    .point = sl_point_text, .take = sl_take_text, .copy = sl_copy_text,
    .compare = sl_compare_text, .digest = sl_digest_text,
    .csv = sl_csv_binary, .json = sl_json_of_binary,
    .read = sl_read_binary,
  },
};

gint64
sl_type_bytes (const SlTable *table, int column)
{
  const SlTypeRow *type = sl_type_of (table, column);
  return type->n_bytes != NULL ? type->n_bytes (table, column) : type->bytes;
}

gboolean
sl_value_is_missing (const SlBatch *batch, int column, gint64 row)
{
  const SlColumn *values = &batch->column[column];
  const SlTypeRow *type = sl_type_of (batch->table, column);
  return (values->valid != NULL && !values->valid[row])
         || (type->is_missing != NULL && type->is_missing (values, row));
}

int
sl_value_compare (const SlBatch *a, gint64 i, const SlBatch *b, gint64 j, int column)
{
  const guint8 *x = a->column[column].valid, *y = b->column[column].valid;
  int x_there = x == NULL || x[i], y_there = y == NULL || y[j];
  if (x_there != y_there || !x_there)
    return x_there - y_there;
  return sl_type_of (a->table, column)->compare (a, i, b, j, column);
}

void
sl_value_copy (SlBuilder *builder, int column, const SlBatch *batch, gint64 row)
{
  const guint8 *valid = batch->column[column].valid;
  if (valid != NULL && !valid[row])
    sl_builder_null (builder, column);
  else
    sl_type_of (batch->table, column)->copy (builder, column, batch, row);
}
