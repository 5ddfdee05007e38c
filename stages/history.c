/* SPDX-License-Identifier: GPL-3.0-or-later */
/* history: prints how a table was made, from the record that each stage adds to its metadata, as a
 * pipeline for bash. */
#include "pipeline/base/error.h"
#include "pipeline/base/json-value.h"
#include "pipeline/base/number-text.h"
#include "pipeline/command/commands.h"
#include "pipeline/command/options/option-rows.h"
#include "pipeline/command/options/recorded-options.h"
#include "pipeline/command/provenance.h"
#include "pipeline/command/run.h"
#include "pipeline/display/terminal.h"

#include <string.h>

/* ---- as JSON ---- */

/* JSON for people: indented, numbers as short as they read back, and nothing in it that a terminal
 * would act on. */

/* The display says which characters can be shown as they are; the escapes for the others are JSON's
 * own. */
static void
append_char (GString *out, gunichar c)
{
  char bytes[6];
  int n = g_unichar_to_utf8 (c, bytes);
  gsize start = out->len;
  sl_display_text (out, bytes, n);
  gboolean plain
      = out->len == start + (gsize) n && memcmp (out->str + start, bytes, (gsize) n) == 0;
  if (plain && c != '"' && c != '\\')
    return;
  g_string_truncate (out, start);
  if (plain)
    g_string_append_printf (out, "\\%c", (char) c);
  else if (c < 0x10000)
    g_string_append_printf (out, "\\u%04x", c);
  else
    g_string_append_printf (out, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10),
                            0xdc00 + (c & 0x3ff));
}

static void
append_string (GString *out, const char *text)
{
  g_string_append_c (out, '"');
  for (; *text != '\0'; text = g_utf8_next_char (text))
    append_char (out, g_utf8_get_char (text));
  g_string_append_c (out, '"');
}

static void
append_break (GString *out, gboolean first, int indent)
{
  g_string_append (out, first ? "\n" : ",\n");
  sl_display_space (out, indent);
}

static void
history_append_json (GString *out, SlJson value, int indent)
{
  SlJsonType type = sl_json_type (value);
  gboolean object = type == SL_JSON_OBJECT;
  if (!object && type != SL_JSON_ARRAY)
    {
      g_autofree char *number = type == SL_JSON_NUMBER ? sl_recorded_text (value) : NULL;
      if (type == SL_JSON_TEXT)
        append_string (out, sl_json_c_str (value));
      else if (type == SL_JSON_BOOL)
        g_string_append (out, sl_json_is_true (value) ? "true" : "false");
      else
        g_string_append (out, number != NULL ? number : "null");
      return;
    }
  gboolean first = TRUE;
  g_string_append_c (out, object ? '{' : '[');
  for (SlJsonEach each = sl_json_each (value); sl_json_each_next (&each); first = FALSE)
    {
      append_break (out, first, indent + 2);
      if (object)
        {
          append_string (out, each.key.text);
          g_string_append (out, ": ");
        }
      history_append_json (out, each.value, indent + 2);
    }
  if (!first)
    append_break (out, TRUE, indent);
  g_string_append_c (out, object ? '}' : ']');
}

/* ---- as a pipeline ---- */

/* A table's history (provenance.h) as a pipeline for bash:
 *
 *     # votes.csv: 24,315 bytes, XXH3 0123456789abcdef
 *     softlabel ingest --from long votes.csv \
 *       | softlabel aggregate --method mean
 *
 * Tables that a stage read beside the one on its standard input are made by pipelines of their own,
 * in <( ... ). The history may come from anyone, so every word is quoted and nothing in it can end
 * a comment. */

/* Says that the history is not in the form that softlabel writes; returns FALSE. */
static gboolean
history_malformed (GError **error)
{
  return sl_error_bad_input (error, "its history is not in the form that softlabel writes");
}

/* Appends TEXT as one word, quoted where bash would not take it as it is. What a terminal would act
 * on is written as an escape. */
static void
shell_word (GString *out, const char *text)
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

/* Appends --NAME and its value as NODE records it: once for each element of an array, and not at
 * all where it is null or FALSE. FORM: how it is said. */
static gboolean
shell_option (GString *out, const char *name, SlJson value, SlRecordedForm form, GError **error)
{
  if (sl_json_type (value) == SL_JSON_ARRAY)
    {
      for (SlJsonEach each = sl_json_each (value); sl_json_each_next (&each);)
        {
          if (sl_json_type (each.value) == SL_JSON_ARRAY)
            return history_malformed (error);
          if (!shell_option (out, name, each.value, form, error))
            return FALSE;
        }
      return TRUE;
    }
  gboolean flag = sl_json_type (value) == SL_JSON_BOOL;
  if (sl_json_type (value) == SL_JSON_NULL || (flag && !sl_json_is_true (value)))
    return TRUE;
  g_autofree char *text = flag ? NULL : sl_recorded_text (value);
  g_autofree char *word = g_strconcat ("--", name, NULL);
  g_string_append_c (out, ' ');
  shell_word (out, word);
  if (form == SL_RECORDED_OUTPUT)
    g_string_append (out, " /dev/null");
  if (flag)
    return TRUE;
  if (text == NULL)
    return history_malformed (error);
  /* A value that begins with a dash would be taken for an option. */
  g_string_append_c (out, *text == '-' || form == SL_RECORDED_JOINED ? '=' : ' ');
  shell_word (out, text);
  return TRUE;
}

/* Appends the name of a file that a command reads. */
static void
shell_file (GString *out, const char *name)
{
  g_string_append_c (out, ' ');
  /* A name that begins with a dash would be taken for an option. */
  g_autofree char *safe = g_strconcat (*name == '-' && name[1] != '\0' ? "./" : "", name, NULL);
  shell_word (out, safe);
}

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
    return sl_json_is_scalar (name) ? shell_option (printer->out, option, name, form, error)
                                    : history_malformed (error);
  g_autofree char *word = g_strconcat ("--", option, NULL);
  g_string_append_c (printer->out, ' ');
  shell_word (printer->out, word);
  g_string_append_c (printer->out, form == SL_RECORDED_JOINED ? '=' : ' ');
  return append_substitution (printer, history, indent, error);
}

/* --tag KEY=VALUE, of each. */
static gboolean
append_tags (GString *out, SlJson tags, GError **error)
{
  for (SlJsonEach each = sl_json_each (tags); sl_json_each_next (&each);)
    {
      const char *value = sl_json_c_str (each.value);
      if (value == NULL)
        return history_malformed (error);
      g_autofree char *tag = g_strconcat (each.key.text, "=", value, NULL);
      g_string_append (out, " --tag ");
      shell_word (out, tag);
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
  for (SlJsonEach each = sl_json_each (recorded); sl_json_each_next (&each);)
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
               && !shell_option (out, name, each.value, sl_recorded_form (verb, name, each.value),
                                 error))
        return FALSE;
    }
  if (!append_tags (out, object_of (stage, "tags"), error))
    return FALSE;
  SlJson shard = sl_json_get (stage, "shard"), seed = sl_json_get (stage, "seed");
  if (sl_json_is_scalar (shard) && !shell_option (out, "shard", shard, SL_RECORDED_PLAIN, error))
    return FALSE;
  if (!sl_json_is_scalar (seed) || (!printer->full && sl_json_number (seed) == 0))
    return TRUE;
  return shell_option (out, "seed", seed, SL_RECORDED_PLAIN, error);
}

/* Tables that the record has for options without having the option. */
static gboolean
append_other_inputs (Printer *printer, SlJson stage, int indent, GError **error)
{
  SlJson recorded = object_of (stage, "options");
  for (SlJsonEach each = sl_json_each (object_of (stage, "inputs")); sl_json_each_next (&each);)
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
  for (SlJsonEach each = sl_json_each (sl_json_get_as (stage, "sources", SL_JSON_ARRAY));
       sl_json_each_next (&each);)
    {
      const char *name = sl_json_c_str (sl_json_get (each.value, "name"));
      if (name == NULL)
        {
          history_malformed (error);
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
  for (SlJsonEach each = sl_json_each (inputs); sl_json_each_next (&each);)
    {
      gint64 number;
      if (!g_str_has_prefix (each.key.text, "file "))
        continue;
      if (!sl_parse_integer (each.key.text + 5, -1, &number) || number <= *last
          || number > MAX_TABLES)
        return history_malformed (error);
      while (++*last < number)
        shell_file (printer->out, UNKNOWN);
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
    shell_file (printer->out, sources->pdata[i]);
  const SlCommand *command = sl_command_by_name (sl_json_c_str (sl_json_get (stage, "verb")));
  gboolean makes_tables
      = command == NULL || command->flags & SL_COMMAND_SOURCES || made_its_own (command, stage);
  if (first && n_tables + sources->len == 0 && !makes_tables)
    shell_file (printer->out, UNKNOWN);
  return TRUE;
}

static gboolean
append_stage (Printer *printer, SlJson stage, gboolean first, int indent, GError **error)
{
  GString *out = printer->out;
  const char *verb = sl_json_c_str (sl_json_get (stage, "verb"));
  if (verb == NULL)
    return history_malformed (error);
  g_auto (GStrv) words = g_strsplit (verb, " ", -1);
  g_string_append (out, "softlabel");
  for (int i = 0; words[i] != NULL; i++)
    {
      g_string_append_c (out, ' ');
      shell_word (out, words[i]);
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
    return history_malformed (error);
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
  for (SlJsonEach each = sl_json_each (value); sl_json_each_next (&each);)
    append_notes (out, each.value, seen);
}

/* FULL: with the options that are at their defaults. */
static gboolean
history_append (GString *out, SlJson history, gboolean full, GError **error)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Printer printer = { .out = out, .full = full };
  append_notes (out, history, seen);
  return append_pipeline (&printer, history, 0, error);
}

/* ---- the stage ---- */

typedef struct
{
  gboolean json;
  gboolean full;
} Options;

static const Options defaults = { 0 };

#define OPTIONS Options

static const SlOption option_table[] = {
  FLAG ("full", full, "print options at their defaults, too, where they can be given",
        .unrecorded = TRUE),
  FLAG ("json", json, "print the record itself, as JSON", .unrecorded = TRUE),
  { 0 },
};

/* The table is read to its end, though its history is in front: a cut file is none, and a stage
 * before this one that fails is noticed, or not cut off. */
static gboolean
drain (SlRun *run, GError **error)
{
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_run_each (run, &batch, &ok, error))
    continue;
  return ok;
}

static gboolean
append (GString *text, const char *json, const Options *options, GError **error)
{
  g_autoptr (SlJsonParser) parser = sl_json_parser_new ();
  SlJson history = { NULL, 0 };
  if (json != NULL && !sl_provenance_read (parser, json, &history))
    return history_malformed (error);
  if (sl_json_length (history) == 0)
    return sl_error_bad_input (
        error, "has no history: it was written with --no-provenance, or by another program");
  if (!options->json && !history_append (text, history, options->full, error))
    return FALSE;
  if (options->json)
    history_append_json (text, history, 0);
  g_string_append_c (text, '\n');
  return TRUE;
}

static gboolean
run (SlRun *run, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  if (!append (text, sl_reader_table (run->in)->provenance, run->options->values, error))
    {
      g_prefix_error (error, "%s: ", sl_reader_name (run->in));
      return FALSE;
    }
  if (!drain (run, error))
    return FALSE;
  sl_run_print (run, text->str, (gssize) text->len);
  return TRUE;
}

const SlCommand sl_command_history = {
  .name = "history",
  .summary = "print how a table was made, as a pipeline",
  .arguments = "[FILE…]",
  .reads = sl_kinds,
  .flags = SL_COMMAND_TEXT,
  SL_OPTIONS (option_table, defaults),
  .description = "Every stage adds a line to the record in its output's metadata: its name, its "
                 "options, its seed if it draws random numbers, and its source files' names, sizes "
                 "and digests. This prints the record as a pipeline for bash; options at their "
                 "defaults are left out. Sources have their names without folders, so run it where "
                 "they are; UNKNOWN stands for a table that had no history, or too long a one. Run "
                 "again on the same sources, it gives the same bytes. `xxhsum -H3 FILE` prints the "
                 "digest of a source file.",
  .examples = "softlabel history labels.parquet\n"
              "    the commands that made it\n"
              "softlabel history labels.parquet > make-labels.sh\n"
              "    a script that makes it again\n",
  .run = run,
};
