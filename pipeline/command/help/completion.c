/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "completion.h"

#include "pipeline/table/table.h"

#include <string.h>

const char *const sl_completion_own[] = { "help", "man", "completion", NULL };
const char *const sl_completion_shells[] = { "bash", "zsh", "fish", NULL };

gboolean
sl_completion_is_scoped (const SlOption *option)
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

char *
sl_completion_values (const SlOption *option)
{
  if (option->choices != NULL
      && (option->kind == SL_OPTION_CHOICE || option->kind == SL_OPTION_TEXT))
    return g_strjoinv (" ", (char **) option->choices);
  return g_strcmp0 (option->placeholder, "KIND") == 0 ? kinds () : NULL;
}

gboolean
sl_completion_is_file (const SlOption *option)
{
  return option->kind == SL_OPTION_INPUT || option->kind == SL_OPTION_INPUTS
         || option->kind == SL_OPTION_OUTPUT || g_strcmp0 (option->placeholder, "FILE") == 0;
}

char *
sl_completion_arguments (const SlCommand *command)
{
  return strstr (command->arguments, "KIND") != NULL ? kinds () : NULL;
}

char **
sl_completion_words (const char *family)
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
  for (int i = 0; family == NULL && sl_completion_own[i] != NULL; i++)
    g_strv_builder_add (words, sl_completion_own[i]);
  return g_strv_builder_end (words);
}

char **
sl_completion_families (void)
{
  g_auto (GStrv) words = sl_completion_words (NULL);
  g_autoptr (GStrvBuilder) families = g_strv_builder_new ();
  for (char **word = words; *word != NULL; word++)
    if (sl_command_is_family (*word))
      g_strv_builder_add (families, *word);
  return g_strv_builder_end (families);
}

const char *
sl_completion_summary (const char *family, const char *word)
{
  static const char *const own[]
      = { "tell of a verb", "print a verb's manual page", "print the completion of a shell" };
  g_autofree char *name = family != NULL ? g_strconcat (family, " ", word, NULL) : g_strdup (word);
  const SlCommand *command = sl_command_by_name (name);
  for (int i = 0; family == NULL && sl_completion_own[i] != NULL; i++)
    if (strcmp (sl_completion_own[i], word) == 0)
      return own[i];
  return command != NULL ? command->summary : "verbs of two words";
}
