/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attributes of annotators: columns of files that are the same in all rows of one. */
#include "schemas/annotations.h"
#include "stages/ingest/ingestion.h"
#include "pipeline/table/tag-columns.h"

#include <string.h>

static gboolean
add_attribute (SlIngest *ingest, const char *text, GError **error)
{
  const char *column;
  g_autofree char *key = sl_attribute_parse ("annotator-columns", text, &column, error);
  if (key == NULL)
    return FALSE;
  for (int a = 0; a < ingest->n_attributes; a++)
    if (strcmp (ingest->attribute[a].key, key) == 0)
      return sl_error_usage (error, "--annotator-columns: '%s' is there twice", key);
  ingest->attribute = g_renew (SlAttribute, ingest->attribute, ingest->n_attributes + 1);
  ingest->attribute[ingest->n_attributes++]
      = (SlAttribute){ g_steal_pointer (&key), g_strdup (column) };
  return TRUE;
}

gboolean
sl_attributes_parse (SlIngest *ingest, GError **error)
{
  for (char **text = ingest->options->annotator_columns; text != NULL && *text != NULL; text++)
    {
      g_auto (GStrv) parts = g_strsplit (*text, ",", -1);
      for (char **part = parts; *part != NULL; part++)
        if (!add_attribute (ingest, *part, error))
          return FALSE;
    }
  if (ingest->n_attributes > SL_MAX_COLUMNS - SL_ANNOTATIONS_ODD - 1)
    return sl_error_usage (error, "--annotator-columns: a table has room for %d of them",
                           SL_MAX_COLUMNS - SL_ANNOTATIONS_ODD - 1);
  return TRUE;
}

void
sl_attributes_clear (SlIngest *ingest)
{
  for (int a = 0; a < ingest->n_attributes; a++)
    {
      g_free (ingest->attribute[a].key);
      g_free (ingest->attribute[a].column);
    }
  g_clear_pointer (&ingest->attribute, g_free);
  sl_annotator_tags_clear (&ingest->attributes);
}

gboolean
sl_attributes_add (const SlIngest *ingest, SlTable *shape, GError **error)
{
  for (int a = 0; a < ingest->n_attributes; a++)
    if (!sl_table_add_tag_column (shape, ingest->attribute[a].key, error))
      return FALSE;
  return ingest->n_attributes == 0 || sl_table_has (shape, SL_ANNOTATIONS_ANNOTATOR)
         || sl_error_bad_input (error,
                                "--annotator-columns: the files do not say who the annotator "
                                "is (--column annotator=NAME)");
}

void
sl_attribute_put (const SlIngest *ingest, SlBuilder *rows, int column, SlCell value)
{
  while (value.n > 0 && g_ascii_isspace (value.text[0]))
    value.text++, value.n--;
  while (value.n > 0 && g_ascii_isspace (value.text[value.n - 1]))
    value.n--;
  if (value.n == 0 || sl_class_texts_missing (&ingest->class_texts, value.text, value.n))
    sl_builder_null (rows, column);
  else
    sl_builder_text (rows, column, value.text, value.n);
}
