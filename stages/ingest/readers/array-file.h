/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file that is an array of numbers, NumPy's .npy or MNIST's idx, gzipped or not: its first
 * dimension is that of the rows. */
#pragma once

#include "pipeline/command/run.h"
#include "stages/common/files/npy.h"

typedef struct
{
  SlSource *source;
  SlNpy npy;
  gboolean is_npy; /* or else idx */
  gsize row_bytes;
  gint64 row;    /* of the next one */
  guint8 *bytes; /* the rows at hand; of an array in Fortran's order all of them */
} SlArrayFile;

/* Reads the header of SOURCE, which it takes. What the header says is compared with the file's size
 * where that is known, before there is any room for it. */
gboolean sl_array_file_open (SlArrayFile *file, SlRun *run, SlSource *source, GError **error);
void sl_array_file_clear (SlArrayFile *file);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlArrayFile, sl_array_file_clear)

/* Rows are read a few at a time: *FIRST is where the first number of the first of them lies, and
 * row i is *STEP bytes x i behind it. *N is 0 at the end, after which there are no bytes. */
gboolean sl_array_file_next (SlArrayFile *file, SlRun *run, const guint8 **first, gsize *step,
                             gint64 *n, GError **error);

/* Bytes between two numbers that differ by one in dimension D alone. */
gsize sl_array_file_stride (const SlArrayFile *file, int d);

/* Whether HEAD[4] may begin a file of MNIST's format. */
gboolean sl_idx_begins (const guint8 *head);
