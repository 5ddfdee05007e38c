/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tensor.h"

#include "pipeline/base/error.h"
#include "pipeline/base/json-value.h"

#include <arrow-glib/arrow-glib.h>
#include <string.h>

#define NAME_KEY "ARROW:extension:name"
#define METADATA_KEY "ARROW:extension:metadata"
#define TENSOR_NAME "arrow.fixed_shape_tensor"

gboolean
sl_tensor_init (SlTensor *tensor, SlNumber number, int n_dims, const gint64 *dim, GError **error)
{
  *tensor = (SlTensor){ .number = number, .n_dims = n_dims };
  if (n_dims < 1 || n_dims > SL_MAX_DIMS)
    return sl_error_bad_input (error, "its tensors have %d dimensions; 1 to %d can be", n_dims,
                               SL_MAX_DIMS);
  gint64 size = 1;
  for (int d = 0; d < n_dims; d++)
    {
      if (dim[d] < 1)
        return sl_error_bad_input (
            error, "its tensors have no numbers: a dimension is %" G_GINT64_FORMAT, dim[d]);
      if (dim[d] > SL_TENSOR_BYTES / sl_tensor_width (tensor) / size)
        return sl_error_bad_input (error, "its tensors are over %d MiB each",
                                   SL_TENSOR_BYTES >> 20);
      size *= dim[d];
      tensor->dim[d] = (gint32) dim[d];
      tensor->axis[d] = (gint8) d;
    }
  tensor->size = (gint32) size;
  return TRUE;
}

gboolean
sl_tensor_equal (const SlTensor *a, const SlTensor *b)
{
  return a->number == b->number && a->n_dims == b->n_dims
         && memcmp (a->dim, b->dim, sizeof a->dim) == 0;
}

gint32
sl_tensor_width (const SlTensor *tensor)
{
  return tensor->number == SL_NUMBER_UINT8 ? 1 : 4;
}

char *
sl_tensor_text (const SlTensor *tensor)
{
  GString *text = g_string_new (tensor->number == SL_NUMBER_UINT8 ? "uint8" : "float");
  for (int d = 0; d < tensor->n_dims; d++)
    g_string_append_printf (text, "%c%d", d > 0 ? 'x' : ' ', tensor->dim[d]);
  return g_string_free (text, FALSE);
}

GArrowDataType *
sl_tensor_number_type (const SlTensor *tensor)
{
  return tensor->number == SL_NUMBER_UINT8 ? GARROW_DATA_TYPE (garrow_uint8_data_type_new ())
                                           : GARROW_DATA_TYPE (garrow_float_data_type_new ());
}

GHashTable *
sl_tensor_metadata (const SlTensor *tensor)
{
  GHashTable *metadata = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  GString *json = g_string_new ("{\"shape\":[");
  for (int d = 0; d < tensor->n_dims; d++)
    g_string_append_printf (json, "%s%d", d > 0 ? "," : "", tensor->dim[d]);
  g_string_append (json, "]}");
  g_hash_table_insert (metadata, (gpointer) NAME_KEY, g_strdup (TENSOR_NAME));
  g_hash_table_insert (metadata, (gpointer) METADATA_KEY, g_string_free (json, FALSE));
  return metadata;
}

/* What a list type has in its lists; NULL for any other type. */
static GArrowDataType *
member_type (GArrowDataType *type)
{
  g_autoptr (GArrowField) field = NULL;
  if (GARROW_IS_LIST_DATA_TYPE (type))
    field = garrow_list_data_type_get_field (GARROW_LIST_DATA_TYPE (type));
  else if (GARROW_IS_LARGE_LIST_DATA_TYPE (type))
    field = garrow_large_list_data_type_get_field (GARROW_LARGE_LIST_DATA_TYPE (type));
  else if (GARROW_IS_FIXED_SIZE_LIST_DATA_TYPE (type))
    field = garrow_base_list_data_type_get_field (GARROW_BASE_LIST_DATA_TYPE (type));
  return field != NULL ? g_object_ref (garrow_field_get_data_type (field)) : NULL;
}

/* Lists of fixed size may lie in each other, as Polars has an array of several dimensions; other
 * lists are of numbers. */
gboolean
sl_tensor_fits (GArrowDataType *type)
{
  g_autoptr (GArrowDataType) member = member_type (type);
  return member != NULL
         && (GARROW_IS_NUMERIC_DATA_TYPE (member)
             || (GARROW_IS_FIXED_SIZE_LIST_DATA_TYPE (type)
                 && GARROW_IS_FIXED_SIZE_LIST_DATA_TYPE (member) && sl_tensor_fits (member)));
}

/* The shape that lists of fixed size have by themselves. */
static gboolean
learn_from_type (SlTensor *tensor, GArrowDataType *type, GError **error)
{
  gint64 dim[SL_MAX_DIMS];
  int n_dims = 0;
  g_autoptr (GArrowDataType) part = g_object_ref (type);
  while (GARROW_IS_FIXED_SIZE_LIST_DATA_TYPE (part) && n_dims < SL_MAX_DIMS)
    {
      gint size;
      g_object_get (part, "list-size", &size, NULL);
      dim[n_dims++] = size;
      GArrowDataType *member = member_type (part);
      g_object_unref (part);
      part = member;
    }
  if (GARROW_IS_FIXED_SIZE_LIST_DATA_TYPE (part))
    return sl_error_bad_input (error, "its tensors have more than %d dimensions", SL_MAX_DIMS);
  gboolean of_lists = n_dims == 0;
  g_autoptr (GArrowDataType) number = of_lists ? member_type (part) : g_object_ref (part);
  SlNumber numbers = GARROW_IS_UINT8_DATA_TYPE (number) ? SL_NUMBER_UINT8 : SL_NUMBER_FLOAT32;
  if (!of_lists)
    return sl_tensor_init (tensor, numbers, n_dims, dim, error);
  *tensor = (SlTensor){ .number = numbers, .n_dims = 1 };
  return TRUE;
}

/* The integers of member NAME of OBJECT, at most SL_MAX_DIMS; -1: it is something else. 0: not
 * there. */
static int
read_integers (SlJson object, const char *name, gint64 *values)
{
  SlJson array = sl_json_get (object, name);
  int n = 0;
  if (sl_json_type (array) == SL_JSON_ABSENT || sl_json_type (array) == SL_JSON_NULL)
    return 0;
  if (sl_json_type (array) != SL_JSON_ARRAY || sl_json_length (array) > SL_MAX_DIMS)
    return -1;
  for (SlJsonEach each = sl_json_each (array); sl_json_each_next (&each); n++)
    if (!sl_json_integer (each.value, &values[n]))
      return -1;
  return n;
}

/* Physical dimension order[i] is logical dimension i: the shape is told as it lies, and is to be
 * seen in that order. */
static gboolean
permute (SlTensor *tensor, const gint64 *order, int n_order, GError **error)
{
  const SlTensor lying = *tensor;
  guint seen = 0;
  for (int i = 0; i < n_order; i++)
    {
      if (n_order != tensor->n_dims || order[i] < 0 || order[i] >= n_order || seen >> order[i] & 1)
        return sl_error_bad_input (error, "its extension metadata has a permutation that is none");
      seen |= 1u << order[i];
      tensor->dim[i] = lying.dim[order[i]];
      tensor->axis[order[i]] = (gint8) i;
    }
  return TRUE;
}

/* JSON: {"shape": [3, 32, 32], "permutation": …, "dim_names": …}. */
static gboolean
learn_from_metadata (SlTensor *tensor, const char *json, GError **error)
{
  g_autoptr (SlJsonParser) parser = sl_json_parser_new ();
  SlJson object;
  if (sl_json_parse_text (parser, json != NULL ? json : "", &object) != NULL
      || sl_json_type (object) != SL_JSON_OBJECT)
    return sl_error_bad_input (error, "its extension metadata is not a JSON object");
  gint64 dim[SL_MAX_DIMS], order[SL_MAX_DIMS];
  int n_dims = read_integers (object, "shape", dim);
  int n_order = read_integers (object, "permutation", order);
  gint32 size = tensor->size;
  if (n_dims < 1 || n_order < 0)
    return sl_error_bad_input (
        error, "its extension metadata has no shape of 1 to %d whole numbers", SL_MAX_DIMS);
  if (!sl_tensor_init (tensor, tensor->number, n_dims, dim, error))
    return FALSE;
  if (tensor->size != size)
    return sl_error_bad_input (error, "its extension metadata says %d numbers, its type %d",
                               tensor->size, size);
  return permute (tensor, order, n_order, error);
}

gboolean
sl_tensor_learn (SlTensor *tensor, GArrowField *field, GError **error)
{
  if (!learn_from_type (tensor, garrow_field_get_data_type (field), error))
    return FALSE;
  g_autoptr (GHashTable) metadata
      = garrow_field_has_metadata (field) ? garrow_field_get_metadata (field) : NULL;
  if (metadata == NULL || g_strcmp0 (g_hash_table_lookup (metadata, NAME_KEY), TENSOR_NAME) != 0
      || tensor->size == 0)
    return TRUE;
  return learn_from_metadata (tensor, g_hash_table_lookup (metadata, METADATA_KEY), error);
}
