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

/* A step is a write, or one in which a file gets its name: whoever ends the program, in another
 * thread, waits for its end. The thread that takes the step then goes no further. Steps do not lie
 * in each other. */
void sl_step_begin (void);
void sl_step_end (void);

/* Ends the step that the thread may be in: it takes none again. */
void sl_step_leave (void);

/* By whoever ends the program, in any thread and in a handler of signals too: no other thread is
 * within a step from now on, or one still was after so many MILLISECONDS (-1: waits for ever),
 * as its reader takes nothing: FALSE. A signal may have come in the middle of this thread's own
 * step. */
gboolean sl_steps_stop (int milliseconds);

/* An Arrow stream that is written where it stays, on a pipe: readers take it for whole wherever it
 * ends between two messages, some of them also where only padding is missing. So whoever ends the
 * program spoils it: a message's beginning follows that no reader accepts. Its writer sees to it
 * that this cannot stand at a message's end (files/message-sink.c). */
typedef struct _SlOpenStream SlOpenStream;

#define SL_STREAM_SPOILT "\377\377\377\377\010\0\0" /* with its final NUL */
#define SL_STREAM_SPOILT_BYTES 8

SlOpenStream *sl_open_stream_remember (int fd); /* nothing is written yet */

/* Something is about to be written; all that was written is whole messages. NULL: nothing. */
void sl_open_stream_begin (SlOpenStream *stream);
void sl_open_stream_mark (SlOpenStream *stream);

/* It is whole, or nobody's any more. NULL: nothing. */
void sl_open_stream_forget (SlOpenStream *stream);

/* STREAM, or all that there are, by whoever ends the program then; waits for the reader for at
 * most so many MILLISECONDS, -1 for ever. In any thread and in a handler of signals too. NULL:
 * nothing. */
void sl_open_stream_spoil (SlOpenStream *stream, int milliseconds);
void sl_open_streams_spoil (int milliseconds);

/* Whether the first SIGINT or SIGTERM from now on is a request; the second ends the program all the
 * same. */
void sl_stop_accept (gboolean accept);
int sl_stop_asked (void); /* the signal that came as a request; 0: none did */

/* Ends the program as NUMBER does where nobody handles it. */
void sl_end_by_signal (int number);
