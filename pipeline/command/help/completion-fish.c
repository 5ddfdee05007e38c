/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fish completion script: a line for each option of each verb. */
#include "completion.h"
#include "pipeline/command/options/option-scope.h"

#include <string.h>

#define MOST 70 /* characters of what an option does */

static void
append_meaning (GString *out, const char *meaning)
{
  glong length = MIN (g_utf8_strlen (meaning, -1), MOST);
  const char *end = g_utf8_offset_to_pointer (meaning, length);
  g_string_append (out, " -d '");
  for (const char *c = meaning; c < end; c++)
    {
      if (*c == '\'' || *c == '\\')
        g_string_append_c (out, '\\');
      g_string_append_c (out, *c == '\n' ? ' ' : *c);
    }
  g_string_append (out, *end != '\0' ? "…'\n" : "'\n");
}

/* The choices of DECIDING that OPTION goes with. */
static void
append_scope (GString *out, const SlCommand *command, const SlOption *option)
{
  const SlOption *deciding = command->options;
  while (strcmp (deciding->name, option->with) != 0)
    deciding++;
  int usual = *(const int *) sl_option_field (deciding, command->defaults);
  g_string_append_printf (out, "; and __softlabel_chose %s %s", deciding->name,
                          usual >= 0 ? deciding->choices[usual] : "\"\"");
  for (int i = 0; deciding->choices[i] != NULL; i++)
    if (sl_option_goes_with (option, deciding, i))
      g_string_append_printf (out, " %s", deciding->choices[i]);
}

static void
complete_option (GString *out, const SlCommand *command, const SlOption *option)
{
  g_autofree char *values = sl_completion_values (option);
  g_string_append_printf (out, "complete -c softlabel -n '__softlabel_is %s", command->name);
  if (sl_completion_is_scoped (option))
    append_scope (out, command, option);
  g_string_append_printf (out, "' -l %s", option->name);
  if (option->letter != 0)
    g_string_append_printf (out, " -s %c", option->letter);
  if (values != NULL)
    g_string_append_printf (out, " -x -a '%s'", values);
  else if (option->by_itself != NULL || option->kind == SL_OPTION_FLAG)
    g_string_append (out, option->by_itself != NULL ? " -F" : "");
  else
    g_string_append (out, sl_completion_is_file (option) ? " -r -F" : " -x");
  append_meaning (out, option->help);
}

static void
complete_verb (GString *out, const SlCommand *command)
{
  g_autofree char *arguments = sl_completion_arguments (command);
  if (arguments != NULL)
    g_string_append_printf (out, "complete -c softlabel -n '__softlabel_is %s' -f -a '%s'\n",
                            command->name, arguments);
  g_string_append_printf (out, "complete -c softlabel -n '__softlabel_is %s' -l help",
                          command->name);
  append_meaning (out, "tell of the verb");
  for (const SlOption *option = command->options; option != NULL && option->name != NULL; option++)
    complete_option (out, command, option);
  for (const SlOption *option = sl_common_options; option->name != NULL; option++)
    complete_option (out, command, option);
}

static void
complete_words (GString *out, const char *family)
{
  g_auto (GStrv) words = sl_completion_words (family);
  for (char **word = words; *word != NULL; word++)
    {
      g_string_append_printf (out, "complete -c softlabel -n '__softlabel_at %s' -f -a '%s'",
                              family != NULL ? family : "", *word);
      append_meaning (out, sl_completion_summary (family, *word));
    }
}

void
sl_completion_fish (GString *out)
{
  g_auto (GStrv) families = sl_completion_families ();
  g_auto (GStrv) words = sl_completion_words (NULL);
  g_autofree char *verbs = g_strjoinv (" ", words);
  g_autofree char *shells = g_strjoinv (" ", (char **) sl_completion_shells);
  g_string_append (
      out, "# fish completion for softlabel: softlabel completion fish > "
           "~/.config/fish/completions/softlabel.fish\n"
           "# The words before the cursor are softlabel and those given.\n"
           "function __softlabel_at\n    set -l words (commandline -opc)\n"
           "    test \"$words[2..-1]\" = \"$argv\"\nend\n"
           "# They begin with the verb given.\n"
           "function __softlabel_is\n    set -l words (commandline -opc)\n"
           "    set -l last (math (count $argv) + 1)\n"
           "    test (count $words) -ge $last\n"
           "    and test \"$words[2..$last]\" = \"$argv\"\nend\n"
           "# What they say for an option, or what is usual, is one of the choices given.\n"
           "function __softlabel_chose -a option usual\n    set -l words (commandline -opc)\n"
           "    set -l chosen $usual\n    for i in (seq (count $words))\n"
           "        if test $words[$i] = --$option -a $i -lt (count $words)\n"
           "            set -l next (math $i + 1)\n"
           "            set chosen $words[$next]\n"
           "        else if string match -q -- \"--$option=*\" $words[$i]\n"
           "            set chosen (string replace -- \"--$option=\" '' $words[$i])\n"
           "        end\n    end\n"
           "    test -z \"$chosen\"; or contains -- $chosen $argv[3..-1]\nend\n");
  complete_words (out, NULL);
  for (char **family = families; *family != NULL; family++)
    complete_words (out, *family);
  g_string_append_printf (
      out,
      "complete -c softlabel -n '__softlabel_at help; or __softlabel_at man' -f -a '%s'\n"
      "complete -c softlabel -n '__softlabel_at completion' -f -a '%s'\n",
      verbs, shells);
  for (int i = 0; sl_commands[i] != NULL; i++)
    complete_verb (out, sl_commands[i]);
}
