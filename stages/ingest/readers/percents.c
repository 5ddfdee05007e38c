/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "percents.h"

#include "pipeline/base/number-text.h"

#include <string.h>

void
sl_percent_counts_add (SlPercentCounts *counts, const SlPercentCounts *more)
{
  counts->n_fractions += more->n_fractions;
  counts->n_ones += more->n_ones;
  counts->n_above += more->n_above;
}

static void
count (SlPercentCounts *counts, double number)
{
  counts->n_fractions += number > 0 && number < 1;
  counts->n_ones += number == 1;
  counts->n_above += number > 1;
}

/* A hundred times the decimal number TEXT[n]. Its point is moved: 0.29 * 100 would be
 * 28.999999999999996. */
static gboolean
read_hundredfold (const char *text, gsize n, double *percent)
{
  char moved[64];
  if (!sl_parse_real (text, (gssize) n, percent))
    return FALSE;
  if (n + 2 > sizeof moved || memchr (text, 'e', n) != NULL || memchr (text, 'E', n) != NULL)
    {
      *percent *= 100;
      return TRUE;
    }
  memcpy (moved, text, n);
  memcpy (moved + n, "e2", 2);
  return sl_parse_real (moved, (gssize) n + 2, percent);
}

static const char *
trimmed (const char *text, gsize *n)
{
  while (*n > 0 && g_ascii_isspace (text[0]))
    text++, --*n;
  while (*n > 0 && g_ascii_isspace (text[*n - 1]))
    --*n;
  return text;
}

gboolean
sl_percent_read (const char *text, gsize n, SlPercentScale scale, double *percent,
                 SlPercentCounts *counts)
{
  text = trimmed (text, &n);
  if (n > 1 && text[n - 1] == '%')
    {
      n--;
      text = trimmed (text, &n);
      return sl_parse_real (text, (gssize) n, percent);
    }
  if (!sl_parse_real (text, (gssize) n, percent))
    return FALSE;
  count (counts, *percent);
  return scale != SL_PERCENT_OF_1 || read_hundredfold (text, n, percent);
}

double
sl_percent_of_number (double number, SlPercentScale scale, SlPercentCounts *counts)
{
  char text[SL_REAL_CHARS];
  double percent = number;
  count (counts, number);
  if (scale == SL_PERCENT_OF_1)
    read_hundredfold (text, sl_format_real (text, number), &percent);
  return percent;
}

char *
sl_percent_counts_judge (const SlPercentCounts *counts, SlPercentScale scale, char **doubt)
{
  *doubt = NULL;
  if (scale == SL_PERCENT_OF_1 && counts->n_above > 0)
    *doubt = g_strdup_printf ("percents above 1, which --percent-scale 1 says is all: "
                              "%" G_GINT64_FORMAT "; are they of 100?",
                              counts->n_above);
  if (scale != SL_PERCENT_UNSAID)
    return NULL;
  if (counts->n_fractions > 0 && counts->n_above == 0)
    return g_strdup ("every percent is at most 1, and some lie between 0 and 1: say "
                     "--percent-scale 1 if 1 is all, --percent-scale 100 if 1 is one percent");
  if (counts->n_fractions > counts->n_above)
    *doubt = g_strdup_printf ("percents between 0 and 1: %" G_GINT64_FORMAT
                              ", above 1: %" G_GINT64_FORMAT
                              "; all are read as percents of 100; are there two units?",
                              counts->n_fractions, counts->n_above);
  else if (counts->n_ones > 0 && counts->n_above == 0)
    *doubt = g_strdup ("every percent is 0 or 1, and 1 is read as one percent; --percent-scale 1 "
                       "if 1 is all");
  return NULL;
}
