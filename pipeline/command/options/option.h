/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options, each declared once: the parser, the ranges, --help, the man page, shell completion and
 * the provenance all come from one table. Numbers are read locale-free and to the end of the
 * text. */
#pragma once

#include "pipeline/table/table.h"

typedef enum
{
  SL_OPTION_FLAG,    /* gboolean */
  SL_OPTION_INTEGER, /* gint64, in [min, max] */
  SL_OPTION_REAL,    /* double, in [min, max] */
  SL_OPTION_SIZE,    /* gint64, bytes: 512M, 2G, 1.5T (powers of 1024) */
  SL_OPTION_CHOICE,  /* int: the index into choices */
  SL_OPTION_TEXT,    /* char *, owned; NULL when not given */
  SL_OPTION_TEXTS,   /* char **, owned, NULL-terminated; the option may be given again and again */
  /* char *, owned: a file that is read. The provenance has its base name, and what sl_run_open() or
   * sl_run_add_option_file() records: the file's history, or its size and digest. */
  SL_OPTION_INPUT,
  SL_OPTION_INPUTS, /* char **, owned, NULL-terminated: the same, again and again */
  /* char *, owned: a file that is written. Not in the provenance, but see shapes_output. */
  SL_OPTION_OUTPUT,
} SlOptionKind;

typedef struct
{
  const char *name; /* without the dashes */
  char letter;      /* 0 for none */
  SlOptionKind kind;
  gsize field; /* offsetof (Options, ...): where the value stands in the stage's struct */
  double min, max;
  const char *const *choices;  /* SL_OPTION_CHOICE: NULL-terminated; SL_OPTION_TEXT: the words that
                                  it may have, for --help */
  const char *const *meanings; /* of the choices, where the names do not tell; or NULL */
  const guint32 *traits;       /* of the choices, bits; NULL: choice i has the bit i alone */
  /* The kind of table that the verb writes with each choice, those of a kind side by side; NULL
   * where that does not depend on it. */
  const SlKind *const *makes;
  const char *placeholder; /* stands for the value in --help: N, FILE, A,B,C */
  const char *help;        /* a clause; default, range and scope are added to it */
  /* It may stand alone, and has this value then. Another value follows "=". SL_OPTION_INPUT: or it
   * is the next word if that ends in .csv or .tsv, which is no table that might be meant as the
   * input. SL_OPTION_TEXT: or the next word if that is a list (a,b), and no file. */
  const char *by_itself;

  /* When the option may be given. WITH NULL: always. Else the option WITH of the same table must
   * have a choice with one of the traits OF, or, where OF is 0, must be given; or the flag OR_WITH
   * must be given. With an option that is ALONE only those may be given that name it in OR_WITH. */
  const char *with;
  guint32 of;
  const char *or_with;
  gboolean alone;

  /* The output's bytes do not depend on the value, so it is not in the provenance. */
  gboolean unrecorded;
  /* SL_OPTION_TEXT: the text may be the name of a file that is there, and the file an input. */
  gboolean may_be_file;
  /* SL_OPTION_OUTPUT: the main output depends on whether it is given; the provenance has it as
   * true. */
  gboolean shapes_output;
  /* SL_OPTION_OUTPUT: it is written while the stage works, and may be read. */
  gboolean lands_early;
  /* SL_OPTION_OUTPUT: it is a folder. Of a stage of bytes it stands for the main output, unless
   * that is named, too. */
  gboolean is_folder;
} SlOption; /* a table ends with {0} */

/* What the options of one table are in one run. */
typedef struct
{
  const SlOption *table; /* NULL: there are none */
  gpointer values;       /* the struct that the table's fields stand in */
  gboolean *given;       /* [options of the table]: whether the command line says it */
  gboolean words;        /* what follows the first argument is none of its options */
} SlOptions;

/* OPTIONS of TABLE, which may be NULL, begin as the SIZE bytes of DEFAULTS. */
void sl_options_init (SlOptions *options, const SlOption *table, gconstpointer defaults,
                      gsize size);
void sl_options_clear (SlOptions *options);

/* Whether the option was given on the command line (for contradictions between options). */
gboolean sl_option_given (const SlOptions *options, const char *name);

/* Where OPTION's value stands in VALUES, a struct of its stage's options. */
gpointer sl_option_field (const SlOption *option, gconstpointer values);

/* A file's path, of an option of kind INPUT or OUTPUT; NULL where it is not given. */
const char *sl_option_path (const SlOptions *options, const SlOption *option);

/* The path of file I, from 0, that OPTION has read; NULL where there are no more, or it is of
 * another kind. */
const char *sl_option_input (const SlOptions *options, const SlOption *option, gsize i);

/* Parses ARGV's options of both tables, removing what it takes; what remains are the files. */
gboolean sl_options_parse (SlOptions *own, SlOptions *common, char ***argv, GError **error);

/* ---- recorded-options.c ---- */

/* Appends VALUE, of OPTION, as JSON; of a file its base name. */
void sl_option_to_json (const SlOption *option, gconstpointer value, GString *json);

/* The recorded options with their resolved values, as a JSON object. Input files are named by base
 * name here; their digests are the run's business. */
char *sl_options_to_json (const SlOptions *options);

/* VALUE, of OPTION, becomes what TEXT says; where the option may be given again and again, that is
 * added to it. Refuses what is no such value, or out of the option's range. A flag has no text. */
gboolean sl_option_set (const SlOption *option, gpointer value, const char *text, GError **error);
