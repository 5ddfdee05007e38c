/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What run.c (what a stage may ask of its run) and launch.c (what happens around the stage) share. */
#pragma once

#include "progress.h"
#include "provenance.h"
#include "run.h"

/* The values of the options that every stage has. */
typedef struct
{
  char *output;
  int format;
  gint64 threads;
  gint64 seed;
  gint64 max_memory;
  gboolean quiet, verbose, progress, no_provenance;
} SlCommonOptions;

extern SlCommonOptions sl_common;

typedef struct
{
  SlWriter *table; /* one of the two */
  SlOutput *bytes;
} SlRunSide;

typedef enum
{
  SL_MESSAGE_WARNING, /* unless -q */
  SL_MESSAGE_NOTE,    /* with -v */
  SL_MESSAGE_REPORT,  /* asked for, so always, and as it is */
} SlMessageLevel;

typedef struct
{
  SlMessageLevel level;
  char *text;
} SlRunMessage;

typedef struct _SlRunPrivate
{
  SlProvenance provenance;
  GArray *sides;    /* of SlRunSide */
  GArray *messages; /* of SlRunMessage */
  SlOutput *print;  /* for SL_COMMAND_TEXT */
  GString *printed;
  guint n_files_open;
  char *history_lost; /* a warning, if the run ends well: an input's history could not be kept */
  gint64 rows;
  gsize claimed;
  SlProgress progress;
} SlRunPrivate;

/* Refuses further outputs (options that name a file to write) that go to standard output, to a file that is read, or where
 * another output goes. */
gboolean sl_run_check_sides (const SlRun *run, GError **error);
