/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "option.h"

#include "pipeline/base/error.h"
#include "pipeline/base/nearest.h"
#include "pipeline/base/number-text.h"

#include <string.h>
#include <math.h>

/* Reads the command line: which of its words are options, and which are their values. */

/* An option that was found, with the values that it is one of. */
typedef struct
{
  SlOptions *of;
  const SlOption *option; /* NULL: none was found */
} Found;

/* The option that NAME[length], or LETTER, stands for. */
static Found
find_option (SlOptions *const *tables, const char *name, gsize length, char letter)
{
  for (; *tables != NULL; tables++)
    for (const SlOption *option = (*tables)->table; option != NULL && option->name != NULL;
         option++)
      if (name != NULL ? strlen (option->name) == length && memcmp (option->name, name, length) == 0
                       : letter != 0 && option->letter == letter)
        return (Found){ *tables, option };
  return (Found){ NULL, NULL };
}

static gboolean
bad_word (const char *word, gsize length, const char *what, GError **error)
{
  g_autofree char *shown = g_utf8_make_valid (word, (gssize) length);
  return sl_error_usage (error, "%s %s", shown, what);
}

/* --NAME[length - 2], which no option has. */
static gboolean
bad_name (SlOptions *const *tables, const char *word, gsize length, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (; *tables != NULL; tables++)
    for (const SlOption *option = (*tables)->table; option != NULL && option->name != NULL;
         option++)
      g_ptr_array_add (names, (gpointer) option->name);
  g_ptr_array_add (names, NULL);
  g_autofree char *name = g_strndup (word + 2, length - 2);
  g_autofree char *hint = sl_nearest_hint (name, (const char *const *) names->pdata, "--");
  g_autofree char *what = g_strconcat ("is no option", hint, NULL);
  return bad_word (word, length, what, error);
}

/* Whether WORD, the next one or NULL, is the value of an option that may stand alone. */
static gboolean
is_own_value (const SlOption *option, const char *word)
{
  if (word == NULL || strcmp (word, option->by_itself) == 0)
    return word != NULL;
  if (option->kind == SL_OPTION_TEXT)
    return strchr (word, ',') != NULL && word[0] != '-' && !g_file_test (word, G_FILE_TEST_EXISTS);
  return g_str_has_suffix (word, ".csv") || g_str_has_suffix (word, ".tsv");
}

/* Sets the option FOUND, which WORD[length] names, to VALUE or, where that is NULL, to the next
 * word of *ARGV, which is taken. */
static gboolean
take_value (Found found, const char *word, gsize length, const char *value, char ***argv,
            GError **error)
{
  const SlOption *option = found.option;
  if (option->by_itself != NULL && value == NULL && !is_own_value (option, **argv))
    value = option->by_itself;
  if (option->kind != SL_OPTION_FLAG && value == NULL)
    {
      if (**argv == NULL)
        return bad_word (word, length, "lacks its value", error);
      value = *(*argv)++;
    }
  found.of->given[option - found.of->table] = TRUE;
  return sl_option_set (option, sl_option_field (option, found.of->values), value, error);
}

/* --name, --name=value, --name value */
static gboolean
take_long (SlOptions *const *tables, const char *word, char ***argv, GError **error)
{
  gsize length = strcspn (word, "=");
  Found found = find_option (tables, word + 2, length - 2, 0);
  if (found.option == NULL)
    return bad_name (tables, word, length, error);
  if (found.option->kind == SL_OPTION_FLAG && word[length] == '=')
    return bad_word (word, length, "takes no value", error);
  return take_value (found, word, length, word[length] == '=' ? word + length + 1 : NULL, argv,
                     error);
}

/* An error of OPTION names it as it was TYPED. */
static gboolean
name_as_typed (const SlOption *option, const char *typed, GError **error)
{
  g_autofree char *whole = g_strconcat ("--", option->name, ":", NULL);
  if (error != NULL && g_str_has_prefix ((*error)->message, whole))
    {
      char *named = g_strconcat (typed, ":", (*error)->message + strlen (whole), NULL);
      g_free ((*error)->message);
      (*error)->message = named;
    }
  return FALSE;
}

/* -q, -qv, -j 4, -j4, -qj4 */
static gboolean
take_letters (SlOptions *const *tables, const char *word, char ***argv, GError **error)
{
  for (const char *letter = word + 1; *letter != '\0'; letter++)
    {
      char shown[] = { '-', *letter, '\0' };
      Found found = find_option (tables, NULL, 0, *letter);
      if (found.option == NULL)
        return bad_word (shown, 2, "is no option", error);
      gboolean is_flag = found.option->kind == SL_OPTION_FLAG;
      if (!take_value (found, shown, 2, is_flag || letter[1] == '\0' ? NULL : letter + 1, argv,
                       error))
        return name_as_typed (found.option, shown, error);
      if (!is_flag)
        break;
    }
  return TRUE;
}

/* Not GLib's parser: it knows no -j4, takes --flag=no for --flag, and may leave "--" among the
 * files. */
gboolean
sl_options_parse (SlOptions *own, SlOptions *common, char ***argv, GError **error)
{
  SlOptions *const tables[] = { own, common, NULL };
  g_autoptr (GStrvBuilder) files = g_strv_builder_new ();
  gboolean ended = FALSE, ok = TRUE;
  for (char **words = *argv; *words != NULL && ok;)
    {
      const char *word = *words++;
      if (ended || word[0] != '-' || word[1] == '\0')
        {
          g_strv_builder_add (files, word);
          ended = ended || own->words;
        }
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
  return sl_error_usage (error, "--%s: '%s' is not %s", option->name, shown, wanted);
}

static gboolean
bad_empty (const SlOption *option, GError **error)
{
  return sl_error_usage (error, "--%s: its value is empty", option->name);
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
    return sl_error_usage (error, "--%s: '%s' is too large (at most %.0f)", option->name, text,
                           option->max);
  g_autofree char *wanted
      = open ? g_strdup_printf ("%.*s or more", n_low, low)
             : g_strdup_printf ("between %.*s and %.*s", n_low, low, n_high, high);
  return bad_value (option, text, wanted, error);
}

static gboolean
set_integer (const SlOption *option, gpointer value, const char *text, GError **error)
{
  const char *digits = text[0] == '+' || text[0] == '-' ? text + 1 : text;
  gint64 integer;
  gboolean held = sl_parse_integer (text, -1, &integer);
  if (!held && (*digits == '\0' || digits[strspn (digits, "0123456789")] != '\0'))
    return bad_value (option, text, "a whole number", error);
  double number = held ? (double) integer : text[0] == '-' ? -HUGE_VAL : HUGE_VAL;
  if (number < option->min || number > option->max)
    return bad_range (option, text, number, error);
  *(gint64 *) value = integer;
  return TRUE;
}

static gboolean
set_real (const SlOption *option, gpointer value, const char *text, GError **error)
{
  double real;
  if (!sl_parse_real (text, -1, &real) && !sl_is_huge (text, -1, &real))
    return bad_value (option, text, "a number", error);
  if (real < option->min || real > option->max)
    return bad_range (option, text, real, error);
  *(double *) value = real;
  return TRUE;
}

static gboolean
set_choice (const SlOption *option, gpointer value, const char *text, GError **error)
{
  for (int i = 0; option->choices[i] != NULL; i++)
    if (strcmp (option->choices[i], text) == 0)
      {
        *(int *) value = i;
        return TRUE;
      }
  g_autofree char *all = g_strjoinv (", ", (char **) option->choices);
  g_autofree char *hint = sl_nearest_hint (text, option->choices, "");
  g_autofree char *wanted = g_strdup_printf ("one of %s%s", all, hint);
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

gboolean
sl_option_set (const SlOption *option, gpointer value, const char *text, GError **error)
{
  switch (option->kind)
    {
    case SL_OPTION_FLAG:
      *(gboolean *) value = TRUE;
      return TRUE;
    case SL_OPTION_INTEGER:
      return set_integer (option, value, text, error);
    case SL_OPTION_REAL:
      return set_real (option, value, text, error);
    case SL_OPTION_SIZE:
      if (!parse_size (text, value))
        return bad_value (option, text, "a size such as 512M or 2G", error);
      return TRUE;
    case SL_OPTION_CHOICE:
      return set_choice (option, value, text, error);
    case SL_OPTION_TEXTS:
    case SL_OPTION_TEXT:
      if (!g_utf8_validate (text, -1, NULL))
        return bad_value (option, text, "UTF-8 text", error);
      if (option->kind == SL_OPTION_TEXTS)
        {
          append_text (value, text);
          return TRUE;
        }
      G_GNUC_FALLTHROUGH;
    case SL_OPTION_INPUT:
    case SL_OPTION_INPUTS:
    case SL_OPTION_OUTPUT:
      if (text[0] == '\0')
        return bad_empty (option, error);
      if (option->kind == SL_OPTION_INPUTS)
        {
          append_text (value, text);
          return TRUE;
        }
      g_free (*(char **) value);
      *(char **) value = g_strdup (text);
      return TRUE;
    }
  g_assert_not_reached ();
}

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
