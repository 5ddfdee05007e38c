/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One line on standard error that tells how far the work is; nothing in its first two seconds. */
#pragma once

#include <glib.h>

typedef struct
{
  gboolean shown; /* set by the caller: print at all */
  const char *verb;
  gint64 began, last; /* microseconds; 0 before the first call */
  gboolean on_line;
} SlProgress;

/* WHOLE is 0 where it is not known; DONE and WHOLE are in the same unit, whichever. */
void sl_progress_update (SlProgress *progress, gint64 rows, gint64 done, gint64 whole);
void sl_progress_clear (SlProgress *progress);
