/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "as-shell.h"

#include "pipeline/base/number-text.h"
#include "pipeline/command/commands.h"
#include "pipeline/display/terminal.h"

#include <math.h>
#include <string.h>

#define UNKNOWN "UNKNOWN" /* a table without a history */
#define MAX_TABLES 1000000

typedef struct
{
  GString *out;
  gboolean full;
} Printer;

static gboolean append_pipeline (Printer *printer, JsonNode *history, int indent, GError **error);

gboolean
sl_history_malformed (GError **error)
{
  return sl_error_bad_input (error, "its history is not in the form that softlabel writes");
}

static JsonNode *
get (JsonObject *object, const char *name, JsonNodeType type)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, name) : NULL;
  return node != NULL && JSON_NODE_TYPE (node) == type ? node : NULL;
}

static const char *
get_text (JsonObject *object, const char *name)
{
  JsonNode *node = get (object, name, JSON_NODE_VALUE);
  return node != NULL && json_node_get_value_type (node) == G_TYPE_STRING
             ? json_node_get_string (node)
             : NULL;
}

static JsonObject *
get_object (JsonObject *object, const char *name)
{
  JsonNode *node = get (object, name, JSON_NODE_OBJECT);
  return node != NULL ? json_node_get_object (node) : NULL;
}

static JsonArray *
get_array (JsonObject *object, const char *name)
{
  JsonNode *node = get (object, name, JSON_NODE_ARRAY);
  return node != NULL ? json_node_get_array (node) : NULL;
}

static JsonObject *
element (JsonArray *array, guint i)
{
  JsonNode *node = json_array_get_element (array, i);
  return JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

/* TEXT as one word of bash. What a terminal would act on is written as an escape. */
static void
append_word (GString *out, const char *text)
{
  static const char plain[]
      = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:,=+@%^";
  g_autoptr (GString) shown = g_string_new (NULL);
  sl_display_text (shown, text, -1);
  gboolean escaped = strcmp (shown->str, text) != 0;
  if (!escaped && *text != '\0' && strspn (text, plain) == strlen (text))
    {
      g_string_append (out, text);
      return;
    }
  g_string_append (out, escaped ? "$'" : "'");
  for (const char *c = text; !escaped && *c != '\0'; c++)
    g_string_append_printf (out, *c == '\'' ? "'\\''" : "%c", *c);
  for (const char *c = text; escaped && *c != '\0'; c = g_utf8_next_char (c))
    if (*c == '\'' || *c == '\\')
      g_string_append_printf (out, "\\%c", *c);
    else
      sl_display_text (out, c, g_utf8_next_char (c) - c);
  g_string_append_c (out, '\'');
}

/* The text of a number, a text or a choice as the command line takes it; NULL for anything else. */
char *
sl_history_value (JsonNode *node)
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

static gboolean
append_option (GString *out, const char *name, JsonNode *node, GError **error)
{
  if (JSON_NODE_HOLDS_ARRAY (node))
    {
      JsonArray *array = json_node_get_array (node);
      for (guint i = 0; i < json_array_get_length (array); i++)
        {
          JsonNode *value = json_array_get_element (array, i);
          if (JSON_NODE_HOLDS_ARRAY (value))
            return sl_history_malformed (error);
          if (!append_option (out, name, value, error))
            return FALSE;
        }
      return TRUE;
    }
  gboolean flag = JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_BOOLEAN;
  if (JSON_NODE_HOLDS_NULL (node) || (flag && !json_node_get_boolean (node)))
    return TRUE;
  g_autofree char *text = flag ? NULL : sl_history_value (node);
  g_autofree char *word = g_strconcat ("--", name, NULL);
  g_string_append_c (out, ' ');
  append_word (out, word);
  if (flag)
    return TRUE;
  if (text == NULL)
    return sl_history_malformed (error);
  /* A value that begins with a dash would be taken for an option. */
  g_string_append_c (out, *text == '-' ? '=' : ' ');
  append_word (out, text);
  return TRUE;
}

/* Whether the option NAME of VERB is a file that was written: VALUE says only that there was
 * one. */
static gboolean
is_output (const char *verb, const char *name, JsonNode *value)
{
  if (!JSON_NODE_HOLDS_VALUE (value) || json_node_get_value_type (value) != G_TYPE_BOOLEAN
      || !json_node_get_boolean (value))
    return FALSE;
  const SlCommand *command = sl_command_by_name (verb);
  for (const SlOption *option = command != NULL ? command->options : NULL;
       option != NULL && option->name != NULL; option++)
    if (strcmp (option->name, name) == 0)
      return option->kind == SL_OPTION_OUTPUT;
  return FALSE;
}

/* The options of VERB at their defaults, as that verb would record them; NULL where the verb, or
 * the version that wrote the record, is not this one, so that nothing is known of its defaults. */
static JsonNode *
find_defaults (const Printer *printer, const char *verb, const char *version)
{
  const SlCommand *command = sl_command_by_name (verb);
  if (printer->full || command == NULL || command->options == NULL
      || g_strcmp0 (version, SL_VERSION) != 0)
    return NULL;
  SlOptions options;
  sl_command_options (command, &options);
  g_autofree char *json = sl_options_to_json (&options);
  sl_options_clear (&options);
  return json_from_string (json, NULL);
}

static gboolean
is_default (JsonNode *defaults, const char *name, JsonNode *value)
{
  JsonNode *other
      = defaults != NULL ? json_object_get_member (json_node_get_object (defaults), name) : NULL;
  return other != NULL && json_node_equal (other, value);
}

/* <( ... ), the pipeline inside it on lines of its own. */
static gboolean
append_substitution (Printer *printer, JsonNode *history, int indent, GError **error)
{
  GString *out = printer->out;
  if (JSON_NODE_HOLDS_ARRAY (history) && json_array_get_length (json_node_get_array (history)) == 0)
    {
      g_string_append (out, " " UNKNOWN);
      return TRUE;
    }
  g_string_append (out, " <(\n");
  sl_display_space (out, indent + 4);
  if (!append_pipeline (printer, history, indent + 4, error))
    return FALSE;
  g_string_append_c (out, '\n');
  sl_display_space (out, indent + 2);
  g_string_append_c (out, ')');
  return TRUE;
}

/* The table, or the file, that the option OPTION named. */
static gboolean
append_input (Printer *printer, const char *option, JsonNode *history, int indent, GError **error)
{
  if (JSON_NODE_HOLDS_OBJECT (history))
    {
      JsonNode *name = get (json_node_get_object (history), "name", JSON_NODE_VALUE);
      return name != NULL ? append_option (printer->out, option, name, error)
                          : sl_history_malformed (error);
    }
  g_autofree char *word = g_strconcat ("--", option, NULL);
  g_string_append_c (printer->out, ' ');
  append_word (printer->out, word);
  return append_substitution (printer, history, indent, error);
}

/* --tag KEY=VALUE, of each. */
static gboolean
append_tags (GString *out, JsonObject *tags, GError **error)
{
  g_autoptr (GList) keys = tags != NULL ? json_object_get_members (tags) : NULL;
  for (GList *key = keys; key != NULL; key = key->next)
    {
      const char *value = get_text (tags, key->data);
      if (value == NULL)
        return sl_history_malformed (error);
      g_autofree char *tag = g_strconcat (key->data, "=", value, NULL);
      g_string_append (out, " --tag ");
      append_word (out, tag);
    }
  return TRUE;
}

static gboolean
append_options (Printer *printer, JsonObject *stage, int indent, GError **error)
{
  GString *out = printer->out;
  g_autoptr (JsonNode) defaults
      = find_defaults (printer, get_text (stage, "verb"), get_text (stage, "version"));
  JsonObject *recorded = get_object (stage, "options"), *inputs = get_object (stage, "inputs");
  g_autoptr (GList) names = recorded != NULL ? json_object_get_members (recorded) : NULL;
  for (GList *name = names; name != NULL; name = name->next)
    {
      JsonNode *value = json_object_get_member (recorded, name->data);
      JsonNode *history = get (inputs, name->data, JSON_NODE_ARRAY);
      if (history != NULL && json_array_get_length (json_node_get_array (history)) > 0)
        {
          if (!append_input (printer, name->data, history, indent, error))
            return FALSE;
        }
      else if (!is_default (defaults, name->data, value)
               && !append_option (out, name->data, value, error))
        return FALSE;
      else if (is_output (get_text (stage, "verb"), name->data, value))
        g_string_append (out, " /dev/null");
    }
  if (!append_tags (out, get_object (stage, "tags"), error))
    return FALSE;
  JsonNode *seed = get (stage, "seed", JSON_NODE_VALUE);
  if (seed == NULL || (!printer->full && json_node_get_int (seed) == 0))
    return TRUE;
  return append_option (out, "seed", seed, error);
}

/* Tables that the record has for options without having the option. */
static gboolean
append_other_inputs (Printer *printer, JsonObject *stage, int indent, GError **error)
{
  JsonObject *recorded = get_object (stage, "options"), *inputs = get_object (stage, "inputs");
  g_autoptr (GList) names = inputs != NULL ? json_object_get_members (inputs) : NULL;
  for (GList *name = names; name != NULL; name = name->next)
    if (!g_str_has_prefix (name->data, "file ")
        && (recorded == NULL || !json_object_has_member (recorded, name->data))
        && !append_input (printer, name->data, json_object_get_member (inputs, name->data), indent,
                          error))
      return FALSE;
  return TRUE;
}

/* The stage's source files, or NULL for a malformed record. */
static GPtrArray *
find_sources (JsonObject *stage, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  JsonArray *sources = get_array (stage, "sources");
  for (guint i = 0; sources != NULL && i < json_array_get_length (sources); i++)
    {
      const char *name = get_text (element (sources, i), "name");
      if (name == NULL)
        {
          sl_history_malformed (error);
          return NULL;
        }
      g_ptr_array_add (names, (gpointer) name);
    }
  return g_steal_pointer (&names);
}

static void
append_source (GString *out, const char *name)
{
  g_string_append_c (out, ' ');
  /* A name that begins with a dash would be taken for an option. */
  g_autofree char *safe = g_strconcat (*name == '-' && name[1] != '\0' ? "./" : "", name, NULL);
  append_word (out, safe);
}

/* The tables of a stage that joins several: "file 1", "file 2" and so on. *LAST becomes the last
 * one's number. */
static gboolean
append_tables (Printer *printer, JsonObject *inputs, int indent, gint64 *last, GError **error)
{
  g_autoptr (GList) names = inputs != NULL ? json_object_get_members (inputs) : NULL;
  for (GList *name = names; name != NULL; name = name->next)
    {
      JsonNode *history = json_object_get_member (inputs, name->data);
      gint64 number;
      if (!g_str_has_prefix (name->data, "file "))
        continue;
      if (!sl_parse_integer ((char *) name->data + 5, -1, &number) || number <= *last
          || number > MAX_TABLES)
        return sl_history_malformed (error);
      while (++*last < number)
        append_source (printer->out, UNKNOWN);
      if (!append_substitution (printer, history, indent, error))
        return FALSE;
    }
  return TRUE;
}

/* Whether an option stood for what the stage would have read. */
static gboolean
made_its_own (const SlCommand *command, JsonObject *stage)
{
  JsonNode *number = command->makes != NULL
                         ? get (get_object (stage, "options"), command->makes, JSON_NODE_VALUE)
                         : NULL;
  return number != NULL && json_node_get_int (number) > 0;
}

/* What the stage read: sources, or tables that did not come from the stage before it in the
 * pipeline. */
static gboolean
append_files (Printer *printer, JsonObject *stage, gboolean first, int indent, GError **error)
{
  g_autoptr (GPtrArray) sources = find_sources (stage, error);
  gint64 n_tables = 0;
  if (sources == NULL
      || !append_tables (printer, get_object (stage, "inputs"), indent, &n_tables, error))
    return FALSE;
  for (guint i = 0; i < sources->len; i++)
    append_source (printer->out, sources->pdata[i]);
  const SlCommand *command = sl_command_by_name (get_text (stage, "verb"));
  gboolean makes_tables
      = command == NULL || command->flags & SL_COMMAND_SOURCES || made_its_own (command, stage);
  if (first && n_tables + sources->len == 0 && !makes_tables)
    append_source (printer->out, UNKNOWN);
  return TRUE;
}

static gboolean
append_stage (Printer *printer, JsonObject *stage, gboolean first, int indent, GError **error)
{
  GString *out = printer->out;
  const char *verb = get_text (stage, "verb");
  if (verb == NULL)
    return sl_history_malformed (error);
  g_auto (GStrv) words = g_strsplit (verb, " ", -1);
  g_string_append (out, "softlabel");
  for (int i = 0; words[i] != NULL; i++)
    {
      g_string_append_c (out, ' ');
      append_word (out, words[i]);
    }
  return append_options (printer, stage, indent, error)
         && append_other_inputs (printer, stage, indent, error)
         && append_files (printer, stage, first, indent, error);
}

static gboolean
append_pipeline (Printer *printer, JsonNode *history, int indent, GError **error)
{
  GString *out = printer->out;
  if (!JSON_NODE_HOLDS_ARRAY (history))
    return sl_history_malformed (error);
  JsonArray *stages = json_node_get_array (history);
  for (guint i = 0; i < json_array_get_length (stages); i++)
    {
      if (i > 0)
        {
          g_string_append (out, " \\\n");
          sl_display_space (out, indent + 2);
          g_string_append (out, "| ");
        }
      if (!append_stage (printer, element (stages, i), i == 0, i > 0 ? indent + 2 : indent, error))
        return FALSE;
    }
  return TRUE;
}

/* A comment for each source file and for each other version, anywhere in NODE, once each. */
static void
append_notes (GString *out, JsonNode *node, GHashTable *seen)
{
  if (JSON_NODE_HOLDS_ARRAY (node))
    {
      JsonArray *array = json_node_get_array (node);
      for (guint i = 0; i < json_array_get_length (array); i++)
        append_notes (out, json_array_get_element (array, i), seen);
      return;
    }
  if (!JSON_NODE_HOLDS_OBJECT (node))
    return;
  JsonObject *object = json_node_get_object (node);
  const char *name = get_text (object, "name"), *digest = get_text (object, "xxh3"),
             *version = get_text (object, "version");
  JsonNode *size = get (object, "size", JSON_NODE_VALUE);
  g_autoptr (GString) note = g_string_new (NULL);
  if (name != NULL && digest != NULL)
    {
      g_string_append (note, "# ");
      sl_display_text (note, name, -1);
      g_string_append (note, ": ");
      sl_display_count (note, size != NULL ? json_node_get_int (size) : 0);
      g_string_append (note, " bytes, XXH3 ");
      sl_display_text (note, digest, -1);
    }
  else if (version != NULL && strcmp (version, SL_VERSION) != 0)
    {
      g_string_append (note, "# made with softlabel ");
      sl_display_text (note, version, -1);
    }
  if (note->len > 0 && !g_hash_table_contains (seen, note->str))
    {
      g_string_append_printf (out, "%s\n", note->str);
      g_hash_table_add (seen, g_strdup (note->str));
    }
  g_autoptr (GList) members = json_object_get_values (object);
  for (GList *member = members; member != NULL; member = member->next)
    append_notes (out, member->data, seen);
}

gboolean
sl_history_append (GString *out, JsonNode *history, gboolean full, GError **error)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Printer printer = { .out = out, .full = full };
  append_notes (out, history, seen);
  return append_pipeline (&printer, history, 0, error);
}
