/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "nearest.h"

#include <string.h>

#define LONGEST 40

/* Letters alike in small ones, what separates words in '-'. */
static char
plain (char c)
{
  return c == '_' || c == ' ' ? '-' : g_ascii_tolower (c);
}

/* Letters to insert, delete, replace, or exchange with the one beside it. */
static int
distance (const char *a, const char *b)
{
  int row[3][LONGEST + 1], n = (int) strlen (b), *before = row[0], *last = row[1], *now = row[2];
  for (int j = 0; j <= n; j++)
    last[j] = j;
  for (int i = 0; a[i] != '\0'; i++)
    {
      now[0] = i + 1;
      for (int j = 0; j < n; j++)
        {
          gboolean same = plain (a[i]) == plain (b[j]);
          now[j + 1] = MIN (MIN (now[j], last[j + 1]) + 1, last[j] + !same);
          if (i > 0 && j > 0 && plain (a[i]) == plain (b[j - 1])
              && plain (a[i - 1]) == plain (b[j]))
            now[j + 1] = MIN (now[j + 1], before[j - 1] + 1);
        }
      int *free_row = before;
      before = last;
      last = now;
      now = free_row;
    }
  return last[n];
}

static gboolean
begins (const char *name, const char *word)
{
  while (*word != '\0' && plain (*name) == plain (*word))
    name++, word++;
  return *word == '\0';
}

static gboolean
is_initials (const char *name, const char *word)
{
  gboolean first = TRUE;
  for (; *name != '\0'; name++)
    {
      if (first && plain (*name) != plain (*word++))
        return FALSE;
      first = plain (*name) == '-';
    }
  return *word == '\0';
}

const char *
sl_nearest (const char *word, const char *const *names)
{
  const char *nearest = NULL;
  int length = (int) strnlen (word, LONGEST + 1), least = MAX (length / 3, 1) + 1;
  if (length < 2 || length > LONGEST)
    return NULL;
  for (; *names != NULL; names++)
    {
      if (strlen (*names) > LONGEST)
        continue;
      int d = begins (*names, word) || is_initials (*names, word) ? 0 : distance (word, *names);
      if (d < least)
        {
          least = d;
          nearest = *names;
        }
    }
  return nearest;
}

char *
sl_nearest_hint (const char *word, const char *const *names, const char *before)
{
  const char *nearest = sl_nearest (word, names);
  return nearest != NULL ? g_strdup_printf ("; did you mean '%s%s'?", before, nearest)
                         : g_strdup ("");
}
