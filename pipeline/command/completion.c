/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bash completion script. It is made from the verbs and their option tables. */
#include "commands.h"
#include "help.h"
#include "option-scope.h"
#include "run-private.h"

#include <string.h>

/* Whether OPTION goes with some choices of another one only. */
static gboolean
goes_with_choices (const SlOption *option)
{
  return option->with != NULL && option->of != 0 && option->or_with == NULL;
}

static void
complete_options (GString *out, const SlOption *table)
{
  for (const SlOption *option = table; option != NULL && option->name != NULL; option++)
    if (!goes_with_choices (option))
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
    decides |= goes_with_choices (option) && strcmp (option->with, deciding->name) == 0;
  if (!decides)
    return;
  int usual = *(const int *) sl_option_field (deciding, defaults);
  g_string_append_printf (out, "\n        case $(_softlabel_choice %s %s) in\n", deciding->name,
                          usual >= 0 ? deciding->choices[usual] : "");
  for (int i = 0; deciding->choices[i] != NULL; i++)
    {
      g_string_append_printf (out, "          '%s') words+='", deciding->choices[i]);
      for (const SlOption *option = table; option->name != NULL; option++)
        if (goes_with_choices (option) && strcmp (option->with, deciding->name) == 0
            && sl_option_goes_with (option, deciding, i))
          g_string_append_printf (out, " --%s", option->name);
      g_string_append (out, "' ;;\n");
    }
  g_string_append (out, "          *) words+='");
  for (const SlOption *option = table; option->name != NULL; option++)
    if (goes_with_choices (option) && strcmp (option->with, deciding->name) == 0)
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
    if (option->kind == SL_OPTION_CHOICE)
      {
        g_autofree char *all = g_strjoinv (" ", (char **) option->choices);
        g_string_append_printf (out, "    '%s --%s') words='%s' ;;\n", verb, option->name, all);
      }
}

/* The first words of all verbs, each once: WORD NULL; or the second words of those of a family. */
static void
complete_words (GString *out, const char *word)
{
  const char *last = "";
  for (int i = 0; sl_commands[i] != NULL; i++)
    {
      const char *name = sl_commands[i]->name;
      if (word != NULL && sl_command_is_of (sl_commands[i], word))
        g_string_append_printf (out, " %s", name + strlen (word) + 1);
      if (word != NULL || (*last != '\0' && sl_command_is_of (sl_commands[i], last)))
        continue;
      g_autofree char *first = g_strndup (name, strcspn (name, " "));
      g_string_append_printf (out, " %s", first);
      last = g_intern_string (first);
    }
}

/* Where verbs of two words begin: the second words, and what the verb is then. */
static void
complete_families (GString *out)
{
  const char *last = "";
  for (int i = 0; sl_commands[i] != NULL; i++)
    {
      g_autofree char *first
          = g_strndup (sl_commands[i]->name, strcspn (sl_commands[i]->name, " "));
      if (strcmp (first, last) == 0 || !sl_command_is_family (first))
        continue;
      last = g_intern_string (first);
      g_string_append_printf (out,
                              "  if [ \"$verb\" = %s ]; then\n    at=2 verb+=\" "
                              "${COMP_WORDS[2]}\"\n    [ \"$COMP_CWORD\" -eq 2 ] && words='",
                              first);
      complete_words (out, first);
      g_string_append (out, "'\n  fi\n");
    }
}

void
sl_help_completion (GString *out)
{
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
  g_string_append (out, "  esac\n  if [ -z \"$words\" ]; then\n    if [ \"$COMP_CWORD\" -eq 1 ]; "
                        "then words='help man completion");
  complete_words (out, NULL);
  g_string_append (out, "'\n    elif [ \"$COMP_CWORD\" -gt \"$at\" ] && [[ $word == -* ]]; then "
                        "case $verb in\n");
  for (int i = 0; sl_commands[i] != NULL; i++)
    {
      g_string_append_printf (out, "      '%s') words='--help", sl_commands[i]->name);
      complete_options (out, sl_commands[i]->options);
      complete_options (out, sl_common_options);
      g_string_append_c (out, '\'');
      complete_scopes (out, sl_commands[i]);
      g_string_append (out, " ;;\n");
    }
  g_string_append (
      out, "    esac; fi\n  fi\n  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n}\n"
           "complete -o default -F _softlabel softlabel\n");
}
