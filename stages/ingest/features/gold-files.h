/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of --labels: one number or class name a row, as .npy, idx or text. */
#pragma once

#include "stages/ingest/ingestion.h"

typedef struct
{
  gint32 *code; /* [n]: -1 where it is not known */
  gint64 n;
} SlGoldFile;

typedef struct
{
  SlGoldFile *file; /* [n_files]; NULL: there is no --labels */
  int n_files;
} SlGoldFiles;

/* Reads them all. Where INGEST has no classes, they become those found: of numbers 0 to the largest
 * one, of names those that are there, sorted. */
gboolean sl_gold_files_read (SlGoldFiles *gold, SlIngest *ingest, GError **error);
void sl_gold_files_clear (SlGoldFiles *gold);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlGoldFiles, sl_gold_files_clear)
