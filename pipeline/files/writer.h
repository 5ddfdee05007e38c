/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes one table in the format that the file's extension (or --format) says. The file appears
 * only when all went well; the first error is kept and returned by every later call. */
#pragma once

#include "pipeline/table/batch.h"
#include "output.h"

typedef struct _SlWriter SlWriter;

typedef enum
{
  SL_FORMAT_AUTO, /* by extension; a stream on a pipe; a readable table on a terminal */
  SL_FORMAT_ARROWS,
  SL_FORMAT_ARROW,
  SL_FORMAT_PARQUET,
  SL_FORMAT_CSV,
  SL_FORMAT_JSONL,
  SL_FORMAT_TABLE,
} SlFormat;

extern const char *const sl_format_names[]; /* auto, arrows, arrow, ... for an SL_OPTION_CHOICE */

SlFormat sl_format_of_path (const char *path); /* by its extension; auto where that says nothing */

const char *sl_format_extension (SlFormat format); /* ".parquet"; NULL: files of it have none */

/* PATH "-" or NULL is standard output. Nothing is created yet. */
SlWriter *sl_writer_new (const char *path, SlFormat format, int threads, GError **error);
/* The files of a folder, in place of one. */
struct _SlFolderForm;
SlWriter *sl_writer_new_folder (const struct _SlFolderForm *form, GError **error);
void sl_writer_free (SlWriter *writer); /* an unfinished file is removed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlWriter, sl_writer_free)

/* Where it writes; not to be freed. NULL for a folder. */
SlOutput *sl_writer_output (SlWriter *writer);

/* Before the table begins: files that are there and hold the same bytes are left alone. */
void sl_writer_keep_same (SlWriter *writer);

/* Before the table begins: it gets no digests, by which readers find damage. */
void sl_writer_leave_undigested (SlWriter *writer);

/* Before the table begins: its distributions get a column for each class, `label.cat`, of Parquet
 * and Arrow as of CSV. FALSE where the format has no columns. */
gboolean sl_writer_widen (SlWriter *writer);

/* Begins the table; the stage's entry is added to the provenance by the run (run.h). */
gboolean sl_writer_start (SlWriter *writer, SlTable *table, GError **error);

/* Batches may have any number of rows: they are cut and joined to sl_table_batch_rows(). */
gboolean sl_writer_write (SlWriter *writer, SlBatch *batch, GError **error);

/* Writes what BUILDER has, if it is full or FLUSH is set. */
gboolean sl_writer_write_built (SlWriter *writer, SlBuilder *builder, gboolean flush,
                                GError **error);

/* Ends the table (the format's end marker is written, the file is synced); then puts it in its
 * place. */
gboolean sl_writer_finish (SlWriter *writer, GError **error);
gboolean sl_writer_commit (SlWriter *writer, GError **error);

gint64 sl_writer_rows (const SlWriter *writer); /* so many were written */

gboolean sl_writer_is_broken_pipe (SlWriter *writer); /* nobody reads it any more */
