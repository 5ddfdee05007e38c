/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sorted-names.h"

#include "number-text.h"

#include <stdlib.h>
#include <string.h>

typedef struct
{
  char *name;
  double number;
  gint32 code;
} Entry;

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (((const Entry *) a)->name, ((const Entry *) b)->name);
}

static int
by_number (gconstpointer a, gconstpointer b)
{
  double first = ((const Entry *) a)->number, second = ((const Entry *) b)->number;
  return first != second ? (first > second) - (first < second) : by_name (a, b);
}

char **
sl_classes_sorted (const SlIntern *names, gint32 *place)
{
  gint32 n = sl_intern_size (names);
  g_autofree Entry *entries = g_new (Entry, n);
  gboolean numbers = TRUE;
  for (gint32 i = 0; i < n; i++)
    {
      gsize length;
      const char *name = sl_intern_get (names, i, &length);
      entries[i] = (Entry){ g_strndup (name, length), 0, i };
      numbers = numbers && sl_parse_real (name, (gssize) length, &entries[i].number);
    }
  if (n > 0)
    qsort (entries, (gsize) n, sizeof *entries, numbers ? by_number : by_name);
  char **sorted = g_new0 (char *, n + 1);
  for (gint32 i = 0; i < n; i++)
    {
      sorted[i] = entries[i].name;
      place[entries[i].code] = i;
    }
  return sorted;
}
