/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "as-shell.h"

#include "pipeline/base/number-text.h"
#include "pipeline/command/commands.h"
#include "pipeline/command/options/recorded-options.h"
#include "pipeline/display/terminal.h"
#include "shell-words.h"

#include <string.h>

#define UNKNOWN "UNKNOWN" /* a table without a history */
#define MAX_TABLES 1000000

typedef struct
{
  GString *out;
  gboolean full;
} Printer;

static SlJson
object_of (SlJson value, const char *name)
{
  return sl_json_get_as (value, name, SL_JSON_OBJECT);
}

static gboolean append_pipeline (Printer *printer, SlJson history, int indent, GError **error);

/* <( ... ), the pipeline inside it on lines of its own. */
static gboolean
append_substitution (Printer *printer, SlJson history, int indent, GError **error)
{
  GString *out = printer->out;
  if (sl_json_type (history) == SL_JSON_ARRAY && sl_json_length (history) == 0)
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
append_input (Printer *printer, const char *verb, const char *option, SlJson history, int indent,
              GError **error)
{
  SlJson name = sl_json_get (history, "name");
  SlRecordedForm form = sl_recorded_form (verb, option, history);
  if (sl_json_type (history) == SL_JSON_OBJECT)
    return sl_json_is_scalar (name) ? sl_shell_option (printer->out, option, name, form, error)
                                    : sl_history_malformed (error);
  g_autofree char *word = g_strconcat ("--", option, NULL);
  g_string_append_c (printer->out, ' ');
  sl_shell_word (printer->out, word);
  g_string_append_c (printer->out, form == SL_RECORDED_JOINED ? '=' : ' ');
  return append_substitution (printer, history, indent, error);
}

/* --tag KEY=VALUE, of each. */
static gboolean
append_tags (GString *out, SlJson tags, GError **error)
{
  SlJsonEach each = sl_json_each (tags);
  while (sl_json_each_next (&each))
    {
      const char *value = sl_json_c_str (each.value);
      if (value == NULL)
        return sl_history_malformed (error);
      g_autofree char *tag = g_strconcat (each.key.text, "=", value, NULL);
      g_string_append (out, " --tag ");
      sl_shell_word (out, tag);
    }
  return TRUE;
}

static gboolean
append_options (Printer *printer, SlJson stage, int indent, GError **error)
{
  GString *out = printer->out;
  const char *verb = sl_json_c_str (sl_json_get (stage, "verb"));
  SlJson recorded = object_of (stage, "options"), inputs = object_of (stage, "inputs");
  g_autoptr (SlJsonParser) parser = sl_json_parser_new ();
  SlJson defaults = sl_recorded_defaults (parser, verb,
                                          sl_json_c_str (sl_json_get (stage, "version")), recorded);
  g_autoptr (GHashTable) sayable
      = printer->full ? sl_recorded_sayable (verb, recorded, defaults) : NULL;
  SlJsonEach each = sl_json_each (recorded);
  while (sl_json_each_next (&each))
    {
      const char *name = each.key.text;
      gboolean printed = !sl_recorded_is_default (defaults, name, each.value)
                         || (sayable != NULL && g_hash_table_contains (sayable, name));
      SlJson history = sl_json_get_as (inputs, name, SL_JSON_ARRAY);
      if (sl_json_length (history) > 0)
        {
          if (!append_input (printer, verb, name, history, indent, error))
            return FALSE;
        }
      else if (printed
               && !sl_shell_option (out, name, each.value,
                                    sl_recorded_form (verb, name, each.value), error))
        return FALSE;
    }
  if (!append_tags (out, object_of (stage, "tags"), error))
    return FALSE;
  SlJson shard = sl_json_get (stage, "shard"), seed = sl_json_get (stage, "seed");
  if (sl_json_is_scalar (shard) && !sl_shell_option (out, "shard", shard, SL_RECORDED_PLAIN, error))
    return FALSE;
  if (!sl_json_is_scalar (seed) || (!printer->full && sl_json_number (seed) == 0))
    return TRUE;
  return sl_shell_option (out, "seed", seed, SL_RECORDED_PLAIN, error);
}

/* Tables that the record has for options without having the option. */
static gboolean
append_other_inputs (Printer *printer, SlJson stage, int indent, GError **error)
{
  SlJson recorded = object_of (stage, "options");
  SlJsonEach each = sl_json_each (object_of (stage, "inputs"));
  while (sl_json_each_next (&each))
    if (!g_str_has_prefix (each.key.text, "file ")
        && sl_json_type (sl_json_get (recorded, each.key.text)) == SL_JSON_ABSENT
        && !append_input (printer, sl_json_c_str (sl_json_get (stage, "verb")), each.key.text,
                          each.value, indent, error))
      return FALSE;
  return TRUE;
}

/* The stage's source files, or NULL for a malformed record. */
static GPtrArray *
find_sources (SlJson stage, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  SlJsonEach each = sl_json_each (sl_json_get_as (stage, "sources", SL_JSON_ARRAY));
  while (sl_json_each_next (&each))
    {
      const char *name = sl_json_c_str (sl_json_get (each.value, "name"));
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
append_tables (Printer *printer, SlJson inputs, int indent, gint64 *last, GError **error)
{
  SlJsonEach each = sl_json_each (inputs);
  while (sl_json_each_next (&each))
    {
      gint64 number;
      if (!g_str_has_prefix (each.key.text, "file "))
        continue;
      if (!sl_parse_integer (each.key.text + 5, -1, &number) || number <= *last
          || number > MAX_TABLES)
        return sl_history_malformed (error);
      while (++*last < number)
        sl_shell_file (printer->out, UNKNOWN);
      g_string_append_c (printer->out, ' ');
      if (!append_substitution (printer, each.value, indent, error))
        return FALSE;
    }
  return TRUE;
}

/* Whether an option stood for what the stage would have read. */
static gboolean
made_its_own (const SlCommand *command, SlJson stage)
{
  return command->makes != NULL
         && sl_json_number (sl_json_get (object_of (stage, "options"), command->makes)) > 0;
}

/* What the stage read: sources, or tables that did not come from the stage before it in the
 * pipeline. */
static gboolean
append_files (Printer *printer, SlJson stage, gboolean first, int indent, GError **error)
{
  g_autoptr (GPtrArray) sources = find_sources (stage, error);
  gint64 n_tables = 0;
  if (sources == NULL
      || !append_tables (printer, object_of (stage, "inputs"), indent, &n_tables, error))
    return FALSE;
  for (guint i = 0; i < sources->len; i++)
    sl_shell_file (printer->out, sources->pdata[i]);
  const SlCommand *command = sl_command_by_name (sl_json_c_str (sl_json_get (stage, "verb")));
  gboolean makes_tables
      = command == NULL || command->flags & SL_COMMAND_SOURCES || made_its_own (command, stage);
  if (first && n_tables + sources->len == 0 && !makes_tables)
    sl_shell_file (printer->out, UNKNOWN);
  return TRUE;
}

static gboolean
append_stage (Printer *printer, SlJson stage, gboolean first, int indent, GError **error)
{
  GString *out = printer->out;
  const char *verb = sl_json_c_str (sl_json_get (stage, "verb"));
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
append_pipeline (Printer *printer, SlJson history, int indent, GError **error)
{
  GString *out = printer->out;
  if (sl_json_type (history) != SL_JSON_ARRAY)
    return sl_history_malformed (error);
  SlJsonEach each = sl_json_each (history);
  for (gboolean first = TRUE; sl_json_each_next (&each); first = FALSE)
    {
      if (!first)
        {
          g_string_append (out, " \\\n");
          sl_display_space (out, indent + 2);
          g_string_append (out, "| ");
        }
      if (!append_stage (printer, each.value, first, first ? indent : indent + 2, error))
        return FALSE;
    }
  return TRUE;
}

/* A comment for each source file and for each other version, anywhere in NODE, once each. */
static void
append_notes (GString *out, SlJson value, GHashTable *seen)
{
  const char *name = sl_json_c_str (sl_json_get (value, "name")),
             *digest = sl_json_c_str (sl_json_get (value, "xxh3")),
             *version = sl_json_c_str (sl_json_get (value, "version"));
  gint64 size = 0;
  (void) sl_json_integer (sl_json_get (value, "size"), &size);
  g_autoptr (GString) note = g_string_new (NULL);
  if (name != NULL && digest != NULL)
    {
      g_string_append (note, "# ");
      sl_display_text (note, name, -1);
      g_string_append (note, ": ");
      sl_display_count (note, size);
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
  SlJsonEach each = sl_json_each (value);
  while (sl_json_each_next (&each))
    append_notes (out, each.value, seen);
}

gboolean
sl_history_append (GString *out, SlJson history, gboolean full, GError **error)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Printer printer = { .out = out, .full = full };
  append_notes (out, history, seen);
  return append_pipeline (&printer, history, 0, error);
}
