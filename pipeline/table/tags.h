/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conditions that a table was made under, as the user names them: a value for each key, in the
 * order of the keys. */
#pragma once

#include <glib.h>

typedef struct
{
  char *key, *value;
} SlTag;

typedef struct
{
  SlTag *tag; /* [n] */
  int n;
} SlTags; /* all zeros: none */

void sl_tags_clear (SlTags *tags);
void sl_tags_copy (SlTags *to, const SlTags *from); /* in place of what TO had */

/* VALUE is NULL: takes it off. */
void sl_tags_set (SlTags *tags, const char *key, const char *value);
const char *sl_tags_get (const SlTags *tags, const char *key); /* NULL: there is no such tag */

void sl_tags_take_off (SlTags *tags, int i); /* the I-th */

/* The first key that one of the two lacks, or that has another value; NULL: they are equal. */
const char *sl_tags_difference (const SlTags *a, const SlTags *b);
gboolean sl_tags_equal (const SlTags *a, const SlTags *b);

/* Keys become parts of columns' names (tag-columns.h). */
gboolean sl_tags_is_key (const char *key);

/* What of each condition there is, as "model=vgg, seed=1". */
void sl_tags_append_text (const SlTags *tags, GString *out);

/* A JSON object, as the metadata has it; NULL where there are none. */
char *sl_tags_to_json (const SlTags *tags);
gboolean sl_tags_from_json (SlTags *tags, const char *json, GError **error);

/* Sets the tag that "KEY=VALUE" names; an empty value is kept as such. */
gboolean sl_tags_parse (SlTags *tags, const char *text, GError **error);
