/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file's header: {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...,
 * "__metadata__": {"key": "text", ...}}. The arrays lie one behind the other, in some order,
 * without gaps. */
#include "safetensors.h"

#include "pipeline/base/error.h"
#include "pipeline/base/intern/intern.h"
#include "pipeline/base/json-value.h"
#include "pipeline/base/json.h"
#include "input.h"

#include <string.h>

/* By SlSavedType. */
static const struct
{
  const char *name;
  gsize width;
} saved_types[] = {
  [SL_SAVED_FLOAT32] = { "F32", 4 }, [SL_SAVED_FLOAT64] = { "F64", 8 },
  [SL_SAVED_FLOAT16] = { "F16", 2 }, [SL_SAVED_BFLOAT16] = { "BF16", 2 },
  [SL_SAVED_INT64] = { "I64", 8 },   [SL_SAVED_INT32] = { "I32", 4 },
  [SL_SAVED_INT16] = { "I16", 2 },   [SL_SAVED_INT8] = { "I8", 1 },
  [SL_SAVED_UINT8] = { "U8", 1 },    [SL_SAVED_BOOL] = { "BOOL", 1 },
};

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
  for (gsize t = 0; name != NULL && t < G_N_ELEMENTS (saved_types); t++)
    if (strcmp (name, saved_types[t].name) == 0)
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
  gsize bytes = saved_types[array->type].width;
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

/* What the header TEXT[n] says; the numbers that follow it are as many as it tells. */
static gboolean
parse_header (SlSafetensors *file, const char *text, gsize n, GError **error)
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

/* As the format's own library has it. */
#define LONGEST_HEADER 100000000
#define PIECE ((gsize) 1 << 24)

/* *BYTES, of which N are wanted, grow as they come, so that a header alone does not take memory. */
static gboolean
read_bytes (SlSafetensors *file, gsize n, guint8 **bytes, GError **error)
{
  gint64 size = sl_input_size (file->from);
  gsize room = size >= 0 ? n : MIN (n, PIECE), have = 0;
  guint8 *all = g_try_malloc (MAX (room, 1));
  *bytes = all;
  for (gssize more = 1; all != NULL && have < n; have += (gsize) more)
    {
      if (have == room)
        {
          room = MIN (n, room * 2);
          all = g_try_realloc (*bytes, room);
          if (all == NULL)
            break;
          *bytes = all;
        }
      more = g_input_stream_read (G_INPUT_STREAM (file->from), all + have, MIN (room - have, PIECE),
                                  NULL, error);
      if (more < 0)
        {
          g_prefix_error (error, "%s: ", file->path);
          return FALSE;
        }
      if (more == 0)
        return sl_error_bad_input (error, "%s: it is cut short: not all of its numbers are there",
                                   file->path);
    }
  if (all != NULL)
    return TRUE;
  return sl_error_runtime (error, "%s: there is no memory for its %" G_GSIZE_FORMAT " bytes",
                           file->path, n);
}

static gboolean
read_length (SlSafetensors *file, gsize *length, GError **error)
{
  g_autofree guint8 *bytes = NULL;
  g_autoptr (GError) problem = NULL;
  guint64 n;
  if (!read_bytes (file, sizeof n, &bytes, &problem))
    {
      if (problem->domain != SL_ERROR || problem->code != SL_ERROR_INPUT)
        {
          g_propagate_error (error, g_steal_pointer (&problem));
          return FALSE;
        }
      return sl_error_bad_input (error, "%s: it is too short for a safetensors file", file->path);
    }
  memcpy (&n, bytes, sizeof n);
  n = GUINT64_FROM_LE (n);
  gint64 size = sl_input_size (file->from);
  if (n == 0 || n > LONGEST_HEADER || (size >= 0 && n > (guint64) size - sizeof n))
    return sl_error_bad_input (
        error, "%s: it is no safetensors file: it does not begin with its header's length",
        file->path);
  *length = (gsize) n;
  return TRUE;
}

gboolean
sl_safetensors_open (SlSafetensors *file, const char *path, GError **error)
{
  *file = (SlSafetensors){ .path = g_strdup (strcmp (path, "-") == 0 ? "standard input" : path) };
  file->metadata = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  file->names = g_ptr_array_new_with_free_func (g_free);
  file->from = sl_input_open (path, error);
  gsize n = 0;
  if (file->from == NULL)
    g_prefix_error (error, "%s: ", file->path);
  if (file->from == NULL || !read_length (file, &n, error))
    return FALSE;
  g_autofree guint8 *header = NULL;
  if (!read_bytes (file, n, &header, error)
      || !parse_header (file, (const char *) header, n, error))
    return FALSE;
  gint64 size = sl_input_size (file->from);
  if (size >= 0 && (guint64) size - 8 - n != file->n_bytes)
    return sl_error_bad_input (error, "%s: %s", file->path,
                               (guint64) size - 8 - n < file->n_bytes
                                   ? "it is cut short: not all of its numbers are there"
                                   : "there is something after its last number");
  return TRUE;
}

gboolean
sl_safetensors_load (SlSafetensors *file, GError **error)
{
  if (!read_bytes (file, file->n_bytes, &file->bytes, error))
    return FALSE;
  guint8 more;
  gssize n = g_input_stream_read (G_INPUT_STREAM (file->from), &more, 1, NULL, error);
  if (n < 0)
    {
      g_prefix_error (error, "%s: ", file->path);
      return FALSE;
    }
  if (n > 0)
    return sl_error_bad_input (error, "%s: there is something after its last number", file->path);
  for (gsize i = 0; i < file->n; i++)
    file->array[i].data = file->bytes + GPOINTER_TO_SIZE (file->array[i].data);
  return TRUE;
}

const SlSavedArray *
sl_safetensors_find (const SlSafetensors *file, const char *name)
{
  for (gsize i = 0; i < file->n; i++)
    if (strcmp (file->array[i].name, name) == 0)
      return &file->array[i];
  return NULL;
}

const char *
sl_safetensors_text (const SlSafetensors *file, const char *name)
{
  return g_hash_table_lookup (file->metadata, name);
}

void
sl_safetensors_clear (SlSafetensors *file)
{
  g_clear_object (&file->from);
  g_clear_pointer (&file->metadata, g_hash_table_unref);
  g_clear_pointer (&file->names, g_ptr_array_unref);
  g_clear_pointer (&file->array, g_free);
  g_clear_pointer (&file->bytes, g_free);
  g_clear_pointer (&file->path, g_free);
}

/* IEEE 754's half precision. */
static float
half (guint16 bits)
{
  guint32 sign = (guint32) (bits & 0x8000) << 16, exponent = bits >> 10 & 31, rest = bits & 0x3ff;
  guint32 word = sign | (exponent + 112) << 23 | rest << 13;
  if (exponent == 31)
    word = sign | 0x7f800000 | rest << 13;
  float value;
  memcpy (&value, &word, sizeof value);
  if (exponent == 0)
    value = (sign != 0 ? -1.0f : 1.0f) * (float) rest * 0x1p-24f;
  return value;
}

#define AS(Type)                                                                                   \
  do                                                                                               \
    {                                                                                              \
      Type x;                                                                                      \
      memcpy (&x, from + i * sizeof x, sizeof x);                                                  \
      out[i] = (float) x;                                                                          \
    }                                                                                              \
  while (0)

void
sl_saved_floats (const SlSavedArray *array, float *out)
{
  const guint8 *from = array->data;
  gsize n = sl_saved_size (array);
  if (array->type == SL_SAVED_FLOAT32)
    {
      memcpy (out, from, n * sizeof *out);
      return;
    }
  for (gsize i = 0; i < n; i++)
    switch (array->type)
      {
      case SL_SAVED_FLOAT64:
        AS (double);
        break;
      case SL_SAVED_INT64:
        AS (gint64);
        break;
      case SL_SAVED_INT32:
        AS (gint32);
        break;
      case SL_SAVED_INT16:
        AS (gint16);
        break;
      case SL_SAVED_INT8:
        AS (gint8);
        break;
      case SL_SAVED_FLOAT16:
      case SL_SAVED_BFLOAT16:
        {
          guint16 bits;
          memcpy (&bits, from + i * sizeof bits, sizeof bits);
          guint32 word = (guint32) bits << 16;
          if (array->type == SL_SAVED_FLOAT16)
            out[i] = half (bits);
          else
            memcpy (&out[i], &word, sizeof word);
          break;
        }
      case SL_SAVED_FLOAT32:
      case SL_SAVED_UINT8:
      case SL_SAVED_BOOL:
        out[i] = from[i];
        break;
      }
}

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
  return sl_saved_size (array) * saved_types[array->type].width;
}

char *
sl_saved_digest (const SlSavedArray *arrays, gsize n)
{
  guint64 hash = 0;
  for (gsize i = 0; i < n; i++)
    {
      gsize bytes = sl_saved_bytes (&arrays[i]);
      if (bytes > 0)
        hash = hash * 31 + sl_text_hash (arrays[i].data, bytes);
    }
  return g_strdup_printf ("%016" G_GINT64_MODIFIER "x", hash);
}

static void
append_array (GString *json, const SlSavedArray *array, gsize begin)
{
  sl_json_member (json, array->name);
  g_string_append_printf (json, "{\"dtype\":\"%s\",\"shape\":[", saved_types[array->type].name);
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
