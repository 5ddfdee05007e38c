/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "canonical-private.h"

#include "carray.h"
#include "error.h"

#include <stdlib.h>

gint32 *
sl_canonical_match (GArrowDictionaryArray *array, const SlCanonical *context, gboolean *same,
                    GError **error)
{
  g_autoptr (GArrowArray) raw = garrow_dictionary_array_get_dictionary (array);
  g_autoptr (GArrowArray) texts = sl_canonical_cast (raw, SL_TYPE_TEXT, context, error);
  if (texts == NULL)
    return NULL;
  struct ArrowArray c;
  if (!sl_carray_export (texts, &c, error))
    return NULL;
  g_autoptr (GHashTable) codes = g_hash_table_new (g_str_hash, g_str_equal);
  for (gint32 i = 0; i < context->table->n_classes; i++)
    g_hash_table_insert (codes, context->table->classes[i], GINT_TO_POINTER (i + 1));
  gint32 *match = g_new (gint32, MAX (c.length, 1));
  const gint32 *offset = c.length > 0 ? (const gint32 *) c.buffers[1] + c.offset : NULL;
  *same = c.length == context->table->n_classes;
  for (gint64 i = 0; i < c.length; i++)
    {
      g_autofree char *name = g_strndup ((const char *) c.buffers[2] + offset[i],
                                         (gsize) (offset[i + 1] - offset[i]));
      match[i] = GPOINTER_TO_INT (g_hash_table_lookup (codes, name)) - 1;
      *same = *same && match[i] == i;
    }
  sl_carray_release (&c);
  return match;
}

static GArrowArray *
import_codes (const SlCanonical *context, const struct ArrowArray *from, gint32 *codes,
              GError **error)
{
  struct ArrowArray array, dictionary;
  sl_carray_init (&array, from->length, 2, 0);
  if (from->null_count != 0 && from->buffers[0] != NULL)
    {
      g_autofree guint8 *valid = g_malloc ((gsize) MAX (from->length, 1));
      sl_bits_to_bytes (from->buffers[0], from->offset, from->length, valid);
      sl_carray_set (&array, 0, sl_bits_new (valid, from->length, &array.null_count));
    }
  sl_carray_set (&array, 1, codes);
  sl_carray_init_texts (&dictionary, context->table->classes, context->table->n_classes);
  sl_carray_take_dictionary (&array, &dictionary);
  g_autoptr (GArrowDataType) type = sl_type_to_arrow (SL_TYPE_CLASS, 0);
  return garrow_array_import (&array, type, error);
}

/* ARRAY's codes by the table's classes. */
static GArrowArray *
recode (GArrowDictionaryArray *array, const gint32 *match, const SlCanonical *context,
        GError **error)
{
  g_autoptr (GArrowArray) raw = garrow_dictionary_array_get_indices (array);
  g_autoptr (GArrowArray) indices = sl_canonical_cast (raw, SL_TYPE_INT32, context, error);
  struct ArrowArray c;
  if (indices == NULL || !sl_carray_export (indices, &c, error))
    return NULL;
  const gint32 *from = (const gint32 *) c.buffers[1] + c.offset;
  const guint8 *valid = c.null_count != 0 ? c.buffers[0] : NULL;
  gint32 *codes = sl_buffer_new (4 * (gsize) c.length);
  gint64 unknown = -1;
  for (gint64 i = 0; i < c.length && unknown < 0; i++)
    {
      gboolean there = valid == NULL || (valid[(c.offset + i) / 8] >> ((c.offset + i) % 8)) & 1;
      codes[i] = there ? match[from[i]] : 0;
      if (codes[i] < 0)
        unknown = i;
    }
  GArrowArray *result = NULL;
  if (unknown < 0)
    result = import_codes (context, &c, codes, error);
  else
    {
      g_autoptr (GArrowArray) dictionary = garrow_dictionary_array_get_dictionary (array);
      g_autoptr (GArrowArray) texts = sl_canonical_cast (dictionary, SL_TYPE_TEXT, context, NULL);
      g_autofree char *name
          = garrow_string_array_get_string (GARROW_STRING_ARRAY (texts), from[unknown]);
      g_autofree char *row
          = context->spec->type == SL_TYPE_CLASS
                ? g_strdup_printf ("row %" G_GINT64_FORMAT ": ", context->first_row + unknown + 1)
                : g_strdup ("");
      g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
                   "%scolumn '%s' has '%s', which is none of the table's classes", row,
                   context->spec->name, name);
      free (codes);
    }
  sl_carray_release (&c);
  return result;
}

GArrowArray *
sl_canonical_class (GArrowArray *array, const SlCanonical *context, GError **error)
{
  g_autoptr (GArrowArray) dictionary = NULL;
  if (GARROW_IS_DICTIONARY_ARRAY (array))
    dictionary = g_object_ref (array);
  else
    {
      g_autoptr (GArrowArray) text = sl_canonical_cast (array, SL_TYPE_TEXT, context, error);
      if (text == NULL)
        return NULL;
      dictionary = GARROW_ARRAY (garrow_array_dictionary_encode (text, error));
      if (dictionary == NULL)
        return NULL;
    }
  gboolean same;
  g_autofree gint32 *match
      = sl_canonical_match (GARROW_DICTIONARY_ARRAY (dictionary), context, &same, error);
  if (match == NULL)
    return NULL;
  g_autoptr (GArrowDataType) type = garrow_array_get_value_data_type (dictionary);
  g_autoptr (GArrowDataType) wanted = sl_type_to_arrow (SL_TYPE_CLASS, 0);
  if (same && garrow_data_type_equal (type, wanted))
    return g_object_ref (dictionary);
  return recode (GARROW_DICTIONARY_ARRAY (dictionary), match, context, error);
}
