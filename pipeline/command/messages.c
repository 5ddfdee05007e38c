/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "messages.h"

#include "pipeline/display/terminal.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* ---- progress ---- */

/* How far the work is, on standard error, after its first two seconds: on a terminal one line that
 * changes, as wide as the terminal is at that moment; elsewhere a line now and then. */

#define PATIENCE (2 * G_USEC_PER_SEC)

/* Between two lines: on a terminal; elsewhere 5 s at first, then a twentieth of the run, a minute
 * at most. */
#define INTERVAL (G_USEC_PER_SEC / 5)
#define LOG_INTERVAL (5 * G_USEC_PER_SEC)
#define LOG_INTERVAL_MOST (60 * G_USEC_PER_SEC)

static void
progress_begin (SlProgress *progress, gint64 now)
{
  progress->began = progress->now = now;
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
  progress->phase_n = progress->n <= step->n ? progress->n : 0;
  progress->phase_began = progress->now;
}

/* Takes STEP, at NOW (of g_get_monotonic_time()). */
static void
progress_take (SlProgress *progress, const SlHowFar *step, gint64 now)
{
  if (progress->phase_began == 0 || step->share < progress->share || step->start != progress->start
      || g_strcmp0 (progress->what, step->what) != 0 || g_strcmp0 (progress->unit, step->unit) != 0)
    begin_phase (progress, step);
  progress->share = step->share;
  progress->n = step->n;
  progress->start = step->start;
  progress->now = now;
}

/* Whether a line is due. */
static gboolean
progress_due (const SlProgress *progress)
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

/* Whether all rows are gone over several times, and this is one of them. */
static gboolean
is_pass (const SlHowFar *step)
{
  return step->of == 0 && step->starts > 1;
}

static void
append_count (GString *out, const SlHowFar *step)
{
  if (step->starts > 1)
    g_string_append_printf (out, "%s %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT ", ",
                            is_pass (step) ? "pass" : "start", step->start, step->starts);
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
  double passes = is_pass (step) ? (double) step->starts : 1;
  double to_come = is_pass (step) ? (double) (step->starts - step->start) : 0;
  g_string_append_printf (part[SHARE], "%.0f %%", 100 * (1 - (to_come + 1 - step->share) / passes));
  append_clock (part[LEFT], phase * (to_come + 1 - step->share) / step->share);
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

/* Appends the line for STEP, which was taken, in at most WIDTH columns. What does not fit is left
 * out, the least important part first. */
static void
progress_line (GString *out, const SlProgress *progress, const SlHowFar *step, int width)
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

/* ---- messages ---- */

/* Bytes of a message; a name in it may be of any length. */
#define MAX_MESSAGE 1000

#define CLEAR_LINE "\r\033[K"

void
sl_messages_begin (SlMessages *messages, const char *verb)
{
  messages->verb = messages->progress.verb = verb;
  g_mutex_init (&messages->lock);
  messages->warnings = g_ptr_array_new_with_free_func (g_free);
  progress_begin (&messages->progress, g_get_monotonic_time ());
}

/* Nobody is left to be told of a failure. */
static void
write_text (const GString *text)
{
  gsize done = 0;
  while (done < text->len)
    {
      gssize n = write (STDERR_FILENO, text->str + done, text->len - done);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return;
      done += (gsize) n;
    }
}

/* Begins what is to be written where the line of progress is. */
static GString *
from_clear_line (SlMessages *messages)
{
  GString *text = g_string_new (messages->progress.on_line ? CLEAR_LINE : "");
  messages->progress.on_line = FALSE;
  return text;
}

void
sl_messages_end (SlMessages *messages)
{
  g_autoptr (GString) rest = from_clear_line (messages);
  write_text (rest);
  g_clear_pointer (&messages->progress.what, g_free);
  g_clear_pointer (&messages->progress.unit, g_free);
  g_clear_pointer (&messages->warnings, g_ptr_array_unref);
  g_clear_pointer (&messages->error, g_free);
  g_mutex_clear (&messages->lock);
}

/* A message is one line that cannot steer a terminal, whatever a file or a library put into it. */
static void
append_message (GString *line, const char *verb, SlMessageLevel level, const char *text)
{
  gsize length = strlen (text);
  g_string_append_printf (line, "softlabel %s: %s", verb,
                          level == SL_MESSAGE_WARNING ? "warning: " : "");
  sl_display_text (line, text, (gssize) MIN (length, MAX_MESSAGE));
  g_string_append (line, length > MAX_MESSAGE ? " ...\n" : "\n");
}

/* What is told in the end of how a run went. */
static void
remember (SlMessages *messages, SlMessageLevel level, const char *text)
{
  if (level != SL_MESSAGE_WARNING && level != SL_MESSAGE_ERROR)
    return;
  char *copy = g_utf8_make_valid (text, (gssize) MIN (strlen (text), MAX_MESSAGE));
  g_mutex_lock (&messages->lock);
  if (level == SL_MESSAGE_WARNING)
    g_ptr_array_add (messages->warnings, copy);
  else
    {
      g_free (messages->error);
      messages->error = copy;
    }
  g_mutex_unlock (&messages->lock);
}

void
sl_messages_say (SlMessages *messages, SlMessageLevel level, const char *text)
{
  remember (messages, level, text);
  if ((level == SL_MESSAGE_WARNING && messages->quiet)
      || (level == SL_MESSAGE_NOTE && !messages->verbose))
    return;
  g_mutex_lock (&messages->lock);
  g_autoptr (GString) line = from_clear_line (messages);
  if (level == SL_MESSAGE_REPORT)
    g_string_append (line, text);
  else
    append_message (line, messages->verb, level, text);
  write_text (line);
  g_mutex_unlock (&messages->lock);
}

/* The columns that a line may take on standard error, which may have another width each time; one
 * less than there are, as a full line may wrap. */
static int
columns (void)
{
  struct winsize size;
  gboolean known = ioctl (STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col - 1 : 79;
}

void
sl_messages_step (SlMessages *messages, const SlHowFar *step)
{
  SlProgress *progress = &messages->progress;
  if (!progress->shown)
    return;
  g_mutex_lock (&messages->lock);
  progress_take (progress, step, g_get_monotonic_time ());
  if (progress_due (progress))
    {
      g_autoptr (GString) line = g_string_new (progress->terminal ? "\r" : "");
      progress_line (line, progress, step, progress->terminal ? columns () : G_MAXINT);
      g_string_append (line, progress->terminal ? "\033[K" : "\n");
      write_text (line);
      progress->last = progress->now;
      progress->on_line = progress->terminal;
    }
  g_mutex_unlock (&messages->lock);
}
