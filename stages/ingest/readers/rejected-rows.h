/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What becomes of bad rows: the first ends the run, or, with --rejects, all are written aside. */
#pragma once

#include "pipeline/command/run.h"

typedef struct
{
  SlRun *run;
  const char *path; /* --rejects; NULL without */
  SlOutput *out;
  GString *text; /* not yet written */
  gint64 n;
  char *first; /* why the first was bad */
} SlRejectedRows;

/* Begins the file, if there is to be one. */
gboolean sl_rejected_rows_start (SlRejectedRows *rejected, SlRun *run, const char *path,
                                 GError **error);
void sl_rejected_rows_clear (SlRejectedRows *rejected);

/* RECORD[length] in row ROW of FILE is bad. */
gboolean sl_rejected_rows_add (SlRejectedRows *rejected, const char *file, gint64 row,
                               const char *reason, const char *record, gsize length,
                               GError **error);

/* Ends the file and warns of what is in it; an error if not one of the rows was good. */
gboolean sl_rejected_rows_end (SlRejectedRows *rejected, gint64 n_good, GError **error);
