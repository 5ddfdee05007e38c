/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "safetensors-private.h"

#include "pipeline/base/json.h"

const SlSavedTypeInfo sl_saved_types[] = {
  [SL_SAVED_FLOAT32] = { "F32", 4 }, [SL_SAVED_FLOAT64] = { "F64", 8 },
  [SL_SAVED_FLOAT16] = { "F16", 2 }, [SL_SAVED_BFLOAT16] = { "BF16", 2 },
  [SL_SAVED_INT64] = { "I64", 8 },   [SL_SAVED_INT32] = { "I32", 4 },
  [SL_SAVED_INT16] = { "I16", 2 },   [SL_SAVED_INT8] = { "I8", 1 },
  [SL_SAVED_UINT8] = { "U8", 1 },    [SL_SAVED_BOOL] = { "BOOL", 1 },
};

#define ALIGNED 8 /* the numbers begin at such a place, as the format asks */

gsize
sl_saved_size (const SlSavedArray *array)
{
  gsize size = 1;
  for (int i = 0; i < array->n_dims; i++)
    size *= (gsize) array->dim[i];
  return size;
}

gsize
sl_saved_bytes (const SlSavedArray *array)
{
  return sl_saved_size (array) * sl_saved_types[array->type].width;
}

static void
append_array (GString *json, const SlSavedArray *array, gsize begin)
{
  sl_json_member (json, array->name);
  g_string_append_printf (json, "{\"dtype\":\"%s\",\"shape\":[", sl_saved_types[array->type].name);
  for (int i = 0; i < array->n_dims; i++)
    g_string_append_printf (json, "%s%" G_GINT64_FORMAT, i > 0 ? "," : "", array->dim[i]);
  g_string_append_printf (json, "],\"data_offsets\":[%" G_GSIZE_FORMAT ",%" G_GSIZE_FORMAT "]}",
                          begin, begin + sl_saved_bytes (array));
}

gboolean
sl_safetensors_write (SlOutput *output, const char *const *metadata, const SlSavedArray *arrays,
                      gsize n, GError **error)
{
  g_autoptr (GString) json = g_string_new ("{");
  if (metadata != NULL && metadata[0] != NULL)
    {
      g_string_append (json, "\"__metadata__\":{");
      for (gsize i = 0; metadata[i] != NULL; i += 2)
        {
          sl_json_member (json, metadata[i]);
          sl_json_string (json, metadata[i + 1], -1);
        }
      g_string_append_c (json, '}');
    }
  gsize at = 0;
  for (gsize i = 0; i < n; i++)
    {
      append_array (json, &arrays[i], at);
      at += sl_saved_bytes (&arrays[i]);
    }
  g_string_append_c (json, '}');
  while (json->len % ALIGNED != 0)
    g_string_append_c (json, ' ');
  guint64 length = GUINT64_TO_LE ((guint64) json->len);
  if (!sl_output_write (output, &length, sizeof length, error)
      || !sl_output_write (output, json->str, json->len, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (!sl_output_write (output, arrays[i].data, sl_saved_bytes (&arrays[i]), error))
      return FALSE;
  return TRUE;
}
