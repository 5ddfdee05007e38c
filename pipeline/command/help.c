/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "help.h"

#include "pipeline/base/number-text.h"
#include "pipeline/display/terminal.h"
#include "commands.h"
#include "run-private.h"

#include <math.h>
#include <string.h>

#define WIDTH 80
#define INDENT 26

static void
append_number (GString *out, double value)
{
  char text[SL_REAL_CHARS];
  if (fabs (value) >= 9e18)
    g_string_append (out, "unlimited");
  else if (value == rint (value) && fabs (value) < 1e15)
    g_string_append_printf (out, "%.0f", value);
  else
    g_string_append_len (out, text, (gssize) sl_format_real (text, value));
}

static void
append_range (GString *out, const SlOption *option, gconstpointer initial)
{
  g_string_append (out, " (");
  append_number (out, option->min);
  if (option->max >= 9e18)
    g_string_append (out, " or more");
  else
    {
      g_string_append (out, " to ");
      append_number (out, option->max);
    }
  double value = option->kind == SL_OPTION_REAL ? *(const double *) initial
                                                : (double) *(const gint64 *) initial;
  if (value >= option->min) /* else there is none */
    {
      g_string_append (out, "; default ");
      append_number (out, value);
    }
  g_string_append_c (out, ')');
}

/* Choices that fit stand where the value stands: --repeats keep|drop. */
#define SHORT_CHOICES 24

static char *
short_choices (const SlOption *option)
{
  char *joined = g_strjoinv ("|", (char **) option->choices);
  if (strlen (joined) <= SHORT_CHOICES)
    return joined;
  g_free (joined);
  return NULL;
}

/* VALUE: the default; negative: one must be chosen. */
static void
append_choices (GString *out, const SlOption *option, int value)
{
  g_autofree char *all = g_strjoinv (", ", (char **) option->choices);
  g_autofree char *shown = short_choices (option);
  gboolean told = shown != NULL || option->meanings != NULL;
  if (!told || value >= 0)
    g_string_append_printf (out, " (%s%s%s%s)", told ? "" : all, !told && value >= 0 ? "; " : "",
                            value >= 0 ? "default " : "", value >= 0 ? option->choices[value] : "");
}

static void
append_value (GString *out, const SlOption *option)
{
  if (option->kind == SL_OPTION_FLAG)
    return;
  g_autofree char *choices = option->kind == SL_OPTION_CHOICE ? short_choices (option) : NULL;
  g_autofree char *name = g_ascii_strup (option->name, -1);
  const char *placeholder = option->placeholder != NULL ? option->placeholder : name;
  g_string_append_printf (out, " %s", choices != NULL ? choices : placeholder);
}

/* Whether it is the option NAME of every verb, not one of a stage's own. */
static gboolean
is_common (const SlOption *option, const char *name)
{
  for (const SlOption *common = sl_common_options; common->name != NULL; common++)
    if (common == option)
      return strcmp (common->name, name) == 0;
  return FALSE;
}

/* Whether an option of every verb is refused by this one: text has no format. */
static gboolean
is_refused (const SlOption *option, const SlCommand *command)
{
  return command != NULL && command->flags & SL_COMMAND_TEXT && is_common (option, "format");
}

/* Whether an option of every verb does nothing for this one. A script may give all verbs the same options. */
static gboolean
is_idle (const SlOption *option, const SlCommand *command)
{
  if (command == NULL)
    return FALSE;
  return (is_common (option, "seed") && !(command->flags & SL_COMMAND_SEEDED))
         || (is_common (option, "no-provenance") && command->flags & SL_COMMAND_TEXT);
}

/* What the option does, with its values, range and default, which stands in DEFAULTS. */
static char *
describe (const SlOption *option, gconstpointer defaults, const SlCommand *command)
{
  gconstpointer initial = sl_option_field (option, defaults);
  if (is_idle (option, command))
    return g_strdup ("not used by this verb");
  GString *out = g_string_new (option->help);
  switch (option->kind)
    {
    case SL_OPTION_INTEGER:
    case SL_OPTION_REAL:
      append_range (out, option, initial);
      break;
    case SL_OPTION_CHOICE:
      append_choices (out, option, *(const int *) initial);
      break;
    case SL_OPTION_TEXTS:
      g_string_append (out, " (may be given again)");
      break;
    case SL_OPTION_TEXT:
      if (*(char *const *) initial != NULL)
        g_string_append_printf (out, " (default %s)", *(char *const *) initial);
      break;
    default:
      break;
    }
  return g_string_free (out, FALSE);
}

static char *
spell (const SlOption *option)
{
  GString *out = g_string_new (NULL);
  if (option->letter != 0)
    g_string_append_printf (out, "-%c, ", option->letter);
  g_string_append_printf (out, "--%s", option->name);
  append_value (out, option);
  return g_string_free (out, FALSE);
}

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
      if (is_refused (option, command))
        continue;
      g_autofree char *spelled = spell (option);
      g_autofree char *text = describe (option, defaults, command);
      append_entry (out, 2, spelled, text);
      for (int i = 0; option->meanings != NULL && option->choices[i] != NULL; i++)
        append_entry (out, 4, option->choices[i], option->meanings[i]);
    }
}

static void
append_kinds (GString *out, const SlCommand *command)
{
  if (command->reads != NULL)
    {
      g_string_append (out, "Reads a table of kind ");
      for (int i = 0; command->reads[i] != NULL; i++)
        g_string_append_printf (out, "%s%s", i > 0 ? " or " : "", command->reads[i]->name);
      g_string_append (out, ", from FILE or standard input. ");
    }
  if (command->writes != NULL)
    g_string_append_printf (out, "Writes %s of kind %s. ", out->len > 0 ? "one" : "a table",
                            command->writes->name);
  if (out->len > 0)
    g_string_append (out, "`softlabel schema KIND` tells their columns.");
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
           "manual page; `softlabel completion` prints bash completion, `softlabel --version`\n"
           "the version.\n");
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
  g_string_append_printf (out, "Usage: softlabel %s [OPTION…] %s\n\n", command->name,
                          command->arguments);
  g_string_append_printf (out, "%c%s.", g_ascii_toupper (command->summary[0]),
                          command->summary + 1);
  g_string_append (out, "\n\n");
  g_autoptr (GString) kinds = g_string_new (NULL);
  append_kinds (kinds, command);
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
      if (is_refused (option, command))
        continue;
      g_autofree char *text = describe (option, defaults, command);
      g_autofree char *spelled = spell (option);
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
  append_kinds (kinds, command);
  roff (out, kinds->str);
  g_string_append_c (out, '\n');
  man_paragraphs (out, command->description);
  man_options (out, "OPTIONS", command->options, command->defaults, command);
  man_options (out, "OPTIONS OF EVERY VERB", sl_common_options, &sl_common_defaults, command);
  man_examples (out, command->examples);
  g_string_append (out, ".SH SEE ALSO\nsoftlabel(1)\n");
}

static void
complete_options (GString *out, const SlOption *table)
{
  for (const SlOption *option = table; option != NULL && option->name != NULL; option++)
    g_string_append_printf (out, " --%s", option->name);
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
  g_string_append (
      out, "# bash completion for softlabel: source <(softlabel completion)\n_softlabel () {\n"
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
      g_string_append (out, "' ;;\n");
    }
  g_string_append (
      out, "    esac; fi\n  fi\n  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n}\n"
           "complete -o default -F _softlabel softlabel\n");
}
