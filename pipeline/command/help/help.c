/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "help.h"

#include "pipeline/command/commands.h"
#include "pipeline/command/run-private.h"
#include "pipeline/display/terminal.h"
#include "help-words.h"

#define WIDTH 80
#define INDENT 26

/* NAME, and what it means beside it from the column INDENT on. */
static void
append_entry (GString *out, int indent, const char *name, const char *text)
{
  gsize start = out->len;
  sl_display_space (out, indent);
  g_string_append (out, name);
  if (out->len - start > INDENT - 2)
    {
      g_string_append_c (out, '\n');
      start = out->len;
    }
  sl_display_space (out, INDENT - (int) (out->len - start));
  sl_display_wrap (out, text, INDENT, WIDTH);
  g_string_append_c (out, '\n');
}

static void
append_options (GString *out, const char *title, const SlOption *table, gconstpointer defaults,
                const SlCommand *command)
{
  if (table == NULL || table->name == NULL)
    return;
  g_string_append_printf (out, "\n%s\n", title);
  for (const SlOption *option = table; option->name != NULL; option++)
    {
      if (sl_help_leaves_out (option, command))
        continue;
      g_autofree char *spelled = sl_help_spell (option);
      g_autofree char *text = sl_help_describe (option, table, defaults, command);
      append_entry (out, 2, spelled, text);
      for (int i = 0; option->meanings != NULL && option->choices[i] != NULL; i++)
        {
          if (sl_help_new_kind (option, i))
            g_string_append_printf (out, "    for a table of %s:\n", option->makes[i]->name);
          append_entry (out, option->makes != NULL ? 6 : 4, option->choices[i],
                        option->meanings[i]);
        }
    }
}

/* The verbs, a line each: those of the family WORD, or all. */
static void
append_verbs (GString *out, const char *word)
{
  for (int i = 0; sl_commands[i] != NULL; i++)
    if (word == NULL || sl_command_is_of (sl_commands[i], word))
      g_string_append_printf (out, "  %-19s %s\n", sl_commands[i]->name, sl_commands[i]->summary);
}

void
sl_help_overview (GString *out)
{
  g_string_append (
      out, "Usage: softlabel VERB [OPTION…] [FILE…]\n\n"
           "Turns what annotators said into label distributions. Every stage reads one table\n"
           "and writes one: join them with pipes, or let files stand between.\n\n");
  append_verbs (out, NULL);
  g_string_append (
      out, "\n`softlabel VERB --help` tells more of a verb, `softlabel man VERB | man -l -` its\n"
           "manual page; `softlabel completion bash|zsh|fish` prints a shell's completion,\n"
           "`softlabel --version` the version.\n");
}

void
sl_help_family (GString *out, const char *word)
{
  g_string_append_printf (out, "Usage: softlabel %s VERB [OPTION…] [FILE…]\n\n", word);
  append_verbs (out, word);
  g_string_append_printf (out, "\n`softlabel %s VERB --help` tells more of a verb.\n", word);
}

void
sl_help_command (GString *out, const SlCommand *command)
{
  g_string_append_printf (out, "Usage: softlabel %s [OPTION…]%s%s\n\n", command->name,
                          *command->arguments != '\0' ? " " : "", command->arguments);
  g_string_append_printf (out, "%c%s.", g_ascii_toupper (command->summary[0]),
                          command->summary + 1);
  g_string_append (out, "\n\n");
  g_autoptr (GString) kinds = g_string_new (NULL);
  sl_help_kinds (kinds, command);
  if (kinds->len > 0)
    {
      sl_display_wrap (out, kinds->str, 0, WIDTH);
      g_string_append (out, "\n\n");
    }
  g_auto (GStrv) paragraphs = g_strsplit (command->description, "\n", -1);
  for (int i = 0; paragraphs[i] != NULL; i++)
    if (paragraphs[i][0] != '\0')
      {
        sl_display_wrap (out, paragraphs[i], 0, WIDTH);
        g_string_append (out, paragraphs[i + 1] != NULL ? "\n\n" : "\n");
      }
  append_options (out, "Options", command->options, command->defaults, command);
  append_options (out, "Options of every verb", sl_common_options, &sl_common_defaults, command);
  if (command->examples != NULL)
    g_string_append_printf (out, "\nExamples\n%s", command->examples);
}
