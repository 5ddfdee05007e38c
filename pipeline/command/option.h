/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options, each declared once: the parser, the ranges, --help, the man page, shell completion and the
 * provenance all come from one table. Numbers are read locale-free and to the end of the text. */
#pragma once

#include <glib.h>

typedef enum
{
  SL_OPTION_FLAG,    /* gboolean */
  SL_OPTION_INTEGER, /* gint64, in [min, max] */
  SL_OPTION_REAL,    /* double, in [min, max] */
  SL_OPTION_SIZE,    /* gint64, bytes: 512M, 2G, 1.5T (powers of 1024) */
  SL_OPTION_CHOICE,  /* int: the index into choices */
  SL_OPTION_TEXT,    /* char *, owned; NULL when not given */
  SL_OPTION_TEXTS,   /* char **, owned, NULL-terminated; the option may be given again and again */
  SL_OPTION_INPUT, /* char *, owned: a file that is read; the provenance has its base name, and of the file what
                      sl_run_open() or sl_run_add_option_file() records: its history, or its size and digest */
  SL_OPTION_OUTPUT, /* char *, owned: a file that is written; not part of the provenance, but see shapes_output */
} SlOptionKind;

typedef struct
{
  const char *name; /* without the dashes */
  char letter;      /* 0 for none */
  SlOptionKind kind;
  gsize
      field; /* where its value stands: offsetof (Options, ...), of the struct that holds the stage's options */
  double min, max;
  const char *const *choices; /* SL_OPTION_CHOICE: NULL-terminated */
  const char *const
      *meanings; /* of the choices, in their order, where the names do not tell; or NULL */
  const char *placeholder; /* what stands for the value in --help: N, FILE, A,B,C */
  const char *help;        /* a clause; the default and the range are added to it */
  gboolean
      unrecorded; /* does not change the output's bytes (or changes only messages): not in the provenance */
  gboolean
      shapes_output; /* SL_OPTION_OUTPUT: that it is given changes the output; the provenance then has it as true */
} SlOption; /* a table ends with {0} */

/* What the options of one table are in one run. */
typedef struct
{
  const SlOption *table; /* NULL: there are none */
  gpointer values;       /* the struct that the table's fields stand in */
  gboolean *given;       /* [options of the table]: whether the command line says it */
} SlOptions;

/* OPTIONS of TABLE, which may be NULL, begin as the SIZE bytes of DEFAULTS. */
void sl_options_init (SlOptions *options, const SlOption *table, gconstpointer defaults,
                      gsize size);
void sl_options_clear (SlOptions *options);

/* Parses ARGV's options of both tables, removing what it takes; what remains are the files. */
gboolean sl_options_parse (SlOptions *own, SlOptions *common, char ***argv, GError **error);

/* Whether the option was given on the command line (for contradictions between options). */
gboolean sl_option_given (const SlOptions *options, const char *name);

/* Where OPTION's value stands in VALUES, a struct of its stage's options. */
gpointer sl_option_field (const SlOption *option, gconstpointer values);

/* A file's path, of an option of kind INPUT or OUTPUT; NULL where it is not given. */
const char *sl_option_path (const SlOptions *options, const SlOption *option);

/* The recorded options with their resolved values, as a JSON object. Input files are named by base name here;
 * their digests are the run's business. */
char *sl_options_to_json (const SlOptions *options);
