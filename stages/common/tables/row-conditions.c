/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "row-conditions.h"

#include "pipeline/table/tag-columns.h"
#include "pipeline/table/types/types.h"

#include <string.h>

/* The conditions of a row of scores as one text, and back: "model=vgg, attack=fgsm". In keys and
 * values a backslash stands before a comma, an equals sign and a backslash. */

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

/* CONDITIONS <- those of TEXT[length], over what it has; FALSE where it is no such text. */
static gboolean
parse_group (SlTags *conditions, const char *text, gsize length)
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

gboolean
sl_row_conditions (SlTags *conditions, const SlBatch *batch, gint64 row)
{
  const SlTable *table = batch->table;
  gsize length;
  sl_tags_copy (conditions, &table->tags);
  for (int c = sl_table_first_tag (table); table->spec[c].name != NULL; c++)
    {
      if (!sl_table_has (table, c) || sl_value_is_missing (batch, c, row))
        continue;
      g_autofree char *value = sl_text_dup (batch->column[c].text, row);
      sl_tags_set (conditions, sl_tag_column_key (table, c), value);
    }
  int group = sl_table_column (table, "group");
  if (group < 0 || !sl_table_has (table, group))
    return TRUE;
  const char *text = sl_text_get (batch->column[group].text, row, &length);
  return parse_group (conditions, text, length);
}
