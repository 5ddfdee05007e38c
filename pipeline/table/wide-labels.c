/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "wide-labels.h"

#include "pipeline/base/error.h"
#include "carray.h"
#include "schema-keys.h"

#include <arrow-glib/arrow-glib.h>
#include <string.h>

typedef struct
{
  const char *name; /* "label" */
  int *field;       /* [n_classes]: where its columns are; -1: there is none */
} Fold;

struct _SlFolding
{
  char **classes;
  gint32 n_classes;
  Fold fold[SL_MAX_COLUMNS];
  int n_folds;
};

gboolean
sl_table_has_labels (const SlTable *table)
{
  for (int c = 0; table->spec[c].name != NULL; c++)
    if (sl_table_has (table, c) && table->spec[c].type == SL_TYPE_LABEL)
      return TRUE;
  return FALSE;
}

static GArrowSchema *
with_metadata_of (GArrowSchema *from, GList *fields)
{
  g_autoptr (GArrowSchema) bare = garrow_schema_new (fields);
  g_list_free_full (fields, g_object_unref);
  if (!garrow_schema_has_metadata (from))
    return g_steal_pointer (&bare);
  g_autoptr (GHashTable) metadata = garrow_schema_get_metadata (from);
  return garrow_schema_with_metadata (bare, metadata);
}

static GArrowField *
real_field (const char *column, const char *class)
{
  g_autofree char *name = g_strconcat (column, ".", class, NULL);
  g_autoptr (GArrowDataType) real = GARROW_DATA_TYPE (garrow_double_data_type_new ());
  return garrow_field_new_full (name, real, FALSE);
}

GArrowSchema *
sl_wide_schema (const SlTable *table, GArrowSchema *schema)
{
  GList *fields = NULL;
  guint f = 0;
  for (int c = 0; table->spec[c].name != NULL; c++)
    {
      if (!sl_table_has (table, c))
        continue;
      g_autoptr (GArrowField) field = garrow_schema_get_field (schema, f++);
      if (table->spec[c].type != SL_TYPE_LABEL)
        fields = g_list_prepend (fields, g_steal_pointer (&field));
      for (gint32 k = 0; table->spec[c].type == SL_TYPE_LABEL && k < table->n_classes; k++)
        fields = g_list_prepend (fields, real_field (table->spec[c].name, table->classes[k]));
    }
  return with_metadata_of (schema, g_list_reverse (fields));
}

/* An array of VALUE[n], of sl_buffer_new(), which it takes. */
static GArrowArray *
real_array (double *value, gint64 n, GError **error)
{
  struct ArrowArray array;
  g_autoptr (GArrowDataType) real = GARROW_DATA_TYPE (garrow_double_data_type_new ());
  sl_carray_init (&array, n, 2, 0);
  sl_carray_set (&array, 1, value);
  return garrow_array_import (&array, real, error);
}

/* The probability of class K in N rows of COLUMN. */
static GArrowArray *
column_of_class (const SlColumn *column, gint64 n, gint32 n_classes, gint32 k, GError **error)
{
  double *value = sl_buffer_new (sizeof *value * (gsize) n);
  for (gint64 i = 0; i < n; i++)
    value[i] = column->real[i * n_classes + k];
  return real_array (value, n, error);
}

GArrowRecordBatch *
sl_wide_batch (const SlBatch *batch, GArrowSchema *wide, GError **error)
{
  const SlTable *table = batch->table;
  g_autolist (GArrowArray) columns = NULL;
  int f = 0;
  for (int c = 0; table->spec[c].name != NULL; c++)
    {
      if (!sl_table_has (table, c))
        continue;
      g_autoptr (GArrowArray) own = garrow_record_batch_get_column_data (batch->arrow, f++);
      if (table->spec[c].type != SL_TYPE_LABEL)
        columns = g_list_append (columns, g_steal_pointer (&own));
      for (gint32 k = 0; table->spec[c].type == SL_TYPE_LABEL && k < table->n_classes; k++)
        {
          GArrowArray *one
              = column_of_class (&batch->column[c], batch->n_rows, table->n_classes, k, error);
          if (one == NULL)
            return NULL;
          columns = g_list_append (columns, one);
        }
    }
  return garrow_record_batch_new (wide, (guint32) batch->n_rows, columns, error);
}

/* What of FIELD's name stands behind `NAME.`; NULL: it is another column. */
static const char *
class_part (GArrowField *field, const char *name)
{
  const char *all = garrow_field_get_name (field);
  gsize n = strlen (name);
  return strncmp (all, name, n) == 0 && all[n] == '.' && all[n + 1] != '\0' ? all + n + 1 : NULL;
}

static int
field_named (GArrowSchema *schema, const char *name)
{
  for (guint f = 0; f < garrow_schema_n_fields (schema); f++)
    {
      g_autoptr (GArrowField) field = garrow_schema_get_field (schema, f);
      if (strcmp (garrow_field_get_name (field), name) == 0)
        return (int) f;
    }
  return -1;
}

/* The classes that columns `NAME.class` name; NULL: there are no such columns, or the column itself
 * is there. */
static char **
classes_of (GArrowSchema *schema, const char *name)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  gboolean any = FALSE;
  for (guint f = 0; f < garrow_schema_n_fields (schema); f++)
    {
      g_autoptr (GArrowField) field = garrow_schema_get_field (schema, f);
      if (strcmp (garrow_field_get_name (field), name) == 0)
        return NULL;
      if (class_part (field, name) == NULL)
        continue;
      g_strv_builder_add (names, class_part (field, name));
      any = TRUE;
    }
  return any ? g_strv_builder_end (names) : NULL;
}

static void
add_fold (SlFolding *folding, GArrowSchema *schema, const char *name)
{
  Fold *fold = &folding->fold[folding->n_folds++];
  fold->name = name;
  fold->field = g_new (int, MAX (folding->n_classes, 1));
  for (gint32 k = 0; k < folding->n_classes; k++)
    {
      g_autofree char *column = g_strconcat (name, ".", folding->classes[k], NULL);
      fold->field[k] = field_named (schema, column);
    }
}

SlFolding *
sl_folding_new (GArrowSchema *schema, const SlKind *kind, const char *const *classes)
{
  g_autoptr (SlFolding) folding = g_new0 (SlFolding, 1);
  g_autoptr (GHashTable) metadata = garrow_schema_has_metadata (schema)
                                        ? garrow_schema_get_metadata (schema)
                                        : g_hash_table_new (g_str_hash, g_str_equal);
  const char *said = g_hash_table_lookup (metadata, SL_KEY_KIND);
  const char *json = g_hash_table_lookup (metadata, SL_KEY_CLASSES);
  if (said != NULL && sl_kind_find (said) != NULL)
    kind = sl_kind_find (said);
  if (json == NULL || !sl_classes_from_json (json, &folding->classes, NULL))
    folding->classes = g_strdupv ((char **) classes);
  for (int c = 0; kind != NULL && kind->columns[c].name != NULL; c++)
    {
      if (kind->columns[c].type != SL_TYPE_LABEL)
        continue;
      g_auto (GStrv) found = classes_of (schema, kind->columns[c].name);
      if (found == NULL)
        continue;
      if (folding->classes == NULL)
        folding->classes = g_strdupv (found);
      folding->n_classes = (gint32) g_strv_length (folding->classes);
      add_fold (folding, schema, kind->columns[c].name);
    }
  return folding->n_folds > 0 ? g_steal_pointer (&folding) : NULL;
}

void
sl_folding_free (SlFolding *folding)
{
  for (int i = 0; i < folding->n_folds; i++)
    g_free (folding->fold[i].field);
  g_strfreev (folding->classes);
  g_free (folding);
}

const char *const *
sl_folding_classes (const SlFolding *folding)
{
  return (const char *const *) folding->classes;
}

/* Whether all of FOLD's columns are there, and are numbers. */
static gboolean
check_fold (const SlFolding *folding, const Fold *fold, GArrowSchema *schema, GError **error)
{
  for (gint32 k = 0; k < folding->n_classes; k++)
    {
      if (fold->field[k] < 0)
        return sl_error_bad_input (error, "it has columns '%s.…', but none for the class '%s'",
                                   fold->name, folding->classes[k]);
      g_autoptr (GArrowField) field = garrow_schema_get_field (schema, (guint) fold->field[k]);
      GArrowDataType *type = garrow_field_get_data_type (field);
      if (!GARROW_IS_NUMERIC_DATA_TYPE (type) && !GARROW_IS_DECIMAL_DATA_TYPE (type))
        {
          g_autofree char *shown = garrow_data_type_to_string (type);
          return sl_error_bad_input (error, "column '%s' is %s; a number is wanted there",
                                     garrow_field_get_name (field), shown);
        }
    }
  for (guint f = 0; f < garrow_schema_n_fields (schema); f++)
    {
      g_autoptr (GArrowField) field = garrow_schema_get_field (schema, f);
      const char *class = class_part (field, fold->name);
      if (class != NULL && !g_strv_contains (sl_folding_classes (folding), class))
        return sl_error_bad_input (error, "column '%s' is of none of the classes",
                                   garrow_field_get_name (field));
    }
  return TRUE;
}

static GArrowDataType *
list_type (const SlFolding *folding)
{
  g_autoptr (GArrowDataType) real = GARROW_DATA_TYPE (garrow_double_data_type_new ());
  g_autoptr (GArrowField) item = garrow_field_new_full ("item", real, FALSE);
  return GARROW_DATA_TYPE (garrow_fixed_size_list_data_type_new_field (item, folding->n_classes));
}

GArrowSchema *
sl_folding_schema (const SlFolding *folding, GArrowSchema *schema, GError **error)
{
  GList *fields = NULL;
  for (int i = 0; i < folding->n_folds; i++)
    if (!check_fold (folding, &folding->fold[i], schema, error))
      return NULL;
  for (guint f = 0; f < garrow_schema_n_fields (schema); f++)
    fields = g_list_append (fields, garrow_schema_get_field (schema, f));
  for (int i = 0; i < folding->n_folds; i++)
    {
      g_autoptr (GArrowDataType) type = list_type (folding);
      fields = g_list_append (fields, garrow_field_new_full (folding->fold[i].name, type, FALSE));
    }
  return with_metadata_of (schema, fields);
}

/* Column F of BATCH goes to TO[row * n_classes]. */
static gboolean
take_column (GArrowRecordBatch *batch, int f, gint64 first_row, double *to, gint32 n_classes,
             GError **error)
{
  const char *name = garrow_record_batch_get_column_name (batch, f);
  g_autoptr (GArrowArray) raw = garrow_record_batch_get_column_data (batch, f);
  g_autoptr (GArrowDataType) real = GARROW_DATA_TYPE (garrow_double_data_type_new ());
  g_autoptr (GArrowArray) column = NULL;
  if (garrow_array_validate_full (raw, NULL))
    column = GARROW_IS_DOUBLE_ARRAY (raw) ? g_object_ref (raw)
                                          : garrow_array_cast (raw, real, NULL, NULL);
  if (column == NULL)
    return sl_error_bad_input (error, "column '%s' is damaged", name);
  gint64 n;
  const double *value = garrow_double_array_get_values (GARROW_DOUBLE_ARRAY (column), &n);
  for (gint64 i = 0; i < n; i++)
    {
      if (garrow_array_get_n_nulls (column) > 0 && garrow_array_is_null (column, i))
        return sl_error_row (error, first_row + i + 1, "column '%s' has no value", name);
      to[i * n_classes] = value[i];
    }
  return TRUE;
}

GArrowRecordBatch *
sl_folding_batch (const SlFolding *folding, GArrowRecordBatch *batch, gint64 first_row,
                  GError **error)
{
  gint64 n = garrow_record_batch_get_n_rows (batch);
  g_autoptr (GArrowSchema) theirs = garrow_record_batch_get_schema (batch);
  g_autoptr (GArrowSchema) schema = sl_folding_schema (folding, theirs, error);
  g_autoptr (GArrowDataType) type = list_type (folding);
  g_autolist (GArrowArray) columns = NULL;
  if (schema == NULL)
    return NULL;
  for (guint f = 0; f < garrow_schema_n_fields (theirs); f++)
    columns = g_list_append (columns, garrow_record_batch_get_column_data (batch, (gint) f));
  for (int i = 0; i < folding->n_folds; i++)
    {
      gint64 size = n * folding->n_classes;
      double *value = sl_buffer_new (sizeof *value * (gsize) size);
      gboolean ok = TRUE;
      for (gint32 k = 0; ok && k < folding->n_classes; k++)
        ok = take_column (batch, folding->fold[i].field[k], first_row, value + k,
                          folding->n_classes, error);
      g_autoptr (GArrowArray) values = real_array (value, size, ok ? error : NULL);
      if (!ok || values == NULL)
        return NULL;
      columns = g_list_append (
          columns, GARROW_ARRAY (garrow_fixed_size_list_array_new (type, n, values, NULL, 0)));
    }
  return garrow_record_batch_new (schema, (guint32) n, columns, error);
}
