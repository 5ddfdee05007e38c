/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "look-alikes.h"

#include "pipeline/base/number-text.h"
#include "pipeline/base/shown-text.h"

#include <string.h>

#define MOST_GROUPS 8 /* that a message names */

char *
sl_look_of (const char *name, gsize n)
{
  g_autofree char *whole = g_utf8_normalize (name, (gssize) n, G_NORMALIZE_ALL_COMPOSE);
  g_autofree char *folded = g_utf8_casefold (whole != NULL ? whole : "", -1);
  char *look = g_new (char, MAX (strlen (folded), SL_REAL_CHARS) + 2);
  double number;
  gsize length = 0;
  g_strstrip (folded);
  if (sl_parse_real (folded, -1, &number))
    {
      look[0] = '#';
      length = 1 + sl_format_real (look + 1, number == 0 ? 0 : number);
    }
  else
    for (const char *p = folded; *p != '\0'; p++)
      if (!g_ascii_isspace (*p) && *p != '_')
        look[length++] = *p;
  look[length] = '\0';
  return look;
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
