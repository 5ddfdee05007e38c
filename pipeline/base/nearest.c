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

/* What other programs call what is among NAMES. */
static const char *
other_name (const char *word, const char *const *names)
{
  static const char *const known[][2] = {
    { "mv", "majority" },
    { "majority-vote", "majority" },
    { "majorityvote", "majority" },
    { "mturk-csv", "mturk" },
    { "amt", "mturk" },
    { "mechanical-turk", "mturk" },
    { "sagemaker", "groundtruth" },
    { "huggingface", "argilla" },
    { "numpy", "npy" },
    { "snorkel", "wrench" },
    { "crowd-kit", "long" },
    { "crowdkit", "long" },
    { "csv", "long" },
    { "tsv", "long" },
    { "cleanlab", "wide" },
    { "parquet", "long" },
    { "jsonl", "long" },
    { "json", "auto" },
    { "mnist", "idx" },
    { "feather", "arrow" },
    { "folder", "images" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    {
      const char *a = known[i][0], *b = word;
      while (*a != '\0' && plain (*b) == *a)
        a++, b++;
      if (*a == '\0' && *b == '\0' && g_strv_contains (names, known[i][1]))
        return known[i][1];
    }
  return NULL;
}

const char *
sl_nearest (const char *word, const char *const *names)
{
  const char *nearest = NULL;
  int length = (int) strnlen (word, LONGEST + 1), least = MAX (length / 3, 1) + 1;
  if (length < 2 || length > LONGEST)
    return NULL;
  if (other_name (word, names) != NULL)
    return other_name (word, names);
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
