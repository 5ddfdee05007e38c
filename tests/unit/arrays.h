/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays, batches and streams as other programs write them, for tests. What is passed in is taken
 * over. */
#pragma once

#include "pipeline/base/error.h"
#include "pipeline/table/batch.h"
#include "pipeline/table/canonical/canonical.h"
#include "pipeline/table/carray.h"

#include <arrow-glib/arrow-glib.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define N_OF(array) ((gint64) G_N_ELEMENTS (array))

#define TEXTS(...)                                                                                 \
  make_texts ((const char *const[]){ __VA_ARGS__ }, N_OF (((const char *const[]){ __VA_ARGS__ })))
#define INTS(type, ...)                                                                            \
  make_ints (type, (const gint64[]){ __VA_ARGS__ }, N_OF (((const gint64[]){ __VA_ARGS__ })))
#define REALS(...)                                                                                 \
  make_reals ((const double[]){ __VA_ARGS__ }, N_OF (((const double[]){ __VA_ARGS__ })))
#define LIST(values, ...)                                                                          \
  make_list (values, (const gint32[]){ __VA_ARGS__ }, N_OF (((const gint32[]){ __VA_ARGS__ })) - 1)

#define MISSING G_MININT64     /* among integers */
#define MISSING_REAL (-12345.) /* among reals; NaN is a value there */

/* Type names of Arrow GLib, shorter. */
#define TYPE(name) GARROW_DATA_TYPE (garrow_##name##_data_type_new ())

static inline gpointer
copy_bytes (const void *bytes, gsize size)
{
  gpointer memory = sl_buffer_new (size);
  if (size > 0)
    memcpy (memory, bytes, size);
  return memory;
}

static inline GArrowArray *
import_array (struct ArrowArray *c, GArrowDataType *type)
{
  g_autoptr (GArrowDataType) owned = type;
  g_autoptr (GError) error = NULL;
  GArrowArray *array = garrow_array_import (c, owned, &error);
  if (array == NULL)
    g_error ("%s", error->message);
  return array;
}

/* Which of N are there, as the array's bitmap. */
static inline void
set_valid (struct ArrowArray *c, const guint8 *valid, gint64 n)
{
  gint64 missing;
  gpointer bits = sl_bits_new (valid, n, &missing);
  c->null_count = missing;
  if (missing > 0)
    sl_carray_set (c, 0, bits);
  else
    free (bits);
}

static inline GArrowArray *
make_texts (const char *const *texts, gint64 n)
{
  g_autofree gint32 *offset = g_new0 (gint32, n + 1);
  g_autofree guint8 *valid = g_new (guint8, n + 1);
  g_autoptr (GString) data = g_string_new (NULL);
  for (gint64 i = 0; i < n; i++)
    {
      valid[i] = texts[i] != NULL;
      g_string_append (data, texts[i] != NULL ? texts[i] : "");
      offset[i + 1] = (gint32) data->len;
    }
  struct ArrowArray c;
  sl_carray_init (&c, n, 3, 0);
  set_valid (&c, valid, n);
  sl_carray_set (&c, 1, copy_bytes (offset, 4 * (gsize) (n + 1)));
  sl_carray_set (&c, 2, copy_bytes (data->str, data->len));
  return import_array (&c, TYPE (string));
}

static inline GArrowArray *
cast_to (GArrowArray *array, GArrowDataType *type)
{
  g_autoptr (GArrowArray) from = array;
  g_autoptr (GArrowDataType) to = type;
  g_autoptr (GError) error = NULL;
  GArrowArray *result = garrow_array_cast (from, to, NULL, &error);
  if (result == NULL)
    g_error ("%s", error->message);
  return result;
}

static inline GArrowArray *
make_ints (GArrowDataType *type, const gint64 *values, gint64 n)
{
  g_autofree guint8 *valid = g_new (guint8, n + 1);
  gint64 *copy = sl_buffer_new (8 * (gsize) n);
  for (gint64 i = 0; i < n; i++)
    {
      valid[i] = values[i] != MISSING;
      copy[i] = valid[i] ? values[i] : 0;
    }
  struct ArrowArray c;
  sl_carray_init (&c, n, 2, 0);
  set_valid (&c, valid, n);
  sl_carray_set (&c, 1, copy);
  return cast_to (import_array (&c, TYPE (int64)), type);
}

static inline GArrowArray *
make_reals (const double *values, gint64 n)
{
  g_autofree guint8 *valid = g_new (guint8, n + 1);
  for (gint64 i = 0; i < n; i++)
    valid[i] = !(values[i] == MISSING_REAL);
  struct ArrowArray c;
  sl_carray_init (&c, n, 2, 0);
  set_valid (&c, valid, n);
  sl_carray_set (&c, 1, copy_bytes (values, 8 * (gsize) n));
  return import_array (&c, TYPE (double));
}

static inline GArrowArray *
make_bools (const char *bits)
{
  gint64 n = (gint64) strlen (bits), clear;
  g_autofree guint8 *bytes = g_new (guint8, n + 1);
  for (gint64 i = 0; i < n; i++)
    bytes[i] = bits[i] == '1';
  struct ArrowArray c;
  sl_carray_init (&c, n, 2, 0);
  sl_carray_set (&c, 1, sl_bits_new (bytes, n, &clear));
  return import_array (&c, TYPE (boolean));
}

static inline GArrowDataType *
dictionary_type (GArrowDataType *index, GArrowDataType *value)
{
  GArrowDataType *type = GARROW_DATA_TYPE (garrow_dictionary_data_type_new (index, value, FALSE));
  g_object_unref (index);
  g_object_unref (value);
  return type;
}

/* An index out of the dictionary's range is let through, as a damaged file would have it. */
static inline GArrowArray *
make_dictionary (GArrowArray *indices, GArrowArray *dictionary)
{
  g_autoptr (GArrowDataType) index = garrow_array_get_value_data_type (indices);
  GArrowDataType *type
      = dictionary_type (g_object_ref (index), garrow_array_get_value_data_type (dictionary));
  gsize width
      = (gsize) garrow_fixed_width_data_type_get_bit_width (GARROW_FIXED_WIDTH_DATA_TYPE (index))
        / 8;
  struct ArrowArray from, texts, c;
  g_autoptr (GError) error = NULL;
  if (!sl_carray_export (indices, &from, &error) || !sl_carray_export (dictionary, &texts, &error))
    g_error ("%s", error->message);
  sl_carray_init (&c, from.length, 2, 0);
  if (from.null_count != 0)
    {
      g_autofree guint8 *valid = g_new (guint8, from.length);
      sl_bits_to_bytes (from.buffers[0], from.offset, from.length, valid);
      set_valid (&c, valid, from.length);
    }
  sl_carray_set (&c, 1,
                 copy_bytes ((const char *) from.buffers[1] + (gsize) from.offset * width,
                             width * (gsize) from.length));
  sl_carray_take_dictionary (&c, &texts);
  sl_carray_release (&from);
  g_object_unref (indices);
  g_object_unref (dictionary);
  return import_array (&c, type);
}

static inline GArrowDataType *
list_type (GArrowDataType *item)
{
  g_autoptr (GArrowDataType) owned = item;
  g_autoptr (GArrowField) field = garrow_field_new ("item", owned);
  return GARROW_DATA_TYPE (garrow_list_data_type_new (field));
}

/* Row i has the VALUES from offsets[i] up to offsets[i + 1]; row MISSING_ROW, unless it is
 * negative, is missing. */
static inline GArrowArray *
make_list_without (GArrowArray *values, const gint32 *offsets, gint64 n, gint64 missing_row)
{
  GArrowDataType *type = list_type (garrow_array_get_value_data_type (values));
  struct ArrowArray c;
  g_autoptr (GError) error = NULL;
  sl_carray_init (&c, n, 2, 1);
  if (missing_row >= 0)
    {
      g_autofree guint8 *valid = g_malloc ((gsize) n);
      memset (valid, 1, (gsize) n);
      valid[missing_row] = 0;
      set_valid (&c, valid, n);
    }
  sl_carray_set (&c, 1, copy_bytes (offsets, 4 * (gsize) (n + 1)));
  if (!sl_carray_export (values, c.children[0], &error))
    g_error ("%s", error->message);
  g_object_unref (values);
  return import_array (&c, type);
}

static inline GArrowArray *
make_list (GArrowArray *values, const gint32 *offsets, gint64 n)
{
  return make_list_without (values, offsets, n, -1);
}

static inline GArrowArray *
make_fixed_list (GArrowArray *values, int size)
{
  g_autoptr (GArrowArray) owned = values;
  g_autoptr (GArrowDataType) item = garrow_array_get_value_data_type (values);
  g_autoptr (GArrowField) field = garrow_field_new ("item", item);
  g_autoptr (GArrowDataType) type
      = GARROW_DATA_TYPE (garrow_fixed_size_list_data_type_new_field (field, size));
  return GARROW_ARRAY (garrow_fixed_size_list_array_new (
      type, garrow_array_get_length (values) / size, values, NULL, 0));
}

static inline GArrowArray *
make_pairs (const char *first_name, GArrowArray *first, const char *second_name,
            GArrowArray *second)
{
  g_autoptr (GArrowDataType) first_type = garrow_array_get_value_data_type (first);
  g_autoptr (GArrowDataType) second_type = garrow_array_get_value_data_type (second);
  g_autolist (GArrowField) fields = NULL;
  fields = g_list_append (fields, garrow_field_new (first_name, first_type));
  fields = g_list_append (fields, garrow_field_new (second_name, second_type));
  g_autoptr (GArrowDataType) type = GARROW_DATA_TYPE (garrow_struct_data_type_new (fields));
  g_autolist (GArrowArray) arrays = g_list_append (g_list_append (NULL, first), second);
  return GARROW_ARRAY (
      garrow_struct_array_new (type, garrow_array_get_length (first), arrays, NULL, 0));
}

static inline GArrowSchema *
with_metadata (GArrowSchema *schema, const char *kind, const char *classes, const char *provenance)
{
  g_autoptr (GArrowSchema) bare = schema;
  g_autoptr (GHashTable) metadata = g_hash_table_new (g_str_hash, g_str_equal);
  if (kind != NULL)
    g_hash_table_insert (metadata, (gpointer) "softlabel.table", (gpointer) kind);
  if (classes != NULL)
    g_hash_table_insert (metadata, (gpointer) "softlabel.classes", (gpointer) classes);
  if (provenance != NULL)
    g_hash_table_insert (metadata, (gpointer) "softlabel.provenance", (gpointer) provenance);
  return garrow_schema_with_metadata (bare, metadata);
}

/* A batch with columns "name", array, ..., NULL; with metadata where KIND and CLASSES (JSON) are
 * not NULL. */
static inline GArrowRecordBatch *
make_batch (const char *kind, const char *classes, ...)
{
  g_autolist (GArrowArray) arrays = NULL;
  g_autolist (GArrowField) fields = NULL;
  va_list args;
  va_start (args, classes);
  for (;;)
    {
      const char *name = va_arg (args, const char *);
      if (name == NULL)
        break;
      GArrowArray *array = va_arg (args, GArrowArray *);
      g_autoptr (GArrowDataType) type = garrow_array_get_value_data_type (array);
      arrays = g_list_append (arrays, array);
      fields = g_list_append (fields, garrow_field_new (name, type));
    }
  va_end (args);
  g_autoptr (GArrowSchema) schema = with_metadata (garrow_schema_new (fields), kind, classes, NULL);
  gint64 n = arrays != NULL ? garrow_array_get_length (arrays->data) : 0;
  g_autoptr (GError) error = NULL;
  GArrowRecordBatch *batch = garrow_record_batch_new (schema, (guint32) n, arrays, &error);
  if (batch == NULL)
    g_error ("%s", error->message);
  return batch;
}

/* Checks that ERROR is an SL_ERROR of this code whose message has PART in it; clears it. */
static inline void
assert_error (GError **error, int code, const char *part)
{
  assert_non_null (*error);
  if ((*error)->domain != SL_ERROR || (*error)->code != code
      || strstr ((*error)->message, part) == NULL)
    fail_msg ("error %s %d '%s', expected %d '…%s…'", g_quark_to_string ((*error)->domain),
              (*error)->code, (*error)->message, code, part);
  /* A message is one line. */
  assert_null (strchr ((*error)->message, '\n'));
  g_clear_error (error);
}

static inline void
assert_text (SlText text, gint64 i, const char *wanted)
{
  gsize n;
  const char *start = sl_text_get (text, i, &n);
  g_autofree char *got = g_strndup (start, n);
  assert_string_equal (got, wanted);
}

static inline void
assert_real (double got, double wanted)
{
  if (isnan (wanted) ? !isnan (got) : !(got == wanted))
    fail_msg ("%.17g, expected %.17g", got, wanted);
}
