/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "option-value.h"

#include "pipeline/base/error.h"
#include "pipeline/base/nearest.h"
#include "pipeline/base/number-text.h"

#include <math.h>
#include <string.h>

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
