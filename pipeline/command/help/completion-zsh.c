/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The zsh completion script: words with what they mean, `word:meaning`, for _describe. */
#include "completion.h"
#include "pipeline/command/options/option-scope.h"

#include <string.h>

#define MOST 60 /* characters of what an option does */

/* NAME and MEANING as one word of a list; a colon ends the name. */
static void
append_word (GString *out, const char *before, const char *name, const char *meaning)
{
  glong length = MIN (g_utf8_strlen (meaning, -1), MOST);
  const char *end = g_utf8_offset_to_pointer (meaning, length);
  g_string_append_printf (out, " '%s%s:", before, name);
  for (const char *c = meaning; c < end; c++)
    if (*c == '\'')
      g_string_append (out, "'\\''");
    else
      g_string_append_c (out, *c == '\n' ? ' ' : *c);
  g_string_append (out, *end != '\0' ? "…'" : "'");
}

static void
append_verbs (GString *out, const char *family)
{
  g_auto (GStrv) words = sl_completion_words (family);
  for (char **word = words; *word != NULL; word++)
    append_word (out, "", *word, sl_completion_summary (family, *word));
}

static void
append_option (GString *out, const SlOption *option)
{
  append_word (out, "--", option->name, option->help);
}

/* Those options of TABLE that go with choice I of DECIDING; with DECIDING NULL, those that always
 * go. */
static void
append_options (GString *out, const SlOption *table, const SlOption *deciding, int i)
{
  for (const SlOption *option = table; option != NULL && option->name != NULL; option++)
    if (deciding == NULL
            ? !sl_completion_is_scoped (option)
            : sl_completion_is_scoped (option) && strcmp (option->with, deciding->name) == 0
                  && (i < 0 || sl_option_goes_with (option, deciding, i)))
      append_option (out, option);
}

static gboolean
decides (const SlOption *table, const SlOption *deciding)
{
  for (const SlOption *option = table; option->name != NULL; option++)
    if (deciding->kind == SL_OPTION_CHOICE && sl_completion_is_scoped (option)
        && strcmp (option->with, deciding->name) == 0)
      return TRUE;
  return FALSE;
}

static void
complete_verb (GString *out, const SlCommand *command)
{
  g_string_append_printf (out, "    '%s')\n      options=('--help:tell of the verb'",
                          command->name);
  append_options (out, command->options, NULL, -1);
  append_options (out, sl_common_options, NULL, -1);
  g_string_append (out, ")\n");
  for (const SlOption *one = command->options; one != NULL && one->name != NULL; one++)
    {
      if (!decides (command->options, one))
        continue;
      int usual = *(const int *) sl_option_field (one, command->defaults);
      g_string_append_printf (out, "      case $(_softlabel_choice %s %s) in\n", one->name,
                              usual >= 0 ? one->choices[usual] : "''");
      for (int i = 0; one->choices[i] != NULL; i++)
        {
          g_string_append_printf (out, "        '%s') options+=(", one->choices[i]);
          append_options (out, command->options, one, i);
          g_string_append (out, ") ;;\n");
        }
      g_string_append (out, "        *) options+=(");
      append_options (out, command->options, one, -1);
      g_string_append (out, ") ;;\n      esac\n");
    }
  g_string_append (out, "      ;;\n");
}

static void
complete_values (GString *out, const char *verb, const SlOption *table)
{
  for (const SlOption *option = table; option != NULL && option->name != NULL; option++)
    {
      g_autofree char *all = sl_completion_values (option);
      if (all != NULL)
        g_string_append_printf (out, "    '%s --%s') values=(%s) ;;\n", verb, option->name, all);
    }
}

static void
complete_arguments (GString *out)
{
  g_autofree char *shells = g_strjoinv (" ", (char **) sl_completion_shells);
  g_string_append_printf (out,
                          "  case $verb in\n    help|man) _describe verb verbs; return ;;\n"
                          "    completion) compadd -- %s; return ;;\n",
                          shells);
  for (int i = 0; sl_commands[i] != NULL; i++)
    {
      g_autofree char *all = sl_completion_arguments (sl_commands[i]);
      if (all != NULL)
        g_string_append_printf (out, "    '%s') compadd -- %s; return ;;\n", sl_commands[i]->name,
                                all);
    }
  g_string_append (out, "  esac\n  _files\n");
}

void
sl_completion_zsh (GString *out)
{
  g_auto (GStrv) families = sl_completion_families ();
  g_string_append (out,
                   "#compdef softlabel\n"
                   "# zsh completion for softlabel: softlabel completion zsh > DIR/_softlabel, "
                   "DIR being in $fpath\n"
                   "# The choice that the line makes for option $1, or $2.\n"
                   "_softlabel_choice () {\n  local i chosen=$2\n"
                   "  for ((i = 2; i < CURRENT; i++)); do\n"
                   "    case $words[i] in\n      --$1) chosen=$words[i+1] ;;\n"
                   "      --$1=*) chosen=${words[i]#*=} ;;\n    esac\n  done\n"
                   "  print -r -- \"$chosen\"\n}\n_softlabel () {\n"
                   "  local verb=$words[2] at=2\n  local -a verbs options values\n  verbs=(");
  append_verbs (out, NULL);
  g_string_append (out, ")\n  if ((CURRENT == 2)); then _describe verb verbs; return; fi\n");
  for (char **family = families; *family != NULL; family++)
    {
      g_string_append_printf (out, "  if [[ $verb == %s ]]; then\n    verbs=(", *family);
      append_verbs (out, *family);
      g_string_append (out, ")\n    if ((CURRENT == 3)); then _describe verb verbs; return; fi\n"
                            "    at=3 verb+=\" $words[3]\"\n  fi\n");
    }
  g_string_append (out, "  case \"$verb $words[CURRENT-1]\" in\n");
  for (int i = 0; sl_commands[i] != NULL; i++)
    {
      complete_values (out, sl_commands[i]->name, sl_commands[i]->options);
      complete_values (out, sl_commands[i]->name, sl_common_options);
    }
  g_string_append (out,
                   "  esac\n  if ((${#values})); then compadd -- $values; return; fi\n"
                   "  if [[ $words[CURRENT] == -* ]] && ((CURRENT > at)); then case $verb in\n");
  for (int i = 0; sl_commands[i] != NULL; i++)
    complete_verb (out, sl_commands[i]);
  g_string_append (out, "  esac; _describe -o option options; return; fi\n");
  complete_arguments (out);
  g_string_append (out, "}\nif [[ $funcstack[1] == _softlabel ]]; then _softlabel \"$@\"; "
                        "else compdef _softlabel softlabel; fi\n");
}
