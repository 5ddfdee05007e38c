/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "progress.h"

#define PATIENCE (2 * G_USEC_PER_SEC)

/* Between two lines: on a terminal; elsewhere 5 s at first, then a twentieth of the run, a minute
 * at most. */
#define INTERVAL (G_USEC_PER_SEC / 5)
#define LOG_INTERVAL (5 * G_USEC_PER_SEC)
#define LOG_INTERVAL_MOST (60 * G_USEC_PER_SEC)

void
sl_progress_begin (SlProgress *progress, gint64 now)
{
  progress->began = progress->now = now;
}

void
sl_progress_end (SlProgress *progress)
{
  g_clear_pointer (&progress->what, g_free);
  g_clear_pointer (&progress->unit, g_free);
}

/* Something else is counted, or the same again from the start. */
static void
begin_phase (SlProgress *progress, const SlHowFar *step)
{
  g_free (progress->what);
  g_free (progress->unit);
  progress->what = g_strdup (step->what);
  progress->unit = g_strdup (step->unit);
  /* It began when the last one was heard of. */
  progress->phase_n = progress->phase_began > 0 && step->of == 0 ? step->n : 0;
  progress->phase_began = progress->now;
}

void
sl_progress_take (SlProgress *progress, const SlHowFar *step, gint64 now)
{
  if (progress->phase_began == 0 || step->share < progress->share
      || g_strcmp0 (progress->what, step->what) != 0 || g_strcmp0 (progress->unit, step->unit) != 0)
    begin_phase (progress, step);
  progress->share = step->share;
  progress->now = now;
}

gboolean
sl_progress_due (const SlProgress *progress)
{
  gint64 spent = progress->now - progress->began;
  gint64 interval = progress->terminal
                        ? INTERVAL
                        : CLAMP (spent / 20, (gint64) LOG_INTERVAL, (gint64) LOG_INTERVAL_MOST);
  return progress->shown && spent >= PATIENCE
         && (progress->last == 0 || progress->now - progress->last >= interval);
}

/* 12.3 M, 4.5 k, 678 */
static void
append_short (GString *out, double value)
{
  static const struct
  {
    double unit;
    const char *name;
  } units[] = { { 1e9, " G" }, { 1e6, " M" }, { 1e3, " k" } };
  for (gsize i = 0; i < G_N_ELEMENTS (units); i++)
    if (value >= units[i].unit)
      {
        g_string_append_printf (out, "%.1f%s", value / units[i].unit, units[i].name);
        return;
      }
  g_string_append_printf (out, "%.0f", value);
}

static void
append_clock (GString *out, double seconds)
{
  gint64 s = (gint64) (seconds + 0.5);
  if (s >= 3600)
    g_string_append_printf (out, "%" G_GINT64_FORMAT ":%02d:%02d", s / 3600, (int) (s / 60 % 60),
                            (int) (s % 60));
  else
    g_string_append_printf (out, "%d:%02d", (int) (s / 60), (int) (s % 60));
}

/* The parts of a line, in their order. */
enum
{
  WHAT,
  COUNT,
  DETAIL,
  RATE,
  SPENT,
  SHARE,
  LEFT,
  N_PARTS
};

/* In which order they go where there is no room; COUNT stays. */
static const int dispensable[] = { RATE, DETAIL, SPENT, WHAT, SHARE, LEFT };

static void
append_count (GString *out, const SlHowFar *step)
{
  if (step->starts > 1)
    g_string_append_printf (out, "start %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT ", ",
                            step->start, step->starts);
  if (step->of > 0)
    {
      g_string_append_printf (out, "%s %" G_GINT64_FORMAT " of %s%" G_GINT64_FORMAT, step->unit,
                              step->n, step->at_most ? "at most " : "", step->of);
      return;
    }
  append_short (out, (double) step->n);
  g_string_append_printf (out, " %s", step->unit);
}

static void
make_parts (GString *part[N_PARTS], const SlProgress *progress, const SlHowFar *step)
{
  double spent = (double) (progress->now - progress->began) / G_USEC_PER_SEC;
  double phase = (double) (progress->now - progress->phase_began) / G_USEC_PER_SEC;
  g_string_append (part[WHAT], step->what != NULL ? step->what : "");
  append_count (part[COUNT], step);
  g_string_append (part[DETAIL], step->detail != NULL ? step->detail : "");
  if (step->of == 0 && phase > 0)
    {
      append_short (part[RATE], (double) (step->n - progress->phase_n) / phase);
      g_string_append_printf (part[RATE], " %s/s", step->unit);
    }
  append_clock (part[SPENT], spent);
  if (!(step->share > 0 && step->share <= 1))
    return;
  g_string_append_printf (part[SHARE], "%.0f %%", 100 * step->share);
  append_clock (part[LEFT], phase * (1 - step->share) / step->share);
  g_string_append (part[LEFT], " left");
}

static gsize
join (GString *line, const SlProgress *progress, GString *part[N_PARTS])
{
  g_string_printf (line, "softlabel %s", progress->verb);
  const char *between = ": ";
  for (int p = 0; p < N_PARTS; p++)
    if (part[p]->len > 0)
      {
        g_string_append_printf (line, "%s%s", between, part[p]->str);
        between = ", ";
      }
  return line->len;
}

void
sl_progress_line (GString *out, const SlProgress *progress, const SlHowFar *step, int width)
{
  GString *part[N_PARTS];
  g_autoptr (GString) line = g_string_new (NULL);
  for (int p = 0; p < N_PARTS; p++)
    part[p] = g_string_new (NULL);
  make_parts (part, progress, step);
  gsize room = (gsize) MAX (width, 1), length = join (line, progress, part);
  for (gsize d = 0; d < G_N_ELEMENTS (dispensable) && length > room; d++)
    {
      g_string_truncate (part[dispensable[d]], 0);
      length = join (line, progress, part);
    }
  g_string_append_len (out, line->str, (gssize) MIN (length, room));
  for (int p = 0; p < N_PARTS; p++)
    g_string_free (part[p], TRUE);
}
