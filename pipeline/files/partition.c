/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "partition.h"

#include "pipeline/base/error.h"
#include "pipeline/table/condition.h"
#include "pipeline/table/schema-keys.h"
#include "pipeline/table/tag-columns.h"

#include <arrow-glib/arrow-glib.h>
#include <string.h>

gboolean
sl_partition_find (const char *path, SlTags *tags, GError **error)
{
  g_auto (GStrv) names = g_strsplit (path, "/", -1);
  for (int i = 0; names[i] != NULL; i++)
    {
      char *equals = strchr (names[i], '=');
      if (equals == NULL || names[i + 1] == NULL)
        continue;
      *equals = '\0';
      g_autofree char *value = g_uri_unescape_string (equals + 1, NULL);
      if (!sl_tags_is_key (names[i]) || value == NULL || !g_utf8_validate (value, -1, NULL))
        return sl_error_bad_input (error,
                                   "%s: has a folder '%s=%s', of which neither a column's name nor "
                                   "a value can be made",
                                   path, names[i], equals + 1);
      sl_tags_set (tags, names[i], strcmp (value, SL_PARTITION_MISSING) == 0 ? "" : value);
    }
  return TRUE;
}

static gboolean
may_fit (const SlTags *tags, char *const *where)
{
  gboolean fits = TRUE;
  for (; *where != NULL && fits; where++)
    {
      SlCondition condition;
      gboolean parsed = sl_condition_parse (&condition, *where, NULL);
      for (int t = 0; parsed && t < tags->n; t++)
        if (sl_condition_is_of (&condition, tags->tag[t].key))
          fits = fits && sl_condition_may_fit (&condition, tags->tag[t].value);
      sl_condition_clear (&condition);
    }
  return fits;
}

guint
sl_partition_sort (char **files, SlTags *tags, char *const *where)
{
  const guint n = g_strv_length (files);
  guint n_fit = 0;
  g_autofree gboolean *fits = g_new (gboolean, n + 1);
  for (guint i = 0; i < n; i++)
    n_fit += (guint) (fits[i] = may_fit (&tags[i], where));
  g_autofree char **file = g_new (char *, n + 1);
  g_autofree SlTags *tag = g_new (SlTags, n + 1);
  for (guint i = 0, first = 0, rest = n_fit; i < n; i++)
    {
      const guint to = fits[i] ? first++ : rest++;
      file[to] = files[i];
      tag[to] = tags[i];
    }
  memcpy (files, file, n * sizeof *files);
  memcpy (tags, tag, n * sizeof *tags);
  return n_fit;
}

char *
sl_partition_name (const char *key, const char *value)
{
  if (value == NULL || *value == '\0')
    return g_strconcat (key, "=" SL_PARTITION_MISSING, NULL);
  g_autofree char *escaped = g_uri_escape_string (value, " !@+,;()[]{}$&^", TRUE);
  return g_strconcat (key, "=", escaped, NULL);
}

/* What the column of KEY is called in a table of KIND. */
static char *
column_name (const char *key, const SlKind *kind)
{
  for (int c = 0; kind != NULL && kind->columns[c].name != NULL; c++)
    if (strcmp (kind->columns[c].name, key) == 0)
      return g_strdup (key);
  return g_strdup (sl_tag_column_name (key));
}

static GArrowDataType *
column_type (const char *name, const SlKind *kind)
{
  for (int c = 0; kind != NULL && kind->columns[c].name != NULL; c++)
    if (strcmp (kind->columns[c].name, name) == 0)
      switch (kind->columns[c].type)
        {
        case SL_TYPE_INT32:
          return GARROW_DATA_TYPE (garrow_int32_data_type_new ());
        case SL_TYPE_INT64:
          return GARROW_DATA_TYPE (garrow_int64_data_type_new ());
        case SL_TYPE_REAL:
          return GARROW_DATA_TYPE (garrow_double_data_type_new ());
        case SL_TYPE_BOOL:
          return GARROW_DATA_TYPE (garrow_boolean_data_type_new ());
        default:
          break;
        }
  return GARROW_DATA_TYPE (garrow_string_data_type_new ());
}

GArrowSchema *
sl_partition_schema (GArrowSchema *schema, const SlTags *tags, const SlKind *kind, GError **error)
{
  g_autoptr (GHashTable) metadata
      = garrow_schema_has_metadata (schema) ? garrow_schema_get_metadata (schema) : NULL;
  const char *said = metadata != NULL ? g_hash_table_lookup (metadata, SL_KEY_KIND) : NULL;
  if (said != NULL && sl_kind_find (said) != NULL)
    kind = sl_kind_find (said);
  g_autoptr (GArrowSchema) all = g_object_ref (schema);
  for (int t = 0; t < tags->n; t++)
    {
      g_autofree char *name = column_name (tags->tag[t].key, kind);
      if (garrow_schema_get_field_index (schema, name) >= 0)
        continue;
      g_autoptr (GArrowDataType) type = column_type (name, kind);
      g_autoptr (GArrowField) field = garrow_field_new (name, type);
      GArrowSchema *more
          = garrow_schema_add_field (all, garrow_schema_n_fields (all), field, error);
      if (more == NULL)
        return NULL;
      g_object_unref (all);
      all = more;
    }
  return g_steal_pointer (&all);
}

/* N times VALUE, as TYPE. */
static GArrowArray *
values_of (const char *value, gint64 n, GArrowDataType *type, GError **error)
{
  g_autoptr (GArrowArray) texts = sl_texts_repeat (*value != '\0' ? value : NULL, n, error);
  return texts != NULL ? garrow_array_cast (texts, type, NULL, error) : NULL;
}

GArrowRecordBatch *
sl_partition_batch (GArrowRecordBatch *batch, GArrowSchema *schema, const SlTags *tags,
                    GError **error)
{
  const guint own = garrow_record_batch_get_n_columns (batch);
  const gint64 n = garrow_record_batch_get_n_rows (batch);
  g_autolist (GArrowArray) columns = NULL;
  for (guint c = 0; c < garrow_schema_n_fields (schema); c++)
    {
      if (c < own)
        {
          columns = g_list_append (columns, garrow_record_batch_get_column_data (batch, (gint) c));
          continue;
        }
      g_autoptr (GArrowField) field = garrow_schema_get_field (schema, c);
      const char *name = garrow_field_get_name (field);
      const char *value = sl_tags_get (tags, name);
      if (value == NULL)
        value = sl_tags_get (tags, sl_tag_key_of (name));
      GArrowArray *all = values_of (value, n, garrow_field_get_data_type (field), error);
      if (all == NULL)
        {
          g_clear_error (error);
          sl_error_bad_input (error, "'%s' of its folder's name is no value of the column '%s'",
                              value, name);
          return NULL;
        }
      columns = g_list_append (columns, all);
    }
  return garrow_record_batch_new (schema, (guint32) n, columns, error);
}
