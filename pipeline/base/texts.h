/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many texts one behind the other, as Arrow lays out a column of them. */
#pragma once

#include <glib.h>

#include <string.h>

/* For sorting: -1, 0 or 1 as A is less than B, the same or more. */
#define SL_COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

/* For g_ptr_array_sort() and others like it: texts in the order of their bytes. */
static inline int
sl_compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Text column: value i is data[offset[i]] up to data[offset[i + 1]], not NUL-terminated. */
typedef struct
{
  const gint32 *offset;
  const char *data;
} SlText;

static inline const char *
sl_text_get (SlText text, gint64 i, gsize *length)
{
  *length = (gsize) (text.offset[i + 1] - text.offset[i]);
  return text.data + text.offset[i];
}

/* The same, to be freed. */
static inline char *
sl_text_dup (SlText text, gint64 i)
{
  return g_strndup (text.data + text.offset[i], (gsize) (text.offset[i + 1] - text.offset[i]));
}
