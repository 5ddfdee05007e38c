/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a signal does to the program. One that ends it takes the temporary files along, whatever the
 * signal is and whichever thread gets it; the exit status is the signal's. A program that says so
 * takes the first SIGINT or SIGTERM as a request to stop. */
#pragma once

#include <glib.h>

/* Before anything is opened. A signal that is ignored stays ignored; a gone reader (SIGPIPE) and a
 * file at its limit (SIGXFSZ) are errors of the write. */
void sl_signals_init (void);

typedef struct _SlTemporary SlTemporary;

/* The file PATH, which may not be there yet, is removed if a signal ends the program before
 * sl_temporary_forget(); a folder too, once what was remembered after it is removed. */
SlTemporary *sl_temporary_remember (const char *path);
void sl_temporary_forget (SlTemporary *temporary); /* NULL: nothing */
const char *sl_temporary_path (const SlTemporary *temporary);

/* All that are there, for whoever ends the program; in any thread and in a handler of signals
 * too. */
void sl_temporaries_remove (void);

/* An Arrow stream that is written where it stays, on a pipe: readers take it for whole wherever it
 * ends between two messages. So whoever ends the program spoils it: a message's beginning follows
 * that no reader accepts. */
typedef struct _SlOpenStream SlOpenStream;

#define SL_STREAM_SPOILT "\377\377\377\377\010\0\0" /* with its final NUL */
#define SL_STREAM_SPOILT_BYTES 8

SlOpenStream *sl_open_stream_remember (int fd); /* nothing is written yet */

/* Whether it stands between two messages now, so that what follows is the beginning of one. */
void sl_open_stream_set_between (SlOpenStream *stream, gboolean between);

/* It is whole, or nobody's any more. NULL: nothing. */
void sl_open_stream_forget (SlOpenStream *stream);

/* STREAM, or all that there are, for whoever ends the program; waits for the reader for at most so
 * many MILLISECONDS, -1 for ever. In any thread and in a handler of signals too. NULL: nothing. */
void sl_open_stream_spoil (SlOpenStream *stream, int milliseconds);
void sl_open_streams_spoil (int milliseconds);

/* Whether the first SIGINT or SIGTERM from now on is a request; the second ends the program all the
 * same. */
void sl_stop_accept (gboolean accept);
int sl_stop_asked (void); /* the signal that came as a request; 0: none did */

/* Ends the program as NUMBER does where nobody handles it. */
void sl_end_by_signal (int number);
