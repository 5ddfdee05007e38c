/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "option.h"

#include <string.h>

gpointer
sl_option_field (const SlOption *option, gconstpointer values)
{
  return (char *) values + option->field;
}

/* Whether the value is text, which the options then own. */
static gboolean
is_text (const SlOption *option)
{
  return option->kind == SL_OPTION_TEXT || option->kind == SL_OPTION_INPUT
         || option->kind == SL_OPTION_OUTPUT;
}

void
sl_options_init (SlOptions *options, const SlOption *table, gconstpointer defaults, gsize size)
{
  gsize n = 0;
  options->table = table;
  options->values = g_memdup2 (defaults, size);
  for (const SlOption *option = table; option != NULL && option->name != NULL; option++, n++)
    if (is_text (option))
      {
        char **text = sl_option_field (option, options->values);
        *text = g_strdup (*text);
      }
  options->given = g_new0 (gboolean, n + 1);
}

void
sl_options_clear (SlOptions *options)
{
  for (const SlOption *option = options->table; option != NULL && option->name != NULL; option++)
    if (is_text (option))
      g_free (*(char **) sl_option_field (option, options->values));
    else if (option->kind == SL_OPTION_TEXTS || option->kind == SL_OPTION_INPUTS)
      g_strfreev (*(char ***) sl_option_field (option, options->values));
  g_clear_pointer (&options->values, g_free);
  g_clear_pointer (&options->given, g_free);
  options->table = NULL;
}

gboolean
sl_option_given (const SlOptions *options, const char *name)
{
  for (const SlOption *option = options->table; option->name != NULL; option++)
    if (strcmp (option->name, name) == 0)
      return options->given[option - options->table];
  g_assert_not_reached ();
}

const char *
sl_option_path (const SlOptions *options, const SlOption *option)
{
  g_assert (option->kind == SL_OPTION_INPUT || option->kind == SL_OPTION_OUTPUT);
  return *(char **) sl_option_field (option, options->values);
}

const char *
sl_option_input (const SlOptions *options, const SlOption *option, gsize i)
{
  if (option->kind == SL_OPTION_INPUT)
    return i == 0 ? sl_option_path (options, option) : NULL;
  if (option->may_be_file)
    {
      const char *text = *(char **) sl_option_field (option, options->values);
      return i == 0 && text != NULL && g_file_test (text, G_FILE_TEST_EXISTS) ? text : NULL;
    }
  char **paths = option->kind == SL_OPTION_INPUTS
                     ? *(char ***) sl_option_field (option, options->values)
                     : NULL;
  return paths != NULL && i < g_strv_length (paths) ? paths[i] : NULL;
}
