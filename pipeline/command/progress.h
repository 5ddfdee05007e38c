/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far the work is, on standard error, after its first two seconds: on a terminal one line that
 * changes, as wide as the terminal is at that moment; elsewhere a line now and then. */
#pragma once

#include "pipeline/base/pulse.h"

typedef struct
{
  gboolean shown;    /* set by the caller: print at all */
  gboolean terminal; /* likewise: standard error is one */
  const char *verb;
  gint64 began, last; /* microseconds: of the run; of the last line */
  /* What is counted now, and from when and where on. */
  char *what, *unit;
  gint64 phase_began, phase_n, now;
  double share;
  gboolean on_line;
} SlProgress;

void sl_progress_begin (SlProgress *progress, gint64 now);
void sl_progress_end (SlProgress *progress);

/* Takes STEP, at NOW (of g_get_monotonic_time()). */
void sl_progress_take (SlProgress *progress, const SlHowFar *step, gint64 now);

/* Whether a line is due. */
gboolean sl_progress_due (const SlProgress *progress);

/* Appends the line for STEP, which was taken, in at most WIDTH columns. What does not fit is left
 * out, the least important part first. */
void sl_progress_line (GString *out, const SlProgress *progress, const SlHowFar *step, int width);
