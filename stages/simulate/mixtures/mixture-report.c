/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mixture-report.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#define HARD 0.5
#define EASY 0.1

SlMixtureEnds
sl_mixture_ends (double first, double second)
{
  if (isnan (first) || isnan (second))
    return SL_ENDS_UNKNOWN;
  return first >= HARD && second >= HARD   ? SL_ENDS_HARD
         : first <= EASY && second <= EASY ? SL_ENDS_EASY
                                           : SL_ENDS_OTHER;
}

/* Shares to two digits, so that there are 101 at most. */
static int
hundredths (const SlMixtureSeen *seen)
{
  return (int) rint (100 * seen->lambda);
}

/* A total order, so that sums do not depend on that of the rows. */
static int
compare_seen (gconstpointer a, gconstpointer b)
{
  const SlMixtureSeen *x = a, *y = b;
  if (hundredths (x) != hundredths (y))
    return hundredths (x) < hundredths (y) ? -1 : 1;
  if (x->human != y->human)
    return x->human < y->human ? -1 : 1;
  if (x->lambda != y->lambda)
    return x->lambda < y->lambda ? -1 : 1;
  if (x->ends != y->ends)
    return x->ends < y->ends ? -1 : 1;
  return isnan (x->confidence) - isnan (y->confidence)
             ? isnan (x->confidence) - isnan (y->confidence)
             : (x->confidence > y->confidence) - (x->confidence < y->confidence);
}

/* The mean confidence of those of SEEN[N] that have one and are of ENDS (SL_N_ENDS: of all). */
static void
append_sure (GString *text, const SlMixtureSeen *seen, gsize n, SlMixtureEnds ends)
{
  double sum = 0, known = 0;
  for (gsize i = 0; i < n; i++)
    if (!isnan (seen[i].confidence) && (ends == SL_N_ENDS || seen[i].ends == ends))
      {
        sum += seen[i].confidence;
        known++;
      }
  if (known > 0)
    g_string_append_printf (text, "  %6.4f", sum / known);
  else
    g_string_append_printf (text, "  %6s", "-");
}

/* Of what SEEN[N], in order, saw. */
static double
quantile (const SlMixtureSeen *seen, gsize n, double p)
{
  return gsl_stats_quantile_from_sorted_data (&seen->human, sizeof *seen / sizeof seen->human, n,
                                              p);
}

static void
append_line (GString *text, const char *name, const SlMixtureSeen *seen, gsize n)
{
  static const double points[] = { .5, .25, .75 };
  double off = 0;
  for (gsize i = 0; i < n; i++)
    off += fabs (seen[i].human - seen[i].lambda);
  g_string_append_printf (text, "%8" G_GSIZE_FORMAT "  %6s", n, name);
  for (gsize p = 0; p < G_N_ELEMENTS (points); p++)
    g_string_append_printf (text, "  %6.4f", quantile (seen, n, points[p]));
  g_string_append_printf (text, "  %8.4f", off / (double) n);
  append_sure (text, seen, n, SL_N_ENDS);
  g_string_append_c (text, '\n');
}

static void
append_ends (GString *text, const SlMixtureSeen *seen, gsize n)
{
  static const char *const names[] = { "", "both 0.5 or more", "both 0.1 or less", "others" };
  g_string_append (text, " answers    sure  entropies of the items mixed\n");
  for (SlMixtureEnds ends = SL_ENDS_HARD; ends < SL_N_ENDS; ends++)
    {
      gsize of_these = 0;
      for (gsize i = 0; i < n; i++)
        of_these += seen[i].ends == ends;
      g_string_append_printf (text, "%8" G_GSIZE_FORMAT, of_these);
      append_sure (text, seen, n, ends);
      g_string_append_printf (text, "  %s\n", names[ends]);
    }
}

void
sl_mixture_report (GString *text, SlMixtureSeen *seen, gsize n)
{
  double off = 0;
  gboolean known = FALSE;
  qsort (seen, n, sizeof *seen, compare_seen);
  g_string_append (text, " answers  lambda  median     1/4     3/4  mean off    sure\n");
  for (gsize from = 0, to; from < n; from = to)
    {
      g_autofree char *name = g_strdup_printf ("%.2f", hundredths (&seen[from]) / 100.0);
      for (to = from; to < n && hundredths (&seen[to]) == hundredths (&seen[from]); to++)
        {
          off += fabs (seen[to].human - seen[to].lambda);
          known |= seen[to].ends != SL_ENDS_UNKNOWN;
        }
      append_line (text, name, seen + from, to - from);
    }
  g_string_append_printf (text, "%8" G_GSIZE_FORMAT "  %6s  %6s  %6s  %6s  %8.4f", n, "all", "", "",
                          "", off / (double) n);
  append_sure (text, seen, n, SL_N_ENDS);
  g_string_append_c (text, '\n');
  if (known)
    append_ends (text, seen, n);
}
