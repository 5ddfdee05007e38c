/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "canonical-private.h"

#include "pipeline/base/error.h"
#include "pipeline/table/carray.h"

#include <arrow-glib/arrow-glib.h>

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
  if (!sl_canonical_no_nulls (values, context, "has a choice that is missing", error))
    return NULL;
  g_autoptr (GArrowArray) raw_class
      = garrow_struct_array_get_field (GARROW_STRUCT_ARRAY (values), class_at);
  g_autoptr (GArrowArray) raw_percent
      = garrow_struct_array_get_field (GARROW_STRUCT_ARRAY (values), percent_at);
  g_autoptr (GArrowArray) class = sl_canonical_class (raw_class, context, error);
  g_autoptr (GArrowArray) percent
      = class != NULL ? sl_canonical_cast (raw_percent, SL_TYPE_REAL, context, error) : NULL;
  if (percent == NULL)
    return NULL;
  if (!sl_canonical_no_nulls (class, context, "has a choice without a class", error))
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

gboolean
sl_canonical_open (GArrowArray *array, const SlCanonical *context, gint32 **offsets,
                   GArrowArray **members, GError **error)
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
      = sl_canonical_match (GARROW_DICTIONARY_ARRAY (classes), context, &same, NULL);
  return match != NULL && same && garrow_array_get_n_nulls (members) == 0
         && garrow_array_get_n_nulls (classes) == 0;
}

GArrowArray *
sl_canonical_list (GArrowArray *array, const SlCanonical *context, GError **error)
{
  if (!sl_canonical_no_nulls (array, context, "has a missing list; an empty one is meant by []",
                              error))
    return NULL;
  if (lists_are_canonical (array, context))
    return g_object_ref (array);
  gint32 *offsets = NULL;
  g_autoptr (GArrowArray) raw = NULL;
  if (!sl_canonical_open (array, context, &offsets, &raw, error))
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
  if (members == NULL
      || !sl_canonical_no_nulls (members, &within, "has a missing class in a list", error)
      || !sl_carray_export (members, list.children[0], error))
    {
      sl_carray_release (&list);
      return NULL;
    }
  g_autoptr (GArrowDataType) type = sl_table_column_type (context->table, context->column);
  return garrow_array_import (&list, type, error);
}
