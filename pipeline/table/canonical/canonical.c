/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "canonical.h"

#include "pipeline/base/error.h"
#include "pipeline/table/carray.h"
#include "pipeline/arrow/reading-memory.h"
#include "canonical-private.h"
#include "validate.h"

#include <arrow-glib/arrow-glib.h>
#include <string.h>

GArrowArray *
sl_canonical_cast (GArrowArray *array, SlType wanted, const SlCanonical *context, GError **error)
{
  g_autoptr (GArrowDataType) type = sl_types[wanted].arrow (context->table, -1);
  return sl_canonical_cast_to (array, type, context, error);
}

GArrowArray *
sl_canonical_plain (GArrowArray *array, const SlCanonical *context, GError **error)
{
  return sl_canonical_cast (array, context->spec->type, context, error);
}

GArrowArray *
sl_canonical_cast_to (GArrowArray *array, GArrowDataType *type, const SlCanonical *context,
                      GError **error)
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

gint64
sl_canonical_row (const SlCanonical *context, gint64 i)
{
  gint64 row = 0;
  while (context->starts != NULL && context->starts[row + 1] <= i)
    row++;
  return context->first_row + (context->starts != NULL ? row : i) + 1;
}

gint64
sl_canonical_missing (GArrowArray *array)
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

gboolean
sl_canonical_no_nulls (GArrowArray *array, const SlCanonical *context, const char *what,
                       GError **error)
{
  gint64 row = sl_canonical_missing (array);
  return row < 0
         || sl_error_row (error, sl_canonical_row (context, row), "column '%s' %s",
                          context->spec->name, what);
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
  sl_error_row (error, sl_canonical_row (context, row), "column '%s' has a NUL byte in its text",
                context->spec->name);
  return NULL;
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
    sl_error_row (error, sl_canonical_row (context, i), "column '%s' %s", context->spec->name,
                  what);
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
            && !sl_canonical_no_nulls (canonical, &context, "has no value", error))
          return NULL;
      }
  return garrow_record_batch_new (schema, (guint32) garrow_record_batch_get_n_rows (raw), columns,
                                  error);
}
