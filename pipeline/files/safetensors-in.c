/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "safetensors-private.h"

#include "input.h"
#include "pipeline/base/error.h"

#include <string.h>

/* As the format's own library has it. */
#define LONGEST_HEADER 100000000
#define PIECE ((gsize) 1 << 24)

static gboolean
refuse (const SlSafetensors *file, const char *what, GError **error)
{
  return sl_error_bad_input (error, "%s: %s", file->path, what);
}

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
        return refuse (file, "it is cut short: not all of its numbers are there", error);
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
      return refuse (file, "it is too short for a safetensors file", error);
    }
  memcpy (&n, bytes, sizeof n);
  n = GUINT64_FROM_LE (n);
  gint64 size = sl_input_size (file->from);
  if (n == 0 || n > LONGEST_HEADER || (size >= 0 && n > (guint64) size - sizeof n))
    return refuse (file, "it is no safetensors file: it does not begin with its header's length",
                   error);
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
      || !sl_safetensors_parse (file, (const char *) header, n, error))
    return FALSE;
  gint64 size = sl_input_size (file->from);
  if (size >= 0 && (guint64) size - 8 - n != file->n_bytes)
    return refuse (file,
                   (guint64) size - 8 - n < file->n_bytes
                       ? "it is cut short: not all of its numbers are there"
                       : "there is something after its last number",
                   error);
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
    return refuse (file, "there is something after its last number", error);
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
