/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrow's full validation looks at each text by itself, at about 10 ns apiece. The usual case here
 * (rising offsets, ASCII text, no missing codes) is validated in passes that run at the speed of
 * memory. Everything else is left to Arrow. */
#include "validate.h"

#include "pipeline/table/carray.h"

#include <arrow-glib/arrow-glib.h>

/* Arrow's validation without "full" has checked that the ends of offsets lie within the buffers:
 * rising between them is enough. Where there is but one offset, or none, Arrow tells. */
static gboolean
offsets_rise (const struct ArrowArray *array)
{
  if (array->length == 0 || array->buffers[1] == NULL)
    return FALSE;
  const gint32 *offset = (const gint32 *) array->buffers[1] + array->offset;
  gint32 falls = offset[0] < 0;
  for (gint64 i = 0; i < array->length; i++)
    falls |= offset[i + 1] < offset[i];
  return !falls;
}

static gboolean
is_ascii (const struct ArrowArray *array)
{
  if (array->length == 0 || array->buffers[2] == NULL)
    return TRUE;
  const gint32 *offset = (const gint32 *) array->buffers[1] + array->offset;
  const guint8 *text = array->buffers[2];
  guint8 bits = 0;
  for (gint32 i = offset[0]; i < offset[array->length]; i++)
    bits |= text[i];
  return bits < 0x80;
}

static gboolean
codes_within (const struct ArrowArray *array)
{
  const gint32 *code = (const gint32 *) array->buffers[1] + array->offset;
  gint32 least = 0, most = -1;
  for (gint64 i = 0; i < array->length; i++)
    {
      least = MIN (least, code[i]);
      most = MAX (most, code[i]);
    }
  return array->null_count == 0 && least >= 0 && most < array->dictionary->length;
}

static gboolean quick (GArrowArray *array);

static gboolean
quick_dictionary (GArrowDictionaryArray *array, const struct ArrowArray *c)
{
  g_autoptr (GArrowArray) indices = garrow_dictionary_array_get_indices (array);
  g_autoptr (GArrowArray) dictionary = garrow_dictionary_array_get_dictionary (array);
  return GARROW_IS_INT32_ARRAY (indices) && codes_within (c) && GARROW_IS_STRING_ARRAY (dictionary)
         && quick (dictionary);
}

static gboolean
quick_struct (GArrowStructArray *array)
{
  g_autolist (GArrowArray) fields = garrow_struct_array_get_fields (array);
  for (GList *field = fields; field != NULL; field = field->next)
    if (!quick (field->data))
      return FALSE;
  return TRUE;
}

/* The number of missing values that a file declares must be the number that it has. */
static gboolean
nulls_agree (const struct ArrowArray *array)
{
  if (array->n_buffers == 0 || array->buffers[0] == NULL || array->null_count <= 0)
    return TRUE;
  const guint8 *bits = array->buffers[0];
  gint64 there = 0;
  for (gint64 i = array->offset; i < array->offset + array->length; i++)
    there += (bits[i / 8] >> (i % 8)) & 1;
  return there + array->null_count == array->length;
}

static gboolean
quick_list (GArrowListArray *array, const struct ArrowArray *c)
{
  g_autoptr (GArrowArray) values = garrow_list_array_get_values (array);
  return offsets_rise (c) && quick (values);
}

static gboolean
quick_fixed_list (GArrowFixedSizeListArray *array)
{
  g_autoptr (GArrowArray) values = garrow_fixed_size_list_array_get_values (array);
  return quick (values);
}

/* TRUE: certainly valid. FALSE: not known. */
static gboolean
quick (GArrowArray *array)
{
  struct ArrowArray c;
  if (!sl_carray_export (array, &c, NULL))
    return FALSE;
  gboolean valid = FALSE;
  if (!nulls_agree (&c))
    valid = FALSE;
  else if (GARROW_IS_PRIMITIVE_ARRAY (array))
    valid = TRUE;
  else if (GARROW_IS_STRING_ARRAY (array))
    valid = offsets_rise (&c) && is_ascii (&c);
  else if (GARROW_IS_BINARY_ARRAY (array))
    valid = offsets_rise (&c);
  else if (GARROW_IS_DICTIONARY_ARRAY (array))
    valid = quick_dictionary (GARROW_DICTIONARY_ARRAY (array), &c);
  else if (GARROW_IS_LIST_ARRAY (array))
    valid = quick_list (GARROW_LIST_ARRAY (array), &c);
  else if (GARROW_IS_FIXED_SIZE_LIST_ARRAY (array))
    valid = quick_fixed_list (GARROW_FIXED_SIZE_LIST_ARRAY (array));
  else if (GARROW_IS_STRUCT_ARRAY (array))
    valid = quick_struct (GARROW_STRUCT_ARRAY (array));
  sl_carray_release (&c);
  return valid;
}

gboolean
sl_validate (GArrowArray *array, GError **error)
{
  if (!garrow_array_validate (array, error))
    return FALSE;
  return quick (array) || garrow_array_validate_full (array, error);
}
