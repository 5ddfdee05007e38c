/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a stage is (SlCommand) and what it is given when it runs (SlRun). A stage reads run->in,
 * writes run->out, and neither prints nor exits. */
#pragma once

#include "pipeline/base/error.h"
#include "pipeline/base/pulse.h"
#include "pipeline/files/folder.h"
#include "pipeline/files/output.h"
#include "pipeline/files/reader.h"
#include "pipeline/files/writer.h"
#include "options/option.h"

typedef struct _SlRun SlRun;

typedef enum
{
  SL_COMMAND_SEEDED = 1 << 0,  /* draws random numbers: the seed is part of its provenance */
  SL_COMMAND_SOURCES = 1 << 1, /* its files are not tables: it opens them itself, run->in is NULL */
  SL_COMMAND_TABLES = 1 << 2,  /* any number of tables, which it opens itself with sl_run_open() */
  SL_COMMAND_TEXT = 1 << 3,    /* prints text with sl_run_print(), no table: run->out is NULL */
  SL_COMMAND_BYTES = 1 << 4,   /* writes bytes, no table, to sl_run_output(): run->out is NULL */
  SL_COMMAND_NETWORKS = 1 << 5, /* computes with networks: last digits depend on the threads */
  /* Its rows say which of its files they are about: tags that differ among those are not its
   * output's. Tags of tables that options name are not looked at. */
  SL_COMMAND_ROWS_HAVE_TAGS = 1 << 6,
  SL_COMMAND_WORDS = 1 << 7,  /* takes a command line: from the first argument on all is that */
  SL_COMMAND_FOLDER = 1 << 8, /* writes a folder, no table, to sl_run_folder(): run->out is NULL */
} SlCommandFlags;

/* What a stage writes in place of what it usually does. */
typedef struct
{
  const SlKind *kind;
  const char *with; /* the option that makes it so: "--from mixup" */
} SlAlsoWrites;     /* an array ends with {0} */

typedef struct
{
  const char *name;      /* the verb; "simulate fit" for a verb in two words */
  const char *summary;   /* one line */
  const char *arguments; /* for the usage line: "[FILE]" */
  /* the kinds it takes, NULL-terminated; NULL: any, or none if it has no table input */
  const SlKind *const *reads;
  /* the option with a number that stands for an input: the stage then reads none; or NULL */
  const char *makes;
  const SlKind *writes; /* NULL: as it reads, or no table */
  /* Options, | between them, with which it prints text, no table, bytes or folder; or NULL. */
  const char *prints;
  const SlAlsoWrites *also_writes; /* or NULL */
  SlCommandFlags flags;
  const SlOption *options; /* the table of its options, and where they stand: see SL_OPTIONS() */
  gconstpointer defaults;
  gsize defaults_size;
  const char *description; /* paragraphs for --help and the manual */
  const char *examples;    /* lines "command\n    what it does\n" for both */
  /* Puts into the options' struct what others make of those that are not given, before it is looked
   * at which go together; or NULL. */
  gboolean (*settle) (SlOptions *options, GError **error);
  /* Ranges and contradictions among options, before any input is read; it may put into the options'
   * struct what they come to. Or NULL. */
  gboolean (*check) (SlOptions *options, GError **error);
  /* Whether --shard I/N is a part of what the stage makes with OPTIONS (sl_run_part()): it then
   * reads its input whole. NULL: it is always a part of the input. */
  gboolean (*parts) (const SlOptions *options);
  gboolean (*run) (SlRun *run, GError **error);
  /* The conditions of --where that all rows must fit which the stage makes use of: files in folders
   * KEY=VALUE of which none can are not opened. NULL, or returns NULL: there are none. */
  char *const *(*where) (const SlOptions *options);
  /* Is given each table that was opened, the main input (OPTION NULL) or one that OPTION names,
   * before a row of it is read; or NULL. */
  gboolean (*opened) (SlRun *run, const char *option, SlReader *reader, GError **error);
  /* Loads the libraries that the stage computes with, and does not link; NULL, or what is wrong. */
  const char *(*load) (void);
  /* Folders that libraries of the stage read besides what the command line names (fonts), which
   * --sandbox leaves open to them; NULL-terminated. NULL, or returns NULL: none. */
  char *const *(*library_folders) (void);
} SlCommand;

/* For SlCommand: its option table, and the struct that holds their defaults, of the type whose
 * fields the table names. */
#define SL_OPTIONS(table, initial)                                                                 \
  .options = table, .defaults = &(initial), .defaults_size = sizeof (initial)

struct _SlRun
{
  const SlCommand *command;
  const SlOptions *options; /* the stage's: options->values is its struct */
  const SlOptions *common;  /* of sl_common_options */
  SlReader *in;
  SlWriter *out;
  char **files; /* the arguments that are not options, NULL-terminated */
  guint64 seed;
  int threads;
  gboolean quiet, verbose;
  struct _SlRunPrivate *priv;
};

/* Begins run->out: TABLE's provenance becomes that of the input (or inputs) and this stage's own
 * entry. */
gboolean sl_run_start (SlRun *run, SlTable *table, GError **error);

/* The main output of SL_COMMAND_BYTES: a model, a page. It lands as a table does. */
SlOutput *sl_run_output (SlRun *run);

/* The main output of SL_COMMAND_FOLDER: it lands whole. */
SlFolder *sl_run_folder (SlRun *run);

/* The history that run->out gets, as JSON, for an output that is no table, such as a model: that of
 * the inputs, and this stage's own entry. NULL with --no-provenance. */
char *sl_run_provenance (SlRun *run);

/* Records the history of an input that is no table, such as a model, and that the stage opened.
 * NAME is its name, OPTION the option that named it (NULL: it is the main input). HISTORY NULL: it
 * has none. */
void sl_run_add_history (SlRun *run, const char *option, const char *name, const char *history);

/* The tags that run->out gets, as a JSON object, for an output that is no table, such as a model.
 * NULL: there are none. */
char *sl_run_tags (SlRun *run);

/* Adds the tags of the input NAME, which is no table. A tag that another input has with another
 * value is an error, unless --tag gives its value. */
gboolean sl_run_add_tags (SlRun *run, const char *name, const SlTags *tags, GError **error);

/* Only checks that none of them is such an error. */
gboolean sl_run_check_tags (const SlRun *run, const char *name, const SlTags *tags, GError **error);

/* What ordered CLASSES of the input NAME, which is no table, stand for (NULL: they have no order).
 * That another input has another value for one of them is an error. */
gboolean sl_run_add_values (SlRun *run, const char *name, char *const *classes,
                            const double *values, GError **error);

/* What CLASSES of an output that is no table stand for, as the inputs have it; to be freed. NULL
 * where they have no order. */
double *sl_run_class_values (const SlRun *run, char *const *classes);

/* Opens another table as input of the option (or, with OPTION NULL, as one of the files); its
 * provenance is recorded. */
SlReader *sl_run_open (SlRun *run, const char *option, const char *path, const SlKind *const *kinds,
                       GError **error);
SlReader *sl_run_open_as (SlRun *run, const char *option, const char *path,
                          const SlReaderOptions *options, GError **error);

/* A further output table (an option's FILE), begun with TABLE; it lands only if the whole run ends
 * well. Not freed by the stage. That it goes to standard output, to an input, or where another
 * output goes, was refused before. */
SlWriter *sl_run_side_table (SlRun *run, const char *path, SlTable *table, GError **error);

/* A further output of bytes, which lands likewise. */
SlOutput *sl_run_side_file (SlRun *run, const char *path, GError **error);

/* A further output that is a folder of files (SlOption.is_folder), which lands likewise. */
SlFolder *sl_run_side_folder (SlRun *run, const char *path, GError **error);

/* Whether the main output is wanted: not where a folder stands for it. */
gboolean sl_run_wants_main (const SlRun *run);

/* A further output of bytes lands now, complete, synced and by its name, whatever becomes of the
 * run: a checkpoint. It is gone then, and the stage may begin another by the same name. FALSE and
 * ERROR where that failed: what was there before is there still. */
gboolean sl_run_land_file (SlRun *run, SlOutput *bytes, GError **error);

/* Records a source file by base name, size and digest (before sl_run_start()); "-" has only its
 * name. */
gboolean sl_run_add_source (SlRun *run, const char *path, GError **error);

/* Records the file that OPTION names, and that is no table, likewise. */
gboolean sl_run_add_option_file (SlRun *run, const char *option, const char *path, GError **error);

/* Records what the stage decided by itself from all of its input, as a JSON object (before
 * sl_run_start()). */
void sl_run_add_found (SlRun *run, const char *found);

/* Next batch of run->in with progress counted. */
gboolean sl_run_next (SlRun *run, SlBatch **batch, GError **error);

/* The loop over all batches of run->in, as sl_reader_each() has it. */
gboolean sl_run_each (SlRun *run, SlBatch **batch, gboolean *ok, GError **error);

/* Next batch of READER, run->in or another: progress goes by run->in alone. */
gboolean sl_run_next_of (SlRun *run, SlReader *reader, SlBatch **batch, GError **error);

/* How far the work is, in any thread: ROWS, of stages that read by themselves; DONE of WHOLE in any
 * unit, WHOLE 0 where that is not known. Or whatever STEP counts. */
void sl_run_progress (SlRun *run, gint64 rows, gint64 done, gint64 whole);
void sl_run_step (SlRun *run, const SlHowFar *step);

/* How many rows there were to read, of stages that read by themselves: for --run-log. */
void sl_run_has_read (SlRun *run, gint64 rows);

/* For kernels: does as sl_run_step(), and answers as !sl_run_stopping(). */
SlPulse sl_run_pulse (SlRun *run);

/* The stage will ask. From now on the first SIGINT or SIGTERM is a request, the second ends the
 * program; without this the first does. */
void sl_run_may_stop (SlRun *run);

/* Whether the user has asked to stop. A stage that is told so and returns TRUE lands what it has
 * written; the program then ends by the signal. */
gboolean sl_run_stopping (SlRun *run);

/* Of N rows, or items, that the stage makes: those that --shard asks for, FROM up to before TO; all
 * without it, and where the verb's `.parts` is not so. */
void sl_run_part (const SlRun *run, gint64 n, gint64 *from, gint64 *to);

/* Counts memory a stage is about to hold against --max-memory. WHAT: "the answers of all
 * annotators". */
gboolean sl_run_claim (SlRun *run, gsize bytes, const char *what, GError **error);

/* Gives back what was claimed and is freed. */
void sl_run_release (SlRun *run, gsize bytes);

/* The same for N of SIZE bytes each; what no number of bytes can say is not to be had either. */
gboolean sl_run_claim_array (SlRun *run, gsize n, gsize size, const char *what, GError **error);

/* Claims what BYTES are more than the *CLAIMED ones, which they become. */
gboolean sl_run_claim_up_to (SlRun *run, gsize *claimed, gsize bytes, const char *what,
                             GError **error);

/* N zeros of SIZE bytes each, claimed, to be freed with g_free(); NULL and ERROR where there is no
 * such memory. */
gpointer sl_run_alloc0 (SlRun *run, gsize n, gsize size, const char *what, GError **error);

/* A line on standard error, with the stage's name, at once and in any thread: a warning unless -q;
 * a note with -v. */
void sl_run_warn (SlRun *run, const char *format, ...) G_GNUC_PRINTF (2, 3);
void sl_run_note (SlRun *run, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* The status that the program ends with in place of 0, where a run goes well and yet has something
 * to tell; its outputs land all the same. */
void sl_run_set_status (SlRun *run, int status);

/* Lines for people on standard error, which an option asked for: printed as they are. */
void sl_run_report (SlRun *run, const char *text);

/* Text to standard output (SL_COMMAND_TEXT); errors come at the end of the run. */
void sl_run_print (SlRun *run, const char *text, gssize length);
void sl_run_printf (SlRun *run, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* Runs COMMAND with what the command line says (ARGV without the program and the verb); returns the
 * exit status. */
int sl_run_command (const SlCommand *command, char **argv);

/* Whether COMMAND prints text for a reader, which no cache keeps. `report` has both flags, TEXT and
 * BYTES: its page is kept, as a model is. */
gboolean sl_command_prints (const SlCommand *command);

/* Begins OPTIONS of COMMAND, at their defaults. */
void sl_command_options (const SlCommand *command, SlOptions *options);

/* The options that every stage has. */
extern const SlOption sl_common_options[];
