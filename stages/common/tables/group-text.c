/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "group-text.h"

#include <string.h>

static void
append_escaped (GString *text, const char *word)
{
  for (; *word != '\0'; word++)
    {
      if (strchr (",=\\", *word) != NULL)
        g_string_append_c (text, '\\');
      g_string_append_c (text, *word);
    }
}

void
sl_group_append (GString *text, const char *key, const char *value)
{
  if (text->len > 0)
    g_string_append (text, ", ");
  append_escaped (text, key);
  g_string_append_c (text, '=');
  append_escaped (text, value);
}

/* The word that begins at TEXT + *AT, up to END, which is passed over; NULL where END does not come
 * (a comma may be the text's end). */
static char *
take_word (const char *text, gsize length, gsize *at, char end)
{
  g_autoptr (GString) word = g_string_new (NULL);
  for (; *at < length && text[*at] != end; (*at)++)
    {
      if (text[*at] == '\\' && *at + 1 < length)
        (*at)++;
      else if (strchr (",=\\", text[*at]) != NULL)
        return NULL;
      g_string_append_c (word, text[*at]);
    }
  if (*at == length && end == '=')
    return NULL;
  *at += *at < length;
  return g_string_free (g_steal_pointer (&word), FALSE);
}

gboolean
sl_group_parse (SlTags *conditions, const char *text, gsize length)
{
  for (gsize at = 0; at < length;)
    {
      g_autofree char *key = take_word (text, length, &at, '=');
      g_autofree char *value = key != NULL ? take_word (text, length, &at, ',') : NULL;
      if (value == NULL || *key == '\0')
        return FALSE;
      sl_tags_set (conditions, key, value);
      at += at < length && text[at] == ' ';
    }
  return TRUE;
}
