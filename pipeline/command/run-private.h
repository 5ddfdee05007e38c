/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What run.c (what a stage may ask of its run) and launch.c (what happens around the stage)
 * share. */
#pragma once

#include "messages.h"
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
  char **tag;
  gboolean quiet, verbose, progress, no_provenance, if_changed;
} SlCommonOptions;

extern const SlCommonOptions sl_common_defaults;

typedef struct
{
  SlWriter *table; /* one of the two */
  SlOutput *bytes;
} SlRunSide;

typedef struct _SlRunPrivate
{
  SlOptions own, common; /* the stage's options, and those that every stage has */
  SlProvenance provenance;
  SlTags given;         /* of --tag; an empty value takes a tag off */
  SlTags tags;          /* of all inputs */
  GHashTable *tag_from; /* which input has each of them */
  guint n_tagged;       /* inputs whose tags were looked at, of SL_COMMAND_ROWS_HAVE_TAGS */
  GArray *sides;        /* of SlRunSide, those that have not landed */
  SlOutput *bytes;      /* the main output of SL_COMMAND_TEXT and SL_COMMAND_BYTES */
  GString *printed;
  guint n_files_open;
  char *history_lost; /* a warning, if the run ends well: an input's history could not be kept */
  gint64 rows;
  gsize claimed;
  SlMessages messages;
  gboolean may_stop;
  gboolean told_to_stop; /* sl_run_stopping() has said so */
} SlRunPrivate;

/* The values of RUN's common options. */
static inline const SlCommonOptions *
sl_run_common (const SlRun *run)
{
  return run->common->values;
}

/* What --tag says. */
gboolean sl_run_parse_tags (SlRun *run, GError **error);

/* Keeps those tags that all tables have alike, of which this is one: the rows have the others. */
void sl_run_share_tags (SlRun *run, const SlTags *tags);

/* WRITER begins TABLE, whose tags become those of all inputs and of --tag. */
gboolean sl_run_start_tagged (const SlRun *run, SlWriter *writer, SlTable *table, GError **error);

/* Refuses further outputs (options that name a file to write) that go to standard output, to a file
 * that is read, or where another output goes. */
gboolean sl_run_check_sides (const SlRun *run, GError **error);

/* Complete and synced; then by its name. */
gboolean sl_run_side_finish (SlRunSide *side, GError **error);
gboolean sl_run_side_commit (SlRunSide *side, GError **error);
void sl_run_side_clear (gpointer side); /* what has not landed is gone */
