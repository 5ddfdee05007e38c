/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Examples that a format reads, into a table of features: their names, that no name is there twice,
 * that all numbers are finite. */
#pragma once

#include "pipeline/command/run.h"
#include "pipeline/text/source.h"
#include "stages/ingest/ingestion.h"

/* ---- names, one a line ---- */

/* A text file that an option names, line by line, all of it in memory. */
typedef struct
{
  char *name; /* of the file, for messages */
  char *text;
  const char **line; /* [n], each with a NUL behind it */
  gint64 n;
} SlTextLines;

/* Reads SOURCE, which is not taken, and is what OPTION names. Line ends of Windows and a byte-order
 * mark are no part of a line; what is not UTF-8 is refused. */
gboolean sl_text_lines_read (SlTextLines *lines, SlRun *run, const char *option, SlSource *source,
                             GError **error);
void sl_text_lines_clear (SlTextLines *lines);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlTextLines, sl_text_lines_clear)

/* ---- examples ---- */

typedef struct
{
  SlIngest *ingest;
  SlTensor tensor;   /* of every example, once the first file was seen */
  SlTextLines names; /* of --items */
  SlIntern *items;
  const char *advice; /* for names that come again; NULL: the usual */
  gsize claimed;
  gint64 n; /* examples so far, bad ones too */
} SlExamplesOut;

typedef struct
{
  const char *file; /* for messages, */
  gint64 row;       /* and where it is there; -1: the file has but one */
  const char *name; /* NULL: it has none but its number */
  gint64 number;
  gconstpointer x; /* as the tensor says */
  gint32 gold;     /* -1: not known */
} SlExample;

/* Reads what --items names. */
gboolean sl_examples_init (SlExamplesOut *out, SlIngest *ingest, GError **error);
void sl_examples_clear (SlExamplesOut *out);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlExamplesOut, sl_examples_clear)

/* Those of FILE, which come next, are tensors of N_DIMS dimensions. The first time the table
 * begins, with the classes by now, and gold where GOLD; then they must be as those before them. */
gboolean sl_examples_start (SlExamplesOut *out, const char *file, SlNumber number, int n_dims,
                            const gint64 *dim, gboolean gold, GError **error);

gboolean sl_examples_add (SlExamplesOut *out, const SlExample *example, GError **error);

/* The rows of BATCH, which are those of FILE from ROW on (-1: it tells of rows itself). NAMED: an
 * item has the name that it has there. */
gboolean sl_examples_add_batch (SlExamplesOut *out, const SlBatch *batch, const char *file,
                                gint64 row, gboolean named, GError **error);

/* After the last one. */
gboolean sl_examples_end (SlExamplesOut *out, GError **error);
