/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "csv-columns.h"

#include "pipeline/base/error.h"
#include "pipeline/base/number-text.h"
#include "pipeline/base/shown-text.h"

#include <string.h>

#define MOST_NAMES 12  /* that a message lists */
#define MOST_LISTED 20 /* of all that a header has */

static int
find_role (const SlColumnRole *roles, const char *name, gsize n)
{
  for (int i = 0; roles[i].role != NULL; i++)
    if (strlen (roles[i].role) == n && strncmp (roles[i].role, name, n) == 0)
      return i;
  return -1;
}

static int
n_roles (const SlColumnRole *roles)
{
  int n = 0;
  while (roles[n].role != NULL)
    n++;
  return n;
}

static gboolean
unknown_role (const SlColumnRole *roles, const char *part, GError **error)
{
  g_autoptr (GString) all = g_string_new (NULL);
  for (int i = 0; roles[i].role != NULL; i++)
    g_string_append_printf (all, "%s%s", i > 0 ? ", " : "", roles[i].role);
  return sl_error_usage (error, "--column: '%s' is not of the form ROLE=COLUMN with ROLE one of %s",
                         part, all->str);
}

/* One text of --column: item=A,class=B. A part without a role belongs to the name before it, which
 * has a comma. */
static gboolean
parse_text (const SlColumnRole *roles, const char *text, char **given, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  int last = -1;
  for (char **part = parts; *part != NULL; part++)
    {
      const char *equals = strchr (*part, '=');
      int role = equals != NULL ? find_role (roles, *part, (gsize) (equals - *part)) : -1;
      if (role < 0 && last < 0)
        return unknown_role (roles, *part, error);
      if (role >= 0 && given[role] != NULL)
        return sl_error_usage (error, "--column: %s= is there twice", roles[role].role);
      char *name = role >= 0 ? g_strdup (equals + 1) : g_strconcat (given[last], ",", *part, NULL);
      last = role >= 0 ? role : last;
      g_free (given[last]);
      given[last] = name;
    }
  return TRUE;
}

gboolean
sl_columns_parse (const SlColumnRole *roles, char *const *texts, char ***given, GError **error)
{
  /* Not a GStrv: any of them may be NULL. */
  *given = g_new0 (char *, n_roles (roles) + 1);
  for (; texts != NULL && *texts != NULL; texts++)
    if (!parse_text (roles, *texts, *given, error))
      return FALSE;
  return TRUE;
}

void
sl_columns_free (char **given, const SlColumnRole *roles)
{
  for (int i = 0; given != NULL && i < n_roles (roles); i++)
    g_free (given[i]);
  g_free (given);
}

/* NAME in small letters and digits, without "id" at its end. */
static char *
plain_name (const char *name)
{
  GString *plain = g_string_new (NULL);
  for (const char *p = name; *p != '\0'; p++)
    if (g_ascii_isalnum (*p))
      g_string_append_c (plain, g_ascii_tolower (*p));
  if (plain->len > 2 && g_str_has_suffix (plain->str, "id"))
    g_string_truncate (plain, plain->len - 2);
  return g_string_free (plain, FALSE);
}

gboolean
sl_role_matches (const SlColumnRole *role, const char *header)
{
  g_autofree char *plain = plain_name (header);
  return g_strv_contains (role->names, plain);
}

static gint64
position_of (const char *text)
{
  gint64 position;
  return sl_parse_integer (text, -1, &position) ? position : 0;
}

/* The column named NAME, among those that are not TAKEN (NULL: none is); -1 if there is none, -2 if
 * there are several. */
static int
named (const SlCsv *csv, const gboolean *taken, const char *name)
{
  int found = -1;
  for (int i = 0; i < csv->n_fields; i++)
    if ((taken == NULL || !taken[i]) && strcmp (csv->first[i], name) == 0)
      found = found == -1 ? i : -2;
  return found;
}

static gboolean fail (const SlCsv *csv, GError **error, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

static gboolean
fail (const SlCsv *csv, GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  return sl_error_bad_input (error, "%s: %s", csv->name, what);
}

static gboolean
find_given (const SlCsv *csv, const char *role, const char *name, gboolean header, int *column,
            GError **error)
{
  gint64 position = position_of (name);
  *column = header ? named (csv, NULL, name) : -1;
  if (*column >= 0)
    return TRUE;
  if (*column == -2)
    return fail (csv, error,
                 "there are two columns '%s': give the %s by its position, counted from 1", name,
                 role);
  if (position >= 1 && position <= csv->n_fields)
    {
      *column = (int) position - 1;
      return TRUE;
    }
  if (position >= 1)
    return fail (csv, error, "--column %s=%s: there are only %d columns", role, name,
                 csv->n_fields);
  if (!header)
    return fail (csv, error,
                 "--column %s=%s: without a header, columns go by their positions, counted from 1",
                 role, name);
  g_autofree char *all = sl_columns_list (csv);
  return fail (csv, error, "there is no column '%s' among %s", name, all);
}

/* Whether HEADER is called as ROLE is; ASIDE: but for what follows in brackets, as in "Rater
 * (Prolific)". */
static gboolean
matches (const SlColumnRole *role, const char *header, gboolean aside)
{
  gsize n = strcspn (header, aside ? "([" : "");
  g_autofree char *name = g_strndup (header, n);
  return (!aside || header[n] != '\0') && sl_role_matches (role, name);
}

static gboolean
find_unaided (const SlCsv *csv, const SlColumnRole *role, const gboolean *taken, int *column,
              GError **error)
{
  *column = named (csv, taken, role->role);
  if (*column == -2)
    return fail (csv, error, "there are two columns '%s': say which with --column %s=POSITION",
                 role->role, role->role);
  gboolean aside = FALSE;
  for (int pass = 0; pass < 2 && *column < 0; pass++)
    for (int i = 0; *column < 0 && i < csv->n_fields; i++)
      if (!taken[i] && matches (role, csv->first[i], aside = pass == 1))
        *column = i;
  for (int i = *column + 1;
       *column >= 0 && strcmp (csv->first[*column], role->role) != 0 && i < csv->n_fields; i++)
    if (!taken[i] && matches (role, csv->first[i], aside))
      return fail (csv, error,
                   "the %s could be in column '%s' or '%s': say which with --column %s=NAME",
                   role->role, csv->first[*column], csv->first[i], role->role);
  return TRUE;
}

/* What may separate the names of the header, where it is not what the file was split at; 0:
 * nothing. A blank or a colon may well be part of a name. */
static char
other_separator (const SlCsv *csv)
{
  const char *all = csv->n_fields == 1 ? "\t;|, :" : "\t;|";
  for (int i = 0; i < csv->n_fields; i++)
    for (const char *c = all; *c != '\0'; c++)
      if (*c != csv->separator && strchr (csv->first[i], *c) != NULL)
        return *c;
  return '\0';
}

/* ASKED: the user may say which column it is. */
static gboolean
missing (const SlCsv *csv, const SlColumnRole *role, gboolean asked, gboolean header,
         GError **error)
{
  if (!header)
    return fail (csv, error,
                 "without a header, say which column holds the %s: --column %s=POSITION",
                 role->role, role->role);
  g_autofree char *all = sl_columns_list (csv);
  char other = other_separator (csv);
  g_autofree char *cure
      = !asked          ? g_strdup ("is it the right file?")
        : other == '\0' ? g_strdup_printf ("--column %s=NAME says which it is", role->role)
        : other == '\t'
            ? g_strdup ("fields are separated by tabs? Say --delimiter tab")
            : g_strdup_printf ("fields are separated by '%c'? Say --delimiter '%c'", other, other);
  return fail (csv, error, "no column for the %s among %s: %s", role->role, all, cure);
}

/* The first of the role's fallbacks that a column goes by; -1: none. */
static int
find_fallback (const SlCsv *csv, const SlColumnRole *role, const gboolean *taken)
{
  for (int n = 0; role->fallback != NULL && role->fallback[n] != NULL; n++)
    for (int i = 0; i < csv->n_fields; i++)
      {
        g_autofree char *plain = plain_name (csv->first[i]);
        if (!taken[i] && strcmp (plain, role->fallback[n]) == 0)
          return i;
      }
  return -1;
}

/* Whether the first row is a header, given that the user has not said so. */
static gboolean
has_header (const SlCsv *csv, const SlColumnRole *roles, char *const *given, gboolean *header,
            GError **error)
{
  gboolean any = FALSE, all = TRUE;
  for (int i = 0; roles[i].role != NULL; i++)
    if (given[i] != NULL && given[i][0] != '\0')
      {
        any = TRUE;
        all = all && position_of (given[i]) >= 1;
      }
  *header = !any || !all;
  for (int i = 0; !*header && roles[i].role != NULL; i++)
    {
      gint64 position = given[i] != NULL ? position_of (given[i]) : 0;
      if (position < 1 || position > csv->n_fields
          || !sl_role_matches (&roles[i], csv->first[position - 1]))
        continue;
      /* Of two columns of one name, a header's, one can be given by its position alone. */
      *header = named (csv, NULL, csv->first[position - 1]) == -2;
      if (!*header)
        return fail (csv, error,
                     "row 1 looks like a header ('%s'), but columns are given by position: say "
                     "--header yes or --header no",
                     csv->first[position - 1]);
    }
  return TRUE;
}

/* NAMES: the first record is a header. */
static gboolean
find (const SlCsv *csv, const SlColumnRole *roles, char *const *given, gboolean names, int *column,
      GError **error)
{
  gboolean asked = given != NULL;
  g_autofree char **none = g_new0 (char *, n_roles (roles) + 1);
  given = asked ? given : none;
  /* A column whose role was told has no other by its name. */
  g_autofree gboolean *taken = g_new0 (gboolean, csv->n_fields);
  for (int i = 0; roles[i].role != NULL; i++)
    {
      column[i] = -1;
      if (given[i] == NULL || given[i][0] == '\0')
        continue;
      if (!find_given (csv, roles[i].role, given[i], names, &column[i], error))
        return FALSE;
      taken[column[i]] = TRUE;
    }
  for (int i = 0; roles[i].role != NULL; i++)
    {
      if (given[i] == NULL && names && !find_unaided (csv, &roles[i], taken, &column[i], error))
        return FALSE;
      if (column[i] >= 0)
        taken[column[i]] = TRUE;
    }
  for (int i = 0; roles[i].role != NULL; i++)
    {
      if (given[i] == NULL && names && column[i] < 0)
        column[i] = find_fallback (csv, &roles[i], taken);
      if (column[i] >= 0)
        taken[column[i]] = TRUE;
      else if (roles[i].required)
        return missing (csv, &roles[i], asked, names, error);
    }
  return TRUE;
}

gboolean
sl_columns_find (SlCsv *csv, const SlColumnRole *roles, char *const *given, SlHeader header,
                 int *column, GError **error)
{
  gboolean names = header == SL_HEADER_YES || csv->is_made;
  if ((header == SL_HEADER_AUTO && !names && !has_header (csv, roles, given, &names, error))
      || !find (csv, roles, given, names, column, error))
    return FALSE;
  if (names)
    sl_csv_skip_first (csv);
  return TRUE;
}

gboolean
sl_columns_find_named (const SlCsv *csv, const SlColumnRole *roles, char *const *given, int *column,
                       GError **error)
{
  return find (csv, roles, given, TRUE, column, error);
}

gboolean
sl_columns_find_again (SlCsv *csv, const SlColumnRole *roles, char *const *given, SlHeader header,
                       int *column, GError **error)
{
  g_autofree int *before = g_memdup2 (column, sizeof (int) * (gsize) n_roles (roles));
  if (!sl_columns_find (csv, roles, given, header, column, error))
    return FALSE;
  for (int i = 0; roles[i].role != NULL; i++)
    if ((before[i] >= 0) != (column[i] >= 0))
      return fail (csv, error, "it has %s column for the %s, unlike the files before it",
                   column[i] >= 0 ? "a" : "no", roles[i].role);
  return TRUE;
}

char *
sl_columns_list (const SlCsv *csv)
{
  GString *all = g_string_new (NULL);
  for (int i = 0; i < csv->n_fields && i < MOST_LISTED; i++)
    {
      g_autofree char *shown = sl_shown (csv->first[i], strlen (csv->first[i]));
      g_string_append_printf (all, "%s'%s'", i > 0 ? ", " : "", shown);
    }
  if (csv->n_fields > MOST_LISTED)
    g_string_append (all, ", …");
  return g_string_free (all, FALSE);
}

char *
sl_columns_tell (const SlCsv *csv, const SlColumnRole *roles, const int *column)
{
  GString *all = g_string_new (csv->name);
  const char *before = ": ";
  for (int i = 0; roles[i].role != NULL; i++)
    if (column[i] >= 0)
      {
        g_autofree char *shown = sl_shown (csv->first[column[i]], strlen (csv->first[column[i]]));
        g_string_append_printf (all, "%s%s is column %d ('%s')", before, roles[i].role,
                                column[i] + 1, shown);
        before = ", ";
      }
  return g_string_free (all, FALSE);
}

/* "the item is column 'id', " for each role that a fallback was taken for. */
static void
tell_fallbacks (const SlCsv *csv, const SlColumnRole *roles, const int *column, GString *text)
{
  for (int i = 0; csv->has_names && roles[i].role != NULL; i++)
    for (int n = 0; column[i] >= 0 && roles[i].fallback != NULL && roles[i].fallback[n] != NULL;
         n++)
      {
        const SlColumnRole one
            = { roles[i].role, (const char *const[]){ roles[i].fallback[n], NULL }, FALSE, NULL };
        const char *header = csv->first[column[i]];
        if (strcmp (header, roles[i].role) == 0 || !sl_role_matches (&one, header))
          continue;
        g_autofree char *shown = sl_shown (header, strlen (header));
        g_string_append_printf (text, "the %s is column '%s'; ", roles[i].role, shown);
        break;
      }
}

/* The columns that have no role, by name or by position; returns how many. */
static int
tell_left_out (const SlCsv *csv, const SlColumnRole *roles, const int *column, GString *text)
{
  g_autofree gboolean *used = g_new0 (gboolean, csv->n_fields);
  for (int i = 0; roles[i].role != NULL; i++)
    if (column[i] >= 0)
      used[column[i]] = TRUE;
  int n = 0;
  for (int i = 0; i < csv->n_fields; i++)
    {
      if (used[i] || n++ >= MOST_NAMES)
        continue;
      g_string_append (text, n == 1 ? "left out: " : ", ");
      g_autofree char *shown = sl_shown (csv->first[i], strlen (csv->first[i]));
      if (csv->has_names && shown[0] != '\0')
        g_string_append_printf (text, "'%s'", shown);
      else
        g_string_append_printf (text, "column %d", i + 1);
    }
  if (n > MOST_NAMES)
    g_string_append_printf (text, ", and %d more", n - MOST_NAMES);
  return n;
}

char *
sl_columns_left_out (const SlCsv *csv, const SlColumnRole *roles, const int *column)
{
  g_autoptr (GString) text = g_string_new (NULL);
  tell_fallbacks (csv, roles, column, text);
  int n = tell_left_out (csv, roles, column, text);
  if (text->len == 0)
    return NULL;
  if (n == 0)
    g_string_truncate (text, text->len - strlen ("; "));
  const char *role = "ROLE";
  for (int i = 0; n > 0 && roles[i].role != NULL; i++)
    if (column[i] < 0 && strcmp (roles[i].role, "annotator") == 0)
      role = roles[i].role;
  gboolean no_annotator = strcmp (role, "ROLE") != 0;
  return g_strdup_printf ("%s: %s%s (--column %s=%s)", csv->name,
                          no_annotator ? "no column for the annotator; " : "", text->str, role,
                          csv->has_names ? "NAME reads another column" : "POSITION reads one");
}
