/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bash completion script. */
#include "completion.h"
#include "pipeline/command/options/option-scope.h"

#include <string.h>

static void
complete_options (GString *out, const SlOption *table)
{
  for (const SlOption *option = table; option != NULL && option->name != NULL; option++)
    if (!sl_completion_is_scoped (option))
      g_string_append_printf (out, " --%s", option->name);
}

/* Adds to the words of a verb, by the choice of DECIDING that is made or usual, the options that go
 * with it; all of them where there is no choice yet. */
static void
complete_scope (GString *out, const SlOption *table, const SlOption *deciding,
                gconstpointer defaults)
{
  gboolean decides = FALSE;
  for (const SlOption *option = table; option->name != NULL; option++)
    decides |= sl_completion_is_scoped (option) && strcmp (option->with, deciding->name) == 0;
  if (!decides)
    return;
  int usual = *(const int *) sl_option_field (deciding, defaults);
  g_string_append_printf (out, "\n        case $(_softlabel_choice %s %s) in\n", deciding->name,
                          usual >= 0 ? deciding->choices[usual] : "");
  for (int i = 0; deciding->choices[i] != NULL; i++)
    {
      g_string_append_printf (out, "          '%s') words+='", deciding->choices[i]);
      for (const SlOption *option = table; option->name != NULL; option++)
        if (sl_completion_is_scoped (option) && strcmp (option->with, deciding->name) == 0
            && sl_option_goes_with (option, deciding, i))
          g_string_append_printf (out, " --%s", option->name);
      g_string_append (out, "' ;;\n");
    }
  g_string_append (out, "          *) words+='");
  for (const SlOption *option = table; option->name != NULL; option++)
    if (sl_completion_is_scoped (option) && strcmp (option->with, deciding->name) == 0)
      g_string_append_printf (out, " --%s", option->name);
  g_string_append (out, "' ;;\n        esac");
}

static void
complete_scopes (GString *out, const SlCommand *command)
{
  for (const SlOption *option = command->options; option != NULL && option->name != NULL; option++)
    if (option->kind == SL_OPTION_CHOICE)
      complete_scope (out, command->options, option, command->defaults);
}

static void
complete_choices (GString *out, const char *verb, const SlOption *table)
{
  for (const SlOption *option = table; option != NULL && option->name != NULL; option++)
    {
      g_autofree char *all = sl_completion_values (option);
      if (all != NULL)
        g_string_append_printf (out, "    '%s --%s') words='%s' ;;\n", verb, option->name, all);
    }
}

/* Where verbs of two words begin: the second words, and what the verb is then. */
static void
complete_families (GString *out)
{
  g_auto (GStrv) families = sl_completion_families ();
  for (char **family = families; *family != NULL; family++)
    {
      g_auto (GStrv) words = sl_completion_words (*family);
      g_autofree char *all = g_strjoinv (" ", words);
      g_string_append_printf (out,
                              "  if [ \"$verb\" = %s ]; then\n    at=2 verb+=\" "
                              "${COMP_WORDS[2]}\"\n    [ \"$COMP_CWORD\" -eq 2 ] && words='%s'\n"
                              "  fi\n",
                              *family, all);
    }
}

/* What is no option: kinds of tables, verbs to be told of, shells. */
static void
complete_arguments (GString *out, const char *verbs)
{
  g_autofree char *shells = g_strjoinv (" ", (char **) sl_completion_shells);
  g_string_append_printf (out,
                          "  if [ -z \"$words\" ] && [[ $word != -* ]]; then case $verb in\n"
                          "    help | man) words='%s' ;;\n    completion) words='%s' ;;\n",
                          verbs, shells);
  for (int i = 0; sl_commands[i] != NULL; i++)
    {
      g_autofree char *all = sl_completion_arguments (sl_commands[i]);
      if (all != NULL)
        g_string_append_printf (out, "    '%s') words='%s' ;;\n", sl_commands[i]->name, all);
    }
  g_string_append (out, "  esac; fi\n");
}

void
sl_completion_bash (GString *out)
{
  g_auto (GStrv) words = sl_completion_words (NULL);
  g_autofree char *verbs = g_strjoinv (" ", words);
  g_string_append (out,
                   "# bash completion for softlabel: source <(softlabel completion)\n"
                   "# The choice that the line makes for option $1, or $2.\n"
                   "_softlabel_choice () {\n  local i chosen=$2\n"
                   "  for ((i = 1; i + 1 < COMP_CWORD; i++)); do\n"
                   "    [ \"${COMP_WORDS[i]}\" = \"--$1\" ] || continue\n"
                   "    chosen=${COMP_WORDS[i+1]}\n"
                   "    [ \"$chosen\" != = ] || chosen=${COMP_WORDS[i+2]}\n"
                   "  done\n  echo \"$chosen\"\n}\n_softlabel () {\n"
                   "  local word=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} at=1 words=''\n");
  complete_families (out);
  g_string_append (out, "  case \"$verb ${COMP_WORDS[COMP_CWORD-1]}\" in\n");
  for (int i = 0; sl_commands[i] != NULL; i++)
    {
      complete_choices (out, sl_commands[i]->name, sl_commands[i]->options);
      complete_choices (out, sl_commands[i]->name, sl_common_options);
    }
  g_string_append_printf (out,
                          "  esac\n  if [ -z \"$words\" ]; then\n    if [ \"$COMP_CWORD\" -eq 1 ]; "
                          "then words='%s'\n    elif [ \"$COMP_CWORD\" -gt \"$at\" ] && "
                          "[[ $word == -* ]]; then case $verb in\n",
                          verbs);
  for (int i = 0; sl_commands[i] != NULL; i++)
    {
      g_string_append_printf (out, "      '%s') words='--help", sl_commands[i]->name);
      complete_options (out, sl_commands[i]->options);
      complete_options (out, sl_common_options);
      g_string_append_c (out, '\'');
      complete_scopes (out, sl_commands[i]);
      g_string_append (out, " ;;\n");
    }
  g_string_append (out, "    esac; fi\n  fi\n");
  complete_arguments (out, verbs);
  g_string_append (out, "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n}\n"
                        "complete -o default -F _softlabel softlabel\n");
}
