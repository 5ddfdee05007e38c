/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "table-form.h"

#include "pipeline/table/canonical/validate.h"
#include "pipeline/table/carray.h"
#include "pipeline/arrow/reading-memory.h"

#include <arrow-glib/arrow-glib.h>
#include <math.h>
#include <string.h>

static SlCellKind
cell_of (GArrowDataType *type)
{
  if (sl_tensor_fits (type))
    return SL_CELL_LIST;
  return GARROW_IS_NUMERIC_DATA_TYPE (type) ? SL_CELL_NUMBER : SL_CELL_OTHER;
}

/* The reader puts the file's name before an error by itself. */
static gboolean
fail_without (const char *name, GError **error)
{
  g_autofree char *prefix = g_strdup_printf ("%s: ", name);
  if (error != NULL && g_str_has_prefix ((*error)->message, prefix))
    memmove ((*error)->message, (*error)->message + strlen (prefix),
             strlen ((*error)->message + strlen (prefix)) + 1);
  return FALSE;
}

/* Finds what is where in SCHEMA. The columns' names stand for a header of CSV. */
static gboolean
find_columns (SlTableForm *form, GArrowSchema *schema, GError **error)
{
  guint n = garrow_schema_n_fields (schema);
  g_auto (GStrv) names = g_new0 (char *, n + 1);
  g_autofree SlCellKind *cell = g_new (SlCellKind, n + 1);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GArrowField) field = garrow_schema_get_field (schema, i);
      names[i] = g_strdup (garrow_field_get_name (field));
      cell[i] = cell_of (garrow_field_get_data_type (field));
    }
  g_autofree char *shown = g_filename_display_name (form->path);
  const SlCsv header = { .name = shown, .first = names, .n_fields = (int) n };
  if (!sl_columns_find_named (&header, sl_table_single_roles, form->ingest->columns, form->column,
                              error)
      || !sl_table_check_item (form->ingest, &header, form->column, error)
      || (form->picked->len == 0
          && !sl_table_pick (form->ingest, &header, cell, form->column, form->picked, error)))
    return fail_without (shown, error);
  form->of_lists = cell[g_array_index (form->picked, int, 0)] == SL_CELL_LIST;
  return TRUE;
}

/* The type of the field that has ROLE among FIELDS; NULL where there is none. */
static GArrowDataType *
type_of (GArrowSchema *schema, int column)
{
  g_autoptr (GArrowField) field
      = column >= 0 ? garrow_schema_get_field (schema, (guint) column) : NULL;
  return field != NULL ? g_object_ref (garrow_field_get_data_type (field)) : NULL;
}

/* Whole numbers that pandas made reals, as one of them was missing. */
static gboolean
is_real (GArrowDataType *type)
{
  return GARROW_IS_FLOATING_POINT_DATA_TYPE (type);
}

static void
add_field (GList **fields, const char *name, GArrowDataType *type)
{
  *fields = g_list_append (*fields, garrow_field_new (name, type));
}

/* The field of lists keeps what its metadata say of their shape. */
static void
add_features (GList **fields, const SlTableForm *form, GArrowSchema *theirs)
{
  int first = g_array_index (form->picked, int, 0);
  g_autoptr (GArrowField) lists = garrow_schema_get_field (theirs, (guint) first);
  g_autoptr (GArrowDataType) number = GARROW_DATA_TYPE (garrow_float_data_type_new ());
  g_autoptr (GArrowDataType) type
      = form->of_lists ? g_object_ref (garrow_field_get_data_type (lists))
                       : GARROW_DATA_TYPE (garrow_fixed_size_list_data_type_new_data_type (
                           number, (gint32) form->picked->len));
  g_autoptr (GArrowField) plain = garrow_field_new ("x", type);
  g_autoptr (GHashTable) metadata = form->of_lists && garrow_field_has_metadata (lists)
                                        ? garrow_field_get_metadata (lists)
                                        : NULL;
  *fields = g_list_append (*fields, metadata != NULL ? garrow_field_with_metadata (plain, metadata)
                                                     : g_object_ref (plain));
}

GArrowSchema *
sl_table_form_schema (GArrowSchema *theirs, gpointer data, GError **error)
{
  SlTableForm *form = data;
  g_autolist (GArrowField) fields = NULL;
  g_autoptr (GArrowDataType) whole = GARROW_DATA_TYPE (garrow_int64_data_type_new ());
  form->row = 0;
  if (!find_columns (form, theirs, error))
    return NULL;
  g_autoptr (GArrowDataType) item = type_of (theirs, form->column[SL_TABLE_ITEM]);
  g_autoptr (GArrowDataType) gold = type_of (theirs, form->column[SL_TABLE_GOLD]);
  if (!form->gold_alone)
    {
      add_field (&fields, "item", item != NULL ? item : whole);
      add_features (&fields, form, theirs);
    }
  if (gold != NULL)
    add_field (&fields, "gold", is_real (gold) ? whole : gold);
  return garrow_schema_new (fields);
}

/* FROM[n], and where it lacks a number NaN, become every STEP-th of TO. */
static gboolean
spread (GArrowArray *column, gsize step, float *to, GError **error)
{
  g_autoptr (GArrowDataType) number = GARROW_DATA_TYPE (garrow_float_data_type_new ());
  g_autoptr (GArrowArray) floats
      = sl_validate (column, error) ? sl_reading_cast (column, number, error) : NULL;
  struct ArrowArray c;
  if (floats == NULL || !sl_carray_export (floats, &c, error))
    return FALSE;
  const float *from = (const float *) c.buffers[1] + c.offset;
  const guint8 *valid = c.null_count != 0 ? c.buffers[0] : NULL;
  for (gint64 i = 0; i < c.length; i++)
    {
      gint64 bit = c.offset + i;
      gboolean there = valid == NULL || (valid[bit / 8] >> (bit % 8)) & 1;
      to[(gsize) i * step] = there ? from[i] : NAN;
    }
  sl_carray_release (&c);
  return TRUE;
}

static GArrowArray *
join_numbers (const SlTableForm *form, GArrowRecordBatch *batch, GError **error)
{
  gint64 n = garrow_record_batch_get_n_rows (batch);
  gsize step = form->picked->len, all;
  if (!g_size_checked_mul (&all, step * sizeof (float), (gsize) n))
    return NULL;
  struct ArrowArray values;
  g_autoptr (GArrowDataType) number = GARROW_DATA_TYPE (garrow_float_data_type_new ());
  float *to = sl_buffer_new (all);
  sl_carray_init (&values, n * (gint64) step, 2, 0);
  sl_carray_set (&values, 1, to);
  for (gsize i = 0; i < step; i++)
    {
      g_autoptr (GArrowArray) column
          = garrow_record_batch_get_column_data (batch, g_array_index (form->picked, int, i));
      if (!spread (column, step, to + i, error))
        {
          g_prefix_error (
              error, "column '%s': ",
              garrow_record_batch_get_column_name (batch, g_array_index (form->picked, int, i)));
          sl_carray_release (&values);
          return NULL;
        }
    }
  g_autoptr (GArrowArray) array = garrow_array_import (&values, number, error);
  g_autoptr (GArrowDataType) lists
      = GARROW_DATA_TYPE (garrow_fixed_size_list_data_type_new_data_type (number, (gint32) step));
  return array != NULL ? GARROW_ARRAY (garrow_fixed_size_list_array_new (lists, n, array, NULL, 0))
                       : NULL;
}

static GArrowArray *
count_rows (SlTableForm *form, gint64 n, GError **error)
{
  struct ArrowArray values;
  g_autoptr (GArrowDataType) whole = GARROW_DATA_TYPE (garrow_int64_data_type_new ());
  gint64 *to = sl_buffer_new (8 * (gsize) n);
  for (gint64 i = 0; i < n; i++)
    to[i] = form->row + i;
  sl_carray_init (&values, n, 2, 0);
  sl_carray_set (&values, 1, to);
  return garrow_array_import (&values, whole, error);
}

static GArrowArray *
take_gold (const SlTableForm *form, GArrowRecordBatch *batch, GError **error)
{
  g_autoptr (GArrowArray) gold
      = garrow_record_batch_get_column_data (batch, form->column[SL_TABLE_GOLD]);
  g_autoptr (GArrowDataType) type = garrow_array_get_value_data_type (gold);
  g_autoptr (GArrowDataType) whole = GARROW_DATA_TYPE (garrow_int64_data_type_new ());
  if (!is_real (type))
    return g_steal_pointer (&gold);
  if (!sl_validate (gold, error))
    return NULL;
  GArrowArray *cast = sl_reading_cast (gold, whole, NULL);
  if (cast == NULL)
    sl_error_bad_input (error, "the column of the gold classes has numbers with fractions");
  return cast;
}

GArrowRecordBatch *
sl_table_form_batch (GArrowRecordBatch *theirs, gpointer data, GError **error)
{
  SlTableForm *form = data;
  gint64 n = garrow_record_batch_get_n_rows (theirs);
  g_autolist (GArrowArray) columns = NULL;
  g_autoptr (GArrowSchema) schema = garrow_record_batch_get_schema (theirs);
  g_autoptr (GArrowSchema) ours = NULL;
  gint64 row = form->row;
  GArrowArray *made[3] = { NULL, NULL, NULL };
  gboolean ok = TRUE;
  if (!form->gold_alone)
    {
      made[0] = form->column[SL_TABLE_ITEM] >= 0
                    ? garrow_record_batch_get_column_data (theirs, form->column[SL_TABLE_ITEM])
                    : count_rows (form, n, error);
      ok = made[0] != NULL;
      if (ok)
        made[1] = form->of_lists ? garrow_record_batch_get_column_data (
                      theirs, g_array_index (form->picked, int, 0))
                                 : join_numbers (form, theirs, error);
      ok = ok && made[1] != NULL;
    }
  if (ok && form->column[SL_TABLE_GOLD] >= 0)
    ok = (made[2] = take_gold (form, theirs, error)) != NULL;
  for (int i = 0; i < 3; i++)
    if (made[i] != NULL)
      columns = g_list_append (columns, made[i]);
  if (!ok || (ours = sl_table_form_schema (schema, form, error)) == NULL)
    return NULL;
  form->row = row + n;
  return garrow_record_batch_new (ours, (guint32) n, columns, error);
}
