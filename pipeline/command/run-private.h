/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What run.c (what a stage may ask of its run) and launch.c (what happens around the stage)
 * share. */
#pragma once

#include "pipeline/files/lock-file.h"
#include "messages.h"
#include "options/option-scope.h"
#include "provenance.h"
#include "run-cache.h"
#include "run-log.h"
#include "run.h"

/* The values of the options that every stage has. */
typedef struct
{
  char *output;
  char *run_log, *run_metrics;
  char *cache;
  char *shard;
  char **partition_by;
  gint64 rows_per_file;
  int format, sandbox;
  gint64 threads;
  gint64 seed;
  gint64 max_memory;
  char **tag;
  gboolean quiet, verbose, progress, no_provenance, no_digest, if_changed;
} SlCommonOptions;

extern const SlCommonOptions sl_common_defaults;
extern const char *const sl_sandbox_names[];

typedef struct
{
  SlWriter *table; /* one of the three */
  SlOutput *bytes;
  SlFolder *folder;
  const char *option; /* which one names its file */
} SlRunSide;

typedef struct _SlRunPrivate
{
  SlOptions own, common; /* the stage's options, and those that every stage has */
  SlProvenance provenance;
  SlTags given;             /* of --tag; an empty value takes a tag off */
  SlTags tags;              /* of all inputs */
  GHashTable *tag_from;     /* which input has each of them */
  GHashTable *class_values; /* of all inputs: what a class stands for, and where that is said */
  guint n_tagged;           /* inputs whose tags were looked at, of SL_COMMAND_ROWS_HAVE_TAGS */
  GArray *sides;            /* of SlRunSide, those that have not landed */
  GPtrArray *locks;         /* of SlLockFile: of outputs that land early */
  SlOutput *bytes;          /* the main output of SL_COMMAND_TEXT and SL_COMMAND_BYTES */
  SlFolder *folder;         /* that of SL_COMMAND_FOLDER */
  GString *printed;
  guint n_files_open;
  char *history_lost;  /* a warning, if the run ends well: an input's history could not be kept */
  gint64 rows;         /* of the pass at work */
  gint64 pass, passes; /* which, from 0; how many, as far as is known */
  gboolean passed;     /* the pass has come to its end */
  gint64 rows_read;    /* of the inputs that are no option's; -1: there are none */
  gsize claimed;
  SlMessages messages;
  int status; /* of a run that goes well */
  SlRunCache cache;
  gint64 shard, shards; /* of --shard, of the input; SHARDS 0: all */
  gint64 part, parts;   /* of what the stage makes */
  gint64 stdin_from;    /* where standard input began, if that is a file; -1: it is none */
  gboolean parsed;      /* the command line is one */
  gboolean log_ready;   /* --run-log and --run-metrics can be written */
  int log;              /* descriptor of --run-log; 0: none */
  gboolean may_stop;
  gboolean told_to_stop; /* sl_run_stopping() has said so */
} SlRunPrivate;

/* The values of RUN's common options. */
static inline const SlCommonOptions *
sl_run_common (const SlRun *run)
{
  return run->common->values;
}

/* After this only what the command line names can be opened (--sandbox). */
gboolean sl_run_enter_sandbox (const SlRun *run, GError **error);

/* Whether the stage reads a table that is opened for it. */
gboolean sl_run_has_input (const SlRun *run);

/* Whether --shard and several files go with what the stage reads. */
gboolean sl_run_check_parts (SlRun *run, GError **error);

/* Whether the table goes into the files of a folder. */
gboolean sl_run_writes_parts (const SlRun *run);

/* That the output does not lie among the parts of the input. */
gboolean sl_run_check_place (const SlRun *run, GError **error);

/* READER's table gets the history that `softlabel cat` of its parts would have. */
void sl_run_join_histories (SlReader *reader);

/* Takes READER, which becomes an input of OPTION (NULL: the main one); NULL and ERROR where its
 * tags do not go with those of other inputs. */
SlReader *sl_run_take_input (SlRun *run, const char *option, SlReader *reader, GError **error);

/* Whether standard input is read, as far as the command line tells: where no file is named, too. */
gboolean sl_run_takes_stdin (const SlRun *run);

/* The option that was given, of those with which the verb prints text; NULL: none. */
char *sl_run_prints_by (const SlRun *run);

/* What --tag says. */
gboolean sl_run_parse_tags (SlRun *run, GError **error);

/* Keeps those tags that all tables have alike, of which this is one: the rows have the others. */
void sl_run_share_tags (SlRun *run, const SlTags *tags);

/* Where TABLE's classes have no order of their own, they have that of the inputs, if those say what
 * each of them stands for. */
void sl_run_put_values (const SlRun *run, SlTable *table);

/* WRITER begins TABLE, whose tags become those of all inputs and of --tag, and whose classes are
 * ordered where those of the inputs are. */
gboolean sl_run_start_tagged (const SlRun *run, SlWriter *writer, SlTable *table, GError **error);

/* Refuses further outputs (options that name a file to write) that go to standard output, to a file
 * that is read, or where another output goes. */
gboolean sl_run_check_sides (const SlRun *run, GError **error);

/* Likewise what --run-log and --run-metrics name. */
gboolean sl_run_check_logs (const SlRun *run, GError **error);

/* Before anything is written: as --if-changed, --no-digest and --cache have it. */
void sl_run_side_prepare (SlRun *run, const SlRunSide *side);

/* Complete and synced; then by its name. */
gboolean sl_run_side_finish (SlRunSide *side, GError **error);
gboolean sl_run_side_commit (SlRunSide *side, GError **error);
void sl_run_side_clear (gpointer side); /* what has not landed is gone */
