/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What --help and the manual pages, which are roff source, say of options and verbs. */
#include "help.h"

#include "pipeline/base/number-text.h"
#include "pipeline/command/commands.h"
#include "pipeline/command/options/option-scope.h"
#include "pipeline/command/run-private.h"
#include "pipeline/display/terminal.h"

#include <math.h>
#include <string.h>

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

/* Few, short choices stand in place of the value's name: --repeats keep|drop. */
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
  if (option->by_itself != NULL)
    g_string_append_printf (out, "[=%s]", placeholder);
  else
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

static gboolean
leaves_out (const SlOption *option, const SlCommand *command)
{
  if (command == NULL)
    return FALSE;
  gboolean no_table = command->flags & (SL_COMMAND_TEXT | SL_COMMAND_BYTES | SL_COMMAND_FOLDER);
  return (command->flags & SL_COMMAND_TEXT && is_common (option, "format"))
         || (no_table
             && (is_common (option, "partition-by") || is_common (option, "rows-per-file")));
}

/* Whether an option of every verb does nothing for this one. A script may give all verbs the same
 * options. */
static gboolean
is_idle (const SlOption *option, const SlCommand *command)
{
  if (command == NULL)
    return FALSE;
  return (is_common (option, "seed") && !(command->flags & SL_COMMAND_SEEDED))
         || (is_common (option, "no-provenance") && command->flags & SL_COMMAND_TEXT)
         || (is_common (option, "no-digest")
             && command->flags & (SL_COMMAND_TEXT | SL_COMMAND_BYTES | SL_COMMAND_FOLDER));
}

gboolean
sl_help_is_unused (const SlOption *option, const SlCommand *command)
{
  return leaves_out (option, command) || is_idle (option, command);
}

/* What the number of threads does to the output. Networks add up in an order that depends on it. */
static const char *
threads_and_bytes (const SlCommand *command)
{
  if (command == NULL)
    return "; only what networks compute depends on it, in the last digits";
  if (command->flags & SL_COMMAND_NETWORKS)
    return "; what networks compute depends on it, in the last digits";
  return ". The output's bytes do not depend on it";
}

/* What --output is where no table is written. */
static const char bytes_output[] = "write to FILE, which appears only when all went well "
                                   "(otherwise to standard output)";

static char *
describe_option (const SlOption *option, const SlOption *table, gconstpointer defaults,
                 const SlCommand *command)
{
  gconstpointer initial = sl_option_field (option, defaults);
  if (is_idle (option, command))
    return g_strdup ("not used by this verb");
  if (is_common (option, "output") && command != NULL && command->flags & SL_COMMAND_FOLDER)
    return g_strdup ("write the folder FILE, which appears only when all went well, and replaces "
                     "nothing but what this verb wrote");
  gboolean prints = command != NULL && command->flags & (SL_COMMAND_TEXT | SL_COMMAND_BYTES);
  GString *out
      = g_string_new (prints && is_common (option, "output") ? bytes_output : option->help);
  if (is_common (option, "threads"))
    g_string_append (out, threads_and_bytes (command));
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
    case SL_OPTION_INPUTS:
      g_string_append (out, " (may be given again)");
      break;
    case SL_OPTION_TEXT:
      if (*(char *const *) initial != NULL)
        g_string_append_printf (out, " (default %s)", *(char *const *) initial);
      break;
    default:
      break;
    }
  g_autofree char *scope = sl_option_scope (table, option);
  if (scope != NULL)
    g_string_append_printf (out, "; %s", scope);
  return g_string_free (out, FALSE);
}

static char *
spell_option (const SlOption *option)
{
  GString *out = g_string_new (NULL);
  if (option->letter != 0)
    g_string_append_printf (out, "-%c, ", option->letter);
  g_string_append_printf (out, "--%s", option->name);
  append_value (out, option);
  return g_string_free (out, FALSE);
}

static gboolean
makes_new_kind (const SlOption *option, int choice)
{
  return option->makes != NULL
         && (choice == 0 || option->makes[choice] != option->makes[choice - 1]);
}

/* ", of kind mixtures with --from mixup" of each kind that OPTION's choices make and the verb does
 * not write anyway. */
static void
append_made (GString *out, const SlOption *option, const SlKind *usual)
{
  for (int i = 0; option->makes != NULL && option->choices[i] != NULL; i++)
    {
      if (option->makes[i] == usual)
        continue;
      if (makes_new_kind (option, i))
        g_string_append_printf (out, ", of kind %s with --%s ", option->makes[i]->name,
                                option->name);
      else
        {
          gboolean last
              = option->choices[i + 1] == NULL || option->makes[i + 1] != option->makes[i];
          g_string_append (out, last ? " or " : ", ");
        }
      g_string_append (out, option->choices[i]);
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
    {
      g_string_append_printf (out, "Writes %s of kind %s", out->len > 0 ? "one" : "a table",
                              command->writes->name);
      const SlAlsoWrites *also = command->also_writes;
      for (; also != NULL && also->kind != NULL; also++)
        g_string_append_printf (out, ", of kind %s with %s", also->kind->name, also->with);
      for (const SlOption *option = command->options; option != NULL && option->name != NULL;
           option++)
        append_made (out, option, command->writes);
      g_string_append (out, ". ");
    }
  if (out->len > 0)
    g_string_append (out, "`softlabel schema KIND` tells their columns.");
}

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
      if (leaves_out (option, command))
        continue;
      g_autofree char *spelled = spell_option (option);
      g_autofree char *text = describe_option (option, table, defaults, command);
      append_entry (out, 2, spelled, text);
      for (int i = 0; option->meanings != NULL && option->choices[i] != NULL; i++)
        {
          if (makes_new_kind (option, i))
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
      if (makes_new_kind (option, i))
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
      if (leaves_out (option, command))
        continue;
      g_autofree char *text = describe_option (option, table, defaults, command);
      g_autofree char *spelled = spell_option (option);
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
man_exit_status (GString *out)
{
  g_string_append (out, ".SH EXIT STATUS\n0 done; 1 reading, writing or memory failed; 2 the "
                        "command line is wrong; 3 the input is invalid or incomplete.\n");
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
  man_exit_status (out);
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
  man_exit_status (out);
  man_examples (out, command->examples);
  g_string_append (out, ".SH SEE ALSO\nsoftlabel(1)\n");
}
