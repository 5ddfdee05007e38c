/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The header of a safetensors file: {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0,
 * 24]}, ..., "__metadata__": {"key": "text", ...}}. The arrays lie one behind the other, in some
 * order, without gaps. */
#include "safetensors-private.h"

#include "pipeline/base/error.h"
#include "pipeline/base/json-value.h"

#include <string.h>

typedef struct
{
  SlSavedArray array;
  gsize begin, end;
} Entry;

static gboolean
refuse (const SlSafetensors *file, GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  return sl_error_bad_input (error, "%s: %s; it is no safetensors file, or is damaged", file->path,
                             what);
}

/* MEMBER of OBJECT as at most MOST whole numbers, none below 0; -1 where it is none. */
static int
whole_numbers (SlJson object, const char *member, int most, gint64 *values)
{
  SlJson array = sl_json_get_as (object, member, SL_JSON_ARRAY);
  int n = 0;
  if (sl_json_type (array) == SL_JSON_ABSENT || sl_json_length (array) > (gsize) most)
    return -1;
  for (SlJsonEach each = sl_json_each (array); sl_json_each_next (&each); n++)
    if (!sl_json_integer (each.value, &values[n]) || values[n] < 0)
      return -1;
  return n;
}

static gboolean
find_type (SlJson object, SlSavedType *type)
{
  const char *name = sl_json_c_str (sl_json_get (object, "dtype"));
  for (gsize t = 0; name != NULL && t < G_N_ELEMENTS (sl_saved_types); t++)
    if (strcmp (name, sl_saved_types[t].name) == 0)
      {
        *type = (SlSavedType) t;
        return TRUE;
      }
  return FALSE;
}

static gboolean
parse_entry (SlSafetensors *file, const char *name, SlJson object, Entry *entry, GError **error)
{
  if (sl_json_type (object) != SL_JSON_OBJECT)
    return refuse (file, error, "its header says nothing of the array '%.200s'", name);
  gint64 offsets[2];
  SlSavedArray *array = &entry->array;
  if (!find_type (object, &array->type))
    return refuse (file, error, "the array '%.200s' is of a type that is not known", name);
  array->n_dims = whole_numbers (object, "shape", SL_SAVED_DIMS, array->dim);
  if (array->n_dims < 0 || whole_numbers (object, "data_offsets", 2, offsets) != 2
      || offsets[1] < offsets[0])
    return refuse (file, error, "the array '%.200s' has no sound shape and place", name);
  gsize bytes = sl_saved_types[array->type].width;
  for (int i = 0; i < array->n_dims; i++)
    if (!g_size_checked_mul (&bytes, bytes, (gsize) array->dim[i]))
      return refuse (file, error, "the array '%.200s' is larger than any", name);
  entry->begin = (gsize) offsets[0];
  entry->end = (gsize) offsets[1];
  if (entry->end - entry->begin != bytes)
    return refuse (file, error, "the array '%.200s' has a place for other than its numbers", name);
  array->name = g_strdup (name);
  g_ptr_array_add (file->names, (gpointer) array->name);
  return TRUE;
}

static gboolean
parse_metadata (SlSafetensors *file, SlJson texts, GError **error)
{
  if (sl_json_type (texts) != SL_JSON_OBJECT)
    return refuse (file, error, "its metadata are no texts by name");
  for (SlJsonEach each = sl_json_each (texts); sl_json_each_next (&each);)
    {
      const char *text = sl_json_c_str (each.value);
      if (text == NULL)
        return refuse (file, error, "its metadata '%.200s' is no text", each.key.text);
      g_hash_table_insert (file->metadata, g_strdup (each.key.text), g_strdup (text));
    }
  return TRUE;
}

static int
compare_begin (gconstpointer a, gconstpointer b)
{
  const Entry *x = a, *y = b;
  if (x->begin != y->begin)
    return x->begin < y->begin ? -1 : 1;
  return x->end < y->end ? -1 : x->end > y->end;
}

/* The arrays, in the order of their places; data is the offset for now. */
static gboolean
place_arrays (SlSafetensors *file, GArray *entries, GError **error)
{
  g_array_sort (entries, compare_begin);
  file->n = entries->len;
  file->array = g_new0 (SlSavedArray, entries->len + 1);
  for (guint i = 0; i < entries->len; i++)
    {
      const Entry *entry = &g_array_index (entries, Entry, i);
      if (entry->begin != file->n_bytes)
        return refuse (file, error, "the array '%.200s' %s", entry->array.name,
                       entry->begin < file->n_bytes ? "lies over another one"
                                                    : "has a gap before it");
      file->array[i] = entry->array;
      file->array[i].data = GSIZE_TO_POINTER (entry->begin);
      file->n_bytes = entry->end;
    }
  return TRUE;
}

static gboolean
parse_members (SlSafetensors *file, SlJson object, GError **error)
{
  g_autoptr (GArray) entries = g_array_new (FALSE, TRUE, sizeof (Entry));
  for (SlJsonEach each = sl_json_each (object); sl_json_each_next (&each);)
    {
      Entry entry = { 0 };
      if (sl_cell_is (each.key, "__metadata__"))
        {
          if (!parse_metadata (file, each.value, error))
            return FALSE;
          continue;
        }
      if (!parse_entry (file, each.key.text, each.value, &entry, error))
        return FALSE;
      g_array_append_val (entries, entry);
    }
  return place_arrays (file, entries, error);
}

gboolean
sl_safetensors_parse (SlSafetensors *file, const char *text, gsize n, GError **error)
{
  if (n == 0 || text[0] != '{' || memchr (text, '\0', n) != NULL)
    return refuse (file, error, "its header is no JSON text");
  g_autofree char *header = g_strndup (text, n);
  g_autoptr (SlJsonParser) parser = sl_json_parser_new ();
  SlJson object;
  const char *wrong = sl_json_parse_text (parser, header, &object);
  if (g_strcmp0 (wrong, SL_JSON_BAD_ESCAPE) == 0 || g_strcmp0 (wrong, SL_JSON_NOT_UTF8) == 0)
    return refuse (file, error, "its header is no JSON text");
  if (wrong != NULL || sl_json_type (object) != SL_JSON_OBJECT)
    return refuse (file, error, "its header is no JSON object");
  return parse_members (file, object, error);
}
