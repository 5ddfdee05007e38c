/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "attributes.h"

#include "pipeline/base/json.h"

#include <string.h>

#define MOST 64 /* more than a table has columns */

void
sl_annotator_attributes_clear (SlAnnotatorAttributes *attributes)
{
  for (gsize t = 0; t < attributes->n; t++)
    {
      g_free (attributes->attribute[t].name);
      g_strfreev (attributes->attribute[t].values);
    }
  g_clear_pointer (&attributes->attribute, g_free);
  g_clear_pointer (&attributes->code, g_free);
  attributes->n = 0;
}

static gint32 *
code_of (const SlAnnotatorAttributes *attributes, gsize r)
{
  return attributes->code + r * attributes->n;
}

void
sl_annotator_attributes_init (SlAnnotatorAttributes *attributes, gsize n, gsize n_annotators)
{
  *attributes = (SlAnnotatorAttributes){ .n = n, .n_annotators = n_annotators };
  attributes->attribute = g_new0 (SlAnnotatorAttribute, MAX (n, 1));
  attributes->code = g_new0 (gint32, MAX ((n_annotators + 1) * n, 1));
}

gsize
sl_annotator_attributes_rows (const SlAnnotatorAttributes *attributes, gsize n_annotators)
{
  gsize rows = n_annotators + (attributes->n > 0 ? 1 : 0);
  for (gsize t = 0; t < attributes->n; t++)
    rows += (gsize) attributes->attribute[t].n + 1;
  return rows;
}

gsize
sl_annotator_attributes_row (const SlAnnotatorAttributes *attributes, gsize t, gsize r)
{
  gsize row = attributes->n_annotators + 1;
  for (gsize s = 0; s < t; s++)
    row += (gsize) attributes->attribute[s].n + 1;
  return row + (gsize) code_of (attributes, r)[t];
}

/* ---- in a model's file ---- */

void
sl_annotator_attributes_to_json (const SlAnnotatorAttributes *attributes, GString *json)
{
  for (gsize t = 0; t < attributes->n; t++)
    {
      const SlAnnotatorAttribute *attribute = &attributes->attribute[t];
      g_string_append (json, t == 0 ? ",\"attributes\":[{\"name\":" : ",{\"name\":");
      sl_json_string (json, attribute->name, -1);
      g_string_append (json, ",\"values\":[");
      for (gint32 v = 0; v < attribute->n; v++)
        {
          g_string_append (json, v > 0 ? "," : "");
          sl_json_string (json, attribute->values[v], -1);
        }
      g_string_append (json, "],\"of\":[");
      for (gsize r = 0; r < attributes->n_annotators; r++)
        g_string_append_printf (json, r > 0 ? ",%d" : "%d", code_of (attributes, r)[t]);
      g_string_append (json, "]}");
    }
  g_string_append (json, attributes->n > 0 ? "]" : "");
}

static gboolean
read_attribute (SlAnnotatorAttributes *attributes, gsize t, SlJson json)
{
  SlAnnotatorAttribute *attribute = &attributes->attribute[t];
  SlJson values = sl_json_get_as (json, "values", SL_JSON_ARRAY);
  SlJson of = sl_json_get_as (json, "of", SL_JSON_ARRAY);
  attribute->name = g_strdup (sl_json_c_str (sl_json_get (json, "name")));
  attribute->values = g_new0 (char *, sl_json_length (values) + 1);
  if (attribute->name == NULL || sl_json_length (of) != attributes->n_annotators)
    return FALSE;
  for (SlJsonEach each = sl_json_each (values); sl_json_each_next (&each); attribute->n++)
    {
      attribute->values[attribute->n] = g_strdup (sl_json_c_str (each.value));
      if (attribute->values[attribute->n] == NULL)
        return FALSE;
    }
  gint32 *code = attributes->code + t;
  for (SlJsonEach each = sl_json_each (of); sl_json_each_next (&each); code += attributes->n)
    {
      gint64 value;
      if (!sl_json_integer (each.value, &value) || value < 0 || value > attribute->n)
        return FALSE;
      *code = (gint32) value;
    }
  *code = attribute->n;
  return TRUE;
}

gboolean
sl_annotator_attributes_from_json (SlAnnotatorAttributes *attributes, SlJson json,
                                   gsize n_annotators)
{
  if (sl_json_length (json) > MOST)
    return FALSE;
  sl_annotator_attributes_init (attributes, sl_json_length (json), n_annotators);
  gsize t = 0;
  for (SlJsonEach each = sl_json_each (json); sl_json_each_next (&each); t++)
    if (!read_attribute (attributes, t, each.value))
      return FALSE;
  return TRUE;
}
