/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "canonical.h"

#include "pipeline/arrow/reading-memory.h"
#include "pipeline/base/error.h"
#include "pipeline/table/carray.h"
#include "pipeline/table/types/types-private.h"
#include "validate.h"

#include <arrow-glib/arrow-glib.h>
#include <stdlib.h>
#include <string.h>

struct _SlCanonical
{
  const SlTable *table;
  int column;
  const SlColumnSpec *spec; /* the column's */
  gint64 first_row;         /* for messages */
  /* [rows + 1]: where each row's members begin, while those of lists are made canonical. */
  const gint32 *starts;
};

/* To a type of which a table says nothing. */
static GArrowArray *
cast_to (GArrowArray *array, GArrowDataType *type, const SlCanonical *context, GError **error)
{
  g_autoptr (GArrowDataType) has = garrow_array_get_value_data_type (array);
  if (garrow_data_type_equal (has, type))
    return g_object_ref (array);
  g_autoptr (GError) problem = NULL;
  GArrowArray *result = sl_reading_cast (array, type, &problem);
  if (result == NULL)
    {
      g_autofree char *from = garrow_data_type_to_string (has);
      g_autofree char *to = garrow_data_type_to_string (type);
      sl_error_bad_input (error, "column '%s' is %s and cannot be read as %s (%s)",
                          context->spec->name, from, to, problem->message);
    }
  return result;
}

/* To Arrow's type for WANTED, one of those for which a table says nothing. */
static GArrowArray *
cast (GArrowArray *array, SlType wanted, const SlCanonical *context, GError **error)
{
  g_autoptr (GArrowDataType) type = sl_types[wanted].arrow (context->table, -1);
  return cast_to (array, type, context, error);
}

GArrowArray *
sl_canonical_plain (GArrowArray *array, const SlCanonical *context, GError **error)
{
  return cast (array, context->spec->type, context, error);
}

/* The row, counted from 1, of the table that value (or member of a list) I belongs to. */
static gint64
row_of (const SlCanonical *context, gint64 i)
{
  gint64 row = 0;
  while (context->starts != NULL && context->starts[row + 1] <= i)
    row++;
  return context->first_row + (context->starts != NULL ? row : i) + 1;
}

/* The first missing value; -1: none. */
static gint64
first_missing (GArrowArray *array)
{
  if (garrow_array_get_n_nulls (array) == 0)
    return -1;
  /* The number may be the file's own, and wrong. */
  gint64 n = garrow_array_get_length (array);
  for (gint64 i = 0; i < n; i++)
    if (!garrow_array_is_valid (array, i))
      return i;
  return -1;
}

static gboolean
has_all (GArrowArray *array, const SlCanonical *context, const char *what, GError **error)
{
  gint64 row = first_missing (array);
  return row < 0
         || sl_error_row (error, row_of (context, row), "column '%s' %s", context->spec->name,
                          what);
}

/* The first text of ARRAY with a NUL in it; -1: there is none. */
static gint64
find_nul (const struct ArrowArray *array)
{
  const gint32 *offset = (const gint32 *) array->buffers[1] + array->offset;
  const char *text = array->buffers[2];
  if (array->length == 0 || offset[array->length] == offset[0])
    return -1;
  const char *nul = memchr (text + offset[0], '\0', (gsize) (offset[array->length] - offset[0]));
  gint64 row = 0;
  while (nul != NULL && text + offset[row + 1] <= nul)
    row++;
  return nul != NULL ? row : -1;
}

/* Text without NULs, which no CSV could hold and no message show. */
GArrowArray *
sl_canonical_text (GArrowArray *array, const SlCanonical *context, GError **error)
{
  g_autoptr (GArrowArray) plain = sl_canonical_plain (array, context, error);
  struct ArrowArray c;
  if (plain == NULL || !sl_carray_export (plain, &c, error))
    return NULL;
  gint64 row = find_nul (&c);
  sl_carray_release (&c);
  if (row < 0)
    return g_steal_pointer (&plain);
  sl_error_row (error, row_of (context, row), "column '%s' has a NUL byte in its text",
                context->spec->name);
  return NULL;
}

/* The table's code for each entry of a dictionary, or one of these. SAME: it is the table's own. */
#define NO_CLASS (-1)
#define NO_VALUE (-2)

static gint32 *
match_classes (GArrowDictionaryArray *array, const SlCanonical *context, gboolean *same,
               GError **error)
{
  g_autoptr (GArrowArray) raw = garrow_dictionary_array_get_dictionary (array);
  g_autoptr (GArrowArray) texts = cast (raw, SL_TYPE_TEXT, context, error);
  if (texts == NULL)
    return NULL;
  struct ArrowArray c;
  if (!sl_carray_export (texts, &c, error))
    return NULL;
  g_autoptr (GHashTable) codes = g_hash_table_new (g_str_hash, g_str_equal);
  for (gint32 i = 0; i < context->table->n_classes; i++)
    g_hash_table_insert (codes, context->table->classes[i], GINT_TO_POINTER (i + 1));
  gint32 *match = g_new (gint32, MAX (c.length, 1));
  const gint32 *offset = c.length > 0 ? (const gint32 *) c.buffers[1] + c.offset : NULL;
  const guint8 *valid = c.null_count != 0 ? c.buffers[0] : NULL;
  *same = c.length == context->table->n_classes;
  for (gint64 i = 0; i < c.length; i++)
    {
      gsize length = (gsize) (offset[i + 1] - offset[i]);
      g_autofree char *name = g_strndup ((const char *) c.buffers[2] + offset[i], length);
      gpointer code = strlen (name) == length ? g_hash_table_lookup (codes, name) : NULL;
      gboolean there = valid == NULL || (valid[(c.offset + i) / 8] >> ((c.offset + i) % 8)) & 1;
      match[i] = !there ? NO_VALUE : code == NULL ? NO_CLASS : GPOINTER_TO_INT (code) - 1;
      *same = *same && match[i] == i;
    }
  sl_carray_release (&c);
  return match;
}

/* CODES, for the rows that are THERE, as an array that takes them over. */
static GArrowArray *
import_codes (const SlCanonical *context, gint32 *codes, const guint8 *there, gint64 n,
              GError **error)
{
  struct ArrowArray array, dictionary;
  sl_carray_init (&array, n, 2, 0);
  if (memchr (there, 0, (gsize) n) != NULL)
    sl_carray_set (&array, 0, sl_bits_new (there, n, &array.null_count));
  sl_carray_set (&array, 1, codes);
  sl_carray_init_texts (&dictionary, context->table->classes, context->table->n_classes);
  sl_carray_take_dictionary (&array, &dictionary);
  g_autoptr (GArrowDataType) type = sl_types[SL_TYPE_CLASS].arrow (context->table, -1);
  return garrow_array_import (&array, type, error);
}

static GArrowArray *
refuse_class (GArrowDictionaryArray *array, gint32 entry, gint64 row, const SlCanonical *context,
              GError **error)
{
  g_autoptr (GArrowArray) dictionary = garrow_dictionary_array_get_dictionary (array);
  g_autoptr (GArrowArray) texts = cast (dictionary, SL_TYPE_TEXT, context, NULL);
  g_autofree char *name = garrow_string_array_get_string (GARROW_STRING_ARRAY (texts), entry);
  sl_error_row (error, row_of (context, row),
                "column '%s' has '%s', which is none of the table's classes", context->spec->name,
                name);
  return NULL;
}

/* ARRAY's codes by the table's classes. */
static GArrowArray *
recode (GArrowDictionaryArray *array, const gint32 *match, const SlCanonical *context,
        GError **error)
{
  g_autoptr (GArrowArray) raw = garrow_dictionary_array_get_indices (array);
  g_autoptr (GArrowArray) indices = cast (raw, SL_TYPE_INT32, context, error);
  struct ArrowArray c;
  if (indices == NULL || !sl_carray_export (indices, &c, error))
    return NULL;
  const gint32 *from = (const gint32 *) c.buffers[1] + c.offset;
  g_autofree guint8 *there = g_malloc ((gsize) c.length + 1);
  memset (there, 1, (gsize) c.length);
  if (c.null_count != 0 && c.buffers[0] != NULL)
    sl_bits_to_bytes (c.buffers[0], c.offset, c.length, there);
  gint32 *codes = sl_buffer_new (4 * (gsize) c.length);
  gint64 i = 0, n = c.length;
  for (; i < n; i++)
    {
      gint32 code = there[i] ? match[from[i]] : NO_VALUE;
      if (code == NO_CLASS)
        break;
      there[i] = code != NO_VALUE;
      codes[i] = MAX (code, 0);
    }
  gint32 entry = i < n ? from[i] : 0;
  sl_carray_release (&c);
  if (i == n)
    return import_codes (context, codes, there, n, error);
  free (codes);
  return refuse_class (array, entry, i, context, error);
}

GArrowArray *
sl_canonical_class (GArrowArray *array, const SlCanonical *context, GError **error)
{
  g_autoptr (GArrowArray) dictionary = NULL;
  if (GARROW_IS_DICTIONARY_ARRAY (array))
    dictionary = g_object_ref (array);
  else
    {
      g_autoptr (GArrowArray) text = cast (array, SL_TYPE_TEXT, context, error);
      if (text == NULL)
        return NULL;
      dictionary = GARROW_ARRAY (garrow_array_dictionary_encode (text, error));
      if (dictionary == NULL)
        return NULL;
    }
  gboolean same;
  g_autofree gint32 *match
      = match_classes (GARROW_DICTIONARY_ARRAY (dictionary), context, &same, error);
  if (match == NULL)
    return NULL;
  g_autoptr (GArrowDataType) type = garrow_array_get_value_data_type (dictionary);
  g_autoptr (GArrowDataType) wanted = sl_types[SL_TYPE_CLASS].arrow (context->table, -1);
  if (same && garrow_data_type_equal (type, wanted))
    return g_object_ref (dictionary);
  return recode (GARROW_DICTIONARY_ARRAY (dictionary), match, context, error);
}

static GArrowArray *
canonical_pairs (GArrowArray *values, const SlCanonical *context, GError **error)
{
  if (!GARROW_IS_STRUCT_ARRAY (values))
    {
      sl_error_bad_input (error, "column '%s' is not a list of (class, percent)",
                          context->spec->name);
      return NULL;
    }
  g_autoptr (GArrowDataType) type = garrow_array_get_value_data_type (values);
  gint class_at = garrow_struct_data_type_get_field_index (GARROW_STRUCT_DATA_TYPE (type), "class");
  gint percent_at
      = garrow_struct_data_type_get_field_index (GARROW_STRUCT_DATA_TYPE (type), "percent");
  if (class_at < 0 || percent_at < 0)
    {
      sl_error_bad_input (error, "column '%s' lacks 'class' or 'percent'", context->spec->name);
      return NULL;
    }
  if (!has_all (values, context, "has a choice that is missing", error))
    return NULL;
  g_autoptr (GArrowArray) raw_class
      = garrow_struct_array_get_field (GARROW_STRUCT_ARRAY (values), class_at);
  g_autoptr (GArrowArray) raw_percent
      = garrow_struct_array_get_field (GARROW_STRUCT_ARRAY (values), percent_at);
  g_autoptr (GArrowArray) class = sl_canonical_class (raw_class, context, error);
  g_autoptr (GArrowArray) percent
      = class != NULL ? cast (raw_percent, SL_TYPE_REAL, context, error) : NULL;
  if (percent == NULL)
    return NULL;
  if (!has_all (class, context, "has a choice without a class", error))
    return NULL;
  struct ArrowArray pairs;
  sl_carray_init (&pairs, garrow_array_get_length (values), 1, 2);
  g_autoptr (GArrowDataType) list = sl_types[SL_TYPE_CHOICES].arrow (context->table, -1);
  g_autoptr (GArrowField) item = garrow_list_data_type_get_field (GARROW_LIST_DATA_TYPE (list));
  GArrowDataType *wanted = garrow_field_get_data_type (item);
  if (!sl_carray_export (class, pairs.children[0], error)
      || !sl_carray_export (percent, pairs.children[1], error))
    {
      sl_carray_release (&pairs);
      return NULL;
    }
  return garrow_array_import (&pairs, wanted, error);
}

/* The N lists of ARRAY as one array of members, and where each row's begin (memory for a
 * buffer). */
static gboolean
open_lists (GArrowArray *array, const SlCanonical *context, gint32 **offsets, GArrowArray **members,
            GError **error)
{
  gboolean large = GARROW_IS_LARGE_LIST_ARRAY (array);
  struct ArrowArray lists;
  if (!sl_carray_export (array, &lists, error))
    return FALSE;
  gint64 n = lists.length;
  const gint32 *small_at = lists.buffers[1] != NULL && !large
                               ? (const gint32 *) lists.buffers[1] + lists.offset
                               : NULL;
  const gint64 *large_at
      = lists.buffers[1] != NULL && large ? (const gint64 *) lists.buffers[1] + lists.offset : NULL;
  gint64 first = n == 0 ? 0 : large ? large_at[0] : small_at[0];
  gint64 total = n == 0 ? 0 : (large ? large_at[n] : small_at[n]) - first;
  gint32 *starts = total <= G_MAXINT32 ? sl_buffer_new (4 * (gsize) (n + 1)) : NULL;
  if (starts != NULL)
    starts[0] = 0;
  for (gint64 i = 1; starts != NULL && i <= n; i++)
    starts[i] = (gint32) ((large ? large_at[i] : small_at[i]) - first);
  sl_carray_release (&lists);
  if (starts == NULL)
    return sl_error_bad_input (
        error, "column '%s' has a batch of over 2^31 list members; write it in smaller batches",
        context->spec->name);
  g_autoptr (GArrowArray) values
      = large ? garrow_large_list_array_get_values (GARROW_LARGE_LIST_ARRAY (array))
              : garrow_list_array_get_values (GARROW_LIST_ARRAY (array));
  *members = garrow_array_slice (values, first, total);
  *offsets = starts;
  return TRUE;
}

/* Whether a list array of the canonical type has the table's own class codes and nothing missing
 * within. */
static gboolean
lists_are_canonical (GArrowArray *array, const SlCanonical *context)
{
  g_autoptr (GArrowDataType) type = garrow_array_get_value_data_type (array);
  g_autoptr (GArrowDataType) wanted = sl_table_column_type (context->table, context->column);
  if (!garrow_data_type_equal (type, wanted))
    return FALSE;
  g_autoptr (GArrowArray) members = garrow_list_array_get_values (GARROW_LIST_ARRAY (array));
  g_autoptr (GArrowArray) classes
      = context->spec->type == SL_TYPE_CLASSES
            ? g_object_ref (members)
            : garrow_struct_array_get_field (GARROW_STRUCT_ARRAY (members), 0);
  gboolean same = FALSE;
  g_autofree gint32 *match
      = match_classes (GARROW_DICTIONARY_ARRAY (classes), context, &same, NULL);
  return match != NULL && same && garrow_array_get_n_nulls (members) == 0
         && garrow_array_get_n_nulls (classes) == 0;
}

GArrowArray *
sl_canonical_list (GArrowArray *array, const SlCanonical *context, GError **error)
{
  if (!has_all (array, context, "has a missing list; an empty one is meant by []", error))
    return NULL;
  if (lists_are_canonical (array, context))
    return g_object_ref (array);
  gint32 *offsets = NULL;
  g_autoptr (GArrowArray) raw = NULL;
  if (!open_lists (array, context, &offsets, &raw, error))
    return NULL;
  SlCanonical within = *context;
  within.starts = offsets;
  g_autoptr (GArrowArray) members = context->spec->type == SL_TYPE_CLASSES
                                        ? sl_canonical_class (raw, &within, error)
                                        : canonical_pairs (raw, &within, error);
  struct ArrowArray list;
  sl_carray_init (&list, garrow_array_get_length (array), 2, 1);
  sl_carray_set (&list, 1, offsets);
  /* Stages use the codes within lists without a look at whether they are there. */
  if (members == NULL || !has_all (members, &within, "has a missing class in a list", error)
      || !sl_carray_export (members, list.children[0], error))
    {
      sl_carray_release (&list);
      return NULL;
    }
  g_autoptr (GArrowDataType) type = sl_table_column_type (context->table, context->column);
  return garrow_array_import (&list, type, error);
}

/* Columns of which each value has the same number of numbers: labels and tensors. */

static gboolean
check_size (gint64 size, gint64 row, const SlCanonical *context, GError **error)
{
  const SlTable *table = context->table;
  gboolean label = context->spec->type == SL_TYPE_LABEL;
  gint64 wanted = label ? table->n_classes : table->tensor[context->column].size;
  if (size == wanted)
    return TRUE;
  return sl_error_row (error, row,
                       label ? "column '%s' has %" G_GINT64_FORMAT
                               " probabilities for %" G_GINT64_FORMAT " classes"
                             : "column '%s' has %" G_GINT64_FORMAT
                               " numbers; the rows before have %" G_GINT64_FORMAT,
                       context->spec->name, size, wanted);
}

/* The numbers of lists of fixed size, which may lie in each other. */
static GArrowArray *
open_fixed (GArrowArray *array, const SlCanonical *context, GError **error)
{
  gint64 n = garrow_array_get_length (array), size = 1;
  g_autoptr (GArrowArray) values = g_object_ref (array);
  while (GARROW_IS_FIXED_SIZE_LIST_ARRAY (values))
    {
      GArrowFixedSizeListArray *lists = GARROW_FIXED_SIZE_LIST_ARRAY (values);
      gint64 each = garrow_fixed_size_list_array_get_list_size (lists);
      gint64 length = garrow_array_get_length (values), offset = garrow_array_get_offset (values);
      if (!has_all (values, context, "has a missing list in a value", error))
        return NULL;
      g_autoptr (GArrowArray) all = garrow_fixed_size_list_array_get_values (lists);
      g_object_unref (values);
      values = garrow_array_slice (all, offset * each, length * each);
      size *= each;
    }
  if (n > 0 && !check_size (size, context->first_row + 1, context, error))
    return NULL;
  return g_steal_pointer (&values);
}

static GArrowArray *
open_variable (GArrowArray *array, const SlCanonical *context, GError **error)
{
  g_autofree gint32 *offsets = NULL;
  g_autoptr (GArrowArray) values = NULL;
  if (!open_lists (array, context, &offsets, &values, error))
    return NULL;
  gint64 n = garrow_array_get_length (array);
  for (gint64 i = 0; i < n; i++)
    if (!check_size (offsets[i + 1] - offsets[i], context->first_row + i + 1, context, error))
      return NULL;
  return g_steal_pointer (&values);
}

/* The numbers of ARRAY's rows as one array of NUMBER, SIZE a row, of which none is missing. */
static GArrowArray *
open_numbers (GArrowArray *array, GArrowDataType *number, gint64 size, const char *missing,
              const SlCanonical *context, GError **error)
{
  if (!has_all (array, context, "has no value", error))
    return NULL;
  g_autoptr (GArrowArray) raw = GARROW_IS_FIXED_SIZE_LIST_ARRAY (array)
                                    ? open_fixed (array, context, error)
                                    : open_variable (array, context, error);
  if (raw == NULL)
    return NULL;
  g_autoptr (GArrowArray) values = cast_to (raw, number, context, error);
  gint64 at = values != NULL ? first_missing (values) : -1;
  if (at < 0)
    return g_steal_pointer (&values);
  sl_error_row (error, context->first_row + at / size + 1, "column '%s' has %s",
                context->spec->name, missing);
  return NULL;
}

GArrowArray *
sl_canonical_label (GArrowArray *array, const SlCanonical *context, GError **error)
{
  g_autoptr (GArrowDataType) real = GARROW_DATA_TYPE (garrow_double_data_type_new ());
  g_autoptr (GArrowDataType) type = sl_table_column_type (context->table, context->column);
  g_autoptr (GArrowArray) values = open_numbers (array, real, context->table->n_classes,
                                                 "a missing probability", context, error);
  return values != NULL ? GARROW_ARRAY (garrow_fixed_size_list_array_new (
             type, garrow_array_get_length (array), values, NULL, 0))
                        : NULL;
}

static gboolean
lies_in_order (const SlTensor *tensor)
{
  for (int d = 0; d < tensor->n_dims; d++)
    if (tensor->axis[d] != d)
      return FALSE;
  return TRUE;
}

/* One tensor FROM, that lies as TENSOR's axes say, TO its own order: a walk through TO, with the
 * step in FROM of each dimension. */
static void
reorder (const SlTensor *tensor, const char *from, char *to)
{
  gint64 step[SL_MAX_DIMS], stride = 1, at = 0;
  gint32 index[SL_MAX_DIMS] = { 0 };
  gsize width = (gsize) sl_tensor_width (tensor);
  for (int d = tensor->n_dims - 1; d >= 0; d--)
    {
      step[tensor->axis[d]] = stride;
      stride *= tensor->dim[tensor->axis[d]];
    }
  for (gint32 i = 0; i < tensor->size; i++, to += width)
    {
      memcpy (to, from + (gsize) at * width, width);
      int d = tensor->n_dims - 1;
      for (; d >= 0 && ++index[d] == tensor->dim[d]; d--)
        {
          at -= step[d] * (tensor->dim[d] - 1);
          index[d] = 0;
        }
      at += d >= 0 ? step[d] : 0;
    }
}

static GArrowArray *
reordered (GArrowArray *values, GArrowDataType *number, const SlTensor *tensor, GError **error)
{
  struct ArrowArray from, to;
  if (!sl_carray_export (values, &from, error))
    return NULL;
  gint64 bytes = (gint64) sl_tensor_width (tensor);
  sl_carray_init (&to, from.length, 2, 0);
  char *out = sl_buffer_new ((gsize) (from.length * bytes));
  sl_carray_set (&to, 1, out);
  const char *in = (const char *) from.buffers[1] + from.offset * bytes;
  for (gint64 i = 0; i < from.length; i += tensor->size)
    reorder (tensor, in + i * bytes, out + i * bytes);
  sl_carray_release (&from);
  return garrow_array_import (&to, number, error);
}

GArrowArray *
sl_canonical_tensor (GArrowArray *array, const SlCanonical *context, GError **error)
{
  const SlTensor *tensor = &context->table->tensor[context->column];
  g_autoptr (GArrowDataType) number = sl_tensor_number_type (tensor);
  g_autoptr (GArrowDataType) type = sl_table_column_type (context->table, context->column);
  g_autoptr (GArrowArray) values
      = open_numbers (array, number, tensor->size, "a missing number in a tensor", context, error);
  if (values == NULL)
    return NULL;
  g_autoptr (GArrowArray) ordered
      = lies_in_order (tensor) ? g_object_ref (values) : reordered (values, number, tensor, error);
  return ordered != NULL ? GARROW_ARRAY (garrow_fixed_size_list_array_new (
             type, garrow_array_get_length (array), ordered, NULL, 0))
                         : NULL;
}

static GArrowArray *
find_column (GArrowRecordBatch *raw, const char *name)
{
  guint n = garrow_record_batch_get_n_columns (raw);
  for (guint i = 0; i < n; i++)
    if (strcmp (garrow_record_batch_get_column_name (raw, (gint) i), name) == 0)
      return garrow_record_batch_get_column_data (raw, (gint) i);
  return NULL;
}

/* The first value of ARRAY that is not valid by itself; -1 where it cannot be told. */
static gint64
find_damage (GArrowArray *array)
{
  gboolean by_value = GARROW_IS_STRING_ARRAY (array) || GARROW_IS_LARGE_STRING_ARRAY (array)
                      || GARROW_IS_DICTIONARY_ARRAY (array);
  gint64 good = 0, bad = garrow_array_get_length (array);
  g_autoptr (GArrowArray) nothing = garrow_array_slice (array, 0, 0);
  if (!by_value || !garrow_array_validate (array, NULL) || !sl_validate (nothing, NULL))
    return -1;
  while (good + 1 < bad)
    {
      gint64 middle = good + (bad - good) / 2;
      g_autoptr (GArrowArray) head = garrow_array_slice (array, 0, middle);
      if (sl_validate (head, NULL))
        good = middle;
      else
        bad = middle;
    }
  return good;
}

static void
tell_damage (GArrowArray *array, const SlCanonical *context, const GError *problem, GError **error)
{
  const char *what = strstr (problem->message, "UTF8") != NULL ? "is not UTF-8" : "is damaged";
  gint64 i = find_damage (array);
  if (i >= 0)
    sl_error_row (error, row_of (context, i), "column '%s' %s", context->spec->name, what);
  else
    sl_error_bad_input (error, "column '%s' %s, in row %" G_GINT64_FORMAT " or after it",
                        context->spec->name, what, context->first_row + 1);
}

GArrowRecordBatch *
sl_canonical (const SlTable *table, GArrowSchema *schema, GArrowRecordBatch *raw, gint64 first_row,
              GError **error)
{
  g_autolist (GArrowArray) columns = NULL;
  for (int i = 0; table->spec[i].name != NULL; i++)
    if (sl_table_has (table, i))
      {
        SlCanonical context = { table, i, &table->spec[i], first_row, NULL };
        g_autoptr (GArrowArray) array = find_column (raw, context.spec->name);
        if (array == NULL)
          {
            sl_error_bad_input (error, "a batch lacks column '%s'", context.spec->name);
            return NULL;
          }
        g_autoptr (GError) problem = NULL;
        if (!sl_validate (array, &problem))
          {
            tell_damage (array, &context, problem, error);
            return NULL;
          }
        GArrowArray *canonical = sl_type_of (table, i)->canonical (array, &context, error);
        if (canonical == NULL)
          return NULL;
        columns = g_list_append (columns, canonical);
        if (!(context.spec->flags & SL_COLUMN_NULLABLE)
            && !has_all (canonical, &context, "has no value", error))
          return NULL;
      }
  return garrow_record_batch_new (schema, (guint32) garrow_record_batch_get_n_rows (raw), columns,
                                  error);
}
