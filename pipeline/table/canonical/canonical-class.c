/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "canonical-private.h"

#include "pipeline/base/error.h"
#include "pipeline/table/carray.h"

#include <arrow-glib/arrow-glib.h>
#include <stdlib.h>
#include <string.h>

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
  const guint8 *valid = c.null_count != 0 ? c.buffers[0] : NULL;
  *same = c.length == context->table->n_classes;
  for (gint64 i = 0; i < c.length; i++)
    {
      gsize length = (gsize) (offset[i + 1] - offset[i]);
      g_autofree char *name = g_strndup ((const char *) c.buffers[2] + offset[i], length);
      gpointer code = strlen (name) == length ? g_hash_table_lookup (codes, name) : NULL;
      gboolean there = valid == NULL || (valid[(c.offset + i) / 8] >> ((c.offset + i) % 8)) & 1;
      match[i] = !there ? SL_NO_VALUE : code == NULL ? SL_NO_CLASS : GPOINTER_TO_INT (code) - 1;
      *same = *same && match[i] == i;
    }
  sl_carray_release (&c);
  return match;
}

/* CODES, for the rows that are THERE, as an array that takes them over. */
static GArrowArray *
import_codes (const SlCanonical *context, gint32 *codes, const guint8 *there, gint64 n,
              GError **error)
{
  struct ArrowArray array, dictionary;
  sl_carray_init (&array, n, 2, 0);
  if (memchr (there, 0, (gsize) n) != NULL)
    sl_carray_set (&array, 0, sl_bits_new (there, n, &array.null_count));
  sl_carray_set (&array, 1, codes);
  sl_carray_init_texts (&dictionary, context->table->classes, context->table->n_classes);
  sl_carray_take_dictionary (&array, &dictionary);
  g_autoptr (GArrowDataType) type = sl_types[SL_TYPE_CLASS].arrow (context->table, -1);
  return garrow_array_import (&array, type, error);
}

static GArrowArray *
refuse_class (GArrowDictionaryArray *array, gint32 entry, gint64 row, const SlCanonical *context,
              GError **error)
{
  g_autoptr (GArrowArray) dictionary = garrow_dictionary_array_get_dictionary (array);
  g_autoptr (GArrowArray) texts = sl_canonical_cast (dictionary, SL_TYPE_TEXT, context, NULL);
  g_autofree char *name = garrow_string_array_get_string (GARROW_STRING_ARRAY (texts), entry);
  sl_error_row (error, sl_canonical_row (context, row),
                "column '%s' has '%s', which is none of the table's classes", context->spec->name,
                name);
  return NULL;
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
  g_autofree guint8 *there = g_malloc ((gsize) c.length + 1);
  memset (there, 1, (gsize) c.length);
  if (c.null_count != 0 && c.buffers[0] != NULL)
    sl_bits_to_bytes (c.buffers[0], c.offset, c.length, there);
  gint32 *codes = sl_buffer_new (4 * (gsize) c.length);
  gint64 i = 0, n = c.length;
  for (; i < n; i++)
    {
      gint32 code = there[i] ? match[from[i]] : SL_NO_VALUE;
      if (code == SL_NO_CLASS)
        break;
      there[i] = code != SL_NO_VALUE;
      codes[i] = MAX (code, 0);
    }
  gint32 entry = i < n ? from[i] : 0;
  sl_carray_release (&c);
  if (i == n)
    return import_codes (context, codes, there, n, error);
  free (codes);
  return refuse_class (array, entry, i, context, error);
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
  g_autoptr (GArrowDataType) wanted = sl_types[SL_TYPE_CLASS].arrow (context->table, -1);
  if (same && garrow_data_type_equal (type, wanted))
    return g_object_ref (dictionary);
  return recode (GARROW_DICTIONARY_ARRAY (dictionary), match, context, error);
}
