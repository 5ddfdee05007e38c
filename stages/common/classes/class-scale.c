/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "class-scale.h"

#include "pipeline/base/error.h"
#include "pipeline/base/number-text.h"
#include "pipeline/base/rising.h"
#include "pipeline/base/shown-text.h"
#include "class-list.h"
#include "look-alikes.h"

#include <string.h>

#define FEWEST 3 /* classes: two are in no other order than names are */

/* Words of rating scales (Vagias 2006, Likert-type scale response anchors), as sl_spelling_of()
 * has them, from one end to the other. A bar separates words of one step. */
static const char *const scales[] = {
  "stronglydisagree disagree somewhatdisagree|slightlydisagree "
  "neutral|neitheragreenordisagree|undecided|neither slightlyagree|somewhatagree agree "
  "stronglyagree",
  "never|notatall almostnever|veryrarely rarely|seldom occasionally sometimes often "
  "usually|frequently|veryoften almostalways always",
  "none|notatall verylow low|mild slightly|slight medium|moderate|moderately|somewhat high|severe "
  "very|veryhigh extremely|extreme",
  "terrible|verypoor|verybad poor|bad fair|ok|okay|average|acceptable good verygood "
  "excellent|great",
  "veryunlikely|extremelyunlikely unlikely neutral likely verylikely|extremelylikely",
  "verynegative|stronglynegative negative neutral positive verypositive|stronglypositive",
  "verydissatisfied dissatisfied neutral|unsure satisfied verysatisfied",
  "notimportant|unimportant slightlyimportant moderatelyimportant important veryimportant",
  "tiny|verysmall small medium large|big verylarge|huge",
};

gboolean
sl_scale_wanted (const char *ordered)
{
  return ordered != NULL && strcmp (ordered, "no") != 0;
}

gboolean
sl_scale_is_list (const char *ordered)
{
  return sl_scale_wanted (ordered) && strcmp (ordered, "yes") != 0;
}

/* The numbers that CLASSES[n] are; FALSE where one is none. */
static gboolean
read_numbers (char *const *classes, gint32 n, double *values)
{
  for (gint32 k = 0; k < n; k++)
    if (!sl_parse_real (classes[k], -1, &values[k]))
      return FALSE;
  return TRUE;
}

/* The place of the word that CLASS is in SCALE; -1: it is none of them. */
static int
step_of (char *const *steps, const char *class)
{
  g_autofree char *spelling = sl_spelling_of (class, strlen (class));
  for (int i = 0; steps[i] != NULL; i++)
    {
      g_auto (GStrv) words = g_strsplit (steps[i], "|", -1);
      if (g_strv_contains ((const char *const *) words, spelling))
        return i;
    }
  return -1;
}

/* CLASSES in the order of SCALE, as a list; NULL where they are not all of it, each a step of its
 * own. */
static char *
in_order_of (const char *scale, char *const *classes)
{
  g_auto (GStrv) steps = g_strsplit (scale, " ", -1);
  guint n = g_strv_length (steps), n_found = 0;
  g_autofree const char **at = g_new0 (const char *, n + 1);
  for (int k = 0; classes[k] != NULL; k++)
    {
      int step = step_of (steps, classes[k]);
      if (step < 0 || at[step] != NULL)
        return NULL;
      at[step] = classes[k];
    }
  for (guint i = 0; i < n; i++)
    if (at[i] != NULL)
      at[n_found++] = at[i];
  at[n_found] = NULL;
  return g_strjoinv (",", (char **) at);
}

static char *
guess_words (char *const *classes)
{
  for (gsize i = 0; i < G_N_ELEMENTS (scales); i++)
    {
      char *list = in_order_of (scales[i], classes);
      if (list != NULL)
        return list;
    }
  return NULL;
}

char *
sl_scale_guess (char *const *classes)
{
  gint32 n = (gint32) g_strv_length ((char **) classes);
  g_autofree double *values = g_new (double, MAX (n, 1));
  if (n < FEWEST)
    return NULL;
  if (read_numbers (classes, n, values))
    return sl_values_rise (values, n) ? g_strdup ("") : NULL;
  return guess_words (classes);
}

static double *
given_values (char *const *classes, gint32 n, const char *text, GError **error)
{
  g_auto (GStrv) words = g_strsplit (text, ",", -1);
  g_autofree double *values = g_new (double, MAX (n, 1));
  gint32 n_words = (gint32) g_strv_length (words);
  for (gint32 k = 0; k < n_words; k++)
    {
      double value;
      if (!sl_parse_real (g_strstrip (words[k]), -1, &value))
        {
          sl_error_usage (error, "--values: '%s' is not a number", words[k]);
          return NULL;
        }
      if (k < n)
        values[k] = value;
    }
  if (n_words != n)
    {
      sl_error_usage (error, "--values: there are %d, and %d classes (%s ... %s)", n_words, n,
                      classes[0], classes[MAX (n - 1, 0)]);
      return NULL;
    }
  if (sl_values_rise (values, n))
    return g_steal_pointer (&values);
  sl_error_usage (error, "--values: they must rise in the order of the classes");
  return NULL;
}

static double *
refuse_words (char *const *classes, GError **error)
{
  g_autofree char *all = g_strjoinv (",", (char **) classes);
  g_autofree char *guess = guess_words (classes);
  g_autofree char *shown
      = sl_shown (guess != NULL ? guess : all, strlen (guess != NULL ? guess : all));
  sl_error_usage (error,
                  "--ordered: the classes are words, which have no order by themselves; say "
                  "it, from the lowest to the highest, as in --ordered '%s'",
                  shown);
  return NULL;
}

double *
sl_scale_values (char *const *classes, const char *values, gboolean told, GError **error)
{
  gint32 n = (gint32) g_strv_length ((char **) classes);
  if (values != NULL)
    return given_values (classes, n, values, error);
  g_autofree double *numbers = g_new (double, MAX (n, 1));
  gboolean are_numbers = read_numbers (classes, n, numbers);
  for (gint32 k = 0; !are_numbers && k < n; k++)
    numbers[k] = k + 1;
  if (!are_numbers && !told)
    return refuse_words (classes, error);
  for (gint32 k = 1; k < n; k++)
    if (!(numbers[k] > numbers[k - 1]))
      {
        sl_error_usage (error,
                        "--ordered: the classes are numbers, and '%s' after '%s' does not rise%s",
                        classes[k], classes[k - 1],
                        numbers[k] == numbers[k - 1] ? " (--rename-class makes them one)" : "");
        return NULL;
      }
  return g_steal_pointer (&numbers);
}

static SlBins *
refuse_bins (const char *text, const char *why, SlBins *bins, GError **error)
{
  g_autofree char *shown = sl_shown (text, strlen (text));
  sl_bins_free (bins);
  sl_error_usage (error, "--bins: '%s' %s (0,20,50,100 are three bins, 0..100/5 five)", shown, why);
  return NULL;
}

/* FROM..TO/N */
static gboolean
read_alike (const char *text, SlBins *bins)
{
  const char *dots = strstr (text, ".."), *slash = dots != NULL ? strchr (dots, '/') : NULL;
  double from, to;
  gint64 n;
  if (slash == NULL || !sl_parse_real (text, dots - text, &from)
      || !sl_parse_real (dots + 2, slash - dots - 2, &to) || !sl_parse_integer (slash + 1, -1, &n)
      || n < 1 || n >= SL_MAX_CLASSES)
    return FALSE;
  bins->n = (gint32) n;
  bins->edge = g_new (double, (gsize) n + 1);
  for (gint64 k = 0; k <= n; k++)
    bins->edge[k] = k == n ? to : from + (to - from) * (double) k / (double) n;
  return TRUE;
}

static gboolean
read_edges (const char *text, SlBins *bins)
{
  g_auto (GStrv) words = g_strsplit (text, ",", -1);
  guint n = g_strv_length (words);
  if (n < 2 || n > SL_MAX_CLASSES)
    return FALSE;
  bins->n = (gint32) n - 1;
  bins->edge = g_new0 (double, n);
  for (guint k = 0; k < n; k++)
    if (!sl_parse_real (g_strstrip (words[k]), -1, &bins->edge[k]))
      return FALSE;
  return TRUE;
}

SlBins *
sl_bins_parse (const char *text, GError **error)
{
  SlBins *bins = g_new0 (SlBins, 1);
  if (!(strstr (text, "..") != NULL ? read_alike : read_edges) (text, bins))
    return refuse_bins (text, "is not a list of numbers, nor FROM..TO/N", bins, error);
  if (!sl_values_rise (bins->edge, bins->n + 1))
    return refuse_bins (text, "does not rise", bins, error);
  return bins;
}

char **
sl_bins_names (const SlBins *bins)
{
  char **names = g_new0 (char *, bins->n + 1);
  for (gint32 k = 0; k < bins->n; k++)
    {
      char from[SL_REAL_CHARS], to[SL_REAL_CHARS];
      int n_from = (int) sl_format_real (from, bins->edge[k]);
      int n_to = (int) sl_format_real (to, bins->edge[k + 1]);
      names[k] = g_strdup_printf ("%.*s..%.*s", n_from, from, n_to, to);
    }
  return names;
}

char *
sl_bins_middles (const SlBins *bins)
{
  GString *text = g_string_new (NULL);
  for (gint32 k = 0; k < bins->n; k++)
    {
      char middle[SL_REAL_CHARS];
      gsize n = sl_format_real (middle, bins->edge[k] / 2 + bins->edge[k + 1] / 2);
      g_string_append (text, k > 0 ? "," : "");
      g_string_append_len (text, middle, (gssize) n);
    }
  return g_string_free (text, FALSE);
}
