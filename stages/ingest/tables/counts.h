/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the two forms of counts share. */
#pragma once

#include "stages/ingest/ingestion.h"

typedef struct
{
  SlIngestCsv source;
  gint32 n_classes; /* of the table, once it has begun */
  gint64 n_items;   /* rows of the matrix so far, bad ones counted in */
} SlCounts;

/* Begins the table unless it has begun. Its classes are those given, or NAMES[n], or, where NAMES
 * is NULL, 0, 1 ... n - 1. */
gboolean sl_counts_start (SlCounts *state, gint64 n, char *const *names, GError **error);

/* COUNT votes for the class CODE of an item become a row of ROWS. */
void sl_counts_add (SlBuilder *rows, const char *item, gsize n, gint32 code, gint64 count);

/* Each reads a file that has been opened; takes SOURCE. */
gboolean sl_counts_read_npy (SlCounts *state, SlSource *source, GError **error);
gboolean sl_counts_read_csv (SlCounts *state, SlSource *source, GError **error);
