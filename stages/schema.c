/* SPDX-License-Identifier: GPL-3.0-or-later */
/* schema: prints what the kinds of table are, or the columns of one, from the declarations that the
 * reader checks tables against. */
#include "pipeline/base/json.h"
#include "pipeline/base/nearest.h"
#include "pipeline/command/commands.h"
#include "pipeline/command/options/option-rows.h"
#include "pipeline/command/run.h"
#include "pipeline/display/terminal.h"
#include "pipeline/table/tag-columns.h"
#include "pipeline/table/types/types.h"
#include "schemas/kinds.h"

#include <string.h>

#define WIDTH 100

typedef struct
{
  gboolean json;
} Options;

static const Options defaults = { 0 };

#define OPTIONS Options

static const SlOption option_table[] = {
  FLAG ("json", json, "print JSON: an array of kinds, or one kind's object", .unrecorded = TRUE),
  { 0 },
};

static void
append_kind_json (GString *json, const SlKind *kind)
{
  g_string_append_c (json, '{');
  sl_json_text_member (json, "name", kind->name);
  sl_json_text_member (json, "row", kind->row);
  sl_json_text_member (json, "invariants", kind->invariants);
  sl_json_member (json, "columns");
  g_string_append_c (json, '[');
  for (const SlColumnSpec *spec = kind->columns; spec->name != NULL; spec++)
    {
      g_string_append (json, spec == kind->columns ? "\n  {" : ",\n  {");
      sl_json_text_member (json, "name", spec->name);
      sl_json_text_member (json, "type", sl_types[spec->type].name);
      sl_json_flag_member (json, "optional", (spec->flags & SL_COLUMN_OPTIONAL) != 0);
      sl_json_flag_member (json, "nullable", (spec->flags & SL_COLUMN_NULLABLE) != 0);
      sl_json_text_member (json, "meaning", spec->meaning);
      g_string_append_c (json, '}');
    }
  g_string_append_c (json, ']');
  sl_json_flag_member (json, "tags_in_rows", kind->tags_in_rows);
  g_string_append_c (json, '}');
}

static int
longest_name (const SlColumnSpec *specs)
{
  gsize longest = 0;
  for (const SlColumnSpec *spec = specs; spec->name != NULL; spec++)
    longest = MAX (longest, strlen (spec->name));
  return (int) longest;
}

static void
append_column (GString *text, const SlColumnSpec *spec, int indent)
{
  g_string_append_printf (text, "  %-*s%s", indent - 2, spec->name, sl_types[spec->type].name);
  if (spec->flags & SL_COLUMN_OPTIONAL)
    g_string_append (text, ", optional");
  if (spec->flags & SL_COLUMN_NULLABLE)
    g_string_append (text, ", may be null");
  g_string_append_c (text, '\n');
  sl_display_space (text, indent);
  sl_display_wrap (text, spec->meaning, indent, WIDTH);
  g_string_append_c (text, '\n');
}

/* "ingest --from idx, npy": the choices of OPTION that make KIND; or nothing. */
static void
append_choices (GString *names, const SlCommand *command, const SlOption *option,
                const SlKind *kind)
{
  const char *before = NULL;
  for (int i = 0; option->makes != NULL && option->choices[i] != NULL; i++)
    if (option->makes[i] == kind)
      {
        if (before == NULL)
          g_string_append_printf (names, "%s%s --%s ", names->len > 0 ? "; " : "", command->name,
                                  option->name);
        g_string_append_printf (names, "%s%s", before != NULL ? ", " : "", option->choices[i]);
        before = option->choices[i];
      }
}

/* The verbs that write tables of KIND, whatever they read. */
static void
append_writers (GString *text, const SlKind *kind)
{
  g_autoptr (GString) names = g_string_new (NULL);
  for (int i = 0; sl_commands[i] != NULL; i++)
    {
      const SlCommand *command = sl_commands[i];
      gsize before = names->len;
      for (const SlOption *option = command->options; option != NULL && option->name != NULL;
           option++)
        append_choices (names, command, option, kind);
      if (command->writes == kind && names->len == before)
        g_string_append_printf (names, "%s%s", before > 0 ? "; " : "", command->name);
      for (const SlAlsoWrites *also = command->also_writes; also != NULL && also->kind != NULL;
           also++)
        if (also->kind == kind)
          g_string_append_printf (names, "%s%s %s", names->len > 0 ? "; " : "", command->name,
                                  also->with);
    }
  if (names->len == 0)
    return;
  g_autofree char *line
      = g_strdup_printf ("Written by: %s; and by verbs that write what they read.", names->str);
  g_string_append_c (text, '\n');
  sl_display_wrap (text, line, 0, WIDTH);
  g_string_append_c (text, '\n');
}

static void
append_kind (GString *text, const SlKind *kind)
{
  g_string_append_printf (text, "%s: ", kind->name);
  g_string_append_printf (text, "one row is %s\n\n", kind->row);
  const gboolean attributes = kind == &sl_annotations || kind == &sl_labels;
  int indent = longest_name (kind->columns) + 4;
  if (attributes)
    indent = MAX (indent, (int) strlen (sl_attribute_spec.name) + 4);
  for (const SlColumnSpec *spec = kind->columns; spec->name != NULL; spec++)
    append_column (text, spec, indent);
  if (kind->tags_in_rows)
    append_column (text, &sl_tag_spec, indent);
  if (attributes)
    append_column (text, &sl_attribute_spec, indent);
  if (kind->invariants != NULL)
    {
      g_string_append_c (text, '\n');
      sl_display_wrap (text, kind->invariants, 0, WIDTH);
      g_string_append_c (text, '\n');
    }
  append_writers (text, kind);
}

static void
append_list (GString *text)
{
  int longest = 0;
  for (int i = 0; sl_kinds[i] != NULL; i++)
    longest = MAX (longest, (int) strlen (sl_kinds[i]->name));
  for (int i = 0; sl_kinds[i] != NULL; i++)
    {
      g_string_append_printf (text, "%-*s", longest + 2, sl_kinds[i]->name);
      sl_display_wrap (text, sl_kinds[i]->row, longest + 2, WIDTH);
      g_string_append_c (text, '\n');
    }
}

static void
append_list_json (GString *json)
{
  g_string_append_c (json, '[');
  for (int i = 0; sl_kinds[i] != NULL; i++)
    {
      g_string_append (json, i > 0 ? ",\n" : "");
      append_kind_json (json, sl_kinds[i]);
    }
  g_string_append_c (json, ']');
}

static const SlKind *
find_kind (const char *name, GError **error)
{
  const SlKind *kind = sl_kind_find (name);
  if (kind != NULL)
    return kind;
  g_autoptr (GString) names = g_string_new (NULL);
  for (int i = 0; sl_kinds[i] != NULL; i++)
    g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", sl_kinds[i]->name);
  g_auto (GStrv) all = g_strsplit (names->str, ", ", -1);
  g_autofree char *hint = sl_nearest_hint (name, (const char *const *) all, "");
  g_autoptr (GString) shown = g_string_new (NULL);
  sl_display_text (shown, name, -1);
  sl_error_usage (error, "there is no kind of table '%s'; the kinds are %s%s", shown->str,
                  names->str, hint);
  return NULL;
}

static gboolean
run (SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  const SlKind *kind = NULL;
  if (run->files[0] != NULL && run->files[1] != NULL)
    return sl_error_usage (error, "only one kind of table can be asked for at a time");
  if (run->files[0] != NULL && (kind = find_kind (run->files[0], error)) == NULL)
    return FALSE;
  g_autoptr (GString) text = g_string_new (NULL);
  if (options->json && kind != NULL)
    append_kind_json (text, kind);
  else if (options->json)
    append_list_json (text);
  else if (kind != NULL)
    append_kind (text, kind);
  else
    append_list (text);
  sl_run_print (run, text->str, (gssize) text->len);
  if (options->json)
    sl_run_print (run, "\n", 1);
  return TRUE;
}

const SlCommand sl_command_schema = {
  .name = "schema",
  .summary = "print the kinds of table, or one kind's columns",
  .arguments = "[KIND]",
  .flags = SL_COMMAND_SOURCES | SL_COMMAND_TEXT,
  SL_OPTIONS (option_table, defaults),
  .description
  = "Without KIND, lists the kinds of table and what a row of each is. With it, "
    "prints the kind's columns: name, Arrow type, whether a table may be without it, "
    "whether a value may be null, and what it means; then what holds for every such "
    "table, and which verbs write it.\n\n"
    "A table says of itself what it is in its schema's metadata: softlabel.table is "
    "the kind, softlabel.classes a JSON array of the classes in their order, "
    "softlabel.values the number that each of them stands for, where they are ordered, "
    "softlabel.provenance what was done to it, softlabel.tags what --tag says of it. "
    "Columns that the kind does not have are left out when a table is read.",
  .examples = "softlabel schema\n"
              "    the kinds of table\n"
              "softlabel schema labels\n"
              "    the columns of a table of labels\n"
              "softlabel schema --json labels\n"
              "    the same for a program\n",
  .run = run,
};
