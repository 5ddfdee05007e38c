/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "class-values.h"

#include "pipeline/base/error.h"
#include "pipeline/base/json-value.h"
#include "pipeline/base/json.h"
#include "pipeline/base/rising.h"
#include "schema-keys.h"

gboolean
sl_classes_are_ordered (const SlTable *table)
{
  return table->values != NULL;
}

const double *
sl_class_values (const SlTable *table)
{
  return table->values;
}

void
sl_table_set_values (SlTable *table, const double *values)
{
  double *copy = g_memdup2 (values, (gsize) table->n_classes * sizeof *values);
  g_free (table->values);
  table->values = copy;
}

char *
sl_values_to_json (const double *values, gint32 n)
{
  if (values == NULL)
    return NULL;
  GString *json = g_string_new ("[");
  for (gint32 k = 0; k < n; k++)
    {
      g_string_append (json, k > 0 ? "," : "");
      sl_json_real (json, values[k]);
    }
  return g_string_free (g_string_append_c (json, ']'), FALSE);
}

double *
sl_values_from_json (const char *json, gint32 n, GError **error)
{
  g_autoptr (SlJsonParser) parser = sl_json_parser_new ();
  g_autofree double *values = g_new (double, MAX (n, 1));
  SlJson array;
  gint32 k = 0;
  gboolean ok = sl_json_parse_text (parser, json, &array) == NULL
                && sl_json_type (array) == SL_JSON_ARRAY && sl_json_length (array) == (gsize) n;
  for (SlJsonEach each = sl_json_each (array); ok && sl_json_each_next (&each); k++)
    {
      values[k] = sl_json_number (each.value);
      ok = sl_json_type (each.value) == SL_JSON_NUMBER;
    }
  if (ok && sl_values_rise (values, n))
    return g_steal_pointer (&values);
  sl_error_bad_input (error, "its metadata '" SL_KEY_VALUES
                             "' is not a JSON array of rising numbers, one for each class");
  return NULL;
}
