/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "look-alikes.h"

#include "pipeline/base/number-text.h"
#include "pipeline/base/shown-text.h"

#include <string.h>

#define MOST_GROUPS 8 /* that a message names */

/* NAME[n] in small letters, as Unicode folds them, and in one of the ways to write them. */
static char *
folded (const char *name, gsize n)
{
  g_autofree char *whole = g_utf8_normalize (name, (gssize) n, G_NORMALIZE_ALL_COMPOSE);
  return g_strstrip (g_utf8_casefold (whole != NULL ? whole : "", -1));
}

static char *
without_gaps (char *text)
{
  gsize length = 0;
  for (const char *p = text; *p != '\0'; p++)
    if (!g_ascii_isspace (*p) && *p != '_')
      text[length++] = *p;
  text[length] = '\0';
  return text;
}

char *
sl_look_of (const char *name, gsize n)
{
  double number;
  char *text = folded (name, n), digits[SL_REAL_CHARS];
  if (!sl_parse_real (text, -1, &number))
    return without_gaps (text);
  g_free (text);
  gsize length = sl_format_real (digits, number == 0 ? 0 : number);
  return g_strdup_printf ("#%.*s", (int) length, digits);
}

char *
sl_spelling_of (const char *name, gsize n)
{
  char *text = without_gaps (folded (name, n));
  gsize digits = strspn (text, "0123456789");
  if (digits > 0 && text[digits] == '.' && text[digits + 1] == '0'
      && text[digits + 1 + strspn (text + digits + 1, "0")] == '\0')
    text[digits] = '\0';
  return text;
}

static void
append_name (GString *text, const char *name, const char *before)
{
  g_autofree char *shown = sl_shown (name, strlen (name));
  g_string_append_printf (text, "%s'%s'", before, shown);
}

char *
sl_look_alikes (char *const *classes, const char **first, const char **second, gboolean *alike)
{
  guint n = g_strv_length ((char **) classes), n_groups = 0;
  g_autoptr (GHashTable) group = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree guint *last = g_new (guint, n + 1);  /* of each group, the latest class */
  g_autofree guint *start = g_new (guint, n + 1); /* of each class, the first of its group */
  g_autofree guint *next = g_new0 (guint, n + 1); /* the one after it in its group; 0: none */
  for (guint i = 0; i < n; i++)
    {
      char *look = sl_look_of (classes[i], strlen (classes[i]));
      gpointer found;
      gboolean known = g_hash_table_lookup_extended (group, look, NULL, &found);
      start[i] = known ? GPOINTER_TO_UINT (found) : i;
      if (known)
        next[last[start[i]]] = i;
      last[start[i]] = i;
      if (known)
        g_free (look);
      else
        g_hash_table_insert (group, look, GUINT_TO_POINTER (i));
    }
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < n; i++)
    {
      gboolean many = start[i] != i || next[i] != 0;
      if (alike != NULL)
        alike[i] = many;
      if (!many || start[i] != i || n_groups++ >= MOST_GROUPS)
        continue;
      if (n_groups == 1 && first != NULL && second != NULL)
        *first = classes[i], *second = classes[next[i]];
      append_name (text, classes[i], n_groups > 1 ? ", " : "");
      for (guint j = next[i]; j != 0; j = next[j])
        append_name (text, classes[j], " and ");
    }
  if (n_groups > MOST_GROUPS)
    g_string_append_printf (text, ", and %u more", n_groups - MOST_GROUPS);
  return n_groups > 0 ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
}

gboolean
sl_looks_missing (const char *name)
{
  static const char *const words[]
      = { "none", "na", "n/a", "nan", "null", "nil", "undefined", "missing", "?", "-", "<na>" };
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_ascii_strcasecmp (name, words[i]) == 0)
      return TRUE;
  return FALSE;
}
