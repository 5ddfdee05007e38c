/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table of another program in the form of a table of features: columns get the names that those
 * have there, and numbers that stand in columns of their own become one of lists. */
#pragma once

#include "pipeline/files/reader.h"
#include "table-columns.h"

typedef struct
{
  SlIngest *ingest;
  const char *path;
  int column[SL_TABLE_ROLES];
  GArray *picked; /* of int */
  gboolean of_lists;
  gboolean gold_alone; /* the classes are looked for */
  gint64 row;
  SlReaderForm reader_form;
} SlTableForm;

/* For SlReaderForm; DATA is an SlTableForm. */
GArrowSchema *sl_table_form_schema (GArrowSchema *theirs, gpointer data, GError **error);
GArrowRecordBatch *sl_table_form_batch (GArrowRecordBatch *theirs, gpointer data, GError **error);
