/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where bytes go: standard output, or an atomic file. The file takes its name only when all of it
 * is written. Until then the name is absent, or the old file, and a failure leaves nothing behind.
 * The first error is kept. */
#pragma once

#include <gio/gio.h>

typedef struct _SlOutput SlOutput;

/* PATH "-" or NULL is standard output; a device or pipe is written as it is. */
SlOutput *sl_output_new (const char *path, GError **error);
void sl_output_free (SlOutput *output); /* removes a file that has not been committed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlOutput, sl_output_free)

/* The file that PATH's links lead to, whether it is there or not, to be freed; NULL and errno for
 * links in a circle. */
char *sl_output_target (const char *path);

/* Whether a file can be made at PATH, to be known before long work; it is left as it is. */
gboolean sl_output_check (const char *path, GError **error);

/* Where the file that is there holds the same bytes in the end, it is left as it is, with its
 * time. */
void sl_output_keep_same (SlOutput *output);

/* What goes to a pipe or a device goes into a file without a name in FOLDER, too, so that it can
 * be read again; a file can be in any case. FALSE where that file cannot be made. */
gboolean sl_output_keep_copy (SlOutput *output, const char *folder);

/* A descriptor that all that was written can be read from, from its begin on; -1 where there is
 * none, or the copy is not whole. */
int sl_output_copy (const SlOutput *output);

/* The descriptor, where bytes stay as they come: a pipe, standard output; -1 for a file that takes
 * its name only when all is written. */
int sl_output_in_place (SlOutput *output);

const char *sl_output_name (SlOutput *output);
gboolean sl_output_is_terminal (SlOutput *output);
GOutputStream *sl_output_stream (SlOutput *output); /* not a new reference */
gboolean sl_output_write (SlOutput *output, const void *bytes, gsize length, GError **error);

/* The first error of a write, if any, in place of PROBLEM (which may be NULL), as an
 * SL_ERROR_RUNTIME that names the output. */
gboolean sl_output_fail (SlOutput *output, const GError *problem, GError **error);

/* The reader of standard output is gone: not worth a message. */
gboolean sl_output_is_broken_pipe (SlOutput *output);

gboolean sl_output_finish (SlOutput *output, GError **error); /* synced to the disk */
gboolean sl_output_commit (SlOutput *output, GError **error); /* takes its name */

/* Before anything is opened: makes sure that descriptors 0, 1 and 2 are taken, that a gone reader
 * and a file at its limit are errors and not signals, and that a signal leaves no temporary
 * file. */
void sl_output_init (void);

/* Ends the program as any filter ends whose reader has gone. */
void sl_output_end_by_pipe (void);
