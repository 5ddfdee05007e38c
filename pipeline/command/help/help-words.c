/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "help-words.h"

#include "pipeline/base/number-text.h"
#include "pipeline/command/options/option-scope.h"
#include "pipeline/command/run-private.h"

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

gboolean
sl_help_leaves_out (const SlOption *option, const SlCommand *command)
{
  return command != NULL && command->flags & SL_COMMAND_TEXT && is_common (option, "format");
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

char *
sl_help_describe (const SlOption *option, const SlOption *table, gconstpointer defaults,
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

char *
sl_help_spell (const SlOption *option)
{
  GString *out = g_string_new (NULL);
  if (option->letter != 0)
    g_string_append_printf (out, "-%c, ", option->letter);
  g_string_append_printf (out, "--%s", option->name);
  append_value (out, option);
  return g_string_free (out, FALSE);
}

gboolean
sl_help_new_kind (const SlOption *option, int choice)
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
      if (sl_help_new_kind (option, i))
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

void
sl_help_kinds (GString *out, const SlCommand *command)
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
