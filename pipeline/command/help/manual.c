/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Manual pages, as roff source. */
#include "help-words.h"
#include "help.h"
#include "pipeline/command/commands.h"
#include "pipeline/command/run-private.h"

/* TEXT with what roff would act on made harmless. */
static void
roff (GString *out, const char *text)
{
  gboolean line_start = TRUE;
  for (const char *c = text; *c != '\0'; c++)
    {
      if (*c == '\\')
        g_string_append (out, "\\e");
      else if (*c == '-')
        g_string_append (out, "\\-");
      else if (line_start && (*c == '.' || *c == '\''))
        g_string_append_printf (out, "\\&%c", *c);
      else
        g_string_append_c (out, *c);
      line_start = *c == '\n';
    }
}

static void
man_choices (GString *out, const SlOption *option)
{
  g_string_append (out, ".RS\n");
  for (int i = 0; option->choices[i] != NULL; i++)
    {
      if (sl_help_new_kind (option, i))
        g_string_append_printf (out, ".PP\nFor a table of %s:\n", option->makes[i]->name);
      g_string_append (out, ".TP\n.B ");
      roff (out, option->choices[i]);
      g_string_append_c (out, '\n');
      roff (out, option->meanings[i]);
      g_string_append_c (out, '\n');
    }
  g_string_append (out, ".RE\n");
}

static void
man_options (GString *out, const char *title, const SlOption *table, gconstpointer defaults,
             const SlCommand *command)
{
  if (table == NULL || table->name == NULL)
    return;
  g_string_append_printf (out, ".SH %s\n", title);
  for (const SlOption *option = table; option->name != NULL; option++)
    {
      if (sl_help_leaves_out (option, command))
        continue;
      g_autofree char *text = sl_help_describe (option, table, defaults, command);
      g_autofree char *spelled = sl_help_spell (option);
      g_string_append (out, ".TP\n.B ");
      roff (out, spelled);
      g_string_append_c (out, '\n');
      roff (out, text);
      g_string_append_c (out, '\n');
      if (option->meanings != NULL)
        man_choices (out, option);
    }
}

static void
man_examples (GString *out, const char *examples)
{
  if (examples == NULL)
    return;
  g_string_append (out, ".SH EXAMPLES\n.EX\n");
  roff (out, examples);
  g_string_append (out, ".EE\n");
}

static void
man_paragraphs (GString *out, const char *text)
{
  g_auto (GStrv) paragraphs = g_strsplit (text, "\n", -1);
  for (int i = 0; paragraphs[i] != NULL; i++)
    if (paragraphs[i][0] != '\0')
      {
        g_string_append (out, ".PP\n");
        roff (out, paragraphs[i]);
        g_string_append_c (out, '\n');
      }
}

static void
man_overview (GString *out)
{
  g_string_append (
      out, ".TH SOFTLABEL 1 \"\" \"softlabel " SL_VERSION
           "\"\n.SH NAME\nsoftlabel \\- turn what annotators said into label distributions\n"
           ".SH SYNOPSIS\n.B softlabel\nVERB [OPTION...] [FILE...]\n.SH DESCRIPTION\n"
           "A chain of filters. Every stage reads one Arrow table and writes one: join them with "
           "pipes, or let files stand between.\n.SH VERBS\n");
  for (int i = 0; sl_commands[i] != NULL; i++)
    g_string_append_printf (out, ".TP\n.B %s\n%s\n", sl_commands[i]->name, sl_commands[i]->summary);
  man_options (out, "OPTIONS OF EVERY VERB", sl_common_options, &sl_common_defaults, NULL);
  g_string_append (out, ".SH EXIT STATUS\n0 done; 1 reading, writing or memory failed; 2 the "
                        "command line is wrong; 3 the input is invalid or incomplete.\n");
}

void
sl_help_man (GString *out, const SlCommand *command)
{
  if (command == NULL)
    {
      man_overview (out);
      return;
    }
  g_autofree char *page = g_strdelimit (g_strdup (command->name), " ", '-');
  g_autofree char *title = g_ascii_strup (page, -1);
  g_string_append_printf (
      out, ".TH SOFTLABEL\\-%s 1 \"\" \"softlabel " SL_VERSION "\"\n.SH NAME\nsoftlabel\\-%s \\- ",
      title, page);
  roff (out, command->summary);
  g_string_append_printf (out, "\n.SH SYNOPSIS\n.B softlabel %s\n[OPTION...] ", command->name);
  roff (out, command->arguments);
  g_string_append (out, "\n.SH DESCRIPTION\n");
  g_autoptr (GString) kinds = g_string_new (NULL);
  sl_help_kinds (kinds, command);
  roff (out, kinds->str);
  g_string_append_c (out, '\n');
  man_paragraphs (out, command->description);
  man_options (out, "OPTIONS", command->options, command->defaults, command);
  man_options (out, "OPTIONS OF EVERY VERB", sl_common_options, &sl_common_defaults, command);
  man_examples (out, command->examples);
  g_string_append (out, ".SH SEE ALSO\nsoftlabel(1)\n");
}
