/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "option.h"

#include "pipeline/base/error.h"
#include "pipeline/base/json.h"
#include "pipeline/base/number-text.h"

#include <math.h>
#include <string.h>

static GHashTable *given; /* the values that the command line has set */

/* 512M, 2G, 1.5T; a bare number is bytes. */
static gboolean
parse_size (const char *text, gint64 *value)
{
  static const char units[] = "KMGT";
  gsize n = strlen (text);
  if (n > 1 && g_ascii_toupper (text[n - 1]) == 'B')
    n--;
  gboolean binary = n > 2 && text[n - 1] == 'i';
  if (binary)
    n--;
  const char *unit = n > 1 ? strchr (units, g_ascii_toupper (text[n - 1])) : NULL;
  if (binary && unit == NULL)
    return FALSE;
  double number;
  if (!sl_parse_real (text, (gssize) (unit ? n - 1 : n), &number) || number < 0)
    return FALSE;
  double bytes = unit ? ldexp (number, 10 * (int) (unit - units + 1)) : number;
  if (bytes >= 9e18)
    return FALSE;
  *value = (gint64) bytes;
  return TRUE;
}

static gboolean
bad_value (const SlOption *option, const char *text, const char *wanted, GError **error)
{
  g_autofree char *shown = g_utf8_make_valid (text, -1);
  g_set_error (error, SL_ERROR, SL_ERROR_USAGE, "--%s: '%s' is not %s", option->name, shown,
               wanted);
  return FALSE;
}

static gboolean
bad_empty (const SlOption *option, GError **error)
{
  g_set_error (error, SL_ERROR, SL_ERROR_USAGE, "--%s: its value is empty", option->name);
  return FALSE;
}

/* VALUE is what TEXT says, infinite where it is more than can be held. */
static gboolean
bad_range (const SlOption *option, const char *text, double value, GError **error)
{
  char low[SL_REAL_CHARS], high[SL_REAL_CHARS];
  int n_low = (int) sl_format_real (low, option->min),
      n_high = (int) sl_format_real (high, option->max);
  gboolean open = option->max >= 9e18;
  if (open && value > option->max)
    {
      g_set_error (error, SL_ERROR, SL_ERROR_USAGE, "--%s: '%s' is too large (at most %.0f)",
                   option->name, text, option->max);
      return FALSE;
    }
  g_autofree char *wanted
      = open ? g_strdup_printf ("%.*s or more", n_low, low)
             : g_strdup_printf ("between %.*s and %.*s", n_low, low, n_high, high);
  return bad_value (option, text, wanted, error);
}

static gboolean
set_integer (const SlOption *option, const char *text, GError **error)
{
  const char *digits = text[0] == '+' || text[0] == '-' ? text + 1 : text;
  gint64 integer;
  gboolean held = sl_parse_integer (text, -1, &integer);
  if (!held && (*digits == '\0' || digits[strspn (digits, "0123456789")] != '\0'))
    return bad_value (option, text, "a whole number", error);
  double value = held ? (double) integer : text[0] == '-' ? -HUGE_VAL : HUGE_VAL;
  if (value < option->min || value > option->max)
    return bad_range (option, text, value, error);
  *(gint64 *) option->value = integer;
  return TRUE;
}

static gboolean
set_real (const SlOption *option, const char *text, GError **error)
{
  double real;
  if (!sl_parse_real (text, -1, &real) && !sl_is_huge (text, -1, &real))
    return bad_value (option, text, "a number", error);
  if (real < option->min || real > option->max)
    return bad_range (option, text, real, error);
  *(double *) option->value = real;
  return TRUE;
}

static gboolean
set_choice (const SlOption *option, const char *text, GError **error)
{
  for (int i = 0; option->choices[i] != NULL; i++)
    if (strcmp (option->choices[i], text) == 0)
      {
        *(int *) option->value = i;
        return TRUE;
      }
  g_autofree char *all = g_strjoinv (", ", (char **) option->choices);
  g_autofree char *wanted = g_strdup_printf ("one of %s", all);
  return bad_value (option, text, wanted, error);
}

static void
append_text (char ***texts, const char *text)
{
  guint n = *texts == NULL ? 0 : g_strv_length (*texts);
  *texts = g_renew (char *, *texts, n + 2);
  (*texts)[n] = g_strdup (text);
  (*texts)[n + 1] = NULL;
}

static gboolean
set_value (const SlOption *option, const char *text, GError **error)
{
  switch (option->kind)
    {
    case SL_OPTION_FLAG:
      *(gboolean *) option->value = TRUE;
      return TRUE;
    case SL_OPTION_INTEGER:
      return set_integer (option, text, error);
    case SL_OPTION_REAL:
      return set_real (option, text, error);
    case SL_OPTION_SIZE:
      if (!parse_size (text, option->value))
        return bad_value (option, text, "a size such as 512M or 2G", error);
      return TRUE;
    case SL_OPTION_CHOICE:
      return set_choice (option, text, error);
    case SL_OPTION_TEXTS:
    case SL_OPTION_TEXT:
      if (!g_utf8_validate (text, -1, NULL))
        return bad_value (option, text, "UTF-8 text", error);
      if (option->kind == SL_OPTION_TEXTS)
        {
          append_text (option->value, text);
          return TRUE;
        }
      G_GNUC_FALLTHROUGH;
    case SL_OPTION_INPUT:
    case SL_OPTION_OUTPUT:
      if (text[0] == '\0')
        return bad_empty (option, error);
      g_free (*(char **) option->value);
      *(char **) option->value = g_strdup (text);
      return TRUE;
    }
  g_assert_not_reached ();
}

/* The option that NAME[length], or LETTER, stands for; NULL for none. */
static const SlOption *
find_option (const SlOption *const *tables, const char *name, gsize length, char letter)
{
  for (; *tables != NULL; tables++)
    for (const SlOption *option = *tables; option->name != NULL; option++)
      if (name != NULL ? strlen (option->name) == length && memcmp (option->name, name, length) == 0
                       : letter != 0 && option->letter == letter)
        return option;
  return NULL;
}

static gboolean
bad_word (const char *word, gsize length, const char *what, GError **error)
{
  g_autofree char *shown = g_utf8_make_valid (word, (gssize) length);
  g_set_error (error, SL_ERROR, SL_ERROR_USAGE, "%s %s", shown, what);
  return FALSE;
}

/* Sets OPTION, which WORD[length] names, to VALUE or, where that is NULL, to the next word of *ARGV, which is taken. */
static gboolean
take_value (const SlOption *option, const char *word, gsize length, const char *value, char ***argv,
            GError **error)
{
  if (option->kind != SL_OPTION_FLAG && value == NULL)
    {
      if (**argv == NULL)
        return bad_word (word, length, "lacks its value", error);
      value = *(*argv)++;
    }
  g_hash_table_add (given, option->value);
  return set_value (option, value, error);
}

/* --name, --name=value, --name value */
static gboolean
take_long (const SlOption *const *tables, const char *word, char ***argv, GError **error)
{
  gsize length = strcspn (word, "=");
  const SlOption *option = find_option (tables, word + 2, length - 2, 0);
  if (option == NULL)
    return bad_word (word, length, "is no option", error);
  if (option->kind == SL_OPTION_FLAG && word[length] == '=')
    return bad_word (word, length, "takes no value", error);
  return take_value (option, word, length, word[length] == '=' ? word + length + 1 : NULL, argv,
                     error);
}

/* -q, -qv, -j 4, -j4, -qj4 */
static gboolean
take_letters (const SlOption *const *tables, const char *word, char ***argv, GError **error)
{
  for (const char *letter = word + 1; *letter != '\0'; letter++)
    {
      char shown[] = { '-', *letter, '\0' };
      const SlOption *option = find_option (tables, NULL, 0, *letter);
      if (option == NULL)
        return bad_word (shown, 2, "is no option", error);
      gboolean is_flag = option->kind == SL_OPTION_FLAG;
      if (!take_value (option, shown, 2, is_flag || letter[1] == '\0' ? NULL : letter + 1, argv,
                       error))
        return FALSE;
      if (!is_flag)
        break;
    }
  return TRUE;
}

/* Not GLib's parser: it knows no -j4, takes --flag=no for --flag, and may leave "--" among the files. */
gboolean
sl_options_parse (const SlOption *own, const SlOption *common, char ***argv, GError **error)
{
  const SlOption *tables[] = { own != NULL ? own : common, own != NULL ? common : NULL, NULL };
  if (given == NULL)
    given = g_hash_table_new (NULL, NULL);
  g_hash_table_remove_all (given);
  g_autoptr (GStrvBuilder) files = g_strv_builder_new ();
  gboolean ended = FALSE, ok = TRUE;
  for (char **words = *argv; *words != NULL && ok;)
    {
      const char *word = *words++;
      if (ended || word[0] != '-' || word[1] == '\0')
        g_strv_builder_add (files, word);
      else if (strcmp (word, "--") == 0)
        ended = TRUE;
      else
        ok = (word[1] == '-' ? take_long : take_letters) (tables, word, &words, error);
    }
  if (!ok)
    return FALSE;
  g_strfreev (*argv);
  *argv = g_strv_builder_end (files);
  return TRUE;
}

gboolean
sl_option_given (const SlOption *table, const char *name)
{
  for (const SlOption *option = table; option->name != NULL; option++)
    if (strcmp (option->name, name) == 0)
      return given != NULL && g_hash_table_contains (given, option->value);
  g_assert_not_reached ();
}

static void
value_to_json (const SlOption *option, GString *json)
{
  switch (option->kind)
    {
    case SL_OPTION_FLAG:
      g_string_append (json, *(gboolean *) option->value ? "true" : "false");
      return;
    case SL_OPTION_INTEGER:
    case SL_OPTION_SIZE:
      g_string_append_printf (json, "%" G_GINT64_FORMAT, *(gint64 *) option->value);
      return;
    case SL_OPTION_REAL:
      sl_json_real (json, *(double *) option->value);
      return;
    case SL_OPTION_CHOICE:
      /* A required choice that has not been made. */
      if (*(int *) option->value < 0)
        g_string_append (json, "null");
      else
        sl_json_string (json, option->choices[*(int *) option->value], -1);
      return;
    case SL_OPTION_TEXTS:
      g_string_append_c (json, '[');
      for (char **text = *(char ***) option->value; text != NULL && *text != NULL; text++)
        {
          if (text != *(char ***) option->value)
            g_string_append_c (json, ',');
          sl_json_string (json, *text, -1);
        }
      g_string_append_c (json, ']');
      return;
    case SL_OPTION_OUTPUT:
      g_string_append (json, "true");
      return;
    case SL_OPTION_TEXT:
    case SL_OPTION_INPUT:
      if (*(char **) option->value == NULL)
        g_string_append (json, "null");
      else
        {
          g_autofree char *base = option->kind == SL_OPTION_TEXT
                                      ? NULL
                                      : g_path_get_basename (*(char **) option->value);
          g_autofree char *valid = base != NULL ? g_utf8_make_valid (base, -1) : NULL;
          sl_json_string (json, valid != NULL ? valid : *(char **) option->value, -1);
        }
      return;
    }
}

static gboolean
is_recorded (const SlOption *option)
{
  if (option->kind == SL_OPTION_OUTPUT)
    return option->shapes_output && *(char **) option->value != NULL;
  return !option->unrecorded;
}

char *
sl_options_to_json (const SlOption *table)
{
  GString *json = g_string_new ("{");
  for (const SlOption *option = table; option != NULL && option->name != NULL; option++)
    if (is_recorded (option))
      {
        sl_json_member (json, option->name);
        value_to_json (option, json);
      }
  g_string_append_c (json, '}');
  return g_string_free (json, FALSE);
}
