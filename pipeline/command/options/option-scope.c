/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "option-scope.h"

#include "pipeline/base/error.h"

#include <string.h>

/* A refusal names what would be right where that is no more than these. */
#define MOST_NAMED 8

gboolean
sl_option_goes_with (const SlOption *option, const SlOption *deciding, int choice)
{
  guint32 traits = deciding->traits != NULL ? deciding->traits[choice] : (guint32) 1 << choice;
  return (option->of & traits) != 0;
}

const SlOption *
sl_option_find (const SlOption *table, const char *name)
{
  for (const SlOption *option = table; option->name != NULL; option++)
    if (strcmp (option->name, name) == 0)
      return option;
  g_assert_not_reached ();
}

/* The choices of DECIDING with which OPTION goes (GOES), or does not go: "a, b or c". */
static char *
list_choices (const SlOption *option, const SlOption *deciding, gboolean goes, int *n)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (int i = 0; deciding->choices[i] != NULL; i++)
    if (sl_option_goes_with (option, deciding, i) == goes)
      g_ptr_array_add (names, (gpointer) deciding->choices[i]);
  *n = (int) names->len;
  GString *list = g_string_new (NULL);
  for (guint i = 0; i < names->len; i++)
    g_string_append_printf (list, "%s%s",
                            i == 0               ? ""
                            : i + 1 < names->len ? ", "
                                                 : " or ",
                            (const char *) names->pdata[i]);
  return g_string_free (list, FALSE);
}

/* What may stand beside an option that is ALONE. */
static char *
companions (const SlOption *table, const SlOption *alone)
{
  GString *list = g_string_new (NULL);
  for (const SlOption *option = table; option->name != NULL; option++)
    if (g_strcmp0 (option->or_with, alone->name) == 0)
      g_string_append_printf (list, "%s--%s", list->len > 0 ? ", " : "", option->name);
  if (list->len == 0)
    g_string_assign (list, "no other option");
  g_string_prepend (list, "goes with ");
  if (list->str[strlen ("goes with ")] == '-')
    g_string_append (list, " only");
  return g_string_free (list, FALSE);
}

char *
sl_option_scope (const SlOption *table, const SlOption *option)
{
  if (option->alone)
    return companions (table, option);
  if (option->with == NULL)
    return NULL;
  const SlOption *deciding = sl_option_find (table, option->with);
  const char *other = option->or_with;
  if (option->of == 0)
    return g_strdup_printf ("only with --%s%s%s", option->with, other ? " or --" : "",
                            other ? other : "");
  int n, n_others;
  g_autofree char *goes = list_choices (option, deciding, TRUE, &n);
  g_autofree char *others = list_choices (option, deciding, FALSE, &n_others);
  if (n <= n_others)
    return g_strdup_printf ("only with --%s %s%s%s", option->with, goes, other ? ", or --" : "",
                            other ? other : "");
  return g_strdup_printf ("not with --%s %s%s%s", option->with, others,
                          other ? ", unless with --" : "", other ? other : "");
}

static gboolean
is_given (const SlOptions *options, const SlOption *option)
{
  return options->given[option - options->table];
}

/* Refuses GIVEN because SCOPED, which is GIVEN itself or what it goes with, is out of its scope. */
static gboolean
check_one (const SlOptions *options, const SlOption *given, const SlOption *scoped, GError **error)
{
  if (scoped->with == NULL
      || (scoped->or_with != NULL
          && is_given (options, sl_option_find (options->table, scoped->or_with))))
    return TRUE;
  const SlOption *deciding = sl_option_find (options->table, scoped->with);
  if (!check_one (options, given, deciding, error))
    return FALSE;
  if (scoped->of == 0)
    return is_given (options, deciding)
           || sl_error_usage (error, "--%s goes with --%s only", given->name, deciding->name);
  int choice = *(const int *) sl_option_field (deciding, options->values);
  /* Below 0 a choice that must be made has not been made, which its stage refuses. */
  if (choice < 0 || sl_option_goes_with (scoped, deciding, choice))
    return TRUE;
  int n;
  g_autofree char *right = list_choices (scoped, deciding, TRUE, &n);
  const char *other = n <= MOST_NAMED ? scoped->or_with : NULL;
  return sl_error_usage (error, "--%s does not go with --%s %s%s%s%s%s", given->name,
                         deciding->name, deciding->choices[choice],
                         n <= MOST_NAMED ? ", only with " : "", n <= MOST_NAMED ? right : "",
                         other != NULL ? ", or with --" : "", other != NULL ? other : "");
}

/* Whether all that is given goes with ALONE. */
static gboolean
check_beside (const SlOptions *options, const SlOption *alone, GError **error)
{
  for (const SlOption *option = options->table; option->name != NULL; option++)
    if (option != alone && is_given (options, option)
        && g_strcmp0 (option->or_with, alone->name) != 0)
      return sl_error_usage (error, "--%s does not go with --%s", option->name, alone->name);
  return TRUE;
}

gboolean
sl_options_check_scope (const SlOptions *options, GError **error)
{
  const SlOption *table = options->table, *option;
  for (option = table; option != NULL && option->name != NULL; option++)
    if (option->alone && is_given (options, option))
      return check_beside (options, option, error);
  for (option = table; option != NULL && option->name != NULL; option++)
    if (is_given (options, option) && !check_one (options, option, option, error))
      return FALSE;
  return TRUE;
}
