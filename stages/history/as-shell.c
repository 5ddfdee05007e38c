/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "as-shell.h"

#include "pipeline/base/number-text.h"
#include "pipeline/command/commands.h"
#include "pipeline/command/options/recorded-options.h"
#include "pipeline/display/terminal.h"
#include "json-members.h"
#include "shell-words.h"

#include <string.h>

#define UNKNOWN "UNKNOWN" /* a table without a history */
#define MAX_TABLES 1000000

typedef struct
{
  GString *out;
  gboolean full;
} Printer;

static gboolean append_pipeline (Printer *printer, JsonNode *history, int indent, GError **error);

/* <( ... ), the pipeline inside it on lines of its own. */
static gboolean
append_substitution (Printer *printer, JsonNode *history, int indent, GError **error)
{
  GString *out = printer->out;
  if (JSON_NODE_HOLDS_ARRAY (history) && json_array_get_length (json_node_get_array (history)) == 0)
    {
      g_string_append (out, UNKNOWN);
      return TRUE;
    }
  g_string_append (out, "<(\n");
  sl_display_space (out, indent + 4);
  if (!append_pipeline (printer, history, indent + 4, error))
    return FALSE;
  g_string_append_c (out, '\n');
  sl_display_space (out, indent + 2);
  g_string_append_c (out, ')');
  return TRUE;
}

/* The table, or the file, that the option OPTION of VERB named. */
static gboolean
append_input (Printer *printer, const char *verb, const char *option, JsonNode *history, int indent,
              GError **error)
{
  JsonNode *name = JSON_NODE_HOLDS_OBJECT (history)
                       ? sl_json_node_of (json_node_get_object (history), "name", JSON_NODE_VALUE)
                       : NULL;
  SlRecordedForm form = sl_recorded_form (verb, option, history);
  if (JSON_NODE_HOLDS_OBJECT (history))
    return name != NULL ? sl_shell_option (printer->out, option, name, form, error)
                        : sl_history_malformed (error);
  g_autofree char *word = g_strconcat ("--", option, NULL);
  g_string_append_c (printer->out, ' ');
  sl_shell_word (printer->out, word);
  g_string_append_c (printer->out, form == SL_RECORDED_JOINED ? '=' : ' ');
  return append_substitution (printer, history, indent, error);
}

/* --tag KEY=VALUE, of each. */
static gboolean
append_tags (GString *out, JsonObject *tags, GError **error)
{
  g_autoptr (GList) keys = tags != NULL ? json_object_get_members (tags) : NULL;
  for (GList *key = keys; key != NULL; key = key->next)
    {
      const char *value = sl_json_text_of (tags, key->data);
      if (value == NULL)
        return sl_history_malformed (error);
      g_autofree char *tag = g_strconcat (key->data, "=", value, NULL);
      g_string_append (out, " --tag ");
      sl_shell_word (out, tag);
    }
  return TRUE;
}

static gboolean
append_options (Printer *printer, JsonObject *stage, int indent, GError **error)
{
  GString *out = printer->out;
  const char *verb = sl_json_text_of (stage, "verb");
  g_autoptr (JsonNode) defaults = sl_recorded_defaults (verb, sl_json_text_of (stage, "version"));
  JsonObject *recorded = sl_json_object_of (stage, "options"),
             *inputs = sl_json_object_of (stage, "inputs");
  g_autoptr (GHashTable) sayable
      = printer->full && recorded != NULL ? sl_recorded_sayable (verb, recorded, defaults) : NULL;
  g_autoptr (GList) names = recorded != NULL ? json_object_get_members (recorded) : NULL;
  for (GList *name = names; name != NULL; name = name->next)
    {
      JsonNode *value = json_object_get_member (recorded, name->data);
      gboolean printed = !sl_recorded_is_default (defaults, name->data, value)
                         || (sayable != NULL && g_hash_table_contains (sayable, name->data));
      JsonNode *history = sl_json_node_of (inputs, name->data, JSON_NODE_ARRAY);
      if (history != NULL && json_array_get_length (json_node_get_array (history)) > 0)
        {
          if (!append_input (printer, verb, name->data, history, indent, error))
            return FALSE;
        }
      else if (printed
               && !sl_shell_option (out, name->data, value,
                                    sl_recorded_form (verb, name->data, value), error))
        return FALSE;
    }
  if (!append_tags (out, sl_json_object_of (stage, "tags"), error))
    return FALSE;
  JsonNode *shard = sl_json_node_of (stage, "shard", JSON_NODE_VALUE);
  if (shard != NULL && !sl_shell_option (out, "shard", shard, SL_RECORDED_PLAIN, error))
    return FALSE;
  JsonNode *seed = sl_json_node_of (stage, "seed", JSON_NODE_VALUE);
  if (seed == NULL || (!printer->full && json_node_get_int (seed) == 0))
    return TRUE;
  return sl_shell_option (out, "seed", seed, SL_RECORDED_PLAIN, error);
}

/* Tables that the record has for options without having the option. */
static gboolean
append_other_inputs (Printer *printer, JsonObject *stage, int indent, GError **error)
{
  JsonObject *recorded = sl_json_object_of (stage, "options"),
             *inputs = sl_json_object_of (stage, "inputs");
  g_autoptr (GList) names = inputs != NULL ? json_object_get_members (inputs) : NULL;
  for (GList *name = names; name != NULL; name = name->next)
    if (!g_str_has_prefix (name->data, "file ")
        && (recorded == NULL || !json_object_has_member (recorded, name->data))
        && !append_input (printer, sl_json_text_of (stage, "verb"), name->data,
                          json_object_get_member (inputs, name->data), indent, error))
      return FALSE;
  return TRUE;
}

/* The stage's source files, or NULL for a malformed record. */
static GPtrArray *
find_sources (JsonObject *stage, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  JsonArray *sources = sl_json_array_of (stage, "sources");
  for (guint i = 0; sources != NULL && i < json_array_get_length (sources); i++)
    {
      const char *name = sl_json_text_of (sl_json_element (sources, i), "name");
      if (name == NULL)
        {
          sl_history_malformed (error);
          return NULL;
        }
      g_ptr_array_add (names, (gpointer) name);
    }
  return g_steal_pointer (&names);
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
        sl_shell_file (printer->out, UNKNOWN);
      g_string_append_c (printer->out, ' ');
      if (!append_substitution (printer, history, indent, error))
        return FALSE;
    }
  return TRUE;
}

/* Whether an option stood for what the stage would have read. */
static gboolean
made_its_own (const SlCommand *command, JsonObject *stage)
{
  JsonNode *number = command->makes != NULL ? sl_json_node_of (sl_json_object_of (stage, "options"),
                                                               command->makes, JSON_NODE_VALUE)
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
      || !append_tables (printer, sl_json_object_of (stage, "inputs"), indent, &n_tables, error))
    return FALSE;
  for (guint i = 0; i < sources->len; i++)
    sl_shell_file (printer->out, sources->pdata[i]);
  const SlCommand *command = sl_command_by_name (sl_json_text_of (stage, "verb"));
  gboolean makes_tables
      = command == NULL || command->flags & SL_COMMAND_SOURCES || made_its_own (command, stage);
  if (first && n_tables + sources->len == 0 && !makes_tables)
    sl_shell_file (printer->out, UNKNOWN);
  return TRUE;
}

static gboolean
append_stage (Printer *printer, JsonObject *stage, gboolean first, int indent, GError **error)
{
  GString *out = printer->out;
  const char *verb = sl_json_text_of (stage, "verb");
  if (verb == NULL)
    return sl_history_malformed (error);
  g_auto (GStrv) words = g_strsplit (verb, " ", -1);
  g_string_append (out, "softlabel");
  for (int i = 0; words[i] != NULL; i++)
    {
      g_string_append_c (out, ' ');
      sl_shell_word (out, words[i]);
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
      if (!append_stage (printer, sl_json_element (stages, i), i == 0, i > 0 ? indent + 2 : indent,
                         error))
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
  const char *name = sl_json_text_of (object, "name"), *digest = sl_json_text_of (object, "xxh3"),
             *version = sl_json_text_of (object, "version");
  JsonNode *size = sl_json_node_of (object, "size", JSON_NODE_VALUE);
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
