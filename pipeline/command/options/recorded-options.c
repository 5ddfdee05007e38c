/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recorded-options.h"

#include "option-scope.h"
#include "pipeline/command/commands.h"

#include <math.h>
#include <string.h>

JsonNode *
sl_recorded_defaults (const char *verb, const char *version)
{
  const SlCommand *command = sl_command_by_name (verb);
  if (command == NULL || command->options == NULL || g_strcmp0 (version, SL_VERSION) != 0)
    return NULL;
  SlOptions options;
  sl_command_options (command, &options);
  g_autofree char *json = sl_options_to_json (&options);
  sl_options_clear (&options);
  return json_from_string (json, NULL);
}

gboolean
sl_recorded_is_default (JsonNode *defaults, const char *name, JsonNode *value)
{
  JsonNode *usual
      = defaults != NULL ? json_object_get_member (json_node_get_object (defaults), name) : NULL;
  return usual != NULL && json_node_equal (usual, value);
}

/* The option of VERB; NULL where there is none. */
static const SlOption *
find_option (const char *verb, const char *name)
{
  const SlCommand *command = sl_command_by_name (verb);
  for (const SlOption *option = command != NULL ? command->options : NULL;
       option != NULL && option->name != NULL; option++)
    if (strcmp (option->name, name) == 0)
      return option;
  return NULL;
}

char *
sl_recorded_text (JsonNode *node)
{
  if (!JSON_NODE_HOLDS_VALUE (node))
    return NULL;
  GType type = json_node_get_value_type (node);
  if (type == G_TYPE_STRING)
    return json_node_dup_string (node);
  if (type == G_TYPE_INT64)
    return g_strdup_printf ("%" G_GINT64_FORMAT, json_node_get_int (node));
  if (type != G_TYPE_DOUBLE)
    return NULL;
  double value = json_node_get_double (node);
  if (!isfinite (value))
    return NULL;
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  for (int precision = 15; precision <= 17; precision++)
    {
      char format[8];
      g_snprintf (format, sizeof format, "%%.%dg", precision);
      g_ascii_formatd (digits, sizeof digits, format, value);
      if (g_ascii_strtod (digits, NULL) == value)
        break;
    }
  return g_strdup (digits);
}

/* Adds the words that say the option NAME to WORDS. FALSE where VALUE is nothing that is said. */
static gboolean
add_words (GPtrArray *words, const char *name, JsonNode *value)
{
  if (JSON_NODE_HOLDS_ARRAY (value))
    {
      JsonArray *values = json_node_get_array (value);
      for (guint i = 0; i < json_array_get_length (values); i++)
        if (JSON_NODE_HOLDS_ARRAY (json_array_get_element (values, i))
            || !add_words (words, name, json_array_get_element (values, i)))
          return FALSE;
      return json_array_get_length (values) > 0;
    }
  if (JSON_NODE_HOLDS_VALUE (value) && json_node_get_value_type (value) == G_TYPE_BOOLEAN)
    {
      if (json_node_get_boolean (value))
        g_ptr_array_add (words, g_strconcat ("--", name, NULL));
      return json_node_get_boolean (value);
    }
  g_autofree char *text = sl_recorded_text (value);
  if (text != NULL)
    g_ptr_array_add (words, g_strconcat ("--", name, "=", text, NULL));
  return text != NULL;
}

/* Whether COMMAND takes WORDS as its options. */
static gboolean
takes (const SlCommand *command, const GPtrArray *words)
{
  SlOptions own, common;
  char **argv = g_new0 (char *, words->len + 1);
  for (guint i = 0; i < words->len; i++)
    argv[i] = g_strdup (words->pdata[i]);
  sl_command_options (command, &own);
  sl_options_init (&common, NULL, NULL, 0);
  gboolean ok = sl_options_parse (&own, &common, &argv, NULL) && sl_options_check_scope (&own, NULL)
                && (command->check == NULL || command->check (&own, NULL));
  g_strfreev (argv);
  sl_options_clear (&own);
  sl_options_clear (&common);
  return ok;
}

GHashTable *
sl_recorded_sayable (const char *verb, JsonObject *recorded, JsonNode *defaults)
{
  GHashTable *sayable = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  const SlCommand *command = sl_command_by_name (verb);
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GList) names = json_object_get_members (recorded);
  if (command == NULL || defaults == NULL)
    return sayable;
  for (GList *name = names; name != NULL; name = name->next)
    {
      JsonNode *value = json_object_get_member (recorded, name->data);
      const SlOption *option = find_option (verb, name->data);
      if (option != NULL && option->kind == SL_OPTION_OUTPUT)
        g_ptr_array_add (words, g_strdup_printf ("--%s=-", option->name));
      else if (!sl_recorded_is_default (defaults, name->data, value))
        add_words (words, name->data, value);
    }
  for (GList *name = names; name != NULL; name = name->next)
    {
      JsonNode *value = json_object_get_member (recorded, name->data);
      guint before = words->len;
      if (!sl_recorded_is_default (defaults, name->data, value))
        continue;
      if (add_words (words, name->data, value) && takes (command, words))
        g_hash_table_add (sayable, g_strdup (name->data));
      else
        g_ptr_array_set_size (words, (int) before);
    }
  return sayable;
}

SlRecordedForm
sl_recorded_form (const char *verb, const char *name, JsonNode *value)
{
  const SlOption *option = find_option (verb, name);
  GType type = JSON_NODE_HOLDS_VALUE (value) ? json_node_get_value_type (value) : G_TYPE_INVALID;
  if (option == NULL)
    return SL_RECORDED_PLAIN;
  if (option->kind == SL_OPTION_OUTPUT)
    return type == G_TYPE_BOOLEAN && json_node_get_boolean (value) ? SL_RECORDED_OUTPUT
                                                                   : SL_RECORDED_PLAIN;
  /* The word that it means by itself is its own; any other could be taken for an input. */
  return option->by_itself == NULL
                 || (type == G_TYPE_STRING
                     && strcmp (json_node_get_string (value), option->by_itself) == 0)
             ? SL_RECORDED_PLAIN
             : SL_RECORDED_JOINED;
}
