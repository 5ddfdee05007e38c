/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A text file that an option names, line by line, all of it in memory. */
#pragma once

#include "pipeline/command/run.h"
#include "pipeline/text/source.h"

typedef struct
{
  char *name; /* of the file, for messages */
  char *text;
  const char **line; /* [n], each with a NUL behind it */
  gint64 n;
} SlTextLines;

/* Reads SOURCE, which is not taken, and is what OPTION names. Line ends of Windows and a byte-order
 * mark are no part of a line; what is not UTF-8 is refused. */
gboolean sl_text_lines_read (SlTextLines *lines, SlRun *run, const char *option, SlSource *source,
                             GError **error);
void sl_text_lines_clear (SlTextLines *lines);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlTextLines, sl_text_lines_clear)
