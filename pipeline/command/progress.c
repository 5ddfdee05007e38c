/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "progress.h"

#include <stdio.h>

#define PATIENCE (2 * G_USEC_PER_SEC)
#define INTERVAL (G_USEC_PER_SEC / 5)

/* 12.3 M, 4.5 k, 678 */
static char *
short_number (double value)
{
  static const struct
  {
    double unit;
    const char *name;
  } units[] = { { 1e9, " G" }, { 1e6, " M" }, { 1e3, " k" } };
  for (gsize i = 0; i < G_N_ELEMENTS (units); i++)
    if (value >= units[i].unit)
      return g_strdup_printf ("%.1f%s", value / units[i].unit, units[i].name);
  return g_strdup_printf ("%.0f", value);
}

static char *
clock_text (double seconds)
{
  int s = (int) (seconds + 0.5);
  return s < 3600 ? g_strdup_printf ("%d:%02d", s / 60, s % 60)
                  : g_strdup_printf ("%d:%02d:%02d", s / 3600, s / 60 % 60, s % 60);
}

void
sl_progress_update (SlProgress *progress, gint64 rows, gint64 done, gint64 whole)
{
  if (!progress->shown)
    return;
  gint64 now = g_get_monotonic_time ();
  if (progress->began == 0)
    progress->began = now;
  if (now - progress->began < PATIENCE || now - progress->last < INTERVAL)
    return;
  progress->last = now;
  progress->on_line = TRUE;
  double seconds = (double) (now - progress->began) / G_USEC_PER_SEC;
  g_autofree char *count = short_number ((double) rows);
  g_autofree char *rate = short_number ((double) rows / seconds);
  g_autofree char *spent = clock_text (seconds);
  fprintf (stderr, "\rsoftlabel %s: %s rows, %s rows/s, %s", progress->verb, count, rate, spent);
  if (whole > 0 && done > 0 && done <= whole)
    {
      double share = (double) done / (double) whole;
      g_autofree char *left = clock_text (seconds * (1 - share) / share);
      fprintf (stderr, ", %.0f %%, %s left", 100 * share, left);
    }
  fputs ("\033[K", stderr);
  fflush (stderr);
}

void
sl_progress_clear (SlProgress *progress)
{
  if (progress->on_line)
    fputs ("\r\033[K", stderr);
  progress->on_line = FALSE;
}
