/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is told of the columns that were found. */
#include "csv-columns.h"

#include "pipeline/base/shown-text.h"

#include <string.h>

#define MOST_NAMES 12  /* that a message lists */
#define MOST_LISTED 20 /* of all that a header has */

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
        if (strcmp (header, roles[i].role) == 0 || !sl_columns_goes_by (&one, header))
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
