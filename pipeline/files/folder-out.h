/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table as the files of a folder: part-00000.parquet and on, in folders KEY=VALUE where it is
 * partitioned by columns, whose values then stand in the folders' names alone (partition.h). All
 * files take their names once all are written, each at a stroke, and _SUCCESS comes last. */
#pragma once

#include "writer.h"

typedef struct _SlFolderForm
{
  const char *path;
  SlFormat format;         /* of each file */
  const char *const *keys; /* columns, or tags, to partition by; NULL-terminated; NULL: none */
  gint64 rows_per_file;    /* 0: any number */
  int threads;
  gboolean undigested, keep_same, wide; /* of each file, as a writer has them (writer.h) */
} SlFolderForm;

typedef struct _SlFolderOut SlFolderOut;

/* FORM's texts must be there as long. */
SlFolderOut *sl_folder_out_new (const SlFolderForm *form);
void sl_folder_out_free (SlFolderOut *out);          /* what has not landed is gone */
SlFolderForm *sl_folder_out_form (SlFolderOut *out); /* until the table begins */

gboolean sl_folder_out_start (SlFolderOut *out, SlTable *table, GError **error);
gboolean sl_folder_out_write (SlFolderOut *out, SlBatch *batch, GError **error);
gboolean sl_folder_out_finish (SlFolderOut *out, GError **error);
gboolean sl_folder_out_commit (SlFolderOut *out, GError **error);
