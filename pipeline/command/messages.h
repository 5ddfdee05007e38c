/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run says on standard error, at the moment when it says it, in whichever thread: messages
 * of one line each, and below them how far the work is. A line goes out in one piece, so that those
 * of two stages of a pipeline do not mix. */
#pragma once

#include "pipeline/base/pulse.h"

typedef enum
{
  SL_MESSAGE_WARNING, /* unless quiet */
  SL_MESSAGE_NOTE,    /* if verbose */
  SL_MESSAGE_REPORT,  /* lines that were asked for: always, and as they are */
  SL_MESSAGE_ERROR,   /* always */
} SlMessageLevel;

/* How far the work is, as a line that is written over. */
typedef struct
{
  gboolean shown;    /* set by the caller: print at all */
  gboolean terminal; /* likewise: standard error is one */
  const char *verb;
  gint64 began, last; /* microseconds: of the run; of the last line */
  /* What is counted now, and from when and where on. */
  char *what, *unit;
  gint64 phase_began, phase_n, now;
  gint64 n, start; /* of the last step */
  double share;
  gboolean on_line;
} SlProgress;

typedef struct
{
  const char *verb;
  gboolean quiet, verbose;
  SlProgress progress;
  GMutex lock;
  GPtrArray *warnings; /* of char *: all that there were, shown or not */
  char *error;         /* the last one; or NULL */
} SlMessages;

void sl_messages_begin (SlMessages *messages, const char *verb);
void sl_messages_end (SlMessages *messages);

void sl_messages_say (SlMessages *messages, SlMessageLevel level, const char *text);
void sl_messages_step (SlMessages *messages, const SlHowFar *step);
