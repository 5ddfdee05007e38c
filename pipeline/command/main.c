/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/base/process/shortage.h"
#include "pipeline/base/shown-text.h"
#include "pipeline/arrow/threads.h"
#include "pipeline/files/output.h"
#include "commands.h"
#include "help/completion.h"
#include "help/help.h"

#include <gsl/gsl_errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

static int
print (GString *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SlOutput) output = sl_output_new (NULL, &error);
  gboolean ok = output != NULL && sl_output_write (output, text->str, text->len, &error)
                && sl_output_finish (output, &error);
  if (!ok && output != NULL && sl_output_is_broken_pipe (output))
    sl_output_end_by_pipe ();
  if (!ok)
    fprintf (stderr, "softlabel: %s\n", error->message);
  return ok ? 0 : 1;
}

/* WORDS do not begin with a verb. */
static int
unknown (char **words)
{
  gboolean family = sl_command_is_family (words[0]);
  if (family && words[1] == NULL)
    {
      fprintf (stderr, "softlabel: %s takes a second word: `softlabel %s --help` lists them\n",
               words[0], words[0]);
      return 2;
    }
  g_autofree char *said = g_strjoin (" ", words[0], family ? words[1] : NULL, NULL);
  g_autofree char *shown = g_utf8_make_valid (said, -1);
  const char *nearest = sl_command_nearest (said);
  fprintf (stderr, "softlabel: '%s' is no verb%s%s%s (`softlabel%s%s --help` lists them)\n", shown,
           nearest != NULL ? "; did you mean '" : "", nearest != NULL ? nearest : "",
           nearest != NULL ? "'?" : "", family ? " " : "", family ? words[0] : "");
  return 2;
}

/* help [VERB], man [VERB] */
static int
print_help (char **words, gboolean man)
{
  g_autoptr (GString) text = g_string_new (NULL);
  int n;
  const SlCommand *command = sl_command_find (words, &n);
  gboolean family = command == NULL && words[0] != NULL && words[1] == NULL && !man
                    && sl_command_is_family (words[0]);
  if (command == NULL && words[0] != NULL && !family)
    return unknown (words);
  if (man)
    sl_help_man (text, command);
  else if (family)
    sl_help_family (text, words[0]);
  else if (command != NULL)
    sl_help_command (text, command);
  else
    sl_help_overview (text);
  return print (text);
}

static gboolean
asks_help (char **words)
{
  for (; *words != NULL && strcmp (*words, "--") != 0; words++)
    if (strcmp (*words, "--help") == 0 || strcmp (*words, "-h") == 0)
      return TRUE;
  return FALSE;
}

/* The script of the shell that is named; of bash where none is. */
static int
complete (char **words)
{
  g_autoptr (GString) text = g_string_new (NULL);
  const char *shell = words[0] != NULL ? words[0] : "bash";
  int i = 0;
  while (sl_completion_shells[i] != NULL && strcmp (sl_completion_shells[i], shell) != 0)
    i++;
  if (sl_completion_shells[i] == NULL || (words[0] != NULL && words[1] != NULL))
    {
      g_autofree char *all = g_strjoinv (", ", (char **) sl_completion_shells);
      g_autofree char *shown = sl_shown (words[0], strlen (words[0]));
      fprintf (stderr, "softlabel completion: '%s': name one shell of %s\n", shown, all);
      return 2;
    }
  sl_completion (i, text);
  return print (text);
}

static int
dispatch (char **words)
{
  int n;
  const SlCommand *command = sl_command_find (words, &n);
  if (command != NULL && asks_help (words + n))
    return print_help (words, FALSE);
  if (command != NULL)
    return sl_run_command (command, words + n);
  if (strcmp (words[0], "--help") == 0 || strcmp (words[0], "-h") == 0
      || strcmp (words[0], "help") == 0)
    return print_help (words + 1, FALSE);
  if (sl_command_is_family (words[0]) && words[1] != NULL && asks_help (words + 1))
    return print_help ((char *[]){ words[0], NULL }, FALSE);
  if (strcmp (words[0], "man") == 0)
    return print_help (words + 1, TRUE);
  g_autoptr (GString) text = g_string_new (NULL);
  if (strcmp (words[0], "completion") == 0)
    return complete (words + 1);
  if (strcmp (words[0], "--version") == 0)
    g_string_append (text, "softlabel " SL_VERSION "\n");
  else
    return unknown (words);
  return print (text);
}

/* Only what characters are: numbers stay as the C locale has them. Where the locale is not
 * installed, as on small systems, what its name says of the terminal holds all the same. */
static void
set_locale (void)
{
  static const char *const variables[] = { "LC_ALL", "LC_CTYPE", "LANG" };
  const char *name = NULL;
  if (setlocale (LC_CTYPE, "") != NULL)
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (variables) && (name == NULL || *name == '\0'); i++)
    name = g_getenv (variables[i]);
  g_autofree char *small = g_ascii_strdown (name != NULL ? name : "", -1);
  /* What GLib takes for the locale's. */
  if (strstr (small, ".utf-8") != NULL || strstr (small, ".utf8") != NULL)
    g_setenv ("CHARSET", "UTF-8", FALSE);
}

int
main (int argc, char **argv)
{
  set_locale ();
  sl_shortage_init ();
  sl_arrow_init ();
  sl_output_init ();
  (void) gsl_set_error_handler_off ();
  if (argc > 1)
    return sl_shortage_leave (dispatch (argv + 1));
  g_autoptr (GString) text = g_string_new (NULL);
  sl_help_overview (text);
  fputs (text->str, stderr);
  return 2;
}
