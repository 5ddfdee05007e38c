/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "completion.h"

#include "pipeline/command/commands.h"
#include "pipeline/command/options/option-scope.h"
#include "pipeline/table/table.h"

#include <string.h>

/* Words that stand where a verb does, and are none. */
static const char *const own_words[] = { "help", "man", "completion", NULL };
const char *const sl_completion_shells[] = { "bash", "zsh", "fish", NULL };

/* Whether OPTION goes with some choices of another one only. */
static gboolean
is_scoped (const SlOption *option)
{
  return option->with != NULL && option->of != 0 && option->or_with == NULL;
}

static char *
kinds (void)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  for (int i = 0; sl_kinds[i] != NULL; i++)
    g_strv_builder_add (names, sl_kinds[i]->name);
  g_auto (GStrv) all = g_strv_builder_end (names);
  return g_strjoinv (" ", all);
}

/* The words that OPTION's value may be, between blanks; NULL: any. */
static char *
values (const SlOption *option)
{
  if (option->choices != NULL
      && (option->kind == SL_OPTION_CHOICE || option->kind == SL_OPTION_TEXT))
    return g_strjoinv (" ", (char **) option->choices);
  return g_strcmp0 (option->placeholder, "KIND") == 0 ? kinds () : NULL;
}

/* Whether OPTION's value is a file. */
static gboolean
is_file (const SlOption *option)
{
  return option->kind == SL_OPTION_INPUT || option->kind == SL_OPTION_INPUTS
         || option->kind == SL_OPTION_OUTPUT || g_strcmp0 (option->placeholder, "FILE") == 0;
}

/* The words of which a verb's arguments are, between blanks; NULL: they are files. */
static char *
arguments (const SlCommand *command)
{
  return strstr (command->arguments, "KIND") != NULL ? kinds () : NULL;
}

/* The first words of all verbs, each once; or, with FAMILY, the second words of those of a
 * family. */
static char **
all_words (const char *family)
{
  g_autoptr (GStrvBuilder) words = g_strv_builder_new ();
  g_autofree char *last = NULL;
  for (int i = 0; sl_commands[i] != NULL; i++)
    {
      const char *name = sl_commands[i]->name;
      g_autofree char *first = g_strndup (name, strcspn (name, " "));
      if (family != NULL && sl_command_is_of (sl_commands[i], family))
        g_strv_builder_add (words, name + strlen (family) + 1);
      if (family == NULL && g_strcmp0 (first, last) != 0)
        g_strv_builder_add (words, first);
      g_free (last);
      last = g_steal_pointer (&first);
    }
  for (int i = 0; family == NULL && own_words[i] != NULL; i++)
    g_strv_builder_add (words, own_words[i]);
  return g_strv_builder_end (words);
}

/* The families: the first words of verbs of two. */
static char **
all_families (void)
{
  g_auto (GStrv) words = all_words (NULL);
  g_autoptr (GStrvBuilder) families = g_strv_builder_new ();
  for (char **word = words; *word != NULL; word++)
    if (sl_command_is_family (*word))
      g_strv_builder_add (families, *word);
  return g_strv_builder_end (families);
}

/* What WORD, the first one of a verb, or a FAMILY's second one, is for: one line. */
static const char *
summary (const char *family, const char *word)
{
  static const char *const own[]
      = { "tell of a verb", "print a verb's manual page", "print the completion of a shell" };
  g_autofree char *name = family != NULL ? g_strconcat (family, " ", word, NULL) : g_strdup (word);
  const SlCommand *command = sl_command_by_name (name);
  for (int i = 0; family == NULL && own_words[i] != NULL; i++)
    if (strcmp (own_words[i], word) == 0)
      return own[i];
  return command != NULL ? command->summary : "verbs of two words";
}

/* The first MOST characters of what an option does, where AS stands for a quotation mark; where it
 * begins with a backslash, so does a backslash. */
static void
append_start (GString *out, const char *meaning, glong most, const char *as)
{
  const char *end = g_utf8_offset_to_pointer (meaning, MIN (g_utf8_strlen (meaning, -1), most));
  for (const char *c = meaning; c < end; c++)
    if (*c == '\'')
      g_string_append (out, as);
    else if (*c == '\\' && as[0] == '\\')
      g_string_append (out, "\\\\");
    else
      g_string_append_c (out, *c == '\n' ? ' ' : *c);
  g_string_append (out, *end != '\0' ? "…'" : "'");
}

/* How bash and zsh write what they have in common. */
typedef struct
{
  void (*append) (GString *out, const SlOption *option);
  const char *before, *indent, *none, *open, *close, *after;
} Shell;

/* Those options of TABLE that go with choice I of DECIDING, or with any, where I is negative; with
 * DECIDING NULL, those that always go. */
static void
append_options (GString *out, const Shell *shell, const SlOption *table, const SlOption *deciding,
                int i)
{
  for (const SlOption *option = table; option != NULL && option->name != NULL; option++)
    if (deciding == NULL ? !is_scoped (option)
                         : is_scoped (option) && strcmp (option->with, deciding->name) == 0
                               && (i < 0 || sl_option_goes_with (option, deciding, i)))
      shell->append (out, option);
}

static gboolean
decides (const SlOption *table, const SlOption *deciding)
{
  for (const SlOption *option = table; option->name != NULL; option++)
    if (deciding->kind == SL_OPTION_CHOICE && is_scoped (option)
        && strcmp (option->with, deciding->name) == 0)
      return TRUE;
  return FALSE;
}

/* Adds, by the choice of an option that is made or usual, the options that go with it; all of them
 * where there is no choice yet. */
static void
append_scopes (GString *out, const Shell *shell, const SlCommand *command)
{
  for (const SlOption *one = command->options; one != NULL && one->name != NULL; one++)
    {
      if (!decides (command->options, one))
        continue;
      int usual = *(const int *) sl_option_field (one, command->defaults);
      g_string_append_printf (out, "%s%scase $(_softlabel_choice %s %s) in\n", shell->before,
                              shell->indent, one->name,
                              usual >= 0 ? one->choices[usual] : shell->none);
      for (int i = 0; one->choices[i] != NULL; i++)
        {
          g_string_append_printf (out, "%s  '%s') %s", shell->indent, one->choices[i], shell->open);
          append_options (out, shell, command->options, one, i);
          g_string_append (out, shell->close);
        }
      g_string_append_printf (out, "%s  *) %s", shell->indent, shell->open);
      append_options (out, shell, command->options, one, -1);
      g_string_append_printf (out, "%s%sesac%s", shell->close, shell->indent, shell->after);
    }
}

/* The values of all verbs' options, between OPEN and CLOSE. */
static void
append_values (GString *out, const char *open, const char *close)
{
  for (int i = 0; sl_commands[i] != NULL; i++)
    for (int common = 0; common < 2; common++)
      for (const SlOption *option = common ? sl_common_options : sl_commands[i]->options;
           option != NULL && option->name != NULL; option++)
        {
          g_autofree char *all = values (option);
          if (all != NULL)
            g_string_append_printf (out, "    '%s --%s') %s%s%s ;;\n", sl_commands[i]->name,
                                    option->name, open, all, close);
        }
}

/* The words that verbs' arguments are, likewise. */
static void
append_arguments (GString *out, const char *open, const char *close)
{
  for (int i = 0; sl_commands[i] != NULL; i++)
    {
      g_autofree char *all = arguments (sl_commands[i]);
      if (all != NULL)
        g_string_append_printf (out, "    '%s') %s%s%s ;;\n", sl_commands[i]->name, open, all,
                                close);
    }
}

/* ---- bash ---- */

static void
append_bash_option (GString *out, const SlOption *option)
{
  g_string_append_printf (out, " --%s", option->name);
}

/* Where verbs of two words begin: the second words, and what the verb is then. */
static void
complete_families (GString *out)
{
  g_auto (GStrv) families = all_families ();
  for (char **family = families; *family != NULL; family++)
    {
      g_auto (GStrv) words = all_words (*family);
      g_autofree char *all = g_strjoinv (" ", words);
      g_string_append_printf (out,
                              "  if [ \"$verb\" = %s ]; then\n    at=2 verb+=\" "
                              "${COMP_WORDS[2]}\"\n    [ \"$COMP_CWORD\" -eq 2 ] && words='%s'\n"
                              "  fi\n",
                              *family, all);
    }
}

static void
bash_completion (GString *out)
{
  static const Shell bash = { append_bash_option, "\n", "        ", "", "words+='", "' ;;\n", "" };
  g_auto (GStrv) words = all_words (NULL);
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
  append_values (out, "words='", "'");
  g_string_append_printf (out,
                          "  esac\n  if [ -z \"$words\" ]; then\n    if [ \"$COMP_CWORD\" -eq 1 ]; "
                          "then words='%s'\n    elif [ \"$COMP_CWORD\" -gt \"$at\" ] && "
                          "[[ $word == -* ]]; then case $verb in\n",
                          verbs);
  for (int i = 0; sl_commands[i] != NULL; i++)
    {
      g_string_append_printf (out, "      '%s') words='--help", sl_commands[i]->name);
      append_options (out, &bash, sl_commands[i]->options, NULL, -1);
      append_options (out, &bash, sl_common_options, NULL, -1);
      g_string_append_c (out, '\'');
      append_scopes (out, &bash, sl_commands[i]);
      g_string_append (out, " ;;\n");
    }
  g_string_append (out, "    esac; fi\n  fi\n");
  g_autofree char *all_shells = g_strjoinv (" ", (char **) sl_completion_shells);
  g_string_append_printf (out,
                          "  if [ -z \"$words\" ] && [[ $word != -* ]]; then case $verb in\n"
                          "    help | man) words='%s' ;;\n    completion) words='%s' ;;\n",
                          verbs, all_shells);
  append_arguments (out, "words='", "'");
  g_string_append (out, "  esac; fi\n"
                        "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n}\n"
                        "complete -o default -F _softlabel softlabel\n");
}

/* ---- zsh: words with what they mean, `word:meaning`, for _describe ---- */

/* NAME and MEANING as one word of a list; a colon ends the name. */
static void
append_word (GString *out, const char *before, const char *name, const char *meaning)
{
  g_string_append_printf (out, " '%s%s:", before, name);
  append_start (out, meaning, 60, "'\\''");
}

static void
append_verbs (GString *out, const char *family)
{
  g_auto (GStrv) words = all_words (family);
  for (char **word = words; *word != NULL; word++)
    append_word (out, "", *word, summary (family, *word));
}

static void
append_zsh_option (GString *out, const SlOption *option)
{
  append_word (out, "--", option->name, option->help);
}

static void
zsh_completion (GString *out)
{
  static const Shell zsh = { append_zsh_option, "", "      ", "''", "options+=(", ") ;;\n", "\n" };
  g_auto (GStrv) families = all_families ();
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
  append_values (out, "values=(", ")");
  g_string_append (out,
                   "  esac\n  if ((${#values})); then compadd -- $values; return; fi\n"
                   "  if [[ $words[CURRENT] == -* ]] && ((CURRENT > at)); then case $verb in\n");
  for (int i = 0; sl_commands[i] != NULL; i++)
    {
      g_string_append_printf (out, "    '%s')\n      options=('--help:tell of the verb'",
                              sl_commands[i]->name);
      append_options (out, &zsh, sl_commands[i]->options, NULL, -1);
      append_options (out, &zsh, sl_common_options, NULL, -1);
      g_string_append (out, ")\n");
      append_scopes (out, &zsh, sl_commands[i]);
      g_string_append (out, "      ;;\n");
    }
  g_string_append (out, "  esac; _describe -o option options; return; fi\n");
  g_autofree char *all_shells = g_strjoinv (" ", (char **) sl_completion_shells);
  g_string_append_printf (out,
                          "  case $verb in\n    help|man) _describe verb verbs; return ;;\n"
                          "    completion) compadd -- %s; return ;;\n",
                          all_shells);
  append_arguments (out, "compadd -- ", "; return");
  g_string_append (
      out, "  esac\n  _files\n}\nif [[ $funcstack[1] == _softlabel ]]; then _softlabel \"$@\"; "
           "else compdef _softlabel softlabel; fi\n");
}

/* ---- fish: a line for each option of each verb ---- */

static void
append_meaning (GString *out, const char *meaning)
{
  g_string_append (out, " -d '");
  append_start (out, meaning, 70, "\\'");
  g_string_append_c (out, '\n');
}

/* The choices of DECIDING that OPTION goes with. */
static void
append_fish_scope (GString *out, const SlCommand *command, const SlOption *option)
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
  g_autofree char *all = values (option);
  g_string_append_printf (out, "complete -c softlabel -n '__softlabel_is %s", command->name);
  if (is_scoped (option))
    append_fish_scope (out, command, option);
  g_string_append_printf (out, "' -l %s", option->name);
  if (option->letter != 0)
    g_string_append_printf (out, " -s %c", option->letter);
  if (all != NULL)
    g_string_append_printf (out, " -x -a '%s'", all);
  else if (option->by_itself != NULL || option->kind == SL_OPTION_FLAG)
    g_string_append (out, option->by_itself != NULL ? " -F" : "");
  else
    g_string_append (out, is_file (option) ? " -r -F" : " -x");
  append_meaning (out, option->help);
}

static void
complete_verb (GString *out, const SlCommand *command)
{
  g_autofree char *words = arguments (command);
  if (words != NULL)
    g_string_append_printf (out, "complete -c softlabel -n '__softlabel_is %s' -f -a '%s'\n",
                            command->name, words);
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
  g_auto (GStrv) words = all_words (family);
  for (char **word = words; *word != NULL; word++)
    {
      g_string_append_printf (out, "complete -c softlabel -n '__softlabel_at %s' -f -a '%s'",
                              family != NULL ? family : "", *word);
      append_meaning (out, summary (family, *word));
    }
}

static void
fish_completion (GString *out)
{
  g_auto (GStrv) families = all_families ();
  g_auto (GStrv) words = all_words (NULL);
  g_autofree char *verbs = g_strjoinv (" ", words);
  g_autofree char *all_shells = g_strjoinv (" ", (char **) sl_completion_shells);
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
      verbs, all_shells);
  for (int i = 0; sl_commands[i] != NULL; i++)
    complete_verb (out, sl_commands[i]);
}

void
sl_completion (int shell, GString *out)
{
  static void (*const complete[]) (GString *)
      = { bash_completion, zsh_completion, fish_completion };
  complete[shell](out);
}
