/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "messages.h"

#include "pipeline/display/terminal.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Bytes of a message; a name in it may be of any length. */
#define MAX_MESSAGE 1000

#define CLEAR_LINE "\r\033[K"

void
sl_messages_begin (SlMessages *messages, const char *verb)
{
  messages->verb = messages->progress.verb = verb;
  g_mutex_init (&messages->lock);
  sl_progress_begin (&messages->progress, g_get_monotonic_time ());
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
  sl_progress_end (&messages->progress);
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

void
sl_messages_say (SlMessages *messages, SlMessageLevel level, const char *text)
{
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
  sl_progress_take (progress, step, g_get_monotonic_time ());
  if (sl_progress_due (progress))
    {
      g_autoptr (GString) line = g_string_new (progress->terminal ? "\r" : "");
      sl_progress_line (line, progress, step, progress->terminal ? columns () : G_MAXINT);
      g_string_append (line, progress->terminal ? "\033[K" : "\n");
      write_text (line);
      progress->last = progress->now;
      progress->on_line = progress->terminal;
    }
  g_mutex_unlock (&messages->lock);
}
