/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "field-values.h"

#include "pipeline/base/number-text.h"
#include "pipeline/base/shown-text.h"

#include <math.h>
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

/* TEXT[n] without the blanks around it. */
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

/* What other programs write for a number that is not there. */
static gboolean
is_missing (const char *text, gsize n)
{
  static const char *const names[]
      = { "", "na", "n/a", "<na>", "#n/a", "nan", "null", "none", "undefined" };
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (strlen (names[i]) == n && g_ascii_strncasecmp (text, names[i], n) == 0)
      return TRUE;
  return FALSE;
}

const char *
sl_with_point (gboolean comma, const char *text, gsize n, char room[64])
{
  const char *at = comma && n < 64 ? memchr (text, ',', n) : NULL;
  if (at == NULL || memchr (text, '.', n) != NULL)
    return text;
  memcpy (room, text, n);
  room[at - text] = '.';
  return room;
}

/* "0,8" may be meant as 0.8 or, as thousands are written in some places, as something else. */
static gboolean
has_decimal_comma (const char *text, gsize n)
{
  double value;
  g_autofree char *pointed = g_strndup (text, n);
  char *comma = strchr (pointed, ',');
  if (comma != NULL)
    *comma = '.';
  return comma != NULL && sl_parse_real (g_strstrip (pointed), -1, &value);
}

static void
mark (SlCsvRows *rows, guint32 r, const char *what, const char *text, gsize n, const char *wanted)
{
  g_autofree char *shown = sl_shown (text, n);
  double infinite;
  if (strcmp (wanted, "a number") == 0 && sl_is_huge (text, (gssize) n, &infinite))
    wanted = "within the range of numbers";
  else if (strcmp (wanted, "a number") == 0 && has_decimal_comma (text, n))
    wanted = "a number: --decimal-comma reads it as one";
  sl_csv_rows_bad (rows, r, "%s '%s' is not %s", what, shown, wanted);
}

/* Drops blanks around the fields of column C. */
static void
trim_column (SlCsvRows *rows, int c)
{
  for (guint32 r = 0; r < rows->n; r++)
    {
      guint32 start = rows->start[c][r], end = rows->end[c][r];
      while (start < end && rows->data[start] == ' ')
        start++;
      while (start < end && rows->data[end - 1] == ' ')
        end--;
      rows->start[c][r] = start;
      rows->end[c][r] = end;
    }
}

void
sl_fields_check_there (SlCsvRows *rows, int c, const char *what, gboolean trim)
{
  const guint32 *start = rows->start[c], *end = rows->end[c];
  if (trim && rows->any_blank)
    trim_column (rows, c);
  for (guint32 r = 0; r < rows->n; r++)
    if (G_UNLIKELY (start[r] == end[r]))
      sl_csv_rows_bad (rows, r, "the %s is empty", what);
}

void
sl_fields_percents (SlCsvRows *rows, int c, const char *what, SlPercentScale scale, double *percent,
                    SlPercentCounts *counts)
{
  for (guint32 r = 0; r < rows->n; r++)
    {
      gsize n = 0;
      char room[64];
      const char *text = c >= 0 ? sl_csv_field (rows, c, r, &n) : "";
      percent[r] = (double) NAN;
      if (!is_missing (text, n)
          && !sl_percent_read (sl_with_point (rows->decimal_comma, text, n, room), n, scale,
                               &percent[r], counts))
        mark (rows, r, what, text, n, "a number");
    }
}

void
sl_fields_number (SlCsvRows *rows, int c, guint32 r, const char *what, double *value)
{
  gsize n = 0;
  char room[64];
  const char *text = c >= 0 ? sl_csv_field (rows, c, r, &n) : "";
  text = trimmed (text, &n);
  *value = (double) NAN;
  if (!is_missing (text, n)
      && !sl_parse_real (sl_with_point (rows->decimal_comma, text, n, room), (gssize) n, value))
    mark (rows, r, what, text, n, "a number");
}

void
sl_fields_numbers (SlCsvRows *rows, int c, const char *what, double *value)
{
  for (guint32 r = 0; r < rows->n; r++)
    sl_fields_number (rows, c, r, what, &value[r]);
}

void
sl_fields_integers (SlCsvRows *rows, int c, const char *what, gint64 least, gint64 most,
                    gint64 *value)
{
  for (guint32 r = 0; r < rows->n; r++)
    {
      gsize n;
      const char *text = sl_csv_field (rows, c, r, &n);
      text = trimmed (text, &n);
      double real;
      /* Programs that know missing values often write whole numbers as 3.0. From 2^53 on that may
       * be another number. */
      gboolean whole = sl_parse_integer (text, (gssize) n, &value[r]);
      if (!whole && sl_parse_real (text, (gssize) n, &real) && real == floor (real))
        {
          value[r] = fabs (real) < 0x1p53 ? (gint64) real : real > 0 ? G_MAXINT64 : G_MININT64;
          whole = TRUE;
        }
      if (!whole || value[r] < least || value[r] > most)
        {
          gboolean over = whole && value[r] > most;
          g_autofree char *wanted = g_strdup_printf (
              over ? "at most %" G_GINT64_FORMAT : "a whole number of %" G_GINT64_FORMAT " or more",
              over ? most : least);
          mark (rows, r, what, text, n, wanted);
        }
    }
}

/* The class that TEXT[n] looks like is named as the cure. */
static void
mark_unknown (SlCsvRows *rows, guint32 r, const char *what, SlCoder *coder, const char *text,
              gsize n)
{
  gint32 alike = sl_coder_alike (coder, text, n);
  if (alike < 0 || coder->texts == NULL)
    {
      gboolean binned = coder->texts != NULL && coder->texts->bins != NULL;
      mark (rows, r, what, text, n, binned ? "a number in one of the bins" : "one of the classes");
      return;
    }
  gsize length;
  const char *name = sl_intern_get (coder->known, alike, &length);
  g_autofree char *shown = sl_shown (text, n), *class = sl_shown (name, length);
  sl_csv_rows_bad (rows, r,
                   "%s '%s' is not one of the classes, but '%s' is: --rename-class '%s=%s' reads "
                   "it so",
                   what, shown, class, shown, class);
}

char *
sl_fields_no_class (const char *what, const char *text, gsize n)
{
  g_autofree char *shown = sl_shown (text, n);
  return g_strdup_printf ("%s '%s' means that there is none: --na '%s' leaves such answers out, "
                          "--na '' reads it as a class",
                          what, shown, shown);
}

static void
mark_missing (SlCsvRows *rows, guint32 r, const char *what, const SlCoder *coder, const char *text,
              gsize n)
{
  g_autofree char *why = sl_fields_no_class (what, text, n);
  if (coder->texts != NULL && sl_class_texts_said (coder->texts, text, n))
    sl_csv_rows_leave_out (rows, r);
  else
    sl_csv_rows_bad (rows, r, "%s", why);
}

/* A text that is no class, of record R; the value that it becomes. */
static __attribute__ ((noinline)) gint32
not_a_class (SlCsvRows *rows, int c, guint32 r, const char *what, SlCoder *coder, gboolean required,
             gint32 code)
{
  gsize n;
  const char *text = sl_csv_field (rows, c, r, &n);
  if (code == SL_CODE_UNKNOWN)
    mark_unknown (rows, r, what, coder, text, n);
  else if (required)
    mark_missing (rows, r, what, coder, text, n);
  return -1;
}

void
sl_fields_classes (SlCsvRows *rows, int c, const char *what, SlCoder *coder, gboolean required,
                   gint32 *code)
{
  for (guint32 r = 0; r < rows->n; r++)
    {
      gsize n = 0;
      const char *text = c >= 0 ? sl_csv_field (rows, c, r, &n) : "";
      code[r] = n > 0 ? sl_coder_code (coder, text, n) : -1;
      if (G_UNLIKELY (code[r] < 0 && n > 0))
        code[r] = not_a_class (rows, c, r, what, coder, required, code[r]);
    }
}

static gboolean
is_listed (const GArray *codes, guint from, gint32 code)
{
  for (guint i = from; i < codes->len; i++)
    if (g_array_index (codes, gint32, i) == code)
      return TRUE;
  return FALSE;
}

/* Where the member of a list that begins at TEXT ends: at one of BETWEEN that is not behind a
 * backslash. */
static gsize
member_length (const char *text, const char *end, const char *between)
{
  const char *at = text;
  for (; at < end && strchr (between, *at) == NULL; at++)
    at += *at == '\\' && at + 1 < end;
  return (gsize) (MIN (at, end) - text);
}

/* The code of the member TEXT[n] without the backslashes that keep what would separate members. */
static gint32
member_code (SlCoder *coder, const char *text, gsize n)
{
  if (memchr (text, '\\', n) == NULL)
    return sl_coder_code (coder, text, n);
  g_autofree char *plain = g_malloc0 (n + 16);
  gsize length = 0;
  for (gsize i = 0; i < n; i++)
    {
      i += text[i] == '\\' && i + 1 < n && strchr ("|:;\\", text[i + 1]) != NULL;
      plain[length++] = text[i];
    }
  return sl_coder_code (coder, plain, length);
}

/* The classes of one list. */
static void
read_list (SlCsvRows *rows, guint32 r, int c, const char *what, SlCoder *coder, const char *between,
           gboolean required, GArray *codes)
{
  gsize n;
  const char *text = sl_csv_field (rows, c, r, &n), *end = text + n;
  guint from = codes->len;
  while (text < end)
    {
      gsize length = member_length (text, end, between);
      gsize part_length = length;
      const char *part = trimmed (text, &part_length);
      gint32 code = part_length > 0 ? member_code (coder, part, part_length) : -1;
      if (part_length > 0 && code == SL_CODE_UNKNOWN)
        mark_unknown (rows, r, what, coder, part, part_length);
      else if (part_length > 0 && code == SL_CODE_MISSING && required)
        mark_missing (rows, r, what, coder, part, part_length);
      else if (part_length > 0 && code >= 0 && !is_listed (codes, from, code))
        g_array_append_val (codes, code);
      text += length + 1;
    }
}

void
sl_fields_class_lists (SlCsvRows *rows, int c, const char *what, SlCoder *coder,
                       const char *between, gboolean required, SlCodeLists *lists)
{
  g_array_set_size (lists->codes, 0);
  for (guint32 r = 0; r < rows->n; r++)
    {
      read_list (rows, r, c, what, coder, between, required, lists->codes);
      lists->end[r] = lists->codes->len;
    }
}

/* One choice, TEXT[n]: its name's length, and its percent, NaN where it has none. */
static gsize
split_choice (const SlCoder *coder, const char *text, gsize n, double *percent)
{
  gsize name = n;
  *percent = (double) NAN;
  if (coder->known != NULL && sl_intern_find (coder->known, text, n) >= 0)
    return n;
  while (name > 0 && text[name - 1] != ':')
    name--;
  gboolean kept = name > 1 && text[name - 2] == '\\';
  return name > 1 && !kept && sl_parse_real (text + name, (gssize) (n - name), percent) ? name - 1
                                                                                        : n;
}

static void
read_choices (SlCsvRows *rows, guint32 r, int c, SlCoder *coder, GArray *codes, GArray *percents)
{
  gsize n;
  const char *text = sl_csv_field (rows, c, r, &n), *end = text + n;
  while (text <= end && n > 0)
    {
      gsize length = member_length (text, end, "|");
      double percent;
      gsize name = split_choice (coder, text, length, &percent);
      gint32 code = name > 0 ? member_code (coder, text, name) : -1;
      if (name == 0)
        sl_csv_rows_bad (rows, r, "the choices have an empty class");
      else if (code == SL_CODE_MISSING)
        mark_missing (rows, r, "class", coder, text, name);
      else if (code < 0)
        mark_unknown (rows, r, "class", coder, text, name);
      g_array_append_val (codes, code);
      g_array_append_val (percents, percent);
      text += length + 1;
    }
}

void
sl_fields_choices (SlCsvRows *rows, int c, SlCoder *coder, SlCodeLists *lists, GArray *percents)
{
  g_array_set_size (lists->codes, 0);
  g_array_set_size (percents, 0);
  for (guint32 r = 0; r < rows->n; r++)
    {
      read_choices (rows, r, c, coder, lists->codes, percents);
      lists->end[r] = lists->codes->len;
    }
}

void
sl_fields_flags (SlCsvRows *rows, int c, const char *what, double *flag)
{
  static const char *const words[] = { "false", "0", "no", "true", "1", "yes" };
  for (guint32 r = 0; r < rows->n; r++)
    {
      gsize n, i = 0;
      const char *text = sl_csv_field (rows, c, r, &n);
      while (i < G_N_ELEMENTS (words)
             && !(strlen (words[i]) == n && g_ascii_strncasecmp (text, words[i], n) == 0))
        i++;
      flag[r] = i >= G_N_ELEMENTS (words) / 2;
      if (i == G_N_ELEMENTS (words))
        mark (rows, r, what, text, n, "true or false");
    }
}
