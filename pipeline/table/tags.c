/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tags.h"

#include "pipeline/base/error.h"
#include "pipeline/base/json-value.h"
#include "pipeline/base/json.h"

#include <string.h>

#define MAX_KEY 64     /* bytes */
#define MAX_VALUE 1000 /* bytes */
#define MAX_TAGS 1000

void
sl_tags_clear (SlTags *tags)
{
  for (int i = 0; i < tags->n; i++)
    {
      g_free (tags->tag[i].key);
      g_free (tags->tag[i].value);
    }
  g_free (tags->tag);
  *tags = (SlTags){ 0 };
}

void
sl_tags_copy (SlTags *to, const SlTags *from)
{
  sl_tags_clear (to);
  for (int i = 0; i < from->n; i++)
    sl_tags_set (to, from->tag[i].key, from->tag[i].value);
}

/* Where KEY is, or would be. */
static int
place_of (const SlTags *tags, const char *key)
{
  int i = 0;
  while (i < tags->n && strcmp (tags->tag[i].key, key) < 0)
    i++;
  return i;
}

void
sl_tags_take_off (SlTags *tags, int i)
{
  g_free (tags->tag[i].key);
  g_free (tags->tag[i].value);
  memmove (tags->tag + i, tags->tag + i + 1, (gsize) (tags->n - i - 1) * sizeof *tags->tag);
  tags->n--;
}

void
sl_tags_set (SlTags *tags, const char *key, const char *value)
{
  int i = place_of (tags, key);
  gboolean there = i < tags->n && strcmp (tags->tag[i].key, key) == 0;
  gsize behind = (gsize) (tags->n - i) * sizeof *tags->tag;
  if (there && value != NULL)
    {
      g_free (tags->tag[i].value);
      tags->tag[i].value = g_strdup (value);
    }
  else if (there)
    sl_tags_take_off (tags, i);
  else if (value != NULL)
    {
      tags->tag = g_renew (SlTag, tags->tag, tags->n + 1);
      memmove (tags->tag + i + 1, tags->tag + i, behind);
      tags->tag[i] = (SlTag){ g_strdup (key), g_strdup (value) };
      tags->n++;
    }
}

const char *
sl_tags_get (const SlTags *tags, const char *key)
{
  int i = place_of (tags, key);
  return i < tags->n && strcmp (tags->tag[i].key, key) == 0 ? tags->tag[i].value : NULL;
}

void
sl_tags_append_text (const SlTags *tags, GString *out)
{
  for (int i = 0; i < tags->n; i++)
    g_string_append_printf (out, "%s%s=%s", i > 0 ? ", " : "", tags->tag[i].key,
                            tags->tag[i].value);
}

char *
sl_tags_to_json (const SlTags *tags)
{
  if (tags->n == 0)
    return NULL;
  GString *json = g_string_new ("{");
  for (int i = 0; i < tags->n; i++)
    {
      sl_json_member (json, tags->tag[i].key);
      sl_json_string (json, tags->tag[i].value, -1);
    }
  g_string_append_c (json, '}');
  return g_string_free (json, FALSE);
}

const char *
sl_tags_difference (const SlTags *a, const SlTags *b)
{
  for (int i = 0; i < MAX (a->n, b->n); i++)
    {
      int order = i == a->n ? 1 : i == b->n ? -1 : strcmp (a->tag[i].key, b->tag[i].key);
      if (order != 0 || strcmp (a->tag[i].value, b->tag[i].value) != 0)
        return order > 0 ? b->tag[i].key : a->tag[i].key;
    }
  return NULL;
}

gboolean
sl_tags_equal (const SlTags *a, const SlTags *b)
{
  return sl_tags_difference (a, b) == NULL;
}

gboolean
sl_tags_is_key (const char *key)
{
  gsize n = strlen (key);
  return n > 0 && n <= MAX_KEY && (g_ascii_isalpha (key[0]) || key[0] == '_')
         && strspn (key, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.") == n;
}

static gboolean
bad_metadata (GError **error, const char *what)
{
  return sl_error_bad_input (error, "its metadata 'softlabel.tags' %s", what);
}

gboolean
sl_tags_from_json (SlTags *tags, const char *json, GError **error)
{
  g_autoptr (SlJsonParser) parser = sl_json_parser_new ();
  SlJson object;
  sl_tags_clear (tags);
  if (sl_json_parse_text (parser, json, &object) != NULL || sl_json_type (object) != SL_JSON_OBJECT)
    return bad_metadata (error, "is not a JSON object of texts");
  if (sl_json_length (object) > MAX_TAGS)
    return bad_metadata (error, "has over a thousand tags");
  for (SlJsonEach each = sl_json_each (object); sl_json_each_next (&each);)
    {
      const char *text = sl_json_c_str (each.value);
      if (text == NULL)
        return bad_metadata (error, "has a value that is not text");
      if (!sl_tags_is_key (each.key.text))
        return bad_metadata (error, "has a key that cannot be one");
      sl_tags_set (tags, each.key.text, text);
    }
  return TRUE;
}

gboolean
sl_tags_parse (SlTags *tags, const char *text, GError **error)
{
  const char *equals = strchr (text, '=');
  if (equals == NULL)
    return sl_error_usage (error, "--tag: '%s' is not KEY=VALUE", text);
  g_autofree char *key = g_strndup (text, (gsize) (equals - text));
  if (!sl_tags_is_key (key))
    return sl_error_usage (error,
                           "--tag: '%s' cannot be a key; one has letters, digits, _ - and ., a "
                           "letter or _ first, and at most %d of them",
                           key, MAX_KEY);
  if (sl_tags_get (tags, key) != NULL)
    return sl_error_usage (error, "--tag: '%s' is given twice", key);
  if (strlen (equals + 1) > MAX_VALUE)
    return sl_error_usage (error, "--tag: the value of '%s' is longer than %d bytes", key,
                           MAX_VALUE);
  for (const char *c = equals + 1; *c != '\0'; c = g_utf8_next_char (c))
    if (g_unichar_iscntrl (g_utf8_get_char (c)))
      return sl_error_usage (error, "--tag: the value of '%s' has a control character in it", key);
  sl_tags_set (tags, key, equals + 1);
  return TRUE;
}
