/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "describe.h"

#include "help.h"
#include "pipeline/base/json.h"
#include "pipeline/command/commands.h"
#include "pipeline/command/run-private.h"
#include "pipeline/display/terminal.h"

#include <string.h>

#define UNLIMITED 9e18
#define WIDTH 100
#define INDENT 23

static const char *const type_names[] = {
  [SL_OPTION_FLAG] = "flag",     [SL_OPTION_INTEGER] = "integer", [SL_OPTION_REAL] = "real",
  [SL_OPTION_SIZE] = "size",     [SL_OPTION_CHOICE] = "choice",   [SL_OPTION_TEXT] = "text",
  [SL_OPTION_TEXTS] = "texts",   [SL_OPTION_INPUT] = "input",     [SL_OPTION_INPUTS] = "inputs",
  [SL_OPTION_OUTPUT] = "output",
};

static void
append_text (GString *json, const char *name, const char *value)
{
  if (value == NULL)
    return;
  sl_json_member (json, name);
  sl_json_string (json, value, -1);
}

/* Begins an object in an array that may have some already. */
static void
begin (GString *json)
{
  g_string_append (json, json->str[json->len - 1] == '[' ? "\n{" : ",\n{");
}

static void
append_choices (GString *json, const SlOption *option)
{
  sl_json_member (json, "choices");
  g_string_append_c (json, '[');
  for (int i = 0; option->choices[i] != NULL; i++)
    {
      begin (json);
      append_text (json, "name", option->choices[i]);
      append_text (json, "meaning", option->meanings != NULL ? option->meanings[i] : NULL);
      append_text (json, "makes", option->makes != NULL ? option->makes[i]->name : NULL);
      g_string_append_c (json, '}');
    }
  g_string_append_c (json, ']');
}

/* The range, and the default where there is one. */
static void
append_values (GString *json, const SlOption *option, gconstpointer initial)
{
  gboolean integer = option->kind == SL_OPTION_INTEGER || option->kind == SL_OPTION_SIZE;
  double value = integer                          ? (double) *(const gint64 *) initial
                 : option->kind == SL_OPTION_REAL ? *(const double *) initial
                                                  : 0;
  if (option->kind == SL_OPTION_INTEGER || option->kind == SL_OPTION_REAL)
    {
      sl_json_member (json, "minimum");
      sl_json_real (json, option->min);
      if (option->max < UNLIMITED)
        {
          sl_json_member (json, "maximum");
          sl_json_real (json, option->max);
        }
      if (value < option->min || value >= UNLIMITED)
        return;
    }
  sl_json_member (json, "default");
  if (option->kind == SL_OPTION_OUTPUT)
    g_string_append (json, "null");
  else
    sl_option_to_json (option, initial, json);
}

static void
append_options (GString *json, const SlOption *table, gconstpointer defaults)
{
  sl_json_member (json, "options");
  g_string_append_c (json, '[');
  for (const SlOption *option = table; option != NULL && option->name != NULL; option++)
    {
      const char letter[] = { option->letter, '\0' };
      g_autofree char *scope = sl_option_scope (table, option);
      begin (json);
      append_text (json, "name", option->name);
      append_text (json, "letter", letter[0] != '\0' ? letter : NULL);
      append_text (json, "type", option->is_folder ? "folder" : type_names[option->kind]);
      append_values (json, option, sl_option_field (option, defaults));
      if (option->choices != NULL)
        append_choices (json, option);
      append_text (json, "value", option->placeholder);
      append_text (json, "by_itself", option->by_itself);
      append_text (json, "help", option->help);
      append_text (json, "scope", scope);
      g_string_append_c (json, '}');
    }
  g_string_append_c (json, ']');
}

/* The options of every verb that this one does not look at. */
static void
append_unused (GString *json, const SlCommand *command)
{
  sl_json_member (json, "unused");
  g_string_append_c (json, '[');
  for (const SlOption *option = sl_common_options; option->name != NULL; option++)
    if (sl_help_is_unused (option, command))
      {
        g_string_append (json, json->str[json->len - 1] == '[' ? "" : ",");
        sl_json_string (json, option->name, -1);
      }
  g_string_append_c (json, ']');
}

static const char *
inputs_of (const SlCommand *command)
{
  gboolean sources = (command->flags & SL_COMMAND_SOURCES) != 0;
  gboolean prints = sl_command_prints (command) && (command->flags & SL_COMMAND_FOLDER) == 0;
  if ((command->flags & SL_COMMAND_WORDS) != 0 || (sources && prints))
    return "words";
  return sources ? "files" : command->flags & SL_COMMAND_TABLES ? "tables" : "table";
}

static const char *
output_of (const SlCommand *command)
{
  return command->flags & SL_COMMAND_FOLDER  ? "folder"
         : command->flags & SL_COMMAND_BYTES ? "bytes"
         : command->flags & SL_COMMAND_TEXT  ? "text"
                                             : "table";
}

/* None where any will do. NULL-terminated. */
static GPtrArray *
kinds_read (const SlCommand *command)
{
  GPtrArray *kinds = g_ptr_array_new ();
  const SlKind *const *kind = command->reads != sl_kinds ? command->reads : NULL;
  for (; kind != NULL && *kind != NULL; kind++)
    g_ptr_array_add (kinds, (gpointer) (*kind)->name);
  g_ptr_array_add (kinds, NULL);
  return kinds;
}

/* The kinds that COMMAND writes, each once: first the usual one, then those that an option makes.
 * NULL-terminated. */
static GPtrArray *
kinds_written (const SlCommand *command)
{
  GPtrArray *kinds = g_ptr_array_new ();
  const SlAlsoWrites *also = command->also_writes;
  if (command->writes != NULL)
    g_ptr_array_add (kinds, (gpointer) command->writes->name);
  for (; also != NULL && also->kind != NULL; also++)
    if (!g_ptr_array_find (kinds, also->kind->name, NULL))
      g_ptr_array_add (kinds, (gpointer) also->kind->name);
  const SlOption *option = command->options;
  for (; option != NULL && option->name != NULL; option++)
    for (int i = 0; option->makes != NULL && option->choices[i] != NULL; i++)
      if (!g_ptr_array_find (kinds, option->makes[i]->name, NULL))
        g_ptr_array_add (kinds, (gpointer) option->makes[i]->name);
  g_ptr_array_add (kinds, NULL);
  return kinds;
}

static void
append_kinds (GString *json, const char *name, GPtrArray *kinds)
{
  sl_json_member (json, name);
  g_string_append_c (json, '[');
  for (guint i = 0; i + 1 < kinds->len; i++)
    {
      g_string_append (json, i > 0 ? "," : "");
      sl_json_string (json, kinds->pdata[i], -1);
    }
  g_string_append_c (json, ']');
}

static void
append_verb (GString *json, const SlCommand *command)
{
  g_autoptr (GPtrArray) reads = kinds_read (command), writes = kinds_written (command);
  begin (json);
  append_text (json, "name", command->name);
  append_text (json, "summary", command->summary);
  append_text (json, "arguments", command->arguments);
  append_text (json, "description", command->description);
  append_text (json, "examples", command->examples);
  append_text (json, "inputs", inputs_of (command));
  append_text (json, "output", output_of (command));
  append_text (json, "instead_of_input", command->makes);
  append_text (json, "prints_with", command->prints);
  append_kinds (json, "reads", reads);
  append_kinds (json, "writes", writes);
  append_unused (json, command);
  append_options (json, command->options, command->defaults);
  g_string_append_c (json, '}');
}

void
sl_describe_json (GString *out)
{
  g_string_append_c (out, '{');
  append_text (out, "version", SL_VERSION);
  append_options (out, sl_common_options, &sl_common_defaults);
  sl_json_member (out, "verbs");
  g_string_append_c (out, '[');
  for (int i = 0; sl_commands[i] != NULL; i++)
    append_verb (out, sl_commands[i]);
  g_string_append (out, "]}\n");
}

void
sl_describe_verbs (GString *out)
{
  for (int i = 0; sl_commands[i] != NULL; i++)
    {
      const SlCommand *command = sl_commands[i];
      g_autoptr (GPtrArray) reads = kinds_read (command), writes = kinds_written (command);
      const char *inputs = inputs_of (command), *output = output_of (command);
      g_autofree char *from = g_strjoinv (", ", (char **) reads->pdata);
      g_autofree char *to = g_strjoinv (", ", (char **) writes->pdata);
      gboolean table = strcmp (output, "table") == 0, tables = g_str_has_prefix (inputs, "table");
      g_autofree char *line = g_strdup_printf ("%s → %s",
                                               *from != '\0' ? from
                                               : tables      ? "any table"
                                                             : inputs,
                                               *to != '\0' ? to
                                               : table     ? "such a table"
                                                           : output);
      gsize start = out->len;
      g_string_append (out, command->name);
      sl_display_space (out, INDENT - (int) (out->len - start));
      sl_display_wrap (out, line, INDENT, WIDTH);
      g_string_append_c (out, '\n');
    }
}
