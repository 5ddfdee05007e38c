/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options as a history records them. */
#include "option-scope.h"

#include "pipeline/base/json.h"

/* Where a file lies is nobody's business. */
static void
append_base (GString *json, const char *path)
{
  g_autofree char *base = g_path_get_basename (path);
  g_autofree char *valid = g_utf8_make_valid (base, -1);
  sl_json_string (json, valid, -1);
}

static void
append_all (GString *json, char *const *texts, void (*append) (GString *json, const char *text))
{
  g_string_append_c (json, '[');
  for (char *const *text = texts; text != NULL && *text != NULL; text++)
    {
      if (text != texts)
        g_string_append_c (json, ',');
      append (json, *text);
    }
  g_string_append_c (json, ']');
}

static void
append_text_json (GString *json, const char *text)
{
  sl_json_string (json, text, -1);
}

void
sl_option_to_json (const SlOption *option, gconstpointer value, GString *json)
{
  switch (option->kind)
    {
    case SL_OPTION_FLAG:
      g_string_append (json, *(gboolean *) value ? "true" : "false");
      return;
    case SL_OPTION_INTEGER:
    case SL_OPTION_SIZE:
      g_string_append_printf (json, "%" G_GINT64_FORMAT, *(gint64 *) value);
      return;
    case SL_OPTION_REAL:
      sl_json_real (json, *(double *) value);
      return;
    case SL_OPTION_CHOICE:
      /* A required choice that has not been made. */
      if (*(int *) value < 0)
        g_string_append (json, "null");
      else
        sl_json_string (json, option->choices[*(int *) value], -1);
      return;
    case SL_OPTION_TEXTS:
      append_all (json, *(char ***) value, append_text_json);
      return;
    case SL_OPTION_INPUTS:
      append_all (json, *(char ***) value, append_base);
      return;
    case SL_OPTION_OUTPUT:
      g_string_append (json, "true");
      return;
    case SL_OPTION_TEXT:
    case SL_OPTION_INPUT:
      if (*(char **) value == NULL)
        g_string_append (json, "null");
      else
        (option->kind == SL_OPTION_TEXT ? append_text_json : append_base) (json, *(char **) value);
      return;
    }
}

/* Whether OPTION goes only with choices, of the option that decides it, that make another kind of
 * table than the one chosen. */
static gboolean
is_of_other_kind (const SlOptions *options, const SlOption *option)
{
  const SlOption *deciding = option->with != NULL && option->of != 0
                                 ? sl_option_find (options->table, option->with)
                                 : NULL;
  if (deciding == NULL || deciding->makes == NULL)
    return FALSE;
  int chosen = *(const int *) sl_option_field (deciding, options->values);
  for (int i = 0; chosen >= 0 && deciding->choices[i] != NULL; i++)
    if (deciding->makes[i] == deciding->makes[chosen] && sl_option_goes_with (option, deciding, i))
      return FALSE;
  return chosen >= 0;
}

static gboolean
is_recorded (const SlOption *option, gconstpointer value)
{
  if (option->kind == SL_OPTION_OUTPUT)
    return option->shapes_output && *(char **) value != NULL;
  return !option->unrecorded;
}

char *
sl_options_to_json (const SlOptions *options)
{
  GString *json = g_string_new ("{");
  for (const SlOption *option = options->table; option != NULL && option->name != NULL; option++)
    {
      gconstpointer value = sl_option_field (option, options->values);
      if (!is_recorded (option, value) || is_of_other_kind (options, option))
        continue;
      sl_json_member (json, option->name);
      sl_option_to_json (option, value, json);
    }
  g_string_append_c (json, '}');
  return g_string_free (json, FALSE);
}
