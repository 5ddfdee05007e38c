/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "annotator-attributes.h"

#include "pipeline/base/texts.h"
#include "pipeline/table/tag-columns.h"

#include <stdlib.h>
#include <string.h>

static gint32
find_value (const SlAnnotatorAttribute *attribute, const char *value, gsize length)
{
  for (gint32 i = 0; i < attribute->n; i++)
    if (strlen (attribute->values[i]) == length
        && memcmp (attribute->values[i], value, length) == 0)
      return i;
  return attribute->n;
}

/* The value that NAME has of the tag of ATTRIBUTE. */
static gint32
find_code (const SlAnnotatorAttribute *attribute, const SlAnnotatorTags *tags, const char *name,
           gsize length)
{
  for (int t = 0; t < tags->tags.n; t++)
    if (strcmp (tags->tags.tag[t].key + strlen (SL_ATTRIBUTE_PREFIX), attribute->name) == 0)
      {
        gint32 value = sl_annotator_tags_find (tags, t, name, length);
        if (value < 0)
          return attribute->n;
        const char *text = sl_intern_get (tags->tags.tag[t].values, value, &length);
        return find_value (attribute, text, length);
      }
  return attribute->n;
}

void
sl_annotator_attributes_take (SlAnnotatorAttributes *attributes, const SlAnnotatorTags *tags,
                              const SlIntern *annotators)
{
  gsize n_annotators = (gsize) sl_intern_size (annotators), length;
  sl_annotator_attributes_init (attributes, (gsize) tags->tags.n, n_annotators);
  for (gsize t = 0; t < attributes->n; t++)
    {
      SlAnnotatorAttribute *attribute = &attributes->attribute[t];
      const SlRowTag *tag = &tags->tags.tag[t];
      attribute->name = g_strdup (tag->key + strlen (SL_ATTRIBUTE_PREFIX));
      attribute->n = sl_intern_size (tag->values);
      attribute->values = g_new0 (char *, attribute->n + 1);
      for (gint32 v = 0; v < attribute->n; v++)
        attribute->values[v] = sl_intern_dup (tag->values, v);
      qsort (attribute->values, (gsize) attribute->n, sizeof (char *), sl_compare_texts);
      for (gint32 r = 0; r < sl_intern_size (annotators); r++)
        {
          const char *name = sl_intern_get (annotators, r, &length);
          attributes->code[(gsize) r * attributes->n + t]
              = find_code (attribute, tags, name, length);
        }
      attributes->code[n_annotators * attributes->n + t] = attribute->n;
    }
}

gboolean
sl_annotator_attributes_meet (SlAnnotatorAttributes *attributes, const SlAnnotatorTags *tags,
                              const char *name, gsize length)
{
  gboolean known = FALSE;
  for (gsize t = 0; t < attributes->n; t++)
    {
      gint32 code = find_code (&attributes->attribute[t], tags, name, length);
      attributes->code[attributes->n_annotators * attributes->n + t] = code;
      known = known || code < attributes->attribute[t].n;
    }
  return known;
}
