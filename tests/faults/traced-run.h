/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run of a program of which one call to the system fails, or before which a signal comes. */
#pragma once

#include <glib.h>

enum
{
  ANY_CALL = -1,
  ALLOCATION = -2, /* malloc() and its kin, by fail-calls.so */
  NO_CALL = -3,
};

typedef struct
{
  int call;   /* number of the call, or ANY_CALL, ALLOCATION */
  int number; /* which one of them, from 1, once the program has set up its signals */
  int error;  /* what it fails with; 0: it does not fail */
  int signal; /* what comes before it; 0: nothing */
} Fault;

typedef struct
{
  int status; /* exit status; 128 + N after signal N */
  gboolean fired, hung;
  GByteArray *out; /* what it wrote to standard output */
  char *said;      /* ... and to standard error */
} TracedRun;

/* The number of the call that goes by NAME. */
int traced_call (const char *name);

/* Runs ARGV in FOLDER. INPUT is the file that comes to it by a pipe; NULL: none. PRELOADED is what
 * makes allocations fail. */
TracedRun *traced_run (char **argv, const char *folder, const char *input, const char *preloaded,
                       const Fault *fault);
void traced_run_free (TracedRun *run);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TracedRun, traced_run_free)
